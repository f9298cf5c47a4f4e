//! Skips the members of a list of calls that are not objects, up to the next object or the list's end.

use super::Parser;
use super::thread::Thread;
use super::view::View;
use crate::Sink;
use crate::program::Node;

/// In place of the open quote: no string is open.
pub(super) const OUTSIDE: u8 = 0;

impl Parser {
    /// The offset of a word, a number or a string in the place of the next object of a list of calls, after a comma.
    pub(super) fn junk_member(&self, view: View<'_>) -> Option<u64> {
        let is_object = |thread: &Thread| matches!(view.program.node(thread.node), Node::Object(_));
        let is_end = |thread: &Thread| view.program.node(thread.node).literal() == Some(b"]");
        let emitted = self.emitter.cursor;
        if !self.candidate.committed
            || self.candidate.fallback.is_some()
            || self.emitter.call.is_some()
            || !view
                .slice(emitted, self.candidate.checkpoint)
                .trim_end()
                .ends_with(',')
            || !self.candidate.checkpoint_threads.iter().any(is_object)
            || !self.candidate.checkpoint_threads.iter().any(is_end)
        {
            return None;
        }
        // Only the first byte of a character may have come.
        let after = view.bytes(self.candidate.checkpoint, self.pos + 1);
        let member = after.trim_ascii_start();
        let starts = |byte: u8| {
            matches!(byte, b'"' | b'\'' | b'-' | b'0'..=b'9')
                || matches!(byte, b't' | b'f' | b'n' | b'T' | b'F' | b'N')
        };
        let is_member = member.first().copied().is_some_and(starts);
        is_member.then(|| self.pos + 1 - member.len() as u64)
    }

    /// Skips members that are not objects, up to the next object or the list's end. Returns whether that was reached.
    pub(super) fn skip_junk(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        while let (Some(quote), Some(byte)) = (self.set.junk, view.byte(self.pos)) {
            self.set.junk = match byte {
                b'{' | b']' if quote == OUTSIDE => None,
                b'"' | b'\'' if quote == OUTSIDE => Some(byte),
                _ if byte == quote => Some(OUTSIDE),
                _ => Some(quote),
            };
            let passed = u64::from(self.set.junk.is_some());
            self.pos += passed;
            self.set.found.work += passed;
        }
        self.emitter.markup(view, self.pos, sink);
        self.candidate.checkpoint = self.pos;
        let threads = (self.set.threads.iter_mut()).chain(&mut self.candidate.checkpoint_threads);
        threads.for_each(|thread| thread.since = self.pos);
        self.set.junk.is_none()
    }
}
