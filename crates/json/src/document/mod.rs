//! Whole documents: JSON and everything that models and people write in its place.
//!
//! The values are read by the [`Transducer`](crate::Transducer), as those of calls are. What is done here is to find them:
//! prose and fences around, several in a row, calls around one.

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

/// A document that is JSON now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairedText {
    /// The JSON text. The input itself, byte for byte, where it was JSON already.
    pub text: String,
    /// What was repaired, in the order in which it was found; at most 64 of a kind.
    pub edits: Vec<RepairEdit>,
    /// How many repairs of each kind there were beyond those.
    pub more: Vec<(Repair, u32)>,
    /// Bytes looked at, those looked at again included: at most a fixed multiple of the input's.
    pub work: u64,
}

/// A document that comes in pieces and is held until its end.
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

    /// Repairs what came.
    pub fn finish(self, shape: &Shape) -> RepairedText {
        repair(&self.text, shape)
    }
}

/// Repairs a whole document. `shape` is what is known of its value; [`Shape::Any`] for nothing. Where a string is asked
/// for, a text that is no JSON string is that string, verbatim.
///
/// Every text is repaired, and what comes out is one JSON value. Nothing that was escaped correctly is read otherwise, and
/// no value is dropped. Linear in the text.
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
        // A string is asked for: the text is it, verbatim.
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
            // Places in the unescaped text are none in the input.
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
