//! Captures: which bytes a name, a key or an id may have, and which texts are accepted.

use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::Fields;

use super::log::Act;
use super::step::Stepper;
use super::thread::{NamePolicy, Thread, UnknownKey};
use crate::Span;
use crate::grammar::Capture;
use crate::program::{CaptureNode, Node, may_be_empty, takes};

impl Stepper<'_> {
    pub(super) fn capture(
        &mut self,
        thread: Thread,
        capture: &CaptureNode,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
    ) {
        // `any` ends before the first literal that may follow it.
        let is_any = capture.what == Capture::Any && capture.argument.is_none();
        if is_any && self.found.ended == Some(capture.next) {
            return;
        }
        let length = pos.wrapping_sub(thread.since);
        // The first byte of a character is no evidence for the whole one: kana share theirs with `「`.
        let chars = capture.stop_chars.iter().map(String::as_bytes);
        let mut chars = chars.filter(|c| c[0] == byte);
        let starts = |c| self.view.from(pos).starts_with(c);
        let stops = capture.stop.has(byte) && (chars.clone().next().is_none() || chars.any(starts));
        let read = self.view.bytes(thread.since.min(pos), pos + 1);
        let mut texts = capture.one_of.iter();
        let is_listed = texts.any(|text| text.as_bytes().starts_with(read));
        if !stops {
            let is_sign = match capture.what {
                Capture::Name => byte == b'/',
                Capture::Type => b"[]|?".contains(&byte),
                Capture::Key => byte.is_ascii_punctuation() && !b"_-.:$@".contains(&byte),
                _ => false,
            };
            if takes(capture.what, byte)
                && !(is_sign && length == 0)
                && length < self.view.program.limits.capture as u64
                && (is_listed || !capture.is_listed_argument())
                && self.may_be_key(&thread, capture, byte, pos)
            {
                self.add(next, &thread);
            }
            return;
        }
        if self.accepts(&thread, capture, pos) {
            let after = Thread {
                starts_line: false,
                ..self.after_capture(&thread, capture, pos)
            };
            self.extend(after, byte, pos, next);
        }
        // The capture may also contain a stop byte (`name ":"` with a name that holds a colon), one of listed texts only
        // as one of them.
        let after = self.view.program.node(capture.next).literal();
        let is_part = || after.is_some_and(|bytes| bytes.len() > 1);
        let is_open =
            capture.one_of.is_empty() && (capture.argument.is_some() || is_any && is_part());
        let starts_word = byte.is_ascii_alphanumeric() || b"./_~-".contains(&byte);
        if (is_listed || is_open) && (length > 0 || starts_word) && takes(capture.what, byte) {
            self.add(next, &thread);
        }
    }

    /// The thread after the capture, which ends at `end`.
    pub(super) fn after_capture(
        &mut self,
        thread: &Thread,
        capture: &CaptureNode,
        end: u64,
    ) -> Thread {
        let (node, what, index) = (thread.node, capture.what, 0);
        let at = Span {
            start: thread.since,
            end,
        };
        let act = match capture.argument {
            Some(_) => Act::Argument { node, index, at },
            None => Act::Captured { what, at },
        };
        let log = self.log.push(thread.log, act, end);
        Thread {
            node: capture.next,
            log,
            ..*thread
        }
    }

    /// How many of `bytes` continue the capture: none of them is a stop byte or a byte that the capture cannot have.
    pub(super) fn capture_continues(
        &self,
        thread: &Thread,
        capture: &CaptureNode,
        bytes: &[u8],
        pos: u64,
    ) -> usize {
        let length = pos.wrapping_sub(thread.since);
        if length == 0 || capture.is_listed_argument() {
            return 0;
        }
        let room = (self.view.program.limits.capture as u64).saturating_sub(length);
        let mut at = pos;
        let continues = |&&byte: &&u8| {
            at += 1;
            !capture.stop.has(byte)
                && takes(capture.what, byte)
                && self.may_be_key(thread, capture, byte, at - 1)
        };
        let bytes = bytes.iter().take(room as usize);
        bytes.take_while(continues).count()
    }

    /// Whether a key may continue with `byte`. A blank must continue a declared key, since a key of another form may be
    /// first. In a lookahead so must any byte that is rare in keys, because the value waits.
    fn may_be_key(&self, thread: &Thread, capture: &CaptureNode, byte: u8, pos: u64) -> bool {
        let waits = matches!(self.names, NamePolicy::Evidence | NamePolicy::Own { .. });
        let is_key_byte = byte >= 0x80 || byte.is_ascii_alphanumeric() || b"_-.:$@".contains(&byte);
        if capture.what != Capture::Key || is_key_byte || !waits && byte != b' ' {
            return true;
        }
        let tool = self.call.and_then(|call| call.tool);
        let keys = tool.map_or(&[][..], |tool| self.view.program.tools.keys(tool));
        let read = self.view.bytes(thread.since, pos + 1);
        keys.iter().any(|key| key.as_bytes().starts_with(read))
    }

    /// Steps the epsilon closure of `thread`, which has not taken `byte`, over that byte.
    pub(super) fn extend(&mut self, thread: Thread, byte: u8, pos: u64, next: &mut Vec<Thread>) {
        let mut here = core::mem::take(&mut self.found.here);
        self.close_on(&thread, (thread.node, thread.log), pos, &mut here);
        for thread in here.drain(..) {
            self.thread(&thread, byte, pos, next);
        }
        self.found.here = here;
    }

    pub(super) fn accepts(&mut self, thread: &Thread, capture: &CaptureNode, pos: u64) -> bool {
        // When the message's end is read again from before the capture, `since` may be after `pos`.
        let text = self.view.slice(thread.since.min(pos), pos);
        if !capture.one_of.is_empty() {
            return capture.one_of.iter().any(|one| **one == *text);
        }
        if text.is_empty() {
            return may_be_empty(capture.what) && capture.argument.is_none();
        }
        match capture.what {
            Capture::Name => self.accepts_name(thread, text, pos),
            Capture::Key => {
                let after = thread.after(capture.next);
                self.accepts_key(after, Span::new(thread.since, pos), text)
            }
            _ => true,
        }
    }

    pub(super) fn accepts_name(&mut self, thread: &Thread, text: &str, pos: u64) -> bool {
        let dialect = self.view.program.dialect_of(thread.node);
        if !is_name(text, thread.marked) {
            return false;
        }
        let known = self.view.program.knows(dialect, text);
        if dialect.refuse.iter().any(|name| name == text) && !known {
            self.found.placeholder = Some(Span::new(thread.since, pos));
            return false;
        }
        if !known && dialect.is_no_tool(text) {
            return false;
        }
        match self.names {
            NamePolicy::Entry { plausible: false } => known,
            // Only a marker makes a call with an unknown name.
            _ => thread.marked || known,
        }
    }

    /// Whether the tag in a parameter's place names another tool, and no parameter: that tool's call starts there.
    fn is_another_tool(&self, after: &Thread, text: &str) -> bool {
        let program = self.view.program;
        let is_tag = (program.value_after(after.node)).is_some_and(|it| it.own_needs_same_key);
        if !is_tag || !program.knows(program.dialect_of(after.node), text) {
            return false;
        }
        let named = self.log.newest(after.log, self.flushed, Capture::Name);
        let flushed = self.registers.get(Capture::Name);
        let name = named.map_or(flushed, |at| self.view.at(at));
        let has_parameter = |tool| program.tools.tool(tool).parameters.get(text).is_some();
        text != name && !program.tools.find(name).is_some_and(has_parameter)
    }

    /// Whether `text`, which is at `at`, is a key here. `after` is the thread after the key.
    pub(super) fn accepts_key(&mut self, after: Thread, at: Span, text: &str) -> bool {
        let tool = self.call.and_then(|call| call.tool);
        let parameters = tool.map(|tool| &self.view.program.tools.tool(tool).parameters);
        match self.names {
            NamePolicy::Reading | NamePolicy::Entry { .. } => {
                let is_tool = self.is_another_tool(&after, text);
                self.found.another_tool = is_tool.then_some(at.start).or(self.found.another_tool);
                let is_attribute = matches!(self.view.program.node(after.node), Node::Attrs(_));
                let is_declared = parameters.is_some_and(|fields| fields.get(text).is_some());
                return !is_tool && (is_plausible_key(text) || is_declared || is_attribute);
            }
            NamePolicy::Own {
                same_key: Some(key),
            } => return text == key,
            NamePolicy::Own { same_key: None } if is_plausible_key(text) => return true,
            NamePolicy::Evidence | NamePolicy::Own { same_key: None } => {}
        }
        let is_declared = match parameters {
            Some(parameters) => takes_key(parameters, text),
            None => is_plausible_key(text),
        };
        // A key that the call already has is text of the value. It is no evidence, and is skipped like an unknown key.
        if is_declared && !self.call.is_some_and(|call| call.has_key(text)) {
            return true;
        }
        if is_plausible_key(text) {
            let what = Capture::Key;
            let log = self.log.push(after.log, Act::Captured { what, at }, at.end);
            let (thread, at) = (Thread { log, ..after }, at.end);
            self.found.unknown_key = Some(UnknownKey { thread, at });
        }
        false
    }
}

/// Whether a tool with these parameters takes `key`. A schema that declares nothing but allows others takes any key.
pub(crate) fn takes_key(parameters: &Fields, key: &str) -> bool {
    parameters.get(key).is_some()
        || (parameters.properties.is_empty() && parameters.others.is_some())
}

/// Whether `text` may be a name. After a marker any text may, except dots in place of a name (`<function=...>`).
fn is_name(text: &str, marked: bool) -> bool {
    text.chars().any(char::is_alphanumeric) || marked && text != "…" && !text.starts_with("..")
}

/// Whether `text` may be a key: letters, digits, `_ - . : $ @`, no blank. A number is the value: `-limit -3`.
pub(crate) fn is_plausible_key(text: &str) -> bool {
    let is_key_char = |c: char| c.is_alphanumeric() || "_-.:$@".contains(c);
    let is_number_char = |c: char| c.is_ascii_digit() || c == '.';
    text.chars().all(is_key_char) && !text.chars().all(is_number_char)
}
