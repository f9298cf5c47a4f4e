//! Sibling elements as the arguments: `<path>a</path><edits><edit>..</edit></edits>`.
//!
//! A declared string streams as it comes. Anything else may still become an array (a sibling of its name may follow) or
//! a string (text may follow its elements), so it waits as a tree; past the cap what waits is told in order, and what is
//! open goes on as the stream of what it looks like.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use toolglot_json::{Fields, Shape, escape_into};

use super::entity::{Entity, entity};
use super::tree::{Content, Tree, Writer, groups};
use crate::grammar::Values;
use crate::program::{NodeId, is_blank};
use crate::{Code, Limits, Span};

/// Deepest element; deeper tags are text.
const DEPTH: usize = 128;
/// Longest tag with its attributes, in bytes.
const TAG: usize = 1024;
/// Most blanks between a closer and what confirms it.
const GAP: usize = 256;

/// What the reader asks of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum XmlStep {
    /// More bytes.
    More,
    /// The arguments end here: what follows is the caller's.
    Done,
}

/// Argument text and remarks.
#[derive(Debug, Default)]
pub(crate) struct XmlOut {
    pub(crate) json: String,
    pub(crate) remarks: Vec<(Code, Span, String)>,
    /// Elements were left open, a key came twice, or a value is in doubt.
    pub(crate) structural: bool,
    /// A value that JSON cannot say.
    pub(crate) refused: bool,
}

/// An open element.
#[derive(Debug)]
struct Frame {
    name: String,
    attributes: Vec<(String, String)>,
    shape: Option<Shape>,
    /// Where its content begins in the flat text.
    flat: usize,
    children: Vec<(String, Tree)>,
    /// Text that is not blank stands directly in it.
    has_text: bool,
    verbatim: bool,
    /// Tags inside it are data: it is a declared string.
    raw: bool,
    told: Told,
    members: usize,
}

/// How much of an element was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// `{`, and the members go on.
    Object,
    /// `[`, and the items go on.
    Array,
    /// `"`, and the text streams.
    Text,
}

/// The arguments being read.
#[derive(Debug)]
pub(crate) struct Xml {
    pub(crate) node: NodeId,
    pub(crate) pos: u64,
    at: u64,
    frames: Vec<Frame>,
    /// Decoded text of all that waits, tags included where they may be text.
    flat: String,
    in_cdata: bool,
    /// Text that belongs to no argument was remarked on, and no element began since.
    in_junk: bool,
    root: Option<Fields>,
    children: Vec<(String, Tree)>,
    told_keys: BTreeSet<String>,
    opened: bool,
    values: Values,
    prefix: String,
    closers: Arc<[String]>,
    undecided: usize,
}

/// A tag as it stands.
enum Tag<'a> {
    Open {
        name: &'a str,
        attributes: Vec<(String, String)>,
        empty: bool,
        length: usize,
    },
    Close {
        name: &'a str,
        length: usize,
    },
    Comment {
        length: usize,
    },
    CData,
    /// It may still become one.
    Cut,
    None,
}

impl Xml {
    pub(crate) fn new(
        node: NodeId,
        at: u64,
        root: Option<Fields>,
        values: Values,
        prefix: Option<&str>,
        closers: &Arc<[String]>,
        limits: &Limits,
    ) -> Xml {
        Xml {
            node,
            pos: at,
            at,
            frames: Vec::new(),
            flat: String::new(),
            in_cdata: false,
            in_junk: false,
            root,
            children: Vec::new(),
            told_keys: BTreeSet::new(),
            opened: false,
            values,
            prefix: prefix.unwrap_or("").into(),
            closers: Arc::clone(closers),
            undecided: limits.undecided,
        }
    }

