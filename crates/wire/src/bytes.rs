//! Joins bytes from any source into text.

use toolglot_engine::{Code, Event, Input, Note, Parser, Sink, Span};

/// Joins characters that were cut between two pieces, and replaces bytes that are not UTF-8.
///
/// At most three bytes are held. Each maximal invalid sequence becomes one U+FFFD, with a note `N027`; spans count bytes of
/// the text after that replacement.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    held: [u8; 4],
    n_held: usize,
    /// The number of bytes of text that were pushed.
    at: u64,
}

/// A piece of text that [`Bytes`] joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinedText<'a> {
    /// Whole characters.
    Text(&'a str),
    /// Bytes that are not UTF-8: they become one U+FFFD.
    Invalid,
}

impl JoinedText<'_> {
    /// The text of the piece.
    pub fn text(&self) -> &str {
        match self {
            JoinedText::Text(text) => text,
            JoinedText::Invalid => "\u{fffd}",
        }
    }

    /// Pushes the piece, which starts at byte `at` of the message, with its note.
    pub fn push(self, at: u64, parser: &mut Parser, sink: &mut dyn Sink) {
        if self == JoinedText::Invalid {
            let span = Span::new(at, at + self.text().len() as u64);
            let note = Note {
                code: Code::InvalidUtf8,
                span,
                message: "bytes that are not UTF-8 became U+FFFD".into(),
                help: None,
            };
            sink.event(span, Event::Note(&note));
        }
        parser.push(Input::Text(self.text()), sink);
    }
}

impl Bytes {
    /// An adapter without input so far.
    pub fn new() -> Bytes {
        Bytes::default()
    }

    /// Pushes the complete characters of `bytes`.
    pub fn push(&mut self, bytes: &[u8], parser: &mut Parser, sink: &mut dyn Sink) {
        let mut at = self.at;
        self.join(bytes, &mut |piece| {
            piece.push(at, parser, sink);
            at += piece.text().len() as u64;
        });
        self.at = at;
    }

    /// Pushes the held bytes, which can no longer be completed.
    pub fn finish(mut self, parser: &mut Parser, sink: &mut dyn Sink) {
        let at = self.at;
        self.end(&mut |piece| piece.push(at, parser, sink));
    }

    /// Gives the complete characters of `bytes` to `each`, for a caller that pushes to a parser itself.
    pub fn join(&mut self, bytes: &[u8], each: &mut dyn FnMut(JoinedText<'_>)) {
        let mut bytes = bytes;
        // A held head is completed byte by byte, with at most three bytes.
        while self.n_held > 0 {
            let Some((&first, rest)) = bytes.split_first() else {
                return;
            };
            self.held[self.n_held] = first;
            match std::str::from_utf8(&self.held[..=self.n_held]) {
                Ok(_) => {
                    let held = self.held;
                    let n = self.n_held + 1;
                    self.n_held = 0;
                    bytes = rest;
                    self.whole(&held[..n], each);
                }
                Err(error) if error.error_len().is_none() => {
                    self.n_held += 1;
                    bytes = rest;
                }
                Err(_) => {
                    // The head is invalid; this byte starts a new sequence.
                    self.n_held = 0;
                    each(JoinedText::Invalid);
                }
            }
        }
        self.whole(bytes, each);
    }

    /// Gives the held bytes to `each`. They can no longer be completed.
    pub fn end(&mut self, each: &mut dyn FnMut(JoinedText<'_>)) {
        if std::mem::take(&mut self.n_held) > 0 {
            each(JoinedText::Invalid);
        }
    }

    fn whole(&mut self, bytes: &[u8], each: &mut dyn FnMut(JoinedText<'_>)) {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            if !chunk.valid().is_empty() {
                each(JoinedText::Text(chunk.valid()));
            }
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let unfinished =
                std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && unfinished {
                self.held[..invalid.len()].copy_from_slice(invalid);
                self.n_held = invalid.len();
            } else {
                each(JoinedText::Invalid);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolglot_engine::{Calls, Dialect, Finish, Limits, Program, ToolSet};

    use super::*;

    /// The result of pushing `bytes` in pieces of `size`.
    fn joined(bytes: &[u8], size: usize) -> (String, usize) {
        let program = Program::compile([] as [Dialect; 0], &ToolSet::default(), Limits::default())
            .expect("no dialect is a program");
        let mut parser = Parser::new(Arc::new(program));
        let mut message = Calls::default();
        let mut joiner = Bytes::new();
        for piece in bytes.chunks(size) {
            joiner.push(piece, &mut parser, &mut message);
        }
        joiner.finish(&mut parser, &mut message);
        parser.finish(Finish::Stop, &mut message);
        (message.content, message.notes.len())
    }

    fn check(bytes: &[u8]) {
        let expected = String::from_utf8_lossy(bytes);
        let n_replaced = expected.matches('\u{fffd}').count();
        for size in 1..=bytes.len().max(1) {
            assert_eq!(
                joined(bytes, size),
                (expected.clone().into_owned(), n_replaced),
                "{bytes:?} in pieces of {size}"
            );
        }
    }

    #[test]
    fn characters_survive_any_cut() {
        check("aé漢🦀 z".as_bytes());
    }

    #[test]
    fn invalid_bytes_are_replaced_the_same_at_any_cut() {
        check(b"a\xffb");
        check(b"\xf0\x9f\xa6");
        check(b"\xe6\xbc\xe6\xbc\xa2\xc3");
        check(b"\xf0\x9f\xffx\xc3(\xed\xa0\x80");
    }
}
