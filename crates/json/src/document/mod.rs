//! Whole documents: JSON and everything that models and people write in its place.
//!
//! [`repair`] holds the text and may look ahead in it, which the [`Transducer`](crate::Transducer) must not: several
//! values, prose around them and wrappers are told at their end. Escapes, words, numbers, keys and quotation marks are
//! read by the same code.

mod lookahead;
mod options;
mod valid;
mod walk;
mod writer;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

pub use options::{
    InvalidEscapes, MissingValue, MultipleValues, Options, StringEndRule, SurroundingText,
    UnexplainedText,
};
pub use writer::RepairEdit;

use crate::repair::Repair;
use crate::shape::Shape;
use walk::Walk;

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

/// Why a document was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairFailure {
    /// Where, in bytes of the input.
    pub at: usize,
    /// What should stand there.
    pub expected: Expected,
}

/// What was expected where a document was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// A value, and there is none.
    Value,
    /// A key.
    Key,
    /// A colon behind a key.
    Colon,
    /// A character that a string may hold.
    Character,
    /// Four hexadecimal digits.
    Unicode,
    /// The end of the document.
    End,
    /// Fewer brackets around it.
    Depth,
    /// Anything that is JSON.
    Json,
}

impl core::fmt::Display for RepairFailure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let what = match self.expected {
            Expected::Value => "expected a value",
            Expected::Key => "expected a key",
            Expected::Colon => "expected a colon between a key and its value",
            Expected::Character => {
                "a string holds a control character that has no short escape; write it as \\u00.."
            }
            Expected::Unicode => "`\\u` should be followed by four hexadecimal digits",
            Expected::End => "the document should end here",
            Expected::Depth => "brackets nest deeper than this preset reads",
            Expected::Json => "there is no JSON in the text",
        };
        write!(f, "{what} (byte {})", self.at)
    }
}

impl core::error::Error for RepairFailure {}

/// A document that comes in pieces and is held until its end.
///
/// ```
/// use toolglot_json::{HeldDocument, Options, Shape};
///
/// let mut held = HeldDocument::default();
/// for piece in ["{'a': ", "tr", "ue"] {
///     held.push(piece);
/// }
/// assert_eq!(held.finish(&Options::LLM, &Shape::Any)?.text, r#"{"a": true}"#);
/// # Ok::<(), toolglot_json::RepairFailure>(())
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
    ///
    /// # Errors
    /// As [`repair`].
    pub fn finish(self, options: &Options, shape: &Shape) -> Result<RepairedText, RepairFailure> {
        repair(&self.text, options, shape)
    }
}

/// Repairs a whole document. `shape` is what is known of its value; [`Shape::Any`] for nothing. Where a string is asked
/// for, a text that is no JSON string is that string, verbatim.
///
/// Under [`Options::LLM`] every text is repaired, and what comes out is one JSON value. Linear in the text.
///
/// ```
/// use toolglot_json::{Options, Shape, repair};
///
/// let text = "Sure! ```json\n{'path': \"a.rs\", lines: [1, 2,], ...}\n```";
/// let repaired = repair(text, &Options::LLM, &Shape::Any)?;
/// assert_eq!(repaired.text.trim(), r#"{"path": "a.rs", "lines": [1, 2] }"#);
/// # Ok::<(), toolglot_json::RepairFailure>(())
/// ```
///
/// # Errors
/// Where the options refuse what they do not explain: the place and what was expected there.
pub fn repair(text: &str, options: &Options, shape: &Shape) -> Result<RepairedText, RepairFailure> {
    // The libraries that the other presets follow leave numbers to whoever reads them.
    let is_valid = valid::is_valid(text, options.string_end == StringEndRule::Evidence);
    if *shape == Shape::Text
        && options.string_end == StringEndRule::Evidence
        && !(is_valid && text.trim_start().starts_with('"'))
    {
        // A string is asked for: the text is it, verbatim.
        let quoted = crate::escape::quoted(text);
        let after = Cow::Owned(quoted.clone());
        return Ok(RepairedText {
            text: quoted,
            edits: Vec::from([RepairEdit {
                repair: Repair::UnquotedString,
                start: 0,
                end: text.len(),
                after,
            }]),
            more: Vec::new(),
            work: text.len() as u64,
        });
    }
    if is_valid {
        return Ok(RepairedText {
            text: String::from(text),
            edits: Vec::new(),
            more: Vec::new(),
            work: text.len() as u64,
        });
    }
    let mut work = text.len() as u64;
    if options.string_end == StringEndRule::Evidence
        && let Some(inner) = walk::unescaped(text)
    {
        let mut repaired = repair(&inner, options, shape)?;
        for fix in &mut repaired.edits {
            // Places in the unescaped text are none in the input.
            (fix.start, fix.end) = (0, text.len());
        }
        repaired.edits.insert(
            0,
            RepairEdit {
                repair: Repair::EscapedDocument,
                start: 0,
                end: text.len(),
                after: Cow::Owned(inner),
            },
        );
        repaired.work += work;
        return Ok(repaired);
    }
    let (writer, walked) = match options.string_end {
        StringEndRule::Lookahead => lookahead::Reader::new(text, options, shape).run()?,
        StringEndRule::Evidence | StringEndRule::Delimiter => {
            Walk::new(text, options, shape).run()?
        }
    };
    work += walked;
    let (text, fixes, counts) = writer.finish();
    Ok(RepairedText {
        text,
        more: writer::more(&fixes, &counts),
        edits: fixes,
        work,
    })
}
