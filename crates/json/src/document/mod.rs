//! Whole documents: JSON and everything that models and people write in its place.
//!
//! The [`Transducer`](crate::Transducer) reads the values, as in calls. This module finds them: values in prose and
//! fences, several values in a row, values in calls.

mod double_escape;
mod framing;
mod quotes;
mod valid;
mod values;
mod writer;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

pub use quotes::Quotes;
pub(crate) use quotes::starts_member;
pub use valid::{is_valid, string as string_end, value_end};
pub use writer::{RepairEdit, Writer};

use crate::repair::Repair;
use crate::shape::Shape;
use values::Document;

/// A repaired document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairedText {
    /// The JSON text. Equals the input, byte for byte, if nothing was repaired.
    pub text: String,
    /// The repairs, in the order in which they were found; at most 64 of a kind.
    pub edits: Vec<RepairEdit>,
    /// The number of repairs of each kind that are not in `edits`.
    pub more: Vec<(Repair, u32)>,
    /// Bytes read, including bytes read again: at most a fixed multiple of the input's length.
    pub work: u64,
}

/// A document that arrives in pieces and is held until its end.
///
/// ```
/// use toolglot_json::{HeldDocument, Shape};
///
/// let mut held = HeldDocument::default();
/// for piece in ["{'a': ", "tr", "ue"] {
///     held.push(piece);
/// }
/// assert_eq!(held.finish(&Shape::Any).text, r#"{"a": true}"#);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HeldDocument {
    text: String,
}

impl HeldDocument {
    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// The text so far.
    pub fn held(&self) -> &str {
        &self.text
    }

    /// Repairs the held text.
    pub fn finish(self, shape: &Shape) -> RepairedText {
        repair(&self.text, shape)
    }
}

/// Repairs a whole document. `shape` is the known shape of the document's value, or [`Shape::Any`]. If `shape` is
/// [`Shape::Text`], a text that is not a JSON string becomes that string, verbatim.
///
/// Every text is repaired, and the output is one JSON value. Correct escapes keep their meaning, and no value is
/// dropped. Linear in the text.
///
/// ```
/// use toolglot_json::{Shape, repair};
///
/// let text = "Sure! ```json\n{'path': \"a.rs\", lines: [1, 2,], ...}\n```";
/// assert_eq!(repair(text, &Shape::Any).text.trim(), r#"{"path": "a.rs", "lines": [1, 2] }"#);
/// ```
pub fn repair(text: &str, shape: &Shape) -> RepairedText {
    let length = text.len() as u64;
    let is_valid = is_valid(text, true);
    let mut writer = Writer::new(text);
    if *shape == Shape::Text && !(is_valid && text.trim_start().starts_with('"')) {
        // The shape is a string: the text is that string, verbatim.
        let quoted = crate::escape::quoted(text);
        writer.put(&quoted);
        writer.note(Repair::UnquotedString, 0, text.len(), quoted);
        return writer.finish(length);
    }
    if is_valid {
        writer.put(text);
        return writer.finish(length);
    }
    if let Some(inner) = double_escape::unescaped(text) {
        let mut repaired = repair(&inner, shape);
        for edit in &mut repaired.edits {
            // Offsets in the unescaped text are not offsets in the input.
            (edit.start, edit.end) = (0, text.len());
        }
        let unescaping = RepairEdit {
            repair: Repair::EscapedDocument,
            start: 0,
            end: text.len(),
            after: Cow::Owned(inner),
        };
        repaired.edits.insert(0, unescaping);
        repaired.work += length;
        return repaired;
    }
    let (writer, work) = Document::new(text, shape).read();
    writer.finish(length + work)
}
