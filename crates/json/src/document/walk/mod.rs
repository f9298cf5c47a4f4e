//! The walk over a whole document: an explicit stack of containers, an output that only grows at its end.
//!
//! ```text
//!   Value ──▶ Ended ──▶ Member ──▶ (key, colon) Value
//!     ▲         │  └──▶ Element ─▶ Value
//!     └─────────┴─── a container opens or closes
//! ```
//!
//! It looks for evidence and keeps what it finds: nothing is refused.

mod bare_words;
mod containers;
mod double_escape;
mod followers;
mod member_key;
mod names;
mod space;
mod string_contents;
mod string_end;
mod strings;
mod surroundings;

use alloc::vec::Vec;

pub(super) use double_escape::unescaped;
pub use space::Quotes;

use super::writer::Writer;
use crate::keys::Keys;
use crate::repair::Repair;
use crate::shape::Shape;

/// What is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    /// `(1, 2)`: written as an array.
    Tuple,
    /// `ObjectId(..)`, `callback(..)`: only what is inside is written.
    Call,
}

#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    kind: Kind,
    /// Nothing stands in it yet.
    initial: bool,
    /// The shape of the container, and of the member or element being read.
    shape: &'a Shape,
    inner: &'a Shape,
    /// The nearest object and the nearest array at or below this frame: index in the stack, plus one.
    object: usize,
    array: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// A value is due.
    Value,
    /// A value ended, or there was none.
    Ended(bool),
    Member,
    Element,
}

/// One document being read.
pub(super) struct Walk<'a> {
    /// The text, or what of it is left once a string ended at its line: what stands beyond is no part of the document.
    text: &'a str,
    bytes: &'a [u8],
    whole: &'a str,
    i: usize,
    writer: Writer<'a>,
    stack: Vec<Frame<'a>>,
    shape: &'a Shape,
    keys: Keys,
    /// Where the closing bracket of the object at the root stands in the output.
    root_closer: Option<usize>,
    /// Bytes looked at, those read again included.
    work: u64,
    /// Beyond this much work no string is read twice.
    patience: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(text: &'a str, shape: &'a Shape) -> Walk<'a> {
        Walk {
            text,
            bytes: text.as_bytes(),
            whole: text,
            i: 0,
            writer: Writer::new(text),
            stack: Vec::new(),
            shape,
            keys: Keys::default(),
            root_closer: None,
            work: 0,
            patience: 16 * text.len() as u64 + 4096,
        }
    }

    /// Reads the document to its end.
    pub(super) fn run(mut self) -> (Writer<'a>, u64) {
        self.document();
        self.work += self.text.len() as u64;
        (self.writer, self.work)
    }

    /// Reads one value with all that is in it, and the blanks and comments around it. `false` if there is none.
    fn value(&mut self) -> bool {
        let floor = self.stack.len();
        let mut state = State::Value;
        loop {
            state = match state {
                State::Value => self.read_value(),
                State::Member => self.read_member(),
                State::Element => self.read_element(),
                State::Ended(found) => {
                    self.space(true);
                    if self.stack.len() <= floor {
                        return found;
                    }
                    self.read_end(found)
                }
            };
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.i + ahead).copied()
    }

    fn open(&mut self, kind: Kind) -> State {
        let (shape, object, array) = self
            .stack
            .last()
            .map_or((self.shape, 0, 0), |top| (top.inner, top.object, top.array));
        let here = self.stack.len() + 1;
        let shape = shape.of_container(kind == Kind::Object);
        self.stack.push(Frame {
            kind,
            initial: true,
            shape,
            inner: match (kind, shape) {
                (Kind::Array | Kind::Tuple, Shape::Array(items)) => items,
                (Kind::Call, shape) => shape,
                _ => &Shape::Any,
            },
            object: if kind == Kind::Object { here } else { object },
            array: if matches!(kind, Kind::Array | Kind::Tuple) {
                here
            } else {
                array
            },
        });
        match kind {
            Kind::Object => {
                self.keys.open();
                State::Member
            }
            Kind::Array | Kind::Tuple => State::Element,
            Kind::Call => State::Value,
        }
    }

    /// The innermost container ends; its closing bracket stands in the input or is supplied.
    fn close(&mut self, supplied: bool) -> State {
        let Some(frame) = self.stack.pop() else {
            return State::Ended(true);
        };
        let closer = match frame.kind {
            Kind::Object => "}",
            Kind::Array | Kind::Tuple => "]",
            Kind::Call => return State::Ended(true),
        };
        if frame.kind == Kind::Object {
            self.keys.close();
        }
        if supplied {
            self.writer
                .note(Repair::MissingBracket, self.i, self.i, closer);
            self.writer.put_before_blanks(closer);
        } else {
            self.writer.put_byte(closer.as_bytes()[0], self.i + 1);
            self.i += 1;
        }
        self.root_closer = (self.stack.is_empty() && frame.kind == Kind::Object)
            .then(|| self.writer.solid().len() - 1);
        State::Ended(true)
    }

    fn top(&mut self) -> Option<&mut Frame<'a>> {
        self.stack.last_mut()
    }
}
