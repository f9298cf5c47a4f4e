//! Sibling elements as the arguments: `<path>a</path><edits><edit>..</edit></edits>`.
//!
//! A declared string streams as it comes. Anything else waits as a tree: it may become an array (a sibling of its name
//! may follow) or a string (text may follow its elements). Past the cap pending trees are emitted in order, and an open
//! element streams as the kind of value that it looks like.

mod elements;
mod emit;
mod tags;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::internal::elements;
use toolglot_json::{Fields, Shape};

use super::escapes::{Entity, entity};
use super::tree::Tree;
use crate::grammar::Values;
use crate::machine::takes_text;
use crate::program::{NodeId, is_blank};
use crate::thresholds::TAG_MAX;
use crate::tools::item_of;
use crate::{Code, End, Limits, Recovery, Span};
use tags::TagStep;

/// Shorter pending text is read again at every push.
const FEW: usize = 64;

/// Argument text and notes.
#[derive(Debug, Default)]
pub(crate) struct XmlOut {
    pub(crate) json: String,
    pub(crate) remarks: Vec<(Code, Span, String)>,
    /// The best end that the call may still have.
    pub(crate) end: End,
}

impl XmlOut {
    fn remark(&mut self, code: Code, at: Span, message: impl Into<String>) {
        self.remarks.push((code, at, message.into()));
    }

    fn recovered(&mut self, recovery: Recovery, at: Span, what: &str) {
        let rule = recovery.rule();
        self.end = self.end.max(rule.end);
        self.remark(rule.code, at, recovery.note_text(what));
    }
}

/// An open element.
#[derive(Debug, Default)]
struct Frame {
    name: String,
    attributes: Vec<(String, String)>,
    shape: Option<Shape>,
    /// Where its content starts in the flat text.
    flat: usize,
    children: Vec<(String, Tree)>,
    /// It directly contains text that is not blank.
    has_text: bool,
    verbatim: bool,
    /// If CDATA is its last text that is not blank: where the flat text ended after it.
    cdata_end: Option<usize>,
    /// Tags inside it are data: it is a declared string.
    raw: bool,
    /// Unclosed openers of its own name in its text; `None`: the element is in doubt.
    nest: Option<u32>,
    kind: Kind,
    members: usize,
}

/// How much of an element is emitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Nothing,
    /// `{` is emitted; members follow.
    Object,
    /// `[` is emitted; items follow.
    Array,
    /// `"` is emitted; the text streams.
    Text,
}