    /// Reads on. `text` begins at `self.pos`; what was not consumed is undecided.
    pub(crate) fn feed(&mut self, text: &str, eof: bool, out: &mut XmlOut) -> XmlStep {
        let bytes = text.as_bytes();
        let begin = self.pos;
        let mut i = 0;
        let step = loop {
            self.pos = begin + i as u64;
            if i >= bytes.len() {
                break XmlStep::More;
            }
            if self.in_cdata {
                match cdata_end(&bytes[i..], eof) {
                    (length, ended) => {
                        self.push_text(&text[i..i + length], true, out);
                        i += length;
                        if ended {
                            self.in_cdata = false;
                            i += 3;
                        } else if length == 0 {
                            break XmlStep::More;
                        }
                    }
                }
                continue;
            }
            let intro = self.prefix.as_bytes().first().copied().unwrap_or(b'<');
            let special = if self.values.entities {
                memchr::memchr2(intro, b'&', &bytes[i..])
            } else {
                memchr::memchr(intro, &bytes[i..])
            };
            let run = special.unwrap_or(bytes.len() - i);
            if run > 0 {
                self.push_text(&text[i..i + run], false, out);
                i += run;
                continue;
            }
            if bytes[i] == b'&' && self.values.entities {
                match entity(&bytes[i..], eof) {
                    Entity::Char(c, length) => {
                        self.push_text(c.encode_utf8(&mut [0; 4]), false, out);
                        i += length;
                    }
                    Entity::Bare => {
                        out.remarks.push((
                            Code::BareAmpersand,
                            Span::new(self.pos, self.pos + 1),
                            String::from("an `&` that begins no entity was kept"),
                        ));
                        self.push_text("&", false, out);
                        i += 1;
                    }
                    Entity::Cut => break XmlStep::More,
                }
                continue;
            }
            match self.tag(&text[i..], eof, out) {
                Moved::By(length) => i += length,
                Moved::Wait => break XmlStep::More,
                Moved::End => break XmlStep::Done,
            }
        };
        self.pos = begin + i as u64;
        step
    }

    /// The arguments end: what waits is told, and the object closed.
    pub(crate) fn close(&mut self, out: &mut XmlOut) {
        while let Some(frame) = self.frames.last() {
            out.structural = true;
            let message = format!("`</{}>` is missing; it was supplied", frame.name);
            out.remarks
                .push((Code::MissingCloser, Span::empty(self.pos), message));
            self.end_element(out);
        }
        self.tell_children(out);
        out.json.push_str(if self.opened { "}" } else { "{}" });
    }

    /// The message ends inside the arguments: what is known is told, nothing is closed.
    pub(crate) fn truncate(&mut self, out: &mut XmlOut) {
        self.spill_all(out);
    }

    // ---------------------------------------------------------------------------------------------------- tags

    fn tag(&mut self, text: &str, eof: bool, out: &mut XmlOut) -> Moved {
        let raw = self.frames.last().is_some_and(|frame| frame.raw);
        match self.read_tag(text, eof) {
            Tag::Cut if !eof => Moved::Wait,
            Tag::CData if self.values.cdata => {
                self.in_cdata = true;
                if let Some(frame) = self.frames.last_mut() {
                    frame.verbatim = true;
                }
                Moved::By(9)
            }
            Tag::Comment { length } if !raw => Moved::By(length),
            Tag::Close { name, length } => self.close_tag(name, length, text, eof, out),
            Tag::Open {
                name,
                attributes,
                empty,
                length,
            } if !raw && self.frames.len() < DEPTH => {
                self.open_element(name, attributes, text, length, out);
                if empty {
                    self.end_element(out);
                }
                self.spill(self.pos + length as u64, out);
                Moved::By(length)
            }
            _ => {
                if !raw && !self.frames.is_empty() && self.prefix.is_empty() {
                    out.remarks.push((
                        Code::BareLessThan,
                        Span::new(self.pos, self.pos + 1),
                        String::from("a `<` that begins no tag was kept"),
                    ));
                }
                self.push_text(&text[..1], false, out);
                Moved::By(1)
            }
        }
    }

