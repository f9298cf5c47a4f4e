//! The common case of structure: well-formed JSON that nobody is told about, token by token in one small loop.
//!
//! It only ever moves over what the states of `feed` would move over without a repair, a report or an owed byte, and stops
//! before anything else. So it changes what a document costs, never what is read.

use super::state::{Frame, State};
use super::{HELD, Transducer};
use crate::scan::{blanks, plain};
use crate::word::SURELY_FINITE;

impl Transducer {
    /// Whether the machine stands between tokens, deep enough that nothing there is reported. In a Python call a token may
    /// be the start of more.
    #[inline]
    pub(super) fn is_dense(&self) -> bool {
        matches!(self.state, State::After | State::Key | State::Value)
            && self.stack.len() > self.context.watch
            && !self.context.python
            && self.comma.is_none()
    }

    /// Reads well-formed tokens from `bytes[i]` on; returns where the first stands that is not whole or not well-formed.
    pub(super) fn dense(&mut self, bytes: &[u8], mut i: usize) -> usize {
        let Some(mut frame) = self.stack.last().copied() else {
            return i;
        };
        // Nothing starts with the byte that stands for the end.
        let byte_at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        loop {
            i = skip_blanks(bytes, i);
            let byte = byte_at(i);
            match self.state {
                State::Value => match byte {
                    b'"' => {
                        let end = i + 1 + plain(&bytes[i + 1..]);
                        if byte_at(end) != b'"' {
                            return i;
                        }
                        if frame == Frame::Object && byte_at(end + 1) == b',' {
                            // The most common follower, told and passed in one look.
                            let next = skip_blanks(bytes, end + 2);
                            if byte_at(next) != b'"' || next - end > HELD {
                                return i;
                            }
                            i = next;
                            (self.state, self.empty) = (State::Key, false);
                            continue;
                        }
                        if !self.ends_at_once(bytes, end + 1, 1) {
                            return i;
                        }
                        i = end + 1;
                        (self.state, self.empty) = (State::After, false);
                    }
                    b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                        let length = scalar_length(&bytes[i..]);
                        // Python may go on after a blank: `1 + 2`.
                        let goes_on =
                            self.context.python && matches!(byte_at(i + length), b' ' | b'\t');
                        if length == 0
                            || goes_on
                            || self.context.is_whole
                                && frame == Frame::Object
                                && byte_at(i + length) == b','
                                && byte_at(i + length + 1).is_ascii_digit()
                        {
                            return i;
                        }
                        i += length;
                        (self.state, self.empty) = (State::After, false);
                    }
                    b'{' | b'[' if byte == b'[' || !self.context.python => {
                        i += 1;
                        frame = if byte == b'{' {
                            Frame::Object
                        } else {
                            Frame::Array
                        };
                        self.open(frame);
                        continue;
                    }
                    b']' if self.empty => {}
                    _ => return i,
                },
                State::Key => match byte {
                    // A quote in a Python call may start a value.
                    b'"' if frame != Frame::Keywords => {
                        let end = i + 1 + plain(&bytes[i + 1..]);
                        if byte_at(end) != b'"'
                            || byte_at(end + 1) != b':'
                            || !self.keys.insert(&bytes[i + 1..end])
                        {
                            return i;
                        }
                        i = end + 2;
                        (self.state, self.empty) = (State::Value, false);
                        continue;
                    }
                    b'}' if self.empty => {}
                    _ => return i,
                },
                _ => {}
            }
            // After a value, or at the closer of a container that is empty.
            i = skip_blanks(bytes, i);
            let byte = byte_at(i);
            match byte {
                b',' if self.state == State::After => {
                    let next = skip_blanks(bytes, i + 1);
                    self.state = match (frame, byte_at(next)) {
                        _ if next - i > HELD => return i,
                        (Frame::Object, b'"') => State::Key,
                        (
                            Frame::Array,
                            b'"' | b'0'..=b'9' | b'-' | b't' | b'f' | b'n' | b'{' | b'[',
                        ) => State::Value,
                        _ => return i,
                    };
                    i = next;
                }
                b'}' | b']'
                    if byte == frame.closer()
                        && matches!(frame, Frame::Object | Frame::Array)
                        && self.stack.len() > self.context.watch + 1 =>
                {
                    i += 1;
                    self.pop();
                    match self.stack.last() {
                        Some(&outer) => frame = outer,
                        None => return i,
                    }
                }
                _ => return i,
            }
        }
    }
}

#[inline]
fn skip_blanks(bytes: &[u8], i: usize) -> usize {
    match bytes.get(i) {
        Some(&byte) if byte > b' ' => i,
        // One space is the most common run.
        Some(b' ') if bytes.get(i + 1).is_some_and(|&byte| byte > b' ') => i + 1,
        _ => i + blanks(bytes.get(i..).unwrap_or_default()),
    }
}

#[inline]
fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
}

/// The length of a JSON number or literal at the start of `bytes`, if what ends it is there; 0 if there is none.
#[inline]
fn scalar_length(bytes: &[u8]) -> usize {
    let digits = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        let n = rest.iter().position(|byte| !byte.is_ascii_digit());
        at + n.unwrap_or(rest.len())
    };
    let mut end = match bytes[0] {
        b't' if bytes.starts_with(b"true") => 4,
        b'f' if bytes.starts_with(b"false") => 5,
        b'n' if bytes.starts_with(b"null") => 4,
        first => {
            let begin = usize::from(first == b'-');
            let end = digits(begin);
            if end == begin || (bytes[begin] == b'0' && end > begin + 1) {
                return 0;
            }
            end
        }
    };
    if bytes.get(end) == Some(&b'.') && bytes[0] < b'a' {
        let fraction = digits(end + 1);
        if fraction == end + 1 {
            return 0;
        }
        end = fraction;
    }
    // A longer number may be beyond all.
    if end <= SURELY_FINITE && bytes.get(end).is_some_and(|&byte| ends_scalar(byte)) {
        end
    } else {
        0
    }
}
