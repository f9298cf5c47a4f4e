//! One Python call: its name, and the lookahead that distinguishes a call from other brackets. The JSON transducer
//! reads the arguments.

use super::skipped_call::SkippedCall;
use crate::machine::Thread;
use crate::program::is_blank;
use crate::vocabulary::{NAME_SPACES, VALUE_WORDS};

/// The length of the name space that `name` starts with, in bytes.
pub(crate) fn space(name: &str) -> usize {
    let space = NAME_SPACES.iter().find(|space| name.starts_with(**space));
    space.map_or(0, |space| space.len())
}

/// A possible call.
#[derive(Debug, Default)]
pub(crate) struct Python {
    pub(crate) body: Thread,
    pub(crate) at: u64,
    state: State,
    /// Where the name starts: after `x =` if the call is assigned.
    pub(crate) name_at: u64,
    /// Where the name ends, once known.
    pub(crate) name_end: u64,
    /// After the `(`.
    pub(crate) arguments: u64,
    /// An argument without a name was a word: its position decides which argument it is.
    has_bare: bool,
    /// The call of an unknown tool is being skipped.
    pub(crate) skipped: Option<SkippedCall>,
    /// Such a call was skipped.
    pub(crate) has_skipped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Name,
    /// After a backslash in the name: Markdown's `\_`.
    Escape,
    /// After the quote that ends the name: `'f'(a=1)`.
    Quoted,
    /// After a blank that follows the name: `f (a=1)`.
    Gap,
    /// After `x =`: the call's own name must start.
    Assigned,
    Open,
    Key,
    Equals,
    /// After `key=`: a value must start.
    Value,
    /// After `key:`, and brackets: a value must follow, not a type as in a signature.
    Typed,
    /// In a word there: its length so far, and a bit for each of [`VALUE_WORDS`] that it may be.
    Word {
        fits: u8,
        length: u8,
    },
    /// After a backslash where an argument is due: the backslash of `\_`, or of an escaped quote.
    Slash,
    /// After a comma.
    Next,
}

/// What a byte decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PythonStep {
    More,
    /// A call: `name(` and `)` or `key=` were seen.
    Call,
    /// A call whose first argument has no name: `name("`, `name(word, "`.
    Positional,
    /// Not a call.
    Dead,
}

impl Python {
    pub(crate) fn new(body: Thread, at: u64) -> Python {
        Python {
            body,
            at,
            name_at: at,
            name_end: at,
            arguments: at,
            ..Python::default()
        }
    }

    /// Whether the call's result is assigned: `x = f(a=1)`.
    pub(crate) fn is_assigned(&self) -> bool {
        self.name_at > self.at
    }

    pub(crate) fn step(&mut self, byte: u8, pos: u64) -> PythonStep {
        let word = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        match (self.state, byte) {
            (State::Name, b'(') if pos > self.at => {
                (self.name_end, self.arguments, self.state) = (pos, pos + 1, State::Open);
            }
            (State::Name, b' ') if pos > self.at => (self.name_end, self.state) = (pos, State::Gap),
            (State::Name | State::Gap, b'=') if pos > self.at && !self.is_assigned() => {
                self.state = State::Assigned;
            }
            (State::Assigned | State::Gap | State::Equals, b' ') => {}
            (State::Assigned, _) if word && !byte.is_ascii_digit() => {
                (self.name_at, self.state) = (pos, State::Name);
            }
            (State::Gap | State::Quoted, b'(') => {
                (self.arguments, self.state) = (pos + 1, State::Open);
            }
            (State::Name, b'.' | b'-' | b'/') if pos > self.at => {}
            (State::Name, b'\\') if pos > self.at => self.state = State::Escape,
            (State::Escape, b'_') => self.state = State::Name,
            (State::Name, b'\'' | b'"') if pos > self.at => {
                (self.name_end, self.state) = (pos, State::Quoted);
            }
            (State::Name, _) if word => {}
            (State::Open, b')' | b'{') => return PythonStep::Call,
            (State::Open | State::Next, b'"' | b'\'' | b'[' | b'-' | b'0'..=b'9')
            | (State::Next, b'{') => return PythonStep::Positional,
            (State::Open | State::Next, _) if is_blank(byte) => {}
            (State::Open | State::Next, b'\\') => self.state = State::Slash,
            (State::Open | State::Next, _) if word && !byte.is_ascii_digit() => {
                self.state = State::Key;
            }
            (State::Slash, b'"' | b'\'') => return PythonStep::Positional,
            (State::Slash, b'_') => self.state = State::Key,
            (State::Key, b'\\' | b'-') => {}
            (State::Key | State::Equals, b'=') => self.state = State::Value,
            (State::Key | State::Equals, b':') => self.state = State::Typed,
            (State::Key | State::Equals, b',') => (self.state, self.has_bare) = (State::Next, true),
            (State::Value | State::Typed, _) if is_blank(byte) => {}
            // `f(a=)`, and `f(a == b)` of code.
            (State::Value, b')' | b',' | b'=') => return PythonStep::Dead,
            (State::Value, _) => return self.call(),
            (State::Typed, b'[' | b'{') => {}
            (State::Typed, b'"' | b'\'' | b'-' | b'0'..=b'9' | b']' | b'}') => return self.call(),
            (State::Typed, _) if word => {
                let fits = (1 << VALUE_WORDS.len()) - 1;
                return self.value_word(fits, 0, byte);
            }
            (State::Word { fits, length }, _) if word => {
                return self.value_word(fits, length, byte);
            }
            (State::Word { fits, length }, _) => {
                let is_whole =
                    |n: usize| fits & (1 << n) != 0 && VALUE_WORDS[n].len() == length.into();
                return if (0..VALUE_WORDS.len()).any(is_whole) {
                    self.call()
                } else {
                    PythonStep::Dead
                };
            }
            (State::Key, _) if word => {}
            (State::Key, b' ') => self.state = State::Equals,
            _ => return PythonStep::Dead,
        }
        PythonStep::More
    }

    /// It is a call, and the start of its arguments decides how they are read.
    fn call(&self) -> PythonStep {
        if self.has_bare {
            PythonStep::Positional
        } else {
            PythonStep::Call
        }
    }

    /// The next byte of a word that may be a value.
    fn value_word(&mut self, fits: u8, length: u8, byte: u8) -> PythonStep {
        let continues =
            |n: &usize| VALUE_WORDS[*n].as_bytes().get(usize::from(length)) == Some(&byte);
        let words = (0..VALUE_WORDS.len()).filter(continues);
        let fits = words.fold(0, |all, n| all | (fits & (1 << n)));
        if fits == 0 {
            return PythonStep::Dead;
        }
        let length = length + 1;
        self.state = State::Word { fits, length };
        PythonStep::More
    }
}
