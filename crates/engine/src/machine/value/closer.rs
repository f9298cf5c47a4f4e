//! Where a value may end: the next literal that could be its closer, an enclosing closer, or its own opener.

use crate::machine::Parser;
use crate::machine::thread::Registers;
use crate::machine::view::View;
use crate::program::{Fits, LeadRole, TextNode};

/// A literal that may end a value, or nest another in it.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Closer {
    pub(in crate::machine) at: usize,
    /// The literal is complete. Otherwise more bytes decide: the lookahead starts at a complete one.
    pub(in crate::machine) is_whole: bool,
    pub(in crate::machine) role: LeadRole,
}

/// The first literal in `bytes` that may end the value, or nest another in it.
pub(in crate::machine) fn find_closer(
    text: &TextNode,
    registers: &Registers,
    bytes: &[u8],
) -> Option<Closer> {
    let mut at = text.prefilter.find(bytes, 0)?;
    loop {
        let found = |is_whole, role| Some(Closer { at, is_whole, role });
        let (rest, mut passed, mut may_come) = (&bytes[at..], 1, false);
        for lead in &text.leads {
            match lead.fits(rest, |what| registers.get(what)) {
                Fits::Whole if lead.role == LeadRole::Escape => {
                    passed = lead.length();
                    break;
                }
                // The literal before it in the list decides, once more bytes come.
                Fits::Whole if may_come && lead.role != LeadRole::Ends => break,
                Fits::Whole => return found(true, lead.role),
                Fits::SoFar => may_come = true,
                Fits::Not => {}
            }
            // Escapes come first, and the first that fits decides.
            if may_come && lead.role == LeadRole::Escape {
                break;
            }
        }
        if may_come {
            return found(false, LeadRole::Ends);
        }
        at = text.prefilter.find(bytes, at + passed)?;
    }
}

impl Parser {
    /// The first such literal from `pos` on; `pos` moves there, or to the end of the view.
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