    fn close_tag(
        &mut self,
        name: &str,
        length: usize,
        text: &str,
        eof: bool,
        out: &mut XmlOut,
    ) -> Moved {
        let behind = &text[length..];
        if let Some(frame) = self.frames.last() {
            if frame.name == name {
                match self.confirms(self.frames.len() - 1, behind, eof) {
                    Evidence::Yes => {
                        self.end_element(out);
                        self.spill(self.pos + length as u64, out);
                        return Moved::By(length);
                    }
                    Evidence::Wait => return Moved::Wait,
                    Evidence::No => {
                        if self.frames.last().is_some_and(|frame| frame.raw) {
                            out.structural |= unknown_opener(behind);
                        }
                        self.push_text(&text[..1], false, out);
                        return Moved::By(1);
                    }
                }
            }
        }
        // A closer of the caller ends the arguments, if all of them are there.
        match self.ends_here(text, eof) {
            Evidence::Yes => return Moved::End,
            Evidence::Wait => return Moved::Wait,
            Evidence::No => {}
        }
        let raw = self.frames.last().is_some_and(|frame| frame.raw);
        match self.frames.iter().rposition(|frame| frame.name == name) {
            // An outer element ends: what was open above it was text.
            Some(outer) if !raw => match self.confirms(outer, behind, eof) {
                Evidence::Wait => Moved::Wait,
                Evidence::Yes => {
                    self.flatten_above(outer);
                    self.end_element(out);
                    self.spill(self.pos + length as u64, out);
                    Moved::By(length)
                }
                Evidence::No => {
                    self.push_text(&text[..1], false, out);
                    Moved::By(1)
                }
            },
            _ => {
                self.push_text(&text[..1], false, out);
                Moved::By(1)
            }
        }
    }

    /// Whether the closer of frame `index` is one, by what stands behind it.
    fn confirms(&self, index: usize, behind: &str, eof: bool) -> Evidence {
        let frame = &self.frames[index];
        // Inside an undeclared element text may follow: only the top level, and declared strings, need evidence.
        if index > 0 && !frame.raw {
            return Evidence::Yes;
        }
        let rest = behind.trim_start_matches(|c: char| c.is_ascii_whitespace());
        if behind.len() - rest.len() > GAP {
            return Evidence::No;
        }
        if rest.is_empty() {
            return if eof { Evidence::Yes } else { Evidence::Wait };
        }
        let parent = index.checked_sub(1).map(|n| &self.frames[n]);
        match self.read_tag(rest, eof) {
            Tag::Cut => {
                if eof {
                    Evidence::Yes
                } else {
                    Evidence::Wait
                }
            }
            Tag::Comment { .. } => Evidence::Yes,
            Tag::Open { name, .. } => {
                let fields = match parent {
                    Some(Frame {
                        shape: Some(Shape::Object(fields)),
                        ..
                    }) => Some(fields),
                    Some(_) => None,
                    None => self.root.as_ref(),
                };
                match fields {
                    Some(fields) if !fields.properties.is_empty() => {
                        if fields.get(name).is_some() {
                            Evidence::Yes
                        } else {
                            Evidence::No
                        }
                    }
                    _ => Evidence::Yes,
                }
            }
            Tag::Close { name, length } => match parent {
                Some(parent) if parent.name == name => {
                    let after = rest[length..].trim_start();
                    // One more closer is evidence enough if anything of markup follows.
                    if after.starts_with('<') || (after.is_empty() && eof) {
                        Evidence::Yes
                    } else if after.is_empty() {
                        Evidence::Wait
                    } else {
                        Evidence::No
                    }
                }
                Some(_) => Evidence::No,
                None => self.ends_here(rest, eof),
            },
            _ => Evidence::No,
        }
    }

    /// Whether the caller's closers stand here, all that the arguments have.
    fn ends_here(&self, text: &str, eof: bool) -> Evidence {
        let Some(first) = self.closers.first() else {
            return Evidence::No;
        };
        let mut rest = text;
        for (n, closer) in core::iter::once(first)
            .chain(self.closers.get(1))
            .enumerate()
        {
            if n > 0 {
                let blanks = rest.len();
                rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
                if blanks - rest.len() > GAP {
                    return Evidence::No;
                }
            }
            if let Some(after) = rest.strip_prefix(closer.as_str()) {
                rest = after;
            } else if closer.starts_with(rest) {
                return if !eof {
                    Evidence::Wait
                } else if n > 0 && rest.is_empty() {
                    Evidence::Yes
                } else {
                    Evidence::No
                };
            } else {
                return Evidence::No;
            }
        }
        Evidence::Yes
    }

