//! The fast path of structure: well-formed JSON without anything to report, token by token in one small loop.
//!
//! The loop passes only tokens that the states of `feed` would pass without a repair, a report or a pending byte. So
//! the loop changes the cost of a document, never the result.

use super::state::{Frame, State};
use super::{HELD, Transducer};
use crate::scan::{blanks_end, plain};
use crate::word::{ends_word, is_json, word_length};

impl Transducer {
    /// Whether the machine is between tokens, deep enough that nothing is reported. Python calls are excluded: a token
    /// in one may start an expression.
    #[inline]
    pub(super) fn is_dense(&self) -> bool {
        matches!(self.state, State::After | State::Key | State::Value)
            && self.stack.len() > self.context.watch
            && !self.context.python
            && self.comma.is_none()
    }

    /// Reads well-formed tokens from index `i` on; returns the index of the first incomplete or malformed token.
    pub(super) fn dense(&mut self, text: &str, mut i: usize) -> usize {
        let bytes = text.as_bytes();
        // No token starts with 0, which represents the end.
        let byte_at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        while let Some(&frame) = self.stack.last() {
            i = blanks_end(bytes, i);
            let byte = byte_at(i);
            match self.state {
                State::Value => match byte {
                    b'"' => {
                        let end = i + 1 + plain(&bytes[i + 1..]);
                        if byte_at(end) != b'"' || !self.ends_at_once(bytes, end + 1, 1) {
                            return i;
                        }
                        i = end + 1;
                        (self.state, self.empty) = (State::After, false);
                    }
                    b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                        let end = i + word_length(&bytes[i..]);
                        let may_continue = self.context.is_whole
                            && frame == Frame::Object
                            && byte_at(end) == b','
                            && byte_at(end + 1).is_ascii_digit();
                        if may_continue || !ends_word(byte_at(end)) || !is_json(&text[i..end]) {
                            return i;
                        }
                        i = end;
                        (self.state, self.empty) = (State::After, false);
                    }
                    b'{' | b'[' => {
                        i += 1;
                        self.open(match byte {
                            b'{' => Frame::Object,
                            _ => Frame::Array,
                        });
                        continue;
                    }
                    b']' if self.empty => {}
                    _ => return i,
                },
                State::Key => match byte {
                    b'"' => {
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
            i = blanks_end(bytes, i);
            let byte = byte_at(i);
            match byte {
                b',' if self.state == State::After => {
                    let next = blanks_end(bytes, i + 1);
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
                _ if frame.is_json_closer(byte) && self.stack.len() > self.context.watch + 1 => {
                    i += 1;
                    self.pop();
                }
                _ => return i,
            }
        }
        i
    }
}
