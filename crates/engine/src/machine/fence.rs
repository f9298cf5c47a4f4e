//! Runs of backticks inside a value that a fence closes.
//!
//! A closing fence starts a line, or ends the line of a one-line block. Backticks within a line, with text after them,
//! belong to the value if a bare fence follows. If none follows, they may close the value, in doubt.
//!
//! A value that loses only its last line breaks (`raw break*`: the content of a file) may hold fences of its own. An
//! info string marks a fence as an opener; a bare fence may be the closer. The first bare fence closes, and if another
//! bare fence follows, the call is in doubt. So the lookahead reads up to the next fence before a closer is decided.

use super::closer_decision::Decision;
use super::value::Value;
use super::view::View;
use crate::program::{TextNode, Trim, is_blank};
use crate::thresholds::FENCE_MAX;

/// A resumable lookahead from a run of backticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct FenceLookahead {
    at: u64,
    pos: u64,
    line: Line,
    /// Whether nothing follows the run on its own line, once that is known.
    is_bare: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// In the blanks at the start of a line.
    Lead,
    /// After that many backticks, which follow those blanks.
    Marks(u16),
    /// After a fence and blanks.
    Bare,
    Rest,
}

/// Decides what the run at `at` is. `None`: it may close the value. If it may also belong to the value, the value is in
/// doubt. `wrapped`: a fence around the answer closes after the value.
pub(super) fn fence(
    value: &mut Value,
    text: &TextNode,
    (view, at): (View<'_>, u64),
    wrapped: bool,
) -> Option<Decision> {
    let bytes = view.from(at);
    let longest = bytes.iter().take(FENCE_MAX + 1);
    let run = longest.take_while(|&&byte| byte == b'`').count();
    if run <= FENCE_MAX && run == bytes.len() && !view.eof {
        return Some(Decision::Pending);
    }
    let upto = at + run as u64;
    let data = Some(Decision::Data { upto, doubt: false });
    if run != 3 {
        return data;
    }
    let is_letter = bytes.get(run).is_some_and(u8::is_ascii_alphanumeric);
    // A closing fence on a line of its own ends that line.
    let ends_line = bytes.get(run).is_none_or(|&byte| is_blank(byte));
    let one_line = value.one_line && text.trim != Trim::Lines;
    if one_line && (ends_line || is_letter) {
        return None;
    }
    match (value.line_blank, is_letter) {
        (true, false) | (false, true) if !ends_line => return data,
        (true, true) => {
            value.nest += 1;
            return data;
        }
        (true, false) if value.nest > 0 => {
            value.nest -= 1;
            return data;
        }
        // Only the content of a file may hold a fence on a line of its own.
        (true, false) if text.trim != Trim::Lines => return None,
        _ => {}
    }
    let mut lookahead = value
        .ahead
        .filter(|lookahead| lookahead.at == at)
        .unwrap_or(FenceLookahead {
            at,
            pos: upto,
            line: Line::Bare,
            is_bare: None,
        });
    let next = lookahead.run(view, view.program.limits.undecided as u64);
    value.ahead = Some(lookahead);
    let Some(bare_comes) = next else {
        return Some(Decision::Pending);
    };
    value.cut_in_doubt |= match (lookahead.is_bare.unwrap_or(true), value.line_blank) {
        // Text follows the run on its line, and a bare fence comes later: the run is within a sentence.
        (false, false) if bare_comes => return data,
        // A block on one line ends at its fence, whatever follows.
        (false, _) => !one_line,
        (true, _) => bare_comes && !wrapped,
    };
    None
}

impl FenceLookahead {
    /// Reads up to the next fence and returns whether that fence is bare. `None`: more bytes are needed.
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
                    // The next iteration reads the line break.
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
