//! Attributes of a tag, in any order: a byte at a time, as a state of the thread.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::log::Act;
use super::step::{Stepper, add};
use super::thread::{Found, Thread};
use crate::body::decoded;
use crate::grammar::Capture;
use crate::program::{AttrsNode, is_blank};

const BETWEEN: u16 = 0;
const NAME: u16 = 1;
const EQUALS: u16 = 2;
const QUOTED: u16 = 3;
const BARE: u16 = 4;
const AFTER_NAME: u16 = 5;

impl Stepper<'_> {
    pub(super) fn attrs(
        &mut self,
        mut thread: Thread,
        attrs: &AttrsNode,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        if pos - thread.since > 8 * self.program.limits.capture as u64 {
            return;
        }
        loop {
            match thread.off {
                QUOTED => {
                    if byte == thread.quote {
                        self.attribute(&mut thread, attrs, pos, found);
                        thread.off = BETWEEN;
                    } else if byte == b'<'
                        && !self
                            .program
                            .dialect_of(thread.node)
                            .values
                            .entities_in_attrs
                    {
                        return;
                    }
                }
                BARE => {
                    if is_blank(byte) || attrs.stop.has(byte) {
                        self.attribute(&mut thread, attrs, pos, found);
                        thread.off = BETWEEN;
                        continue;
                    }
                }
                BETWEEN if attrs.stop.has(byte) && !is_blank(byte) => {
                    let missing = attrs.attributes.iter().enumerate().any(|(n, attribute)| {
                        let needed = !matches!(
                            attribute.capture,
                            Some(Capture::Kind | Capture::Id | Capture::Ns | Capture::Skip)
                        );
                        needed && thread.seen >> n & 1 == 0
                    });
                    if !missing {
                        let behind = Thread {
                            node: attrs.next,
                            off: 0,
                            ..thread
                        };
                        self.go_on(behind, byte, pos, next, found);
                    }
                    return;
                }
                BETWEEN if is_blank(byte) => {}
                BETWEEN => {
                    if !(byte.is_ascii_alphabetic() || byte == b'_') {
                        return;
                    }
                    thread.since = pos;
                    thread.off = NAME;
                }
                NAME => match byte {
                    b'=' => {
                        thread.name_end = pos;
                        thread.off = EQUALS;
                    }
                    _ if is_blank(byte) => {
                        thread.name_end = pos;
                        thread.off = AFTER_NAME;
                    }
                    _ if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':') => {}
                    _ => return,
                },
                AFTER_NAME => match byte {
                    b'=' => thread.off = EQUALS,
                    _ if is_blank(byte) => {}
                    _ => return,
                },
                EQUALS => {
                    if is_blank(byte) {
                        break;
                    }
                    if attrs.stop.has(byte) {
                        return;
                    }
                    // From here `since` is the value's begin; which attribute it is, is known.
                    thread.quote = self.attribute_index(&thread, attrs);
                    let index = thread.quote;
                    thread.name_end = u64::from(index);
                    if matches!(byte, b'"' | b'\'') {
                        thread.quote = byte;
                        thread.since = pos + 1;
                        thread.off = QUOTED;
                    } else {
                        thread.since = pos;
                        thread.off = BARE;
                    }
                }
                _ => return,
            }
            break;
        }
        add(next, thread);
    }

    /// Which attribute the name between `since` and `name_end` is; 255 for one that nobody asked for.
    pub(super) fn attribute_index(&self, thread: &Thread, attrs: &AttrsNode) -> u8 {
        let name = self.view.slice(thread.since, thread.name_end);
        let fits = |key: &str| {
            if attrs.fold {
                key.eq_ignore_ascii_case(name)
            } else {
                key == name
            }
        };
        attrs
            .attributes
            .iter()
            .position(|a| a.keys.iter().any(|key| fits(key)))
            .map_or(255, |n| n as u8)
    }

    pub(super) fn attribute(
        &mut self,
        thread: &mut Thread,
        attrs: &AttrsNode,
        end: u64,
        found: &mut Found,
    ) {
        let start = thread.since;
        let index = thread.name_end as u8;
        let Some(attribute) = attrs.attributes.get(usize::from(index)) else {
            return;
        };
        if thread.seen >> index & 1 == 1 {
            return;
        }
        let act = match attribute.capture {
            Some(what) => {
                let mut way = Thread { off: 0, ..*thread };
                way.seen |= 1 << index;
                let text = self.attribute_text(thread, start, end);
                if start == end
                    || (what == Capture::Key && !self.accepts_key(way, (start, end), &text, found))
                {
                    // Behind the quotation mark the tag goes on.
                    if let (Some(key), QUOTED) = (&mut found.unknown_key, thread.off) {
                        key.at = end + 1;
                    }
                    return;
                }
                Act::Captured { what, start, end }
            }
            None => Act::Argument {
                node: thread.node,
                index,
                start,
                end,
            },
        };
        thread.seen |= 1 << index;
        thread.log = self.log.push(thread.log, act, end);
    }
}

impl<'a> Stepper<'a> {
    /// An attribute's value as it is meant.
    pub(super) fn attribute_text(&self, thread: &Thread, start: u64, end: u64) -> Cow<'a, str> {
        let text = self.view.slice(start, end);
        if self
            .program
            .dialect_of(thread.node)
            .values
            .entities_in_attrs
        {
            decoded(text)
        } else {
            Cow::Borrowed(text)
        }
    }
}
