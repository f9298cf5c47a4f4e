//! The machine's state between bodies: an ordered set of positions in the graph. One byte maps a set to a set.
//!
//! This one step runs openers, optional parts, alternatives, loops, separators and closers, and the look-ahead for
//! evidence. There is no second way to match a literal.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::filled::Filled;
use super::log::{Act, Log, LogId};
use super::view::View;
use crate::body::decoded;
use crate::grammar::{Capture, Piece};
use crate::program::{
    AttrsNode, CaptureNode, Node, NodeId, Program, is_blank, may_be_empty, takes,
};

/// One position. Order in the set is priority.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    pub(crate) node: NodeId,
    /// Bytes of a literal read; the state of the trie; the state of attributes.
    pub(crate) off: u16,
    pub(crate) log: LogId,
    /// Where this run of blanks, capture or attribute began.
    pub(crate) since: u64,
    /// A marker was passed: something but the name marks the call.
    pub(crate) marked: bool,
    /// A line break was left out right before (`nl text nl`).
    pub(crate) broke: bool,
    /// It waits in a context (`think`, an open block).
    pub(crate) extra: bool,
    pub(crate) quote: u8,
    /// Attributes seen, a bit each.
    pub(crate) seen: u16,
    /// Length of the attribute's name; it begins at `since` then.
    pub(crate) name_end: u64,
    /// Which instance of a template.
    pub(crate) instance: u32,
}

impl Thread {
    pub(crate) fn at(node: NodeId, log: LogId, pos: u64) -> Thread {
        Thread {
            node,
            off: 0,
            log,
            since: pos,
            marked: false,
            broke: false,
            extra: false,
            quote: 0,
            seen: 0,
            name_end: 0,
            instance: 0,
        }
    }
}

/// What was captured and flushed: newest of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    pub(crate) name: String,
    pub(crate) key: String,
    /// Where the key was read.
    pub(crate) key_at: crate::Span,
    pub(crate) kind: String,
    /// Where the kind was read, if nothing was captured since.
    pub(crate) kind_at: Option<crate::Span>,
    pub(crate) skip: String,
    pub(crate) id: Option<String>,
    pub(crate) ns: Option<String>,
}

impl Registers {
    pub(super) fn get(&self, what: Capture) -> &str {
        match what {
            Capture::Name => &self.name,
            Capture::Key => &self.key,
            Capture::Kind => &self.kind,
            Capture::Skip => &self.skip,
            Capture::Id => self.id.as_deref().unwrap_or(""),
            Capture::Ns => self.ns.as_deref().unwrap_or(""),
        }
    }
}

/// Which keys and names a thread may capture.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Judge<'a> {
    /// The reading itself: any plausible key, and names as the dialect says.
    Reading,
    /// Looking for evidence: a key must be declared by the call's tool (`None`: no tool is known, any will do), and, for
    /// the value's own opener where the closer holds the key, be this one.
    Evidence {
        tool: Option<usize>,
        same_key: Option<&'a str>,
    },
    /// Looking for an entry behind a closer: only known names, or plausible ones too.
    Entry { plausible: bool },
}

/// A plausible key that the tool does not have, and the node that captured it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownKey {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) node: NodeId,
}

/// What one step found, beside the new set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Bodies and ends that can begin with the byte, in order, and whether a thread before them took it.
    pub(crate) bodies: Vec<Thread>,
    /// A body stands before every thread that took the byte.
    pub(crate) body_first: bool,
    /// A literal (or the trie) took the byte.
    pub(crate) literal_took: bool,
    /// A literal ended with the byte.
    pub(crate) literal_ended: bool,
    /// Bytes of the longest one that did.
    pub(crate) literal_length: u64,
    /// Markers that ended with the byte: where they began, and their dialects. They outrank what captured their bytes.
    pub(crate) markers: Vec<(u64, u16)>,
    /// A plausible key died because the tool has no such parameter.
    pub(crate) unknown_key: Option<UnknownKey>,
    /// A placeholder stood where a name belongs: its extent.
    pub(crate) placeholder: Option<(u64, u64)>,
    /// A name that is not known stood where only the name marks the call.
    pub(crate) unknown_name: Option<(u64, u64)>,
    /// Thread steps made.
    pub(crate) work: u64,
}

impl Found {
    fn clear(&mut self) {
        self.bodies.clear();
        (
            self.body_first,
            self.literal_took,
            self.literal_ended,
            self.unknown_key,
        ) = (false, false, false, None);
        (self.placeholder, self.unknown_name) = (None, None);
        self.literal_length = 0;
        self.markers.clear();
    }
}

