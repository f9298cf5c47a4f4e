//! Telling what waited: arguments at the end, and past the cap what is open too.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::Shape;
use toolglot_json::internal::escape_into;

use super::{Frame, Told, Xml, XmlOut};
use crate::body::tree::{Tree, Writer, groups};
use crate::{Code, Span};

impl Xml {
    /// Begins a member of the innermost told object, or an item of the innermost told array.
    pub(super) fn begin_member(&mut self, name: &str, out: &mut XmlOut) {
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
    pub(super) fn begin_argument(&mut self, written: &str, out: &mut XmlOut) {
        let name = self.declared(written);
        if name != written {
            out.remark(
                Code::NearName,
                Span::empty(self.pos),
                format!("no parameter is called `{written}`; it was read as `{name}`"),
            );
        }
        out.json.push_str(if self.opened { ",\"" } else { "{\"" });
        self.opened = true;
        escape_into(&mut out.json, &name);
        out.json.push_str("\":");
        if !self.told_keys.insert(name.clone()) {
            out.structural = true;
            out.remark(
                Code::DuplicateKey,
                Span::empty(self.pos),
                format!("`{name}` came before; the last value counts"),
            );
        }
    }

    /// The parameter that an argument's tag is, or misses by a little; otherwise the tag's own name.
    fn declared(&self, written: &str) -> String {
        let near = self.root.as_ref().and_then(|root| root.nearest(written));
        near.map_or(written, |(_, name)| name).into()
    }

    /// Tells the arguments that wait.
    pub(super) fn tell_children(&mut self, out: &mut XmlOut) {
        let children = core::mem::take(&mut self.children);
        let flat = core::mem::take(&mut self.flat);
        for (name, group) in groups(&children) {
            self.begin_argument(name, out);
            let shape = self.argument_shape(name).cloned();
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
    pub(super) fn tell_members(&mut self, frame: &mut Frame, out: &mut XmlOut) {
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

    pub(super) fn write_group(
        &self,
        flat: &str,
        group: &[&Tree],
        shape: Option<&Shape>,
        out: &mut XmlOut,
    ) {
        let mut remarks = Vec::new();
        let mut writer = Writer {
            flat,
            values: &self.values,
            has_items: !self.prefix.is_empty(),
            out: &mut out.json,
            remarks: &mut remarks,
        };
        writer.group(group, shape);
        for (code, message) in remarks {
            out.structural |= code == Code::DuplicateKey;
            out.remarks
                .push((code, Span::new(self.at, self.pos), message));
        }
    }

    /// Past the cap what waits is told.
    pub(super) fn spill(&mut self, at: u64, out: &mut XmlOut) {
        if self.flat.len() > self.undecided {
            out.remarks.push((
                Code::OversizedScalar,
                Span::empty(at),
                format!(
                    "over {} bytes were undecided: emitted as they look",
                    self.undecided
                ),
            ));
            self.spill_all(out);
        }
    }

    pub(super) fn spill_all(&mut self, out: &mut XmlOut) {
        // What waits comes behind an argument that is being told.
        let is_open = |frame: &Frame| frame.told != Told::Nothing;
        if !self.frames.first().is_some_and(is_open) {
            self.tell_children(out);
        }
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
                frame.told = Told::Object;
                if matches!(frame.shape, Some(Shape::Array(_))) {
                    frame.told = Told::Array;
                    out.json.push('[');
                }
            }
            if matches!(frame.told, Told::Object | Told::Array) {
                let mut frame = core::mem::take(&mut frames[n]);
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
