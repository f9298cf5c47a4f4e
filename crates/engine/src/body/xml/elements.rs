//! Elements: opened, filled with text, closed into a pending tree.

use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::Shape;
use toolglot_json::internal::escape_into;

use super::tags::OpenTag;
use super::{Frame, Kind, Xml, XmlOut};
use crate::body::tree::{Content, Tree, member_shape};
use crate::program::is_blank;
use crate::{Recovery, Span};

impl Xml {
    pub(super) fn open_element(&mut self, tag: OpenTag<'_>, text: &str, out: &mut XmlOut) {
        let name = tag.name;
        let shape = self.shape_of(name).cloned();
        self.in_junk = false;
        if !self.frames.is_empty() {
            self.flat.push_str(&text[..tag.length]);
        } else if self.children.is_empty() {
            // If nothing is pending, an argument's text starts with an empty buffer.
            self.flat.clear();
        }
        let raw = matches!(shape, Some(Shape::Text));
        let is_container = |frame: &Frame| matches!(frame.kind, Kind::Object | Kind::Array);
        let mut frame = Frame {
            name: name.into(),
            attributes: tag.attributes,
            shape,
            flat: self.flat.len(),
            raw,
            nest: Some(0),
            ..Frame::default()
        };
        if raw && self.frames.iter().all(is_container) {
            match self.frames.last_mut() {
                Some(parent) => parent.start_member(name, &mut out.json),
                None => self.start_argument(name, out),
            }
            out.json.push('"');
            frame.kind = Kind::Text;
        }
        self.frames.push(frame);
    }

    /// The shape of the argument with this name, or with the nearest parameter's name.
    pub(super) fn argument_shape(&self, name: &str) -> Option<&Shape> {
        let fields = self.root.as_ref()?;
        let name = fields.nearest(name).map_or(name, |(_, name)| name);
        member_shape(fields, name)
    }

    /// The shape of a child of the innermost element.
    fn shape_of(&self, name: &str) -> Option<&Shape> {
        let Some(frame) = self.frames.last() else {
            return self.argument_shape(name);
        };
        match frame.shape.as_ref()? {
            Shape::Object(fields) => member_shape(fields, name),
            Shape::Array(item) => match &**item {
                Shape::Object(fields) if fields.get(name).is_some() => fields.get(name),
                item => Some(item),
            },
            _ => None,
        }
    }

    /// Text of the innermost element. The cap applies at the same byte however the text is cut; text after it streams.
    pub(super) fn push_text(&mut self, text: &str, verbatim: bool, out: &mut XmlOut) {
        let room = (self.undecided.saturating_add(1)).saturating_sub(self.flat.len());
        let frame = self.frames.last();
        let waits = frame.is_some_and(|frame| frame.kind != Kind::Text);
        if !waits || text.len() < room {
            return self.push_piece(text, verbatim, out);
        }
        let end = (room..text.len()).find(|&at| text.is_char_boundary(at));
        let (now, later) = text.split_at(end.unwrap_or(text.len()));
        self.push_piece(now, verbatim, out);
        self.spill(self.pos + now.len() as u64, out);
        if !later.is_empty() {
            self.pos += now.len() as u64;
            self.push_text(later, verbatim, out);
        }
    }

    pub(super) fn push_piece(&mut self, text: &str, verbatim: bool, out: &mut XmlOut) {
        let Some(frame) = self.frames.last_mut() else {
            // Between arguments: blanks are markup, other text is junk.
            if let (Some(at), false) = (text.bytes().position(|byte| !is_blank(byte)), self.in_junk)
            {
                self.in_junk = true;
                let at = Span::empty(self.pos + at as u64);
                out.recovered(Recovery::Intervening, at, "");
            }
            return;
        };
        let is_solid = verbatim || !text.bytes().all(is_blank);
        if verbatim && !frame.has_text && frame.children.is_empty() {
            // Blanks before CDATA are layout.
            self.flat.truncate(frame.flat);
        }
        let is_layout = !is_solid && (!frame.has_text || frame.cdata_end.is_some());
        frame.has_text |= is_solid;
        frame.verbatim |= verbatim;
        let is_short = self.flat.len() + text.len() <= self.undecided;
        if frame.kind != Kind::Text || is_layout && is_short {
            // Streamed blanks wait too: they may be layout before CDATA, or after the last CDATA.
            self.flat.push_str(text);
        } else {
            // Past the cap blanks are text.
            frame.has_text = true;
            frame.cdata_end = None;
            escape_into(&mut out.json, &self.flat[frame.flat..]);
            self.flat.truncate(frame.flat);
            escape_into(&mut out.json, text);
        }
        if is_solid {
            frame.cdata_end = verbatim.then_some(self.flat.len());
        }
    }

    /// The innermost element ends.
    pub(super) fn end_element(&mut self, out: &mut XmlOut) {
        if self.frames.last().is_some_and(|frame| frame.nest > Some(0)) {
            self.doubt(Recovery::OpenerInside, out);
        }
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        if let Some(end) = frame.cdata_end
            && frame.children.is_empty()
        {
            // Blanks after CDATA are layout, too.
            self.flat.truncate(end);
        }
        match frame.kind {
            Kind::Text => {
                escape_into(&mut out.json, &self.flat[frame.flat..]);
                self.flat.truncate(frame.flat);
                out.json.push('"');
                return;
            }
            Kind::Object | Kind::Array => {
                self.emit_members(&mut frame, out);
                out.json
                    .push(if frame.kind == Kind::Object { '}' } else { ']' });
                return;
            }
            Kind::Nothing => {}
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

    /// The innermost element may hold too much.
    pub(super) fn doubt(&mut self, why: Recovery, out: &mut XmlOut) {
        if let Some(frame) = self.frames.last_mut()
            && frame.nest.take().is_some()
        {
            out.recovered(why, Span::empty(self.pos), "");
        }
    }

    /// Closes all but the outermost `n_left` open elements: their closers are missing.
    pub(super) fn close_above(&mut self, n_left: usize, out: &mut XmlOut) {
        while self.frames.len() > n_left {
            let name = self.frames.last().map_or("", |frame| &frame.name);
            out.recovered(Recovery::ElementCloser, Span::empty(self.pos), name);
            self.end_element(out);
        }
    }

    /// Makes the open elements inside frame `outer` text: the flat text already has their tags.
    pub(super) fn flatten_above(&mut self, outer: usize) {
        self.frames.truncate(outer + 1);
        if let Some(frame) = self.frames.last_mut() {
            frame.has_text = true;
            if frame.children.is_empty() {
                // A child distinguishes mixed content from text; an empty child is enough.
                let empty = Tree {
                    content: Content::Mixed,
                    attributes: Vec::new(),
                    flat: self.flat.len()..self.flat.len(),
                };
                frame.children.push((String::new(), empty));
            }
        }
    }
}
