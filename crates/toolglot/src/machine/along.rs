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
    /// In the brackets of a call, and in a string that ends with `mark`.
    Inside {
        depth: u32,
        mark: Option<char>,
        is_escaped: bool,
    },
}

/// What a character says.
enum Said {
    More,
    /// Look at it again: it stands elsewhere now.
    Again,
    /// The calls are over; whether they are spoken of.
    Over(bool),
}

impl Along {
    fn step(&mut self, c: char, view: View<'_>) -> Said {
        let is_more = self.is_spoken_of();
        match &mut self.place {
            Place::Joint => match c {
                ' ' | '\t' | ',' | '+' | '&' => {}
                ';' => self.is_statement = true,
                c if c.is_alphanumeric() || c == '_' => {
                    let from = self.pos;
                    self.place = Place::Word { from, to: None };
                }
                c => return Said::Over(goes_on(c) && is_more),
            },
            Place::Word { from, to } => match c {
                '(' => {
                    self.place = Place::Inside {
                        depth: 1,
                        mark: None,
                        is_escaped: false,
                    };
                }
                ' ' => *to = to.or(Some(self.pos)),
                c if to.is_none() && (c.is_alphanumeric() || "_.-\\".contains(c)) => {}
                _ => {
                    let word = view.slice(*from, to.unwrap_or(self.pos));
                    if word != "and" {
                        return Said::Over(is_more);
                    }
                    self.place = Place::Joint;
                    return Said::Again;
                }
            },
            Place::Inside {
                depth,
                mark,
                is_escaped,
            } => match (*mark, c) {
                (Some(_), _) if *is_escaped => *is_escaped = false,
                (Some(_), '\\') => *is_escaped = true,
                (Some(open), c) if c == open => *mark = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => *mark = Some(c),
                (None, '(' | '[' | '{') => *depth += 1,
                (None, ')' | ']' | '}') => {
                    *depth -= 1;
                    if *depth == 0 {
                        self.end = self.pos + 1;
                        (self.place, self.is_statement) = (Place::Joint, false);
                    }
                }
                _ => {}
            },
        }
        Said::More
    }

    /// Whether words that come now speak of the calls.
    fn is_spoken_of(&self) -> bool {
        !self.is_statement
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
        let Mode::Along(mut line) = core::mem::take(&mut self.mode) else {
            return false;
        };
        let at = self.pos;
        let cap = program.limits.undecided as u64;
        let is_spoken = loop {
            let Some(c) = view.slice(line.pos, view.end()).chars().next() else {
                if !eof {
                    self.mode = Mode::Along(line);
                    return false;
                }
                break matches!(line.place, Place::Word { .. }) && line.is_spoken_of();
            };
            self.work += c.len_utf8() as u64;
            match line.step(c, view) {
                Said::More => line.pos += c.len_utf8() as u64,
                Said::Again => {}
                Said::Over(is_spoken) => break is_spoken,
            }
            if line.pos - at > cap {
                break false;
            }
        };
        self.hints.line.looked_to = line.end.max(at + 1);
        self.hints.line.spoken_to = if is_spoken { line.end } else { 0 };
        self.end_body(program, view, line.node, sink);
        true
    }
}
