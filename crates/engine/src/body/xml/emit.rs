//! Emits pending elements: arguments at the end, and past the cap also open elements.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use toolglot_json::Shape;
use toolglot_json::internal::escape_into;

use super::{Frame, Kind, Xml, XmlOut};
use crate::body::tree::{Tree, Writer, groups, member_shape, push_key};
use crate::{Code, Recovery, Span};

impl Frame {
    /// Starts a member of an emitted object, or an item of an emitted array.
    pub(super) fn start_member(&mut self, name: &str, json: &mut String) {
        json.push_str(if self.members > 0 { "," } else { "" });
        self.members += 1;
        if self.kind == Kind::Object {
            push_key(json, name);
        }
    }
}

impl Xml {
    /// Starts a member of the arguments.
    pub(super) fn start_argument(&mut self, written: &str, out: &mut XmlOut) {
        let name = self.declared(written);
        if name != written {
            out.remark(
                Code::NearName,
                Span::empty(self.pos),
                format!("no parameter is called `{written}`; it was read as `{name}`"),
            );
        }
        let is_first = self.emitted_keys.is_empty();
        out.json.push(if is_first { '{' } else { ',' });
        push_key(&mut out.json, &name);
        if !self.emitted_keys.insert(name.clone()) {
            out.recovered(Recovery::DuplicateKey, Span::empty(self.pos), &name);
        }
    }

    /// The parameter whose name an argument's tag has, or nearly has; otherwise the tag's own name.
    fn declared(&self, written: &str) -> String {
        let near = self.root.as_ref().and_then(|root| root.nearest(written));
        near.map_or(written, |(_, name)| name).into()
    }

    /// Emits the pending arguments.
    pub(super) fn emit_children(&mut self, out: &mut XmlOut) {
        let children = core::mem::take(&mut self.children);
        for (name, group) in groups(&children) {
            self.start_argument(name, out);
            self.write_group(&group, self.argument_shape(name), out);
        }
    }

    /// Emits the pending children of an emitted element.
    pub(super) fn emit_members(&self, frame: &mut Frame, out: &mut XmlOut) {
        let children = core::mem::take(&mut frame.children);
        let groups = if frame.kind == Kind::Array {
            let items = children.iter();
            items.map(|(name, item)| (&**name, vec![item])).collect()
        } else {
            groups(&children)
        };
        for (name, group) in groups {
            frame.start_member(name, &mut out.json);
            let shape = match &frame.shape {
                Some(Shape::Object(fields)) => member_shape(fields, name),
                Some(Shape::Array(item)) => Some(&**item),
                _ => None,
            };
            self.write_group(&group, shape, out);
        }
    }

    fn write_group(&self, group: &[&Tree], shape: Option<&Shape>, out: &mut XmlOut) {
        let mut writer = Writer {
            flat: &self.flat,
            values: &self.values,
            has_items: !self.prefix.is_empty(),
            out: &mut out.json,
            remarks: Vec::new(),
        };
        writer.group(group, shape);
        for (code, message) in writer.remarks {
            if code == Code::DuplicateKey {
                out.end = out.end.max(Recovery::DuplicateKey.rule().end);
            }
            out.remark(code, Span::new(self.at, self.pos), message);
        }
    }

    /// Emits pending elements once they pass the cap.
    pub(super) fn spill(&mut self, at: u64, out: &mut XmlOut) {
        if self.flat.len() > self.undecided {
            let cap = self.undecided;
            out.remark(
                Code::OversizedScalar,
                Span::empty(at),
                format!("over {cap} bytes were undecided: emitted as they look"),
            );
            self.spill_all(out);
        }
    }

    /// Emits what is known and closes nothing: past the cap, and if the message ends inside the arguments.
    pub(crate) fn spill_all(&mut self, out: &mut XmlOut) {
        // Pending arguments come after an argument that is partly emitted.
        let is_open = |frame: &Frame| frame.kind != Kind::Nothing;
        if !self.frames.first().is_some_and(is_open) {
            self.emit_children(out);
        }
        let mut frames = core::mem::take(&mut self.frames);
        for n in 0..frames.len() {
            let innermost = n + 1 == frames.len();
            let (emitted, open) = frames.split_at_mut(n);
            let frame = &mut open[0];
            if frame.kind == Kind::Nothing {
                match emitted.last_mut() {
                    Some(parent) => parent.start_member(&frame.name, &mut out.json),
                    None => self.start_argument(&frame.name, out),
                }
                let elements = !frame.children.is_empty() || !innermost;
                if !elements || frame.has_text {
                    // Text, perhaps with elements in it: from here on all of it is text.
                    frame.kind = Kind::Text;
                    frame.raw = true;
                    out.json.push('"');
                    let text = &self.flat[frame.flat..];
                    let is_verbatim = frame.verbatim;
                    let text = if is_verbatim { text } else { text.trim_start() };
                    escape_into(&mut out.json, text);
                    frames.truncate(n + 1);
                    break;
                }
                // Members or items follow: pending children, or the open element inside.
                let is_array = matches!(frame.shape, Some(Shape::Array(_)));
                out.json.push(if is_array { '[' } else { '{' });
                frame.kind = if is_array { Kind::Array } else { Kind::Object };
            }
            if frame.kind != Kind::Text {
                self.emit_members(frame, out);
            }
        }
        self.flat.clear();
        for frame in &mut frames {
            frame.flat = 0;
        }
        self.frames = frames;
    }
}
