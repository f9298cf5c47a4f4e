//! Positional arguments of a Python call: `f(1, 'x')`. The order of the parameters gives their names.

use alloc::string::String;

use super::state::Frame;
use super::{Output, Transducer};
use crate::escape::quoted;
use crate::repair::Repair;

impl Transducer {
    /// Whether `byte`, where a key of the call is due, starts a value without a key. A word may be a key or a value:
    /// the text after it decides.
    pub(super) fn starts_position(&self, byte: u8) -> bool {
        let is_value = match byte {
            b'"' | b'\'' | b'[' | b'(' | b'-' | b'0'..=b'9' => true,
            // A single object in place of all arguments wraps them.
            b'{' => !self.empty,
            _ => self.starts_token(byte),
        };
        is_value && self.expects_positions()
    }

    /// Whether an argument may occur here without its name.
    pub(super) fn expects_positions(&self) -> bool {
        self.is_among_arguments() && self.next_position().is_some()
    }

    /// Whether the next key or value belongs to an argument of the call.
    pub(super) fn is_among_arguments(&self) -> bool {
        self.stack.as_slice() == [Frame::Keywords] && !self.call.is_wrapped
    }

    /// The first parameter that was not named yet.
    fn next_position(&self) -> Option<&String> {
        let is_new = |name: &&String| !self.keys.has(name.as_bytes());
        self.context.positions.iter().find(is_new)
    }

    /// Supplies the name of the value that starts at `at`.
    pub(super) fn name_position(&mut self, at: u64, out: &mut Output) {
        let Some(name) = self.next_position().cloned() else {
            return;
        };
        out.text.push_str(&quoted(&name));
        out.text.push(':');
        self.keys.insert(name.as_bytes());
        self.key.is_named = false;
        self.note(Repair::PositionalArgument, at, at, out);
    }
}
