//! Strings and keys, in any quotes.

use super::balance::Balance;
use super::keywords::RecentBytes;
use super::piece::Piece;
use super::state::{Quote, State};
use super::{Output, Transducer};
use crate::escape::{escape_byte_into, escape_into, unescape};
use crate::repair::Repair;
use crate::scan::{blanks_end, plain};

/// What is known about the string being read.
#[derive(Clone, Debug, Default)]
pub(super) struct StringFacts {
    /// The quote that the string started with.
    pub(super) quote: Quote,
    /// A backslash escapes nothing in the string: `r'..'` of Python.
    pub(super) is_raw: bool,
    /// The last byte was a letter, in a string with quotes other than `"`.
    pub(super) after_letter: bool,
    /// The string has a quote inside: the bytes after the next quote alone are no proof.
    pub(super) has_inner: bool,
    /// Offset of the only unescaped quote inside, if at most one byte of the string precedes it.
    pub(super) edge_quote: Option<u64>,
    /// The string has a raw line break.
    pub(super) is_multiline: bool,
    /// The brackets in the string.
    pub(super) balance: Balance,
    /// The last bytes of the string, in a Python call.
    pub(super) last: RecentBytes,
    /// Bytes of a closing `Token` or `Triple` that were matched.
    pub(super) n_matched: u8,
    /// The string has just started, and its start may be reported to the caller.
    pub(super) starts: bool,
}

impl Transducer {
    pub(super) fn start_key(&mut self, quote: Quote) {
        self.key.text.clear();
        (self.in_key, self.string.is_raw, self.key.is_bare) = (true, false, false);
        self.string.after_letter = false;
        (self.state, self.string.quote) = (State::Str, quote);
    }

    /// Starts a string value with `quote`; its content starts at `at`.
    #[inline]
    pub(super) fn start_string(&mut self, quote: Quote, at: u64) {
        (self.state, self.string.quote) = (State::Str, quote);
        (self.string.has_inner, self.string.is_multiline) = (false, false);
        self.string.edge_quote = None;
        (self.string.after_letter, self.string.starts) = (false, self.context.stops);
        self.string.balance.start(at);
        self.string.last.start(at);
    }

    pub(super) fn copy(&mut self, piece: &str, out: &mut Output) {
        self.inside(out).push_str(piece);
    }

    /// Writes the key, which ends at `at`.
    pub(super) fn end_key(&mut self, at: u64, out: &mut Output) {
        (self.in_key, self.key.is_named) = (false, true);
        out.text.push('"');
        out.text.push_str(&self.key.text);
        out.text.push('"');
        self.charge_key();
        if !self.keys.insert(unescape(&self.key.text).as_bytes()) {
            self.note(Repair::DuplicateKey, self.token_at, at, out);
        }
        self.state = State::Colon;
    }

    /// Reads a key between `"`.
    pub(super) fn double_key(&mut self, piece: &mut Piece<'_>) {
        let length = plain(&piece.bytes()[piece.i..]);
        let name = &piece.text[piece.i..][..length];
        self.key.text.push_str(name);
        piece.skip(length);
        match piece.bytes().get(piece.i) {
            None => {}
            Some(b'"') => self.quote_in_string(piece),
            Some(b'\\') => self.start_escape(piece),
            Some(&control) => {
                self.note_here(Repair::ControlCharacter, 1, piece);
                escape_byte_into(&mut self.key.text, control);
                piece.skip(1);
            }
        }
    }

    /// Reads a string between `"`: runs pass unchanged.
    pub(super) fn double_string(&mut self, piece: &mut Piece<'_>) {
        let bytes = piece.bytes();
        let mut i = piece.i;
        loop {
            (i, piece.settled) = self.inside_end(bytes, (piece.run, i), piece.settled);
            piece.i = i;
            match bytes.get(i) {
                Some(b'\\') => return self.start_escape(piece),
                Some(b'"') => return self.quote_in_string(piece),
                Some(b']' | b'}') => {
                    if self.tail_opens(piece) {
                        return self.start_tail(piece);
                    }
                    i += 1;
                }
                Some(&control) => {
                    if matches!(control, b'\n' | b'\r' | b'\t')
                        && i >= piece.settled
                        && !self.ends_after_blanks(piece)
                        && self.tail_opens(piece)
                    {
                        return self.start_tail(piece);
                    }
                    piece.flush();
                    self.string.is_multiline |= control == b'\n';
                    self.note_here(Repair::ControlCharacter, 1, piece);
                    escape_byte_into(&mut piece.out.text, control);
                    piece.skip(1);
                    i = piece.i;
                }
                None => {
                    if self.pause(&bytes[piece.run..i]) > 0 {
                        self.start_tail(piece);
                    }
                    return;
                }
            }
        }
    }

