//! `(` and `[` in a Python call open a list, a tuple, one value in brackets, or an expression, whose source is the
//! value. The text after the closing bracket decides; until then the whole group is held.
//!
//! ```text
//!   [1, 2]   (1, 2)              a list, a tuple
//!   (3)      ("a" "b")           one value
//!   [0] * 5  (1 + 2) / 3         an expression
//!   [[0] * 5, 2]                 the same, if an element starts with one
//!   (a, b) => a + b              a function
//! ```

use super::piece::Piece;
use super::state::{Frame, Opening};
use super::words::is_literal;
use super::{HELD, Output, Transducer};

/// What is known about the text between the brackets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inside {
    /// How many brackets are open.
    depth: usize,
    mark: Option<u8>,
    is_escaped: bool,
    /// A string has just ended.
    is_after_string: bool,
    /// The last byte that is neither in a string nor a blank.
    last: u8,
    /// For each open bracket, the innermost in the lowest bit, whether the bracket starts an element.
    starts: u64,
    /// Only blanks follow a string or a group that started an element.
    is_after_element: bool,
    has_comma: bool,
    /// A byte directly between the brackets is not part of a string or a group, and not a comma.
    is_loose: bool,
    /// An element continues after its closing bracket or quote.
    has_expression: bool,
}

impl Inside {
    /// Reads a byte between the brackets. Returns `false` if the quotes cannot delimit strings.
    pub(super) fn step(&mut self, byte: u8) -> bool {
        if let Some(quote) = self.mark {
            self.is_after_string = !self.is_escaped && byte == quote;
            self.is_escaped = !self.is_escaped && byte == b'\\';
            if self.is_after_string {
                self.mark = None;
            }
            return true;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            self.is_after_string = false;
            return true;
        }
        if core::mem::take(&mut self.is_after_string) && byte.is_ascii_alphanumeric() {
            return false;
        }
        if core::mem::take(&mut self.is_after_element) {
            let is_string = matches!(self.last, b'"' | b'\'');
            self.has_expression |= match byte {
                b'*' | b'%' | b'.' => true,
                b'+' | b'-' | b'/' | b'&' | b'|' | b'^' | b'[' => !is_string,
                _ => false,
            };
        }
        let starts = matches!(self.last, b'[' | b'(' | b'{' | b',' | b':');
        self.last = byte;
        match byte {
            b'"' | b'\'' => (self.mark, self.is_after_element) = (Some(byte), starts),
            b'(' | b'[' | b'{' => {
                self.depth += 1;
                self.starts = self.starts << 1 | u64::from(starts);
            }
            b')' | b']' | b'}' => {
                self.depth -= 1;
                self.is_after_element = self.starts & 1 == 1;
                self.starts >>= 1;
            }
            b',' => self.has_comma |= self.depth == 1,
            _ => self.is_loose |= self.depth == 1,
        }
        true
    }

    pub(super) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Whether only running the source of the group, `text`, would give its elements.
    fn computes(&self, text: &str) -> bool {
        self.has_expression || self.is_loose && is_comprehension(text)
    }
}

impl Transducer {
    /// Whether the bracket at `at` may start an expression. Groups inside a scanned group may not.
    pub(super) fn may_start_expression(&self, at: u64) -> bool {
        self.context.python && at >= self.call.grouped_to
    }

    pub(super) fn start_group(&mut self, bracket: u8, piece: &mut Piece<'_>) {
        if bracket == b'['
            && let Some(length) = list_length(&piece.text[piece.i..])
        {
            self.start_element(piece.out);
            self.call.grouped_to = piece.here() + length as u64;
            piece.i += 1;
            self.open(Frame::Array);
            return;
        }
        self.call.group = Inside::default();
        self.call.group.step(bracket);
        self.start_opening(Opening::Group, piece);
    }

    /// Continues the held group as a word: it starts an expression, or a function.
    pub(super) fn continue_as_word(&mut self, here: u64) {
        self.start_word(here - self.held.len() as u64);
        self.token.push_str(&self.held);
        self.held.clear();
    }

    /// Opens the held group, which ends at `here` and starts no expression. `is_whole`: its closing bracket was read.
    pub(super) fn open_group(&mut self, is_whole: bool, here: u64, out: &mut Output) {
        if is_whole && self.is_source() {
            return self.continue_as_word(here);
        }
        let is_empty = self.held[1..].trim_start().starts_with(')');
        let frame = match self.held.as_bytes()[0] {
            b'[' => Frame::Array,
            _ if is_whole && !self.call.group.has_comma && !is_empty => Frame::Call,
            _ => Frame::Tuple,
        };
        if frame != Frame::Call {
            out.text.push('[');
        }
        self.open(frame);
        self.call.grouped_to = here;
        self.read_held_again(1, here);
    }

    /// Whether only the source can represent the group: `(a + 1)`, `[x for x in y]`.
    fn is_source(&self) -> bool {
        let (group, inside) = (self.held.trim_end(), &self.call.group);
        let content = group[1..group.len() - 1].trim();
        if inside.has_expression || group.starts_with('[') {
            return inside.computes(group);
        }
        let is_quoted = content.starts_with(['"', '\'', '(', '[', '{']);
        let is_value = if is_quoted {
            !inside.is_loose
        } else {
            is_literal(content)
        };
        !inside.has_comma && !content.is_empty() && !is_value
    }
}

/// Length of the list that starts `text`, with the blanks after it, if all of it is here and it starts no expression.
fn list_length(text: &str) -> Option<usize> {
    let bytes = &text.as_bytes()[..text.len().min(HELD)];
    let (inside, mut length) = inside(bytes)?;
    if inside.computes(&text[..length]) {
        return None;
    }
    let following = bytes[length..].iter();
    length += following.take_while(|byte| b" \t".contains(byte)).count();
    b",)]}\n\r".contains(bytes.get(length)?).then_some(length)
}

/// Scans the group that starts `bytes`. Returns what is known about it, and its length.
fn inside(bytes: &[u8]) -> Option<(Inside, usize)> {
    let mut inside = Inside::default();
    for (n, &byte) in bytes.iter().enumerate() {
        if !inside.step(byte) {
            return None;
        }
        if !inside.is_open() {
            return Some((inside, n + 1));
        }
    }
    None
}

/// Whether only running `list` would give its elements: `[x for x in y]`, `[[0] * 5]`.
pub(crate) fn computes(list: &str) -> bool {
    list.starts_with('[') && inside(list.as_bytes()).is_some_and(|(scan, _)| scan.computes(list))
}

/// Whether the list is a comprehension: `[x for x in y]`.
fn is_comprehension(list: &str) -> bool {
    let following = list.split_once(" for ").map(|(_, following)| following);
    let names = following.and_then(|following| following.split_once(" in "));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ');
    list.starts_with('[') && names.is_some_and(|(names, _)| names.chars().all(is_name))
}
