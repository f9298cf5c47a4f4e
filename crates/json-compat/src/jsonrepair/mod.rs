//! The rules of `jsonrepair`: a text that the library repairs gets the same value, a text that it refuses is refused.
//!
//! ```text
//!   Value ──▶ Ended ──▶ Member ──▶ (key, colon) Value
//!     ▲         │  └──▶ Element ─▶ Value
//!     └─────────┴─── a container opens or closes
//! ```
//!
//! The reader has an explicit stack of containers, and its output only grows at the end. A string whose end is refused
//! is read again, up to the first delimiter.

mod document;
mod space;
mod strings;

use toolglot_json::Repair;
use toolglot_json::internal::Writer;

use crate::failure::{Expected, RepairFailure};

/// An open container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    /// `callback(..)`: only the argument is written.
    Call,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: Kind,
    /// Whether it has no member or element yet.
    initial: bool,
    /// Whether the current member had a colon.
    colon: bool,
    /// Whether the text ended where the colon is missing.
    truncated: bool,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// A value is expected.
    Value,
    /// A value ended, or none was found.
    Ended(bool),
    Member,
    Element,
}

/// One document being read.
pub(super) struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    i: usize,
    writer: Writer,
    stack: Vec<Frame>,
    /// Bytes that were looked at; bytes that are read again count again.
    work: u64,
    /// Above this much work no string is read again.
    patience: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Reader<'a> {
        Reader {
            text,
            bytes: text.as_bytes(),
            i: 0,
            writer: Writer::new(text),
            stack: Vec::new(),
            work: 0,
            patience: 16 * text.len() as u64 + 4096,
        }
    }

    /// Reads the document to its end.
    pub(super) fn run(mut self) -> Result<(Writer, u64), RepairFailure> {
        self.document()?;
        self.work += self.text.len() as u64;
        Ok((self.writer, self.work))
    }

    /// Reads one value with its content, and the blanks and comments around it. `false` if there is no value.
    fn one_value(&mut self) -> Result<bool, RepairFailure> {
        let floor = self.stack.len();
        let mut state = State::Value;
        loop {
            state = match state {
                State::Value => self.value()?,
                State::Member => self.member()?,
                State::Element => self.element(),
                State::Ended(found) => {
                    self.space();
                    if self.stack.len() <= floor {
                        return Ok(found);
                    }
                    self.end(found)?
                }
            };
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.i + ahead).copied()
    }

    fn open(&mut self, kind: Kind) -> State {
        self.stack.push(Frame {
            kind,
            initial: true,
            colon: false,
            truncated: false,
        });
        match kind {
            Kind::Object => State::Member,
            Kind::Array => State::Element,
            Kind::Call => State::Value,
        }
    }

    /// Ends the innermost container; its closing bracket is in the input or is supplied.
    fn close(&mut self, supplied: bool) -> State {
        let closer = match self.stack.pop().map(|frame| frame.kind) {
            Some(Kind::Object) => "}",
            Some(Kind::Array) => "]",
            Some(Kind::Call) | None => return State::Ended(true),
        };
        if supplied {
            self.writer
                .note(Repair::MissingBracket, self.i, self.i, closer);
            self.writer.put_before_blanks(closer);
        } else {
            self.writer.put(closer);
            self.i += 1;
        }
        State::Ended(true)
    }

    fn top(&mut self) -> Option<&mut Frame> {
        self.stack.last_mut()
    }

    fn refuse<T>(&self, expected: Expected) -> Result<T, RepairFailure> {
        Err(RepairFailure {
            at: self.i,
            expected,
        })
    }
}