/// Everything a step looks at but does not change, and the log it writes.
pub(crate) struct Stepper<'a> {
    pub(crate) program: &'a Program,
    pub(crate) view: View<'a>,
    pub(crate) log: &'a mut Log,
    pub(crate) flushed: LogId,
    pub(crate) instances: &'a mut Filled,
    pub(crate) registers: &'a Registers,
    pub(crate) judge: Judge<'a>,
    /// Where the trie's opener began.
    pub(crate) candidate: u64,
    /// The candidate stands at a line's begin; at the message's begin.
    pub(crate) bol: bool,
    pub(crate) start: bool,
}

impl Stepper<'_> {
    /// Steps `set` over `byte`, which stands at `pos`, into `next`.
    pub(crate) fn step(
        &mut self,
        set: &[Thread],
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        next.clear();
        found.clear();
        for &thread in set {
            self.thread(thread, byte, pos, next, found);
        }
    }

    /// Adds what stands at `thread.node` to the set: blanks and acts are passed, choices are all taken.
    pub(crate) fn close(&mut self, mut thread: Thread, pos: u64, set: &mut Vec<Thread>) {
        loop {
            match self.program.node(thread.node) {
                Node::Split(all) => {
                    for &node in all {
                        self.close(Thread { node, ..thread }, pos, set);
                    }
                    return;
                }
                Node::Enter { next, .. } => {
                    thread.log = self.log.push(thread.log, Act::Enter(thread.node), pos);
                    thread.node = *next;
                }
                Node::Exit { next, .. } => {
                    thread.log = self.log.push(thread.log, Act::Exit(thread.node), pos);
                    thread.node = *next;
                }
                Node::Bol { next } => {
                    if !self.bol {
                        return;
                    }
                    thread.node = *next;
                }
                Node::Start { next } => {
                    if !self.start {
                        return;
                    }
                    thread.node = *next;
                }
                Node::Ws { next } | Node::Nl { next } => {
                    let next = *next;
                    thread.off = 0;
                    thread.since = pos;
                    if !add(set, thread) {
                        return;
                    }
                    thread.node = next;
                }
                Node::Template { pieces, .. } => {
                    let Some(instance) = self.fill(pieces, thread.log) else {
                        return;
                    };
                    thread.instance = instance;
                    thread.off = 0;
                    add(set, thread);
                    return;
                }
                _ => {
                    (thread.off, thread.quote, thread.seen, thread.since) = (0, 0, 0, pos);
                    add(set, thread);
                    return;
                }
            }
        }
    }

    fn thread(
        &mut self,
        mut thread: Thread,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        found.work += 1;
        match self.program.node(thread.node) {
            Node::Trie => self.trie(thread, byte, pos, next, found),
            Node::Literal {
                bytes,
                fold,
                mark,
                next: to,
            } => {
                if !same(bytes[usize::from(thread.off)], byte, *fold) {
                    return;
                }
                thread.off += 1;
                found.literal_took = true;
                if usize::from(thread.off) == bytes.len() {
                    thread.marked |= *mark;
                    if *mark {
                        let from = pos + 1 - bytes.len() as u64;
                        found
                            .markers
                            .push((from, self.program.dialect_index(thread.node)));
                    }
                    self.literal_end(thread, *to, pos, next, found);
                } else {
                    add(next, thread);
                }
            }
            Node::Template { fold, next: to, .. } => {
                let bytes = self.instances.get(thread.instance);
                if !same(bytes[usize::from(thread.off)], byte, *fold) {
                    return;
                }
                let length = bytes.len();
                thread.off += 1;
                found.literal_took = true;
                if usize::from(thread.off) == length {
                    self.literal_end(thread, *to, pos, next, found);
                } else {
                    add(next, thread);
                }
            }
            Node::Ws { next: to } => {
                if is_blank(byte) && pos - thread.since < self.program.limits.blanks as u64 {
                    add(next, thread);
                    let mut behind = Thread {
                        node: *to,
                        off: 0,
                        ..thread
                    };
                    behind.broke = false;
                    self.close(behind, pos + 1, next);
                }
            }
            Node::Nl { next: to } => match (thread.off, byte) {
                (0, b'\r') => {
                    thread.off = 1;
                    add(next, thread);
                }
                (_, b'\n') => {
                    let behind = Thread {
                        node: *to,
                        off: 0,
                        broke: true,
                        ..thread
                    };
                    self.close(behind, pos + 1, next);
                }
                _ => {}
            },
            Node::Capture(capture) => self.capture(thread, capture, byte, pos, next, found),
            Node::Attrs(attrs) => self.attrs(thread, attrs, byte, pos, next, found),
            Node::Json { .. } | Node::Object(_) => {
                if byte == b'{' {
                    self.body(thread, next, found);
                }
            }
            Node::Py { .. } => {
                // Behind a known name's begin, which opened it, the name goes on.
                let within = thread.since < pos
                    && (byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'/' | b'\\' | b'('));
                if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 || within {
                    self.body(thread, next, found);
                }
            }
            Node::Xml(xml) => {
                let tag = xml.prefix.as_deref().unwrap_or("<").as_bytes()[0];
                if byte == tag || is_blank(byte) {
                    self.body(thread, next, found);
                }
            }
            Node::Text(_) | Node::Match => self.body(thread, next, found),
            Node::End { .. }
            | Node::Split(_)
            | Node::Enter { .. }
            | Node::Exit { .. }
            | Node::Bol { .. }
            | Node::Start { .. } => {}
        }
    }

    #[allow(clippy::unused_self)]
    fn body(&mut self, thread: Thread, next: &[Thread], found: &mut Found) {
        if found.bodies.is_empty() {
            found.body_first = next.is_empty();
        }
        found.bodies.push(thread);
    }

    fn literal_end(
        &mut self,
        mut thread: Thread,
        to: NodeId,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        found.literal_ended = true;
        found.literal_length = found.literal_length.max(u64::from(thread.off));
        thread.node = to;
        thread.off = 0;
        thread.broke = false;
        self.close(thread, pos + 1, next);
    }

    fn trie(
        &mut self,
        mut thread: Thread,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        let Some(state) = self.program.trie.step(thread.off, byte) else {
            return;
        };
        thread.off = state;
        let before = next.len();
        if self.program.trie.has_children(state) {
            add(next, thread);
        }
        let read = self.view.bytes(self.candidate, pos + 1);
        for opener in self.program.trie.complete(state) {
            if (opener.bol && !self.bol) || (opener.start && !self.start) || !opener.fits(read) {
                continue;
            }
            found.literal_ended = true;
            found.literal_length = found.literal_length.max(pos + 1 - self.candidate);
            let mut way = Thread {
                node: opener.target,
                off: 0,
                marked: opener.mark,
                ..thread
            };
            for &enter in &opener.enters {
                way.log = self.log.push(way.log, Act::Enter(enter), self.candidate);
            }
            if opener.name > 0 {
                way.since = pos + 1 - opener.name as u64;
                add(next, way);
            } else {
                self.close(way, pos + 1, next);
            }
        }
        // An opener that may not stand here took nothing: a body that begins with its byte may.
        found.literal_took |= next.len() > before;
    }

    fn capture(
        &mut self,
        thread: Thread,
        capture: &CaptureNode,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        let length = pos - thread.since;
        let stops = capture.stop.has(byte);
        if !stops {
            let slash =
                length == 0 && byte == b'/' && matches!(capture.what, Capture::Name | Capture::Key);
            if takes(capture.what, byte) && !slash && length < self.program.limits.capture as u64 {
                add(next, thread);
            }
            return;
        }
        if !self.accepts(&thread, capture, pos, found) {
            // A stop byte that can stand in the capture too (`name ":"` with a name that holds a colon).
            if length > 0 && takes(capture.what, byte) && !capture.one_of.is_empty() {
                add(next, thread);
            }
            return;
        }
        let act = Act::Captured {
            what: capture.what,
            start: thread.since,
            end: pos,
        };
        let log = self.log.push(thread.log, act, pos);
        self.go_on(
            Thread {
                node: capture.next,
                log,
                ..thread
            },
            byte,
            pos,
            next,
            found,
        );
    }

    /// Closes over a place that the byte has not been shown to, and shows it.
    fn go_on(
        &mut self,
        thread: Thread,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        let mut here = Vec::new();
        self.close(thread, pos, &mut here);
        for thread in here {
            self.thread(thread, byte, pos, next, found);
        }
    }

    fn accepts(
        &mut self,
        thread: &Thread,
        capture: &CaptureNode,
        pos: u64,
        found: &mut Found,
    ) -> bool {
        let text = self.view.slice(thread.since, pos);
        if !capture.one_of.is_empty() {
            return capture.one_of.iter().any(|one| **one == *text);
        }
        if text.is_empty() {
            return may_be_empty(capture.what);
        }
        match capture.what {
            Capture::Name => self.accepts_name(thread, text, pos, found),
            Capture::Key => self.accepts_key(thread, text, found),
            _ => true,
        }
    }

    fn accepts_name(&self, thread: &Thread, text: &str, pos: u64, found: &mut Found) -> bool {
        let dialect = self.program.dialect_of(thread.node);
        if !is_name(text, thread.marked) {
            return false;
        }
        let known = self.program.knows(dialect, text);
        let closed = !thread.marked && self.program.is_closed(dialect);
        if dialect.refuse.iter().any(|name| name == text) && !known {
            found.placeholder = Some((thread.since, pos));
            return false;
        }
        match self.judge {
            Judge::Entry { plausible: false } => known,
            _ if closed && !known => {
                found.unknown_name = Some((thread.since, pos));
                false
            }
            _ => true,
        }
    }

    fn accepts_key(&self, thread: &Thread, text: &str, found: &mut Found) -> bool {
        let Judge::Evidence { tool, same_key } = self.judge else {
            return true;
        };
        if let Some(key) = same_key {
            return text == key;
        }
        let Some(tool) = tool else {
            return is_plausible_key(text);
        };
        let parameters = &self.program.tools.tool(tool).parameters;
        // A schema that lists nothing and forbids nothing knows no key.
        if parameters.get(text).is_some()
            || (parameters.properties.is_empty() && parameters.others.is_some())
        {
            return true;
        }
        // One that misses a little is read as the one it misses; but a tag is a parameter by its very name only.
        let value = self.program.value_behind(thread.node);
        if value.is_some_and(|value| !value.own_needs_same_key)
            && parameters.nearest(text).is_some()
        {
            return true;
        }
        if is_plausible_key(text) {
            let end = thread.since + text.len() as u64;
            found.unknown_key = Some(UnknownKey {
                start: thread.since,
                end,
                node: thread.node,
            });
        }
        false
    }

    fn attrs(
        &mut self,
        mut thread: Thread,
        attrs: &AttrsNode,
        byte: u8,
        pos: u64,
        next: &mut Vec<Thread>,
        found: &mut Found,
    ) {
        const BETWEEN: u16 = 0;
        const NAME: u16 = 1;
        const EQUALS: u16 = 2;
        const QUOTED: u16 = 3;
        const BARE: u16 = 4;
        const AFTER_NAME: u16 = 5;
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
    fn attribute_index(&self, thread: &Thread, attrs: &AttrsNode) -> u8 {
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

    /// An attribute's value as it is meant.
    fn attribute_text(&self, thread: &Thread, start: u64, end: u64) -> Cow<'_, str> {
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

    fn attribute(&mut self, thread: &mut Thread, attrs: &AttrsNode, end: u64, found: &mut Found) {
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
                if start == end
                    || (what == Capture::Key
                        && !self.accepts_key(
                            thread,
                            &self.attribute_text(thread, start, end),
                            found,
                        ))
                {
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

    /// A literal with its holes filled from the thread's own captures, else from the flushed ones.
    fn fill(&mut self, pieces: &[Piece], log: LogId) -> Option<u32> {
        let (view, registers) = (self.view, self.registers);
        let (known, flushed) = (&*self.log, self.flushed);
        self.instances.add(pieces.iter().map(|piece| match piece {
            Piece::Bytes(text) => text.as_bytes(),
            Piece::Hole(what) => match known.newest(log, flushed, *what) {
                Some((start, end)) => view.bytes(start, end),
                None => registers.get(*what).as_bytes(),
            },
        }))
    }
}

/// Adds a thread unless one at the same place is there: the first has priority, however long it has been there.
fn add(set: &mut Vec<Thread>, thread: Thread) -> bool {
    let there = set.iter().any(|have| {
        have.node == thread.node && have.off == thread.off && have.instance == thread.instance
    });
    if !there {
        set.push(thread);
    }
    !there
}

#[inline]
fn same(a: u8, b: u8, fold: bool) -> bool {
    a == b || (fold && a.eq_ignore_ascii_case(&b))
}

/// Whether a name could be one. Behind a marker anything is, but dots that stand for a name (`<function=...>`).
fn is_name(text: &str, marked: bool) -> bool {
    text.chars().any(char::is_alphanumeric) || marked && text != "…" && !text.starts_with("..")
}

/// Whether a key could be one: letters, digits, `_ - . : $`, no blank.
pub(crate) fn is_plausible_key(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '$' | '@'))
}
