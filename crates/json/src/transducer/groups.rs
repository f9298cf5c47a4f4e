//! `(` and `[` in a Python call. What they open is a list, a tuple, one value in brackets, or the begin of an expression,
//! whose source is the value. What stands behind the closing bracket tells; until then all of it is held.
//!
//! ```text
//!   [1, 2]   (1, 2)              a list, a tuple
//!   (3)      ("a" "b")           one value
//!   [0] * 5  (1 + 2) / 3         an expression
//!   (a, b) => a + b              a function
//! ```

use super::piece::Piece;
use super::state::{Frame, Group, State};
use super::words::{is_literal, joins_operands};
use super::{HELD, Output, Transducer};

/// What was seen between the brackets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inside {
    /// Brackets that are open.
    depth: usize,
    mark: Option<u8>,
    is_escaped: bool,
    /// A string has just ended.
    is_behind_string: bool,
    has_comma: bool,
    /// Something stands there that is no string and no group of its own.
    is_loose: bool,
}

impl Transducer {
    /// Whether what the bracket at `at` opens is not known yet. Groups inside of one that was looked at are what they seem.
    pub(super) fn may_begin_expression(&self, at: u64) -> bool {
        self.python && at >= self.grouped_to
    }

    pub(super) fn begin_group(&mut self, bracket: u8, piece: &mut Piece<'_>) {
        self.settle_comma(piece.out);
        piece.flush();
        self.owed.push(char::from(bracket));
        self.held_at = piece.here();
        self.token_at = piece.here();
        self.inside = Inside {
            depth: 1,
            ..Inside::default()
        };
        self.state = State::Group(Group::Inside);
        piece.skip(1);
    }

    /// A character of the group, or behind it.
    pub(super) fn in_group(&mut self, group: Group, piece: &mut Piece<'_>) {
        let byte = piece.bytes()[piece.i];
        let here = piece.here();
        piece.run = piece.i;
        let is_right_behind = self.owed.ends_with([')', ']']);
        let next = match (group, byte) {
            _ if self.owed.len() >= HELD => None,
            (Group::Inside, _) => self.inside_group(byte),
            (Group::Behind, b' ' | b'\t') => Some(Group::Behind),
            (Group::Behind, b'=') => Some(Group::Arrow),
            (Group::Behind, b'.') if is_right_behind => Some(Group::Dot),
            (Group::Behind, b'a'..=b'z') if !is_right_behind => Some(Group::Word),
            (Group::Word, b'a'..=b'z') => Some(Group::Word),
            (Group::Behind, b'[' | b'(') if is_right_behind => return self.go_on_as_word(here),
            (Group::Behind, b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^')
            | (Group::Arrow, b'>' | b'=')
            | (Group::Dot, b'a'..=b'z') => return self.go_on_as_word(here),
            (Group::Word, b' ') if self.is_behind_operator() => return self.go_on_as_word(here),
            _ => None,
        };
        let Some(next) = next else {
            return self.open_group(here, piece.out);
        };
        let rest = &piece.text[piece.i..];
        let length = rest.chars().next().map_or(1, char::len_utf8);
        self.owed.push_str(&rest[..length]);
        self.state = State::Group(next);
        piece.skip(length);
    }

    /// A byte between the brackets. Nothing, where marks do not stand as they do around strings.
    fn inside_group(&mut self, byte: u8) -> Option<Group> {
        let inside = &mut self.inside;
        if let Some(mark) = inside.mark {
            inside.is_behind_string = !inside.is_escaped && byte == mark;
            inside.is_escaped = !inside.is_escaped && byte == b'\\';
            if inside.is_behind_string {
                inside.mark = None;
            }
            return Some(Group::Inside);
        }
        let is_behind_string = core::mem::take(&mut inside.is_behind_string);
        match byte {
            _ if is_behind_string && byte.is_ascii_alphanumeric() => return None,
            b'"' | b'\'' => inside.mark = Some(byte),
            b'(' | b'[' | b'{' => inside.depth += 1,
            b')' | b']' | b'}' => inside.depth -= 1,
            b',' if inside.depth == 1 => inside.has_comma = true,
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => inside.is_loose |= inside.depth == 1,
        }
        let is_closed = inside.depth == 0;
        Some(if is_closed {
            Group::Behind
        } else {
            Group::Inside
        })
    }

    /// Whether the word behind the group goes on with an expression.
    fn is_behind_operator(&self) -> bool {
        let word = self.owed.rsplit([' ', '\t']).next();
        word.is_some_and(joins_operands)
    }

    /// The group is the begin of an expression, or of a function.
    fn go_on_as_word(&mut self, here: u64) {
        let owed = core::mem::take(&mut self.owed);
        self.empty = false;
        self.begin_word(here - owed.len() as u64);
        self.token.push_str(&owed);
        self.owed = owed;
        self.owed.clear();
    }

    /// The group is no part of more: what was held, up to `here`, is read.
    pub(super) fn open_group(&mut self, here: u64, out: &mut Output) {
        let is_whole = !matches!(self.state, State::Group(Group::Inside));
        if is_whole && self.is_source() {
            return self.go_on_as_word(here);
        }
        let owed = core::mem::take(&mut self.owed);
        let frame = match owed.as_bytes()[0] {
            b'[' => Frame::Array,
            _ if is_whole && !self.inside.has_comma && !is_empty(&owed) => Frame::Call,
            _ => Frame::Tuple,
        };
        if frame != Frame::Call {
            out.text.push('[');
        }
        self.open(frame);
        self.grouped_to = here;
        self.replay.push_str(&owed[1..]);
        self.replay_at = here - owed.len() as u64 + 1;
        self.owed = owed;
        self.owed.clear();
    }

    /// Whether nothing but the source says what stands between the brackets: `(a + 1)`, `[x for x in y]`.
    fn is_source(&self) -> bool {
        let group = self.owed.trim_end();
        let content = group[1..group.len() - 1].trim();
        if group.starts_with('[') {
            let behind = content.split_once(" for ").map(|(_, behind)| behind);
            let names = behind.and_then(|behind| behind.split_once(" in "));
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ');
            return names.is_some_and(|(names, _)| names.chars().all(is_name));
        }
        let is_marked = content.starts_with(['"', '\'', '(', '[', '{']);
        !self.inside.has_comma
            && !content.is_empty()
            && if is_marked {
                self.inside.is_loose
            } else {
                !is_literal(content)
            }
    }
}

/// Whether nothing stands between the brackets that `owed` begins with.
fn is_empty(owed: &str) -> bool {
    owed[1..].trim_start().starts_with(')')
}