    fn read_tag<'a>(&self, text: &'a str, eof: bool) -> Tag<'a> {
        let Some(inside) = text.strip_prefix(self.prefix.as_str()) else {
            return if self.prefix.starts_with(text) {
                Tag::Cut
            } else {
                Tag::None
            };
        };
        let skipped = self.prefix.len();
        let bytes = inside.as_bytes();
        if bytes.is_empty() {
            return Tag::Cut;
        }
        if bytes[0] != b'<' {
            return Tag::None;
        }
        for (literal, tag) in [("<![CDATA[", 0u8), ("<!--", 1), ("<?", 2)] {
            if inside.starts_with(literal) {
                let (end, closing) = match tag {
                    0 => {
                        return if self.values.cdata {
                            Tag::CData
                        } else {
                            Tag::None
                        };
                    }
                    1 => (inside[4..].find("-->").map(|n| n + 4), 3),
                    _ => (inside[2..].find("?>").map(|n| n + 2), 2),
                };
                return match end {
                    Some(end) => Tag::Comment {
                        length: skipped + end + closing,
                    },
                    None if bytes.len() > TAG || eof => Tag::None,
                    None => Tag::Cut,
                };
            }
            if literal.starts_with(inside) {
                return Tag::Cut;
            }
        }
        let closing = bytes.get(1) == Some(&b'/');
        let start = if closing { 2 } else { 1 };
        let Some(&first) = bytes.get(start) else {
            return Tag::Cut;
        };
        if !(first.is_ascii_alphabetic() || first == b'_' || first >= 0x80) {
            return Tag::None;
        }
        let length = bytes[start..].iter().position(|&b| {
            !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || b >= 0x80)
        });
        let Some(length) = length else {
            return if bytes.len() > TAG {
                Tag::None
            } else {
                Tag::Cut
            };
        };
        // A name space is none of ours.
        let name = inside[start..start + length]
            .rsplit(':')
            .next()
            .unwrap_or("");
        match attributes(&inside[start + length..]) {
            Attributes::End {
                attributes,
                empty,
                used,
            } => {
                let length = skipped + start + length + used;
                if closing {
                    if attributes.is_empty() && !empty {
                        Tag::Close { name, length }
                    } else {
                        Tag::None
                    }
                } else {
                    Tag::Open {
                        name,
                        attributes,
                        empty,
                        length,
                    }
                }
            }
            Attributes::Cut if bytes.len() <= TAG => Tag::Cut,
            _ => Tag::None,
        }
    }

    // ------------------------------------------------------------------------------------------------- elements

    fn open_element(
        &mut self,
        name: &str,
        attributes: Vec<(String, String)>,
        text: &str,
        length: usize,
        out: &mut XmlOut,
    ) {
        let shape = self.shape_of(name).cloned();
        self.in_junk = false;
        let streams = matches!(shape, Some(Shape::Text))
            && self
                .frames
                .iter()
                .all(|frame| matches!(frame.told, Told::Object | Told::Array));
        if self.frames.is_empty() {
            // Each argument's text begins anew where nothing waits.
            if self.children.is_empty() {
                self.flat.clear();
            }
        } else {
            self.flat.push_str(&text[..length]);
        }
        let raw = matches!(shape, Some(Shape::Text));
        let mut frame = Frame {
            name: name.into(),
            attributes,
            shape,
            flat: self.flat.len(),
            children: Vec::new(),
            has_text: false,
            verbatim: false,
            raw,
            told: Told::Nothing,
            members: 0,
        };
        if streams {
            self.begin_member(&frame.name, out);
            out.json.push('"');
            frame.told = Told::Text;
        }
        self.frames.push(frame);
    }

    /// The shape of a child of the innermost element.
    fn shape_of(&self, name: &str) -> Option<&Shape> {
        fn of_fields<'a>(fields: &'a Fields, name: &str) -> Option<&'a Shape> {
            fields.get(name).or(fields.others.as_deref())
        }
        match self.frames.last() {
            None => of_fields(self.root.as_ref()?, name),
            Some(frame) => match frame.shape.as_ref()? {
                Shape::Object(fields) => of_fields(fields, name),
                Shape::Array(item) => match &**item {
                    Shape::Object(fields) if fields.get(name).is_some() => fields.get(name),
                    item => Some(item),
                },
                _ => None,
            },
        }
    }

    /// Text of the innermost element. The cap is met at the same byte in every cut: behind it the text streams.
    fn push_text(&mut self, text: &str, verbatim: bool, out: &mut XmlOut) {
        let room = (self.undecided.saturating_add(1)).saturating_sub(self.flat.len());
        let waits = self
            .frames
            .last()
            .is_some_and(|frame| frame.told != Told::Text);
        if waits && text.len() >= room {
            let (now, later) = text.split_at(
                (room..text.len())
                    .find(|&at| text.is_char_boundary(at))
                    .unwrap_or(text.len()),
            );
            self.push_piece(now, verbatim, out);
            self.spill(self.pos + now.len() as u64, out);
            if !later.is_empty() {
                self.pos += now.len() as u64;
                self.push_text(later, verbatim, out);
            }
        } else {
            self.push_piece(text, verbatim, out);
        }
    }

    fn push_piece(&mut self, text: &str, verbatim: bool, out: &mut XmlOut) {
        let Some(frame) = self.frames.last_mut() else {
            // Between arguments: blanks are markup, other text is junk.
            if let (Some(at), false) = (text.bytes().position(|byte| !is_blank(byte)), self.in_junk)
            {
                self.in_junk = true;
                out.structural = true;
                out.remarks.push((
                    Code::Junk,
                    Span::empty(self.pos + at as u64),
                    String::from("text between arguments belongs to none of them"),
                ));
            }
            return;
        };
        frame.has_text |= verbatim || !text.bytes().all(is_blank);
        frame.verbatim |= verbatim;
        if frame.told == Told::Text {
            escape_into(&mut out.json, text);
        } else {
            self.flat.push_str(text);
        }
    }

    /// The innermost element ends.
    fn end_element(&mut self, out: &mut XmlOut) {
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        match frame.told {
            Told::Text => {
                out.json.push('"');
                return;
            }
            Told::Object | Told::Array => {
                self.tell_members(&mut frame, out);
                if frame.told == Told::Object && frame.members == 0 {
                    out.json.push('{');
                }
                out.json
                    .push(if frame.told == Told::Object { '}' } else { ']' });
                return;
            }
            Told::Nothing => {}
        }
        let flat = frame.flat..self.flat.len();
        let content = if frame.children.is_empty() {
            Content::Text {
                verbatim: frame.verbatim || frame.raw,
            }
        } else if frame.has_text {
            Content::Mixed
        } else {
            Content::Elements(frame.children)
        };
        let tree = Tree {
            content,
            attributes: frame.attributes,
            flat,
        };
        match self.frames.last_mut() {
            Some(parent) => {
                parent.children.push((frame.name.clone(), tree));
                self.flat.push_str("</");
                self.flat.push_str(&frame.name);
                self.flat.push('>');
            }
            None => self.children.push((frame.name, tree)),
        }
    }

    /// What is open above frame `outer` was text: its tags stand in the flat text already.
    fn flatten_above(&mut self, outer: usize) {
        self.frames.truncate(outer + 1);
        if let Some(frame) = self.frames.last_mut() {
            frame.has_text = true;
            if frame.children.is_empty() {
                // Mixed content needs a child to be told from text; an empty one will do.
                let here = self.flat.len()..self.flat.len();
                frame.children.push((
                    String::new(),
                    Tree {
                        content: Content::Mixed,
                        attributes: Vec::new(),
                        flat: here,
                    },
                ));
            }
        }
    }

    // -------------------------------------------------------------------------------------------------- telling

    /// Begins a member of the innermost told object, or an item of the innermost told array.
    fn begin_member(&mut self, name: &str, out: &mut XmlOut) {
        match self.frames.last_mut() {
            None => return self.begin_argument(name, out),
            Some(frame) => {
                let open = if frame.told == Told::Array { "" } else { "{" };
                out.json
                    .push_str(if frame.members > 0 { "," } else { open });
                frame.members += 1;
                if frame.told == Told::Array {
                    return;
                }
            }
        }
        out.json.push('"');
        escape_into(&mut out.json, name);
        out.json.push_str("\":");
    }

    /// Begins a member of the arguments.
    fn begin_argument(&mut self, name: &str, out: &mut XmlOut) {
        out.json.push_str(if self.opened { ",\"" } else { "{\"" });
        self.opened = true;
        escape_into(&mut out.json, name);
        out.json.push_str("\":");
        if !self.told_keys.insert(name.into()) {
            out.structural = true;
            out.remarks.push((
                Code::DoubleKey,
                Span::empty(self.pos),
                format!("`{name}` came before; the last value counts"),
            ));
        }
    }

    /// Tells the arguments that wait.
    fn tell_children(&mut self, out: &mut XmlOut) {
        let children = core::mem::take(&mut self.children);
        let flat = core::mem::take(&mut self.flat);
        for (name, group) in groups(&children) {
            self.begin_argument(name, out);
            let shape = self
                .root
                .as_ref()
                .and_then(|fields| fields.get(name).or(fields.others.as_deref()))
                .cloned();
            self.write_group(&flat, &group, shape.as_ref(), out);
        }
        if self.frames.is_empty() {
            self.flat = flat;
            self.flat.clear();
        } else {
            self.flat = flat;
        }
    }

    /// Tells the children of a told element that wait.
    fn tell_members(&mut self, frame: &mut Frame, out: &mut XmlOut) {
        let children = core::mem::take(&mut frame.children);
        let flat = core::mem::take(&mut self.flat);
        if frame.told == Told::Array {
            let item = match &frame.shape {
                Some(Shape::Array(item)) => Some((**item).clone()),
                _ => None,
            };
            for (_, child) in &children {
                if frame.members > 0 {
                    out.json.push(',');
                }
                frame.members += 1;
                self.write_group(&flat, &[child], item.as_ref(), out);
            }
        } else {
            for (name, group) in groups(&children) {
                out.json
                    .push_str(if frame.members > 0 { ",\"" } else { "{\"" });
                frame.members += 1;
                escape_into(&mut out.json, name);
                out.json.push_str("\":");
                let shape = match &frame.shape {
                    Some(Shape::Object(fields)) => {
                        fields.get(name).or(fields.others.as_deref()).cloned()
                    }
                    _ => None,
                };
                self.write_group(&flat, &group, shape.as_ref(), out);
            }
        }
        self.flat = flat;
    }

    fn write_group(&self, flat: &str, group: &[&Tree], shape: Option<&Shape>, out: &mut XmlOut) {
        let mut remarks = Vec::new();
        let mut writer = Writer {
            flat,
            typing: &self.values.typing,
            out: &mut out.json,
            remarks: &mut remarks,
            refused: &mut out.refused,
        };
        writer.group(group, shape);
        for (code, message) in remarks {
            out.structural |= code == Code::DoubleKey;
            out.remarks
                .push((code, Span::new(self.at, self.pos), message));
        }
    }

    /// Past the cap what waits is told.
    fn spill(&mut self, at: u64, out: &mut XmlOut) {
        if self.flat.len() > self.undecided {
            out.remarks.push((
                Code::UndecidedText,
                Span::empty(at),
                format!(
                    "over {} bytes were undecided: told as they look",
                    self.undecided
                ),
            ));
            self.spill_all(out);
        }
    }

    fn spill_all(&mut self, out: &mut XmlOut) {
        self.tell_children(out);
        let mut frames = core::mem::take(&mut self.frames);
        for n in 0..frames.len() {
            if frames[n].told == Told::Nothing {
                // The parent is told by now: begin the member there.
                self.frames = frames;
                let rest: Vec<Frame> = self.frames.drain(n..).collect();
                let name = rest[0].name.clone();
                self.begin_member(&name, out);
                frames = core::mem::take(&mut self.frames);
                frames.extend(rest);
            }
            let innermost = n + 1 == frames.len();
            let frame = &mut frames[n];
            if frame.told == Told::Nothing {
                let elements = !frame.children.is_empty() || !innermost;
                if !elements || frame.has_text {
                    // Text, perhaps with elements in it: from here all of it is text.
                    frame.told = Told::Text;
                    frame.raw = true;
                    out.json.push('"');
                    let text = &self.flat[frame.flat..];
                    escape_into(
                        &mut out.json,
                        if frame.verbatim {
                            text
                        } else {
                            text.trim_start()
                        },
                    );
                    frames.truncate(n + 1);
                    break;
                }
                frame.told = if matches!(frame.shape, Some(Shape::Array(_))) {
                    Told::Array
                } else {
                    Told::Object
                };
                if frame.told == Told::Array {
                    out.json.push('[');
                }
            }
            if matches!(frame.told, Told::Object | Told::Array) {
                let mut frame = core::mem::replace(&mut frames[n], Frame::hole());
                self.tell_members(&mut frame, out);
                frames[n] = frame;
            }
        }
        self.flat.clear();
        for frame in &mut frames {
            frame.flat = 0;
        }
        self.frames = frames;
    }
}

