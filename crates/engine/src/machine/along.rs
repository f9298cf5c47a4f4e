//! Several bare calls on one line: how it goes on behind the last of them says whether prose speaks of all.
//!
//! ```text
//!   f(x=1), g(x=2) are equal.
//!         ^ the first call ends here, and waits for
//!                  ^ the words behind the last
//! ```
//!
//! In brackets calls do not wait: a list of them is an answer more often than not, and streams.

use super::spoken::goes_on;
use super::view::View;
use super::{Mode, Parser};
use crate::Sink;
use crate::body::Brackets;
use crate::program::{NodeId, Program};

/// The look along the line behind the call whose body is at `node`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    node: NodeId,
    /// All bytes before it were looked at.
    pos: u64,
    place: Place,
    /// Behind the last call.
    end: u64,
    /// A semicolon stands before what comes: a statement of its own.
    is_statement: bool,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Between calls.
    Joint,
    /// In a word that begins there, or in the blanks behind it.
    Word { from: u64, to: Option<u64> },
    /// In the brackets of a call.
    Inside(Brackets),
}

/// What a character says.
enum Heard {
    More,
    /// Look at it again: it stands elsewhere now.
    Again,
    /// The calls are over; whether they are spoken of.
    Over(bool),
}

impl Along {
    fn step(&mut self, c: char, view: View<'_>) -> Heard {
        let is_more = !self.is_statement;
        match &mut self.place {
            Place::Joint => match c {
                ' ' | '\t' | ',' | '+' | '&' => {}
                ';' => self.is_statement = true,
                c if c.is_alphanumeric() || c == '_' => {
                    let from = self.pos;
                    self.place = Place::Word { from, to: None };
                }
                c => return Heard::Over(goes_on(c) && is_more),
            },
            Place::Word { from, to } => match c {
                '(' => self.place = Place::Inside(Brackets::new()),
                ' ' => *to = to.or(Some(self.pos)),
                c if to.is_none() && (c.is_alphanumeric() || "_.-\\".contains(c)) => {}
                _ => {
                    let word = view.slice(*from, to.unwrap_or(self.pos));
                    if word != "and" {
                        return Heard::Over(is_more);
                    }
                    self.place = Place::Joint;
                    return Heard::Again;
                }
            },
            // It is the line that tells, and each line is looked along once.
            Place::Inside(_) if c == '\n' => return Heard::Over(false),
            Place::Inside(brackets) => {
                let byte = u8::try_from(c).unwrap_or(u8::MAX);
                if brackets.step(byte) {
                    self.end = self.pos + 1;
                    (self.place, self.is_statement) = (Place::Joint, false);
                }
            }
        }
        Heard::More
    }
}

impl Parser {
    /// Whether the bare call that ends here waits for how its line goes on. Each byte of that is looked at once.
    pub(super) fn waits_for_line(&self, view: View<'_>) -> bool {
        let is_last = self.at_end && self.pos >= view.end();
        let hints = &self.hints;
        self.is_bare() && self.pos >= hints.line.looked_to && !hints.is_bracketed && !is_last
    }

    /// Looks along the line behind a call, which ends at `pos`.
    pub(super) fn look_along(&mut self, node: NodeId) {
        let at = self.pos;
        self.mode = Mode::Along(Along {
            node,
            pos: at,
            place: Place::Joint,
            end: at,
            is_statement: false,
        });
    }

    /// Returns whether the mode changed.
    pub(super) fn along(
        &mut self,
        program: &Program,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let Mode::Along(mut along) = core::mem::take(&mut self.mode) else {
            return false;
        };
        let at = self.pos;
        let cap = program.limits.undecided as u64;
        let is_spoken = loop {
            let Some(c) = view.slice(along.pos, view.end()).chars().next() else {
                if !eof {
                    self.mode = Mode::Along(along);
                    return false;
                }
                break matches!(along.place, Place::Word { .. }) && !along.is_statement;
            };
            self.work += c.len_utf8() as u64;
            match along.step(c, view) {
                Heard::More => along.pos += c.len_utf8() as u64,
                Heard::Again => {}
                Heard::Over(is_spoken) => break is_spoken,
            }
            if along.pos - at > cap {
                break false;
            }
        };
        self.hints.line.looked_to = along.end.max(at + 1);
        self.hints.line.spoken_to = if is_spoken { along.end } else { 0 };
        self.end_body(program, view, along.node, sink);
        true
    }
}