/// The arguments being read.
#[derive(Debug, Default)]
pub(crate) struct Xml {
    pub(crate) node: NodeId,
    pub(crate) pos: u64,
    /// No comment starts before this position: a comment there has no end within the longest tag.
    no_comment: u64,
    /// Bytes read without a decision, for the count of work.
    pub(crate) looked: u64,
    /// Bytes after `pos` that were read without a decision.
    waited: usize,
    /// No single tag decides those bytes.
    waits_far: bool,
    /// The message ends with the text that is read.
    eof: bool,
    at: u64,
    frames: Vec<Frame>,
    /// Decoded text of all pending elements, with tags where they may be text.
    flat: String,
    in_cdata: bool,
    /// Text outside every argument was noted, and no element started since.
    in_junk: bool,
    root: Option<Fields>,
    children: Vec<(String, Tree)>,
    emitted_keys: BTreeSet<String>,
    values: Values,
    prefix: String,
    closers: Arc<[String]>,
    undecided: usize,
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
            root,
            values,
            prefix: prefix.unwrap_or("").into(),
            closers: Arc::clone(closers),
            undecided: limits.undecided,
            ..Xml::default()
        }
    }

    /// Reads `text`, which starts at `self.pos`; bytes that are not consumed are undecided. Returns whether the
    /// arguments end there: the rest is the caller's.
    pub(crate) fn feed(&mut self, text: &str, eof: bool, out: &mut XmlOut) -> bool {
        self.eof = eof;
        let bytes = text.as_bytes();
        let start = self.pos;
        let mut i = 0;
        // A long pending tag or lookahead is read again when it may be complete, or has doubled in length.
        let new = bytes.get(self.waited..).unwrap_or(&[]);
        let longest = if self.waits_far { 2 * TAG_MAX } else { TAG_MAX };
        let few = self.waited >= FEW && bytes.len() < 2 * self.waited && bytes.len() <= longest;
        if few && !eof && (self.waits_far || memchr::memchr(b'>', new).is_none()) {
            return false;
        }
        (self.waited, self.waits_far) = (0, false);
        let has_ended = loop {
            self.pos = start + i as u64;
            if i >= bytes.len() {
                break false;
            }
            let run = self.text_end(&bytes[i..]).unwrap_or(bytes.len() - i);
            if run > 0 {
                self.push_text(&text[i..i + run], self.in_cdata, out);
                i += run;
                continue;
            }
            let moved = if self.in_cdata {
                self.cdata_end(&text[i..], out)
            } else if bytes[i] == b'&' && self.values.entities {
                match entity(&bytes[i..], eof) {
                    Entity::Char(c, length) => {
                        self.push_text(c.encode_utf8(&mut [0; 4]), false, out);
                        TagStep::By(length)
                    }
                    Entity::Bare => {
                        out.remark(
                            Code::BareAmpersand,
                            Span::new(self.pos, self.pos + 1),
                            "an `&` that starts no entity was left as it is",
                        );
                        self.push_text("&", false, out);
                        TagStep::By(1)
                    }
                    Entity::Cut => break false,
                }
            } else {
                self.tag(&text[i..], out)
            };
            match moved {
                TagStep::By(length) => i += length,
                TagStep::End => break true,
                TagStep::Wait { far } => {
                    // These bytes decide nothing yet.
                    (self.waits_far, self.waited) = (far, bytes.len() - i);
                    self.looked += self.waited as u64;
                    break false;
                }
            }
        };
        self.pos = start + i as u64;
        has_ended
    }

    /// Where the text at the start of `bytes` ends: at a possible tag, entity or end of CDATA.
    fn text_end(&self, bytes: &[u8]) -> Option<usize> {
        let intro = self.intro();
        match (self.in_cdata, self.values.entities) {
            (true, _) => memchr::memchr(b']', bytes),
            (false, true) => memchr::memchr2(intro, b'&', bytes),
            (false, false) => memchr::memchr(intro, bytes),
        }
    }

    /// The byte that every tag starts with.
    fn intro(&self) -> u8 {
        self.prefix.as_bytes().first().copied().unwrap_or(b'<')
    }

    /// Whether all of `text` continues a string that streams; if so, it is read.
    pub(crate) fn continues(&mut self, text: &str) -> bool {
        let bytes = text.as_bytes();
        // Blanks may be layout around CDATA.
        let is_text = self.in_cdata || !bytes.iter().all(|&byte| is_blank(byte));
        let plain = self.waited == 0 && is_text && self.text_end(bytes).is_none();
        let Some(frame) = self
            .frames
            .last_mut()
            .filter(|frame| frame.kind == Kind::Text && frame.flat == self.flat.len())
        else {
            return false;
        };
        if plain {
            frame.has_text = true;
            frame.verbatim |= self.in_cdata;
            frame.cdata_end = self.in_cdata.then_some(frame.flat);
            self.pos += bytes.len() as u64;
        }
        plain
    }

    /// Ends the arguments: emits pending elements and closes the object.
    pub(crate) fn close(&mut self, out: &mut XmlOut) {
        self.close_above(0, out);
        self.emit_children(out);
        // Words in place of elements are not arguments: their meaning is lost, so the call must not run.
        let is_empty = self.emitted_keys.is_empty();
        if is_empty && self.in_junk {
            out.end = End::Truncated;
        }
        out.json.push_str(if is_empty { "{}" } else { "}" });
    }

    /// Whether all elements are closed at `end`, where the text ends.
    pub(crate) fn is_whole(&self, end: u64) -> bool {
        self.frames.is_empty() && !self.in_cdata && !self.in_junk && self.pos == end
    }
}

/// A whole text of elements as JSON of a shape (roo's `<follow_up><suggest>`). `None` for any other text: without an
/// element, or with an unclosed one. A lone element is text where the dialect says how a list of texts is written.
pub(crate) fn elements_to_json(values: &Values, text: &str, shape: &Shape) -> Option<String> {
    let trimmed = text.trim();
    if !(trimmed.starts_with('<') && trimmed.ends_with('>')) {
        return None;
    }
    let mut root = Fields::default();
    root.properties.push((String::from("value"), shape.clone()));
    let mut xml = Xml {
        root: Some(root),
        // Entities were decoded with the text around them.
        values: Values {
            entities: false,
            ..values.clone()
        },
        closers: Arc::from([String::from("</end>")]),
        undecided: usize::MAX,
        ..Xml::default()
    };
    let mut out = XmlOut::default();
    let whole = format!("<value>{trimmed}</value></end>");
    let is_read = xml.feed(&whole, true, &mut out);
    xml.close(&mut out);
    let is_whole = is_read && out.end == End::Closed;
    let json = out.json.strip_prefix("{\"value\":")?.strip_suffix('}')?;
    let is_listed = item_of(shape, false).is_some_and(takes_text) && values.items(text).is_some();
    let is_text = is_listed && elements(json).nth(1).is_none();
    (is_whole && !is_text && json.starts_with(['{', '['])).then(|| json.into())
}
