//! Where a value may end: the next literal that could be its closer, one of what encloses it, or its own opener.

use crate::machine::Parser;
use crate::machine::thread::Registers;
use crate::machine::view::View;
use crate::program::{Fits, LeadRole, TextNode};

/// A literal that may end a value, or nest another in it.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Closer {
    pub(in crate::machine) at: usize,
    /// All of it is here. Otherwise more bytes decide, and it is waited for: looking after it begins with a whole one.
    pub(in crate::machine) is_whole: bool,
    /// It ends nothing: the value that holds it is in doubt.
    pub(in crate::machine) doubts: bool,
}

/// The first such place in `bytes`.
#[inline]
pub(in crate::machine) fn find_closer(
    text: &TextNode,
    registers: &Registers,
    bytes: &[u8],
) -> Option<Closer> {
    let at = text.first.find(bytes)?;
    closer_from(text, registers, bytes, at)
}

/// The same from `at` on, where the first byte of one stands.
fn closer_from(
    text: &TextNode,
    registers: &Registers,
    bytes: &[u8],
    mut at: usize,
) -> Option<Closer> {
    loop {
        let (rest, mut passed) = (&bytes[at..], 1);
        let next = rest[1..].iter().zip(&text.following);
        if next.fold(true, |fits, (&byte, set)| fits & set.has(byte)) {
            let mut may_come = false;
            for lead in &text.leads {
                match lead.fits(rest, |what| registers.get(what)) {
                    Fits::Whole if lead.role == LeadRole::Escape => {
                        passed = lead.length();
                        break;
                    }
                    Fits::Whole => {
                        return Some(Closer {
                            at,
                            is_whole: true,
                            doubts: lead.role == LeadRole::Doubts,
                        });
                    }
                    Fits::SoFar => may_come = true,
                    Fits::Not => {}
                }
                // Escapes come first: the first that fits is the one.
                if may_come && lead.role == LeadRole::Escape {
                    break;
                }
            }
            if may_come {
                return Some(Closer {
                    at,
                    is_whole: false,
                    doubts: false,
                });
            }
        }
        at += passed;
        at += text.first.find(&bytes[at..])?;
    }
}

impl Parser {
    /// The first such place from `pos` on, which moves there; otherwise to the end of what is here.
    pub(in crate::machine) fn seek_closer(
        &mut self,
        text: &TextNode,
        pos: &mut u64,
        view: View<'_>,
    ) -> Option<Closer> {
        let found = find_closer(text, &self.set.registers, view.from(*pos));
        let at = found.map_or(view.end(), |found| *pos + found.at as u64);
        self.set.found.work += at - *pos + 1;
        *pos = at;
        found
    }
}