impl Frame {
    fn hole() -> Frame {
        Frame {
            name: String::new(),
            attributes: Vec::new(),
            shape: None,
            flat: 0,
            children: Vec::new(),
            has_text: false,
            verbatim: false,
            raw: false,
            told: Told::Nothing,
            members: 0,
        }
    }
}

enum Moved {
    By(usize),
    Wait,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Yes,
    No,
    Wait,
}

enum Attributes {
    End {
        attributes: Vec<(String, String)>,
        empty: bool,
        used: usize,
    },
    Cut,
    Bad,
}

/// Attributes up to the `>`.
fn attributes(text: &str) -> Attributes {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|&&b| is_blank(b)).count();
        match bytes.get(at) {
            None => return Attributes::Cut,
            Some(b'>') => {
                return Attributes::End {
                    attributes: found,
                    empty: false,
                    used: at + 1,
                };
            }
            Some(b'/') => {
                return match bytes.get(at + 1) {
                    None => Attributes::Cut,
                    Some(b'>') => Attributes::End {
                        attributes: found,
                        empty: true,
                        used: at + 2,
                    },
                    Some(_) => Attributes::Bad,
                };
            }
            Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {}
            Some(_) => return Attributes::Bad,
        }
        let name: Range<usize> = at..at
            + bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':'))
                .count();
        at = name.end
            + bytes[name.end..]
                .iter()
                .take_while(|&&b| is_blank(b))
                .count();
        match bytes.get(at) {
            None => return Attributes::Cut,
            Some(b'=') => at += 1,
            Some(_) => return Attributes::Bad,
        }
        at += bytes[at..].iter().take_while(|&&b| is_blank(b)).count();
        let quote = match bytes.get(at) {
            None => return Attributes::Cut,
            Some(quote @ (b'"' | b'\'')) => *quote,
            Some(_) => return Attributes::Bad,
        };
        let Some(length) = bytes[at + 1..].iter().position(|&b| b == quote) else {
            return Attributes::Cut;
        };
        found.push((text[name].into(), text[at + 1..at + 1 + length].into()));
        at += length + 2;
    }
}

