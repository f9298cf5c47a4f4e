//! Containers, commas and comments.

use super::piece::Piece;
use super::state::{Frame, State};
use super::words::is_word_byte;
use super::{HELD, Output, Step, Transducer};
use crate::repair::Repair;
use crate::scan::blanks_end;
use crate::thresholds::CONTAINERS;

impl Transducer {
    #[inline]
    pub(super) fn open(&mut self, frame: Frame) {
        self.stack.push(frame);
        self.empty = true;
        if frame.has_keys() {
            self.keys.open();
        }
        self.expect_next();
    }

    #[inline]
    pub(super) fn expect_next(&mut self) {
        self.state = if self.in_keys() {
            State::Key
        } else {
            State::Value
        };
    }

    /// Whether the innermost container has keys.
    #[inline]
    pub(super) fn in_keys(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.has_keys())
    }

    #[inline]
    pub(super) fn end_value(&mut self) {
        if self.stack.is_empty() {
            self.state = State::Done;
            self.value_ended = true;
        } else {
            self.state = State::After;
            self.value_ended = self.is_watched();
        }
    }

    /// Whether members and values of the innermost container are reported.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.stack.len() <= self.context.watch
    }

    /// The closer of the innermost container in JSON.
    pub(super) fn json_closer(&self) -> &'static str {
        self.stack.last().map_or("", |frame| frame.json_closer())
    }

    /// Leaves the next `length` bytes out.
    #[cold]
    pub(super) fn leave_out(&mut self, repair: Repair, length: usize, piece: &mut Piece<'_>) {
        piece.flush();
        self.note_here(repair, length, piece);
        piece.skip(length);
    }

    /// Writes `text`, which is missing here.
    #[cold]
    pub(super) fn supply(&mut self, text: &str, repair: Repair, piece: &mut Piece<'_>) {
        piece.flush();
        piece.out.text.push_str(text);
        self.note_here(repair, 0, piece);
    }

    /// Reads a closing bracket, which may fit the innermost container, an outer one, or none.
    pub(super) fn close(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        if self.is_meant_for_list(byte, piece) {
            self.drop_comma(piece.out);
            self.leave_out(Repair::MismatchedBracket, 1, piece);
            piece.out.text.push(']');
            self.pop();
            return None;
        }
        let Some(fit) = self.fit(byte) else {
            if byte == b'}' && self.call.is_wrapped && self.stack.len() == 1 {
                self.drop_comma(piece.out);
                piece.flush();
                // After an empty object no comma is missing.
                if !self.empty {
                    self.state = State::After;
                }
                piece.skip(1);
            } else {
                self.leave_out(Repair::MismatchedBracket, 1, piece);
            }
            return None;
        };
        self.drop_comma(piece.out);
        while self.stack.len() > fit + 1 {
            self.supply(self.json_closer(), Repair::MissingBracket, piece);
            self.pop();
            if self.value_ended {
                // This end is reported first; then the same byte closes the next container.
                return None;
            }
        }
        if self.stack[fit].is_json_closer(byte) {
            piece.i += 1;
        } else {
            piece.flush();
            piece.out.text.push_str(self.json_closer());
            piece.skip(1);
        }
        self.pop();
        None
    }

    /// Index of the innermost container that a closing bracket fits, among the last [`CONTAINERS`].
    pub(super) fn fit(&self, byte: u8) -> Option<usize> {
        let n_outer = self.stack.len().saturating_sub(CONTAINERS);
        let fit = |frame: &Frame| frame.closer() == byte;
        let fit = self.stack[n_outer..].iter().rposition(fit);
        fit.map(|fit| n_outer + fit)
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        if self.stack.pop().is_some_and(Frame::has_keys) {
            self.keys.close();
        }
        self.empty = false;
        self.end_value();
    }

    /// Reads a byte after a value.
    pub(super) fn after_value(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        let in_keys = self.in_keys();
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => piece.i += 1,
            _ if self.is_over && !matches!(byte, b'}' | b']') => return Some(Step::Stuck),
            _ if self.stack.last() == Some(&Frame::Call) && !matches!(byte, b')' | b'/' | b'#') => {
                // A call contains one value.
                self.supply("", Repair::MissingBracket, piece);
                self.pop();
            }
            _ if self.stack.last() == Some(&Frame::Root) => {
                piece.flush();
                self.pop();
            }
            // `[{"a": 1 {"b": 2}]`: the object has lost its bracket.
            b'{' if self.is_object_in_list() => {
                self.supply("}", Repair::MissingBracket, piece);
                self.pop();
            }
            b'.' | 0xe2 if self.dots_start(piece) => self.start_dots(piece),
            b',' | b';' if byte == b',' || !self.context.python => {
                let next = blanks_end(piece.bytes(), piece.i + 1);
                let is_start = match piece.bytes().get(next) {
                    _ if byte == b';' => false,
                    Some(b'"' | b'0'..=b'9' | b'a'..=b'z') => true,
                    Some(b'{' | b'[' | b'-') => !in_keys,
                    _ => false,
                };
                if is_start && next - piece.i <= HELD {
                    // The run continues over a comma that is not superfluous.
                    piece.i = next;
                } else {
                    if byte == b';' {
                        self.note_here(Repair::MissingComma, 1, piece);
                    }
                    piece.flush();
                    self.comma = Some(piece.here());
                    self.held.push(',');
                    piece.skip(1);
                }
                self.expect_next();
            }
            b'}' | b']' | b')' => return self.close(byte, piece),
            b'/' | b'#' => self.comment(byte, piece),
            _ if is_word_byte(byte) && self.stack.last() == Some(&Frame::Object) => {
                piece.flush();
                self.token_at = piece.here();
                self.state = State::Next;
            }
            _ if is_word_byte(byte)
                || matches!(byte, b'"' | b'\'')
                || !in_keys && matches!(byte, b'{' | b'[' | b'-')
                || !in_keys && self.context.is_whole && byte == b'<' =>
            {
                self.supply(",", Repair::MissingComma, piece);
                self.expect_next();
            }
            _ => return Some(Step::Stuck),
        }
        None
    }

    /// Reads a byte of a bare word after a value. Before a colon the word is a key whose comma is missing, if the
    /// object may have this key. Any other word is not part of the document.
    pub(super) fn next_key(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        let is_blank = matches!(byte, b' ' | b'\t');
        if (is_blank || is_word_byte(byte) || matches!(byte, b'-' | b'.' | b'$'))
            && self.held.len() < HELD
        {
            self.hold(piece);
            return None;
        }
        let word = self.held.trim_end();
        let is_key = matches!(byte, b':' | b'=' | b'"')
            && !word.contains([' ', '\t'])
            && !self.starts_another(word, byte)
            && self.may_have_key(word);
        self.read_held_again(0, piece.here());
        self.state = State::After;
        if !is_key {
            self.is_stuck = true;
            return Some(Step::Stuck);
        }
        piece.out.text.push(',');
        let at = self.token_at;
        self.note(Repair::MissingComma, at, at, piece.out);
        self.expect_next();
        Some(Step::More)
    }

    /// Whether dots start here: `.`, or the single character for three dots.
    pub(super) fn dots_start(&self, piece: &Piece<'_>) -> bool {
        !self.context.python
            && !self.stack.is_empty()
            && piece.text[piece.i..].starts_with(['.', '\u{2026}'])
    }

    #[cold]
    pub(super) fn start_dots(&mut self, piece: &mut Piece<'_>) {
        piece.flush();
        self.token.clear();
        self.token_at = piece.here();
        self.resume = self.state;
        self.state = State::Dots;
    }

    /// Reads a byte of the dots, or after them. Three dots are an ellipsis if structure or a blank follows.
    #[cold]
    pub(super) fn dots(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        let is_whole = matches!(self.token.as_str(), "..." | "\u{2026}");
        if !is_whole && (byte == b'.' || self.token.is_empty()) {
            self.token.push_str(piece.character());
            piece.skip(piece.character().len());
            return None;
        }
        let is_structure =
            byte <= b' ' || matches!(byte, b',' | b'}' | b']' | b')' | b'"' | b'\'' | b'/' | b'#');
        if is_whole && is_structure {
            self.note(Repair::Ellipsis, self.token_at, piece.here(), piece.out);
            self.token.clear();
            self.state = State::Dotted;
            return None;
        }
        if self.resume == State::After {
            let dots = core::mem::take(&mut self.token);
            self.push_back(&dots, piece.here());
            self.state = State::After;
            self.is_stuck = true;
            return Some(Step::Stuck);
        }
        // The dots start a word.
        self.start_element(piece.out);
        self.in_key = self.resume == State::Key;
        (self.word.nest, self.string.is_raw) = (0, false);
        self.state = State::Word;
        None
    }

    /// Reads a byte after dots that were left out.
    #[cold]
    pub(super) fn after_dots(&mut self, byte: u8, piece: &mut Piece<'_>) {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return self.blank(piece);
        }
        self.state = self.resume;
        if byte == b',' && self.resume != State::After {
            piece.flush();
            piece.skip(1);
        }
    }

    /// Replaces a blank of `length` bytes that JSON does not have, between tokens, by a space.
    #[cold]
    pub(super) fn odd_blank(&mut self, length: usize, piece: &mut Piece<'_>) {
        self.leave_out(Repair::OddBlank, length, piece);
        if self.comma.is_none() && self.state != State::Root {
            piece.out.text.push(' ');
        } else if self.comma.is_some() && self.held.len() < HELD {
            self.held.push(' ');
        }
    }

    /// Reads a blank where a key or a value is due. After a pending comma the blank is pending too.
    pub(super) fn blank(&mut self, piece: &mut Piece<'_>) {
        if self.comma.is_some() {
            if self.held.len() < HELD {
                self.held.push_str(&piece.text[piece.i..=piece.i]);
            }
            piece.run = piece.i + 1;
        }
        piece.i += 1;
    }

    /// Starts an element or a member: a pending comma before it is written.
    #[inline]
    pub(super) fn start_element(&mut self, out: &mut Output) {
        self.empty = false;
        if self.comma.take().is_some() {
            out.text.push_str(&self.held);
            self.held.clear();
        }
    }

    /// Drops the pending comma before a closer; the blanks after the comma are written.
    pub(super) fn drop_comma(&mut self, out: &mut Output) {
        if let Some(at) = self.comma.take() {
            self.note(Repair::TrailingComma, at, at + 1, out);
            out.text.push_str(&self.held[1..]);
            self.held.clear();
        }
    }

    pub(super) fn comment(&mut self, byte: u8, piece: &mut Piece<'_>) {
        piece.flush();
        self.resume = self.state;
        self.state = State::Slash;
        if byte == b'#' {
            self.state = State::LineComment;
            self.note_here(Repair::Comment, 1, piece);
        }
        piece.skip(1);
    }

    /// Reads a byte in a comment, or after the slash that may start one.
    pub(super) fn in_comment(&mut self, byte: u8, piece: &mut Piece<'_>) {
        let bytes = piece.bytes();
        match self.state {
            State::Slash if self.resume == State::Value && !matches!(byte, b'/' | b'*') => {
                // A path: `{dir: /tmp}`.
                self.start_element(piece.out);
                self.start_word(piece.here() - 1);
                self.token.push('/');
            }
            State::Slash => {
                let slash = piece.here() - 1;
                self.note(Repair::Comment, slash, slash + 1, piece.out);
                match byte {
                    b'/' => self.state = State::LineComment,
                    b'*' => self.state = State::BlockComment { star: false },
                    _ => return self.state = self.resume,
                }
                piece.skip(1);
            }
            State::LineComment => {
                let rest = &bytes[piece.i..];
                piece.skip(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
                if piece.i < bytes.len() {
                    self.state = self.resume;
                }
            }
            State::BlockComment { star } => {
                self.state = match byte {
                    b'/' if star => self.resume,
                    _ => State::BlockComment { star: byte == b'*' },
                };
                piece.skip(1);
            }
            _ => {}
        }
    }
}