    /// Whether the blanks here are before the string's last quote, as a tail would find too. The blanks are data then.
    fn ends_after_blanks(&self, piece: &mut Piece<'_>) -> bool {
        let bytes = piece.bytes();
        let quote = blanks_end(bytes, piece.i);
        let run = &bytes[piece.i..quote];
        let ends = bytes.get(quote) == Some(&b'"')
            && !self.string.has_inner
            && self.ends_a_line(run)
            && self.ends_at_once(bytes, quote + 1, run.len() + 1);
        if ends {
            piece.settled = quote;
        }
        ends
    }

    /// Whether the run of brackets and blanks here may end the string; one decision holds for the whole run.
    fn tail_opens(&mut self, piece: &mut Piece<'_>) -> bool {
        let bytes = piece.bytes();
        let in_run = |byte: &&u8| matches!(byte, b'}' | b']' | 0..=b' ');
        let mut run = bytes[piece.i..].iter().take_while(in_run);
        if run.any(|&byte| byte == b'\n') {
            // A line ends here, and so may the string if its own brackets are closed.
            self.count_brackets(piece.here(), piece);
        }
        let from = piece.run.max(piece.settled);
        let (length, is_open) = self.tail_starts(&bytes[from..], piece.i - from);
        piece.settled = piece.i + length;
        is_open
    }

    /// Reads a string in other quotes, byte by byte, and writes it in JSON's quotes.
    pub(super) fn other_string(&mut self, quote: Quote, byte: u8, piece: &mut Piece<'_>) {
        let bytes = piece.bytes();
        let closes = matches!(byte, b'"' | b'\'' | b'`' | 0xc2 | 0xe2)
            && piece.text[piece.i..].starts_with(quote.closers());
        if let Quote::Triple(tripled) = quote {
            if closes {
                self.string.n_matched += 1;
                piece.skip(1);
                if self.string.n_matched == 3 {
                    self.string.n_matched = 0;
                    self.end_quoted(piece.here(), piece.out);
                }
                return;
            }
            let escaped = if tripled == b'"' { "\\\"" } else { "'" };
            for _ in 0..core::mem::take(&mut self.string.n_matched) {
                self.copy(escaped, piece.out);
            }
        }
        if byte == b'"'
            && self.in_key
            && let Some(colon) = self.key_without_quote()
        {
            // `'path: "a"`: the quote opens the value.
            return self.split_key(colon, "", piece.here(), piece.out);
        }
        if closes && quote == Quote::Single {
            if self.context.python && !self.in_key {
                self.count_brackets(piece.here(), piece);
                self.start_lookahead(piece.here());
                return piece.skip(1);
            }
            self.state = State::Apostrophe;
            return piece.skip(1);
        }
        if closes {
            piece.skip(piece.character().len());
            return self.end_quoted(piece.here(), piece.out);
        }
        match byte {
            b'}' | b']' if !self.in_key && !self.context.python => {
                self.count_brackets(piece.here(), piece);
                match self.tail_starts(bytes, piece.i) {
                    (_, true) => self.start_tail(piece),
                    (length, false) => {
                        let run = &piece.text[piece.i..][..length];
                        self.string.is_multiline |= run.contains('\n');
                        escape_into(&mut piece.out.text, run);
                        piece.skip(length);
                    }
                }
            }
            b'\\' => self.start_escape(piece),
            b'"' | 0..=0x1f => {
                self.string.is_multiline |= byte == b'\n';
                escape_byte_into(self.inside(piece.out), byte);
                piece.skip(1);
            }
            _ => {
                let may_end = |&byte: &u8| match byte {
                    b'\\' | b'"' | b'\'' | b'`' | b'<' | b'}' | b']' => true,
                    byte => byte < 0x20 || matches!(byte, 0xe2 | 0xc2),
                };
                let rest = &bytes[piece.i..];
                let length = match rest.iter().position(may_end) {
                    Some(0) => piece.character().len(),
                    length => length.unwrap_or(rest.len()),
                };
                self.copy(&piece.text[piece.i..][..length], piece.out);
                self.string.after_letter = rest[length - 1].is_ascii_alphabetic();
                return piece.skip(length);
            }
        }
        self.string.after_letter = false;
    }

    /// An apostrophe between two letters (`don't`) is text. Three at the start open a triple-quoted string.
    pub(super) fn after_apostrophe(&mut self, byte: u8, piece: &mut Piece<'_>) {
        let here = piece.here();
        if byte == b'\'' && !self.in_key && self.token_at + 2 == here {
            (self.state, self.string.quote) = (State::Str, Quote::Triple(b'\''));
            piece.skip(1);
        } else if byte != b':'
            && self.in_key
            && let Some(colon) = self.key_without_quote()
        {
            // `'path: 'a'`: the apostrophe before this byte opens the value.
            self.split_key(colon, "'", here, piece.out);
        } else if byte.is_ascii_alphabetic() && self.string.after_letter {
            self.copy("'", piece.out);
            self.string.after_letter = false;
            self.state = State::Str;
        } else {
            self.end_quoted(here, piece.out);
        }
    }

    pub(super) fn end_quoted(&mut self, at: u64, out: &mut Output) {
        if self.in_key {
            self.end_key(at, out);
        } else {
            out.text.push('"');
            self.end_value();
        }
    }
}