/// How many bytes of CDATA are certain, and whether its end stands behind them.
fn cdata_end(bytes: &[u8], eof: bool) -> (usize, bool) {
    let mut from = 0;
    while let Some(at) = memchr::memchr(b']', &bytes[from..]).map(|n| from + n) {
        match &bytes[at..] {
            [b']', b']', b'>', ..] => return (at, true),
            [b']'] | [b']', b']'] if !eof => return (at, false),
            _ => from = at + 1,
        }
    }
    (bytes.len(), false)
}

/// An opener with some other name stands there: a value that goes on over it is in doubt.
fn unknown_opener(behind: &str) -> bool {
    let rest = behind.trim_start();
    rest.strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// A whole text of elements as JSON of a shape (roo's `<follow_up><suggest>`); `None` if there is no element in it.
pub(crate) fn elements_to_json(values: &Values, text: &str, shape: &Shape) -> Option<String> {
    let trimmed = text.trim();
    if !trimmed.starts_with('<') {
        return None;
    }
    let mut root = Fields::default();
    root.properties.push((String::from("value"), shape.clone()));
    let limits = Limits {
        undecided: usize::MAX,
        ..Limits::default()
    };
    let mut xml = Xml::new(
        0,
        0,
        Some(root),
        values.clone(),
        None,
        &Arc::from([String::from("</end>")]),
        &limits,
    );
    let mut out = XmlOut::default();
    let whole = format!("<value>{trimmed}</value></end>");
    if xml.feed(&whole, true, &mut out) != XmlStep::Done {
        return None;
    }
    xml.close(&mut out);
    let json = out.json.strip_prefix("{\"value\":")?.strip_suffix('}')?;
    json.starts_with(['{', '[']).then(|| json.into())
}
