//! Runs of backticks inside a value that a fence closes.
//!
//! A fence that closes stands where a line begins, or ends the line of a block that has only one. Backticks in the midst of
//! a line, with text after them, are the value's if a bare fence follows, and in doubt if none does.
//!
//! A value that only its last line breaks are taken from (`raw break*`: what a file holds) may hold fences of its own. One
//! with an info string is told by it. A bare one may as well be the closer: the first closes, and where another bare
//! one follows the call is in doubt. So the lines up to the next fence are looked at before a closer is one.

use super::closer_decision::Decision;
use super::value::Value;
use super::view::View;
use crate::program::{TextNode, Trim, is_blank};
use crate::thresholds::FENCE_MAX;

/// Looking ahead from a run of backticks; goes on where it stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct FenceLookahead {
    at: u64,
    pos: u64,
    line: Line,
    /// The run's own line holds nothing after it, once that is known.
    is_bare: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Blanks at its begin.
    Lead,
    /// That many backticks after those.
    Marks(u16),
    /// A fence, and blanks after it.
    Bare,
    Rest,
}

/// Decides over the run at `at`; `None`: it may close, and where it may as well open or stand for something inside the value,
/// that is in doubt. `wrapped`: a fence around the answer closes after the value.
pub(super) fn fence(
    value: &mut Value,
    text: &TextNode,
    (view, at): (View<'_>, u64),
    wrapped: bool,
) -> Option<Decision> {
    let bytes = view.from(at);
    let run = bytes
        .iter()
        .take(FENCE_MAX + 1)
        .take_while(|&&b| b == b'`')
        .count();
    if run <= FENCE_MAX && run == bytes.len() && !view.eof {
        return Some(Decision::Pending);
    }
    let upto = at + run as u64;
    let data = Some(Decision::Data { upto, doubt: false });
    if run != 3 {
        return data;
    }
    let letter = bytes.get(run).is_some_and(u8::is_ascii_alphanumeric);
    // A fence that closes ends its line, where it stands on a line of its own.
    let ends_line = bytes.get(run).is_none_or(|&byte| is_blank(byte));
    let one_line = value.one_line && text.trim != Trim::Lines;
    if one_line && (ends_line || letter) {
        return None;
    }
    match (value.line_blank, letter) {
        (true, false) | (false, true) if !ends_line => return data,
        (true, true) => {
            value.nest += 1;
            return data;
        }
        (true, false) if value.nest > 0 => {
            value.nest -= 1;
            return data;
        }
        // Only what a file holds may hold a fence on a line of its own.
        (true, false) if text.trim != Trim::Lines => return None,
        _ => {}
    }
    let mut ahead = value
        .ahead
        .filter(|ahead| ahead.at == at)
        .unwrap_or(FenceLookahead {
            at,
            pos: upto,
            line: Line::Bare,
            is_bare: None,
        });
    let next = ahead.run(view, view.program.limits.undecided as u64);
    value.ahead = Some(ahead);
    let Some(bare_comes) = next else {
        return Some(Decision::Pending);
    };
    value.cut_in_doubt |= match (ahead.is_bare.unwrap_or(true), value.line_blank) {
        // Text after it on its line, and a bare fence comes: it stands in a sentence.
        (false, false) if bare_comes => return data,
        // A block on one line ends at its fence, whatever follows.
        (false, _) => !one_line,
        (true, _) => bare_comes && !wrapped,
    };
    None
}

impl FenceLookahead {
    /// Looks on, up to the next fence: whether that is bare. `None`: more bytes are needed.
    fn run(&mut self, view: View<'_>, cap: u64) -> Option<bool> {
        while let Some(byte) = view.byte(self.pos) {
            if self.pos - self.at > cap {
                return Some(false);
            }
            self.line = match (self.line, byte) {
                (Line::Marks(3..) | Line::Bare, b'\n') => {
                    if self.is_bare.is_some() {
                        return Some(true);
                    }
                    self.is_bare = Some(true);
                    Line::Lead
                }
                (_, b'\n') => Line::Lead,
                (Line::Lead, byte) if is_blank(byte) => Line::Lead,
                (Line::Lead, b'`') => Line::Marks(1),
                (Line::Marks(count), b'`') => Line::Marks(count.saturating_add(1)),
                (Line::Marks(3..) | Line::Bare, byte) if is_blank(byte) => Line::Bare,
                (Line::Marks(3..), byte) if byte.is_ascii_alphanumeric() => return Some(false),
                _ => {
                    self.is_bare.get_or_insert(false);
                    let rest = view.from(self.pos);
                    // The line break is read by the next turn.
                    self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len()) as u64;
                    self.line = Line::Rest;
                    continue;
                }
            };
            self.pos += 1;
        }
        if !view.eof {
            return None;
        }
        let at_fence = matches!(self.line, Line::Marks(3..) | Line::Bare);
        Some(at_fence && self.is_bare.is_some())
    }
}
