//! Reads the attributes of a tag, in any order, byte by byte. The thread holds the state.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::log::Act;
use super::step::Stepper;
use super::thread::Thread;
use crate::Span;
use crate::body::{EscapeDecoder, decoded};
use crate::grammar::{Attribute, Capture};
use crate::program::{AttrsNode, Node, NodeId, Program, is_blank};
use crate::thresholds::ATTRIBUTES_MAX;

const BETWEEN: u16 = 0;
const NAME: u16 = 1;
const EQUALS: u16 = 2;
const QUOTED: u16 = 3;
const BARE: u16 = 4;
const AFTER_NAME: u16 = 5;

/// What a byte does inside a tag.
enum AttrStep {
    /// The byte belongs to the tag and ends nothing.
    On,
    /// An attribute's value ends before the byte: at the closing quote, or after a bare value.
    Value,
    /// The tag ends before the byte.
    Tag,
    /// The byte cannot be part of the tag.
    Dead,
}

impl Stepper<'_> {
    pub(super) fn attrs(
        &mut self,
        mut thread: Thread,
        attrs: &AttrsNode,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
    ) {
        loop {
            match self.attrs_move(&mut thread, attrs, byte, pos) {
                AttrStep::On => self.add(next, &thread),
                AttrStep::Value => {
                    self.attribute(&mut thread, attrs, pos);
                    let is_bare = thread.off == BARE;
                    thread.off = BETWEEN;
                    if is_bare {
                        continue;
                    }
                    self.add(next, &thread)
                }
                AttrStep::Tag if has_needed(attrs, thread.seen) => {
                    (thread.node, thread.off, thread.starts_line) = (attrs.next, 0, false);
                    return self.extend(thread, byte, pos, next);
                }
                AttrStep::Tag | AttrStep::Dead => return,
            };
            return;
        }
    }

    /// Moves the thread over the first of `bytes` that stay inside the tag and end no value. `bytes` start at `pos`.
    /// Returns how many bytes those are.
    pub(super) fn continue_attrs(
        &self,
        thread: &mut Thread,
        attrs: &AttrsNode,
        bytes: &[u8],
        pos: u64,
    ) -> usize {
        let mut at = pos;
        let is_on = |&byte: &&u8| {
            let moved = self.attrs_move(thread, attrs, *byte, at);
            at += 1;
            matches!(moved, AttrStep::On)
        };
        bytes.iter().take_while(is_on).count()
    }

    /// Moves the thread over a byte, unless a value, the tag or the thread ends there.
    fn attrs_move(&self, thread: &mut Thread, attrs: &AttrsNode, byte: u8, pos: u64) -> AttrStep {
        // When the message's end is read again from before the tag, `since` is after `pos`, and the length wraps.
        let (length, limits) = (pos.wrapping_sub(thread.since), &self.view.program.limits);
        let holds_arguments = || attrs.attributes.iter().any(|attr| attr.argument.is_some());
        if length > (ATTRIBUTES_MAX * limits.capture) as u64
            && (length > limits.undecided as u64 || !holds_arguments())
        {
            return AttrStep::Dead;
        }
        match thread.off {
            QUOTED if byte == thread.quote => return AttrStep::Value,
            QUOTED if byte == b'<' => {
                let dialect = self.view.program.dialect_of(thread.node);
                let decodes = dialect.values.entities_in_attrs;
                if !decodes && !holds_arguments() {
                    return AttrStep::Dead;
                }
            }
            QUOTED => {}
            BARE if is_blank(byte) || attrs.stop.has(byte) => return AttrStep::Value,
            BARE => {}
            BETWEEN if is_blank(byte) => {}
            BETWEEN if attrs.stop.has(byte) => return AttrStep::Tag,
            BETWEEN if byte.is_ascii_alphabetic() || byte == b'_' => {
                (thread.since, thread.off) = (pos, NAME);
            }
            NAME if byte == b'=' => (thread.name_end, thread.off) = (pos, EQUALS),
            NAME if is_blank(byte) => (thread.name_end, thread.off) = (pos, AFTER_NAME),
            NAME if byte.is_ascii_alphanumeric() || b"_-:.".contains(&byte) => {}
            AFTER_NAME if byte == b'=' => thread.off = EQUALS,
            AFTER_NAME | EQUALS if is_blank(byte) => {}
            EQUALS if !attrs.stop.has(byte) => {
                // From here `since` is the start of the value, and `name_end` is the index of the attribute.
                let index = self.attribute_index(thread, attrs);
                thread.name_end = u64::from(index);
                (thread.quote, thread.since, thread.off) = match byte {
                    b'"' | b'\'' => (byte, pos + 1, QUOTED),
                    _ => (index, pos, BARE),
                };
            }
            _ => return AttrStep::Dead,
        }
        AttrStep::On
    }

    /// The index of the attribute whose name is between `since` and `name_end`; 255 for an unknown attribute.
    pub(super) fn attribute_index(&self, thread: &Thread, attrs: &AttrsNode) -> u8 {
        let name = self.view.slice(thread.since, thread.name_end);
        let fits = |key: &String| key == name || attrs.fold && key.eq_ignore_ascii_case(name);
        let mut all = attrs.attributes.iter();
        all.position(|attribute| attribute.keys.iter().any(fits))
            .or_else(|| attrs.attributes.iter().position(Attribute::is_any))
            .map_or(255, |n| n as u8)
    }

    pub(super) fn attribute(&mut self, thread: &mut Thread, attrs: &AttrsNode, end: u64) {
        let at = Span::new(thread.since, end);
        let index = thread.name_end as u8;
        let Some(attribute) = attrs.attributes.get(usize::from(index)) else {
            return;
        };
        if thread.seen >> index & 1 == 1 && !attribute.is_any() {
            return;
        }
        let node = thread.node;
        let act = if let Some(what) = attribute.capture {
            let mut after = Thread { off: 0, ..*thread };
            after.seen |= 1 << index;
            let text = attribute_text(self.view.program, node, self.view.at(at));
            if at.is_empty() || (what == Capture::Key && !self.accepts_key(after, at, &text)) {
                // The tag continues after the quote.
                if let (Some(key), QUOTED) = (&mut self.found.unknown_key, thread.off) {
                    key.at = end + 1;
                }
                return;
            }
            Act::Captured { what, at }
        } else {
            Act::Argument { node, index, at }
        };
        thread.seen |= 1 << index;
        thread.log = self.log.push(thread.log, act, end);
    }
}

/// The decoded text of an attribute of `node`, or of a capture that is an argument.
pub(super) fn attribute_text<'t>(program: &Program, node: NodeId, text: &'t str) -> Cow<'t, str> {
    let values = &program.dialect_of(node).values;
    match program.node(node) {
        Node::Attrs(_) if values.entities_in_attrs => decoded(text),
        Node::Capture(_) => match EscapeDecoder::new(values, false) {
            Some(escapes) => escapes.decode(text).into(),
            None => text.into(),
        },
        _ => Cow::Borrowed(text),
    }
}

/// Whether the thread has seen the attributes that the tag needs: all captures of a name or a key. Without such
/// captures, a tag that names arguments needs any attribute.
fn has_needed(attrs: &AttrsNode, seen: u16) -> bool {
    let is_needed = |a: &Attribute| matches!(a.capture, Some(Capture::Name | Capture::Key));
    let all = || attrs.attributes.iter().enumerate();
    if all().any(|(_, attribute)| is_needed(attribute)) {
        return all().all(|(n, attribute)| !is_needed(attribute) || seen >> n & 1 == 1);
    }
    seen > 0 || all().all(|(_, attribute)| attribute.argument.is_none() || attribute.is_any())
}
