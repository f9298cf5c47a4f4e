//! Strings between two tokens (gemma4's `<|"|>`): verbatim up to the closing token.

use super::piece::Piece;
use super::state::State;
use super::{Output, Transducer};
use crate::escape::escape_into;
use crate::scan::places;

/// The token of strings inside a JSON string: an escaped quote.
const ESCAPED: &str = "\\\"";

impl Transducer {
    /// Reads a string between tokens: the rest of a started token, or a run up to the next byte that may end the
    /// string.
    pub(super) fn token_string(&mut self, piece: &mut Piece<'_>) {
        let token = self.context.token_quote.take().unwrap_or_default();
        if self.string.n_matched > 0 {
            self.match_token(&token, piece);
        } else {
            self.token_run(&token, piece);
        }
        let ends = usize::from(self.string.n_matched) == token.len();
        self.context.token_quote = Some(token);
        piece.run = piece.i;
        if ends {
            self.string.n_matched = 0;
            self.end_quoted(piece.here(), piece.out);
        }
    }

    /// Compares the next characters with the rest of a started token. If the token does not match, its bytes are data.
    fn match_token(&mut self, token: &str, piece: &mut Piece<'_>) {
        let matched = usize::from(self.string.n_matched);
        let length = common(&token[matched..], &piece.text[piece.i..]);
        piece.i += length;
        let matched = matched + length;
        if piece.i == piece.text.len() || matched == token.len() {
            self.string.n_matched = matched as u8;
        } else if token == ESCAPED {
            // The string is a JSON string, with JSON's escapes.
            self.string.n_matched = 0;
            if b"\\/bfnrtu".contains(&piece.bytes()[piece.i]) {
                self.token.push('\\');
                if !self.in_key {
                    self.token_at = piece.here() - 1;
                }
                self.state = State::Esc;
            } else {
                self.inside(piece.out).push_str("\\\\");
            }
        } else {
            self.string.n_matched = 0;
            escape_into(self.inside(piece.out), &token[..matched]);
        }
    }

    /// No token started: bytes before a possible start of a token or a tail are data.
    fn token_run(&mut self, token: &str, piece: &mut Piece<'_>) {
        let bytes = &piece.bytes()[piece.i..];
        let length = self.token_data(token, bytes);
        let data = &piece.text[piece.i..][..length];
        escape_into(self.inside(piece.out), data);
        piece.i += length;
        let Some(&byte) = bytes.get(length) else {
            return;
        };
        if byte == token.as_bytes()[0] {
            self.match_token(token, piece);
        } else {
            piece.run = piece.i;
            self.start_tail(piece);
        }
    }

    /// How many bytes at the start of `bytes` are data: up to a possible token, or the brackets of a tail.
    fn token_data(&self, token: &str, bytes: &[u8]) -> usize {
        let token = token.as_bytes();
        let (first, in_key) = (token[0], self.in_key);
        let may_end = move |byte| (byte == first) | (!in_key & matches!(byte, b'}' | b']'));
        // Brackets before this index are data.
        let mut settled = 0;
        let ends = |&at: &usize| {
            let rest = &bytes[at..];
            if rest[0] == first {
                let n_here = rest.len().min(token.len());
                let is_token = rest[..n_here] == token[..n_here] && !self.context.is_plain;
                return is_token || token == ESCAPED.as_bytes();
            }
            if at < settled || !self.may_be_tail(rest.get(1)) {
                return false;
            }
            let (length, is_open) = self.tail_starts(bytes, at);
            settled = at + length;
            is_open
        };
        places(bytes, may_end).find(ends).unwrap_or(bytes.len())
    }

    /// How many bytes at the start of `bytes` are data of the open string between tokens.
    pub(super) fn token_run_length(&self, bytes: &[u8]) -> usize {
        match &self.context.token_quote {
            Some(token) if self.string.n_matched == 0 => self.token_data(token, bytes),
            _ => 0,
        }
    }

    /// The buffer for the content of the open string.
    pub(super) fn inside<'a>(&'a mut self, out: &'a mut Output) -> &'a mut alloc::string::String {
        if self.in_key {
            &mut self.key.text
        } else {
            &mut out.text
        }
    }
}

/// The length of the common prefix, in bytes of whole characters.
fn common(token: &str, text: &str) -> usize {
    let same = token.chars().zip(text.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}
