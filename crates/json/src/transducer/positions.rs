//! Arguments of a Python call without names: `f(1, 'x')`, where the order of the parameters says which they are.

use alloc::string::String;

use super::state::Frame;
use super::{Output, Transducer};
use crate::escape::quoted;
use crate::repair::Repair;

impl Transducer {
    /// Whether the byte, where a key of the call is due, starts a value that has none. A word may be either: what follows
    /// it tells.
    pub(super) fn starts_position(&self, byte: u8) -> bool {
        let is_value = match byte {
            b'"' | b'\'' | b'[' | b'(' | b'-' | b'0'..=b'9' => true,
            // One object in place of all arguments is their wrapper.
            b'{' => !self.empty,
            _ => self.starts_token(byte),
        };
        is_value && self.expects_positions()
    }

    /// Whether an argument may stand here without its name.
    pub(super) fn expects_positions(&self) -> bool {
        self.is_among_arguments() && self.next_position().is_some()
    }

    /// Whether the next value, or key, is that of an argument of the call.
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
