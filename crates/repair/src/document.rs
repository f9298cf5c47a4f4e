//! From a text to a repaired document: repaired, coerced to the schema, validated.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use toolglot_engine::{Code, Shape, remark};
use toolglot_json::internal::locate;
use toolglot_json::{Repair, RepairEdit, RepairedText, coerce};
use toolglot_json_compat::{CoercionRules, fit, json_repair, jsonrepair};
use toolglot_value::Value;

use crate::edits::Edits;
use crate::error::RepairError;
use crate::preset::Preset;
use crate::schema_target::SchemaTarget;

/// The maximum number of changes and violations with a place.
const PLACED: usize = 32;

/// The maximum number of duplicate keys with a note each, the same as for a broken document.
const KEPT: usize = 64;

/// A repaired document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RepairedDocument {
    /// The JSON text.
    pub text: String,
    /// The changes, and the remaining faults.
    pub notes: Vec<RepairNote>,
}

/// One change, or one remaining fault.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RepairNote {
    /// The code, as in `docs/notes.md`.
    pub code: Code,
    /// The start of its part of the input, in bytes.
    pub start: usize,
    /// The end of its part.
    pub end: usize,
    /// The message.
    pub message: String,
    /// The new text; `None` if nothing was changed.
    pub after: Option<String>,
    /// Whether `start` and `end` are positions in the input.
    pub is_placed: bool,
}

impl RepairNote {
    /// A note without a message; it has a place if the place is known.
    fn at(code: Code, place: Option<&Range<usize>>) -> RepairNote {
        RepairNote {
            code,
            start: place.map_or(0, |place| place.start),
            end: place.map_or(0, |place| place.end),
            message: String::new(),
            after: None,
            is_placed: place.is_some(),
        }
    }
}

impl RepairedDocument {
    /// The edits between the input and the document; `None` for long texts.
    pub fn edits<'t>(&self, input: &'t str) -> Option<Edits<'t>> {
        let mut gone: Vec<_> = self
            .notes
            .iter()
            .filter(|note| note.is_placed && note.after.as_deref() == Some(""))
            .map(|note| note.start..note.end)
            .filter(|gone| gone.len() > 1)
            .collect();
        gone.sort_by_key(|gone| gone.start);
        Edits::between(input, &self.text, &gone)
    }

    /// Whether the value does not fit the schema.
    pub fn is_faulty(&self) -> bool {
        self.notes
            .iter()
            .any(|note| note.code == Code::InvalidArguments)
    }
}

/// Repairs `text`, and coerces its value to the schema of `target`.
///
/// # Errors
/// [`RepairError`] if the preset refuses the text, or no value fits the schema.
pub fn repair(
    text: &str,
    preset: Preset,
    target: Option<&SchemaTarget>,
) -> Result<RepairedDocument, RepairError> {
    let shape = target.map_or(&Shape::Any, |target| &target.shape);
    let repaired = match preset {
        Preset::Llm => toolglot_json::repair(text, shape),
        Preset::Jsonrepair => jsonrepair(text)?,
        Preset::JsonRepair => json_repair(text, shape)?,
    };
    let mut notes = notes(&repaired);
    if notes.is_empty() {
        // A valid text has no repairs, but its duplicate keys get notes.
        notes.extend(twice(text));
    }
    let Some(target) = target else {
        return Ok(RepairedDocument {
            text: repaired.text,
            notes,
        });
    };
    if preset == Preset::JsonRepair {
        return fitted(repaired.text, notes, target);
    }
    coerced(text, &repaired.text, notes, target)
}

/// Notes for duplicate keys of a valid document, the same as the repair of a broken one gives. Linear.
fn twice(text: &str) -> Vec<RepairNote> {
    let (code, message) = remark(Repair::DuplicateKey);
    let mut notes = Vec::new();
    let mut n_more = 0;
    // The keys of each open object; `None` for an open list.
    let mut open: Vec<Option<BTreeSet<Cow<'_, str>>>> = Vec::new();
    let (mut at, mut is_key) = (0, false);
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' => {
                open.push(Some(BTreeSet::new()));
                is_key = true;
            }
            b'[' => {
                open.push(None);
                is_key = false;
            }
            b'}' | b']' => {
                open.pop();
                is_key = false;
            }
            b',' => is_key = matches!(open.last(), Some(Some(_))),
            b'"' => {
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += 1 + usize::from(*byte == b'\\');
                }
                at = (at + 1).min(bytes.len());
                let Some(Some(keys)) = open.last_mut().filter(|_| is_key) else {
                    continue;
                };
                is_key = false;
                let written = &text[start..at];
                let key = if written.contains('\\') {
                    serde_json::from_str(written).map_or(Cow::Borrowed(written), Cow::Owned)
                } else {
                    Cow::Borrowed(written.trim_matches('"'))
                };
                if keys.insert(key) {
                    continue;
                }
                if notes.len() == KEPT {
                    n_more += 1;
                    continue;
                }
                notes.push(RepairNote {
                    message: message.to_owned(),
                    after: Some(written.to_owned()),
                    ..RepairNote::at(code, Some(&(start..at)))
                });
            }
            _ => {}
        }
    }
    if n_more > 0 {
        notes.push(RepairNote {
            message: format!("{message}; {n_more} times more"),
            ..RepairNote::at(code, None)
        });
    }
    notes
}

fn notes(repaired: &RepairedText) -> Vec<RepairNote> {
    let of = |fix: &RepairEdit| {
        let (code, message) = remark(fix.repair);
        RepairNote {
            code,
            start: fix.start,
            end: fix.end,
            message: message.to_owned(),
            after: Some(fix.after.clone().into_owned()),
            is_placed: true,
        }
    };
    let mut notes: Vec<RepairNote> = repaired.edits.iter().map(of).collect();
    for &(repair, n) in &repaired.more {
        let (code, message) = remark(repair);
        notes.push(RepairNote {
            code,
            start: 0,
            end: 0,
            message: format!("{message}; {n} times more"),
            after: None,
            is_placed: false,
        });
    }
    notes
}

/// The value coerced to the schema's types; a value that cannot be coerced stays and is reported.
fn coerced(
    input: &str,
    text: &str,
    mut notes: Vec<RepairNote>,
    target: &SchemaTarget,
) -> Result<RepairedDocument, RepairError> {
    let coerced = coerce(text, &target.shape);
    let value: Value = toolglot_value::from_str(&coerced.text).map_err(|_| RepairError::Depth)?;
    let violations = target.validator.validate(&value);
    let document = RepairedDocument {
        text: coerced.text,
        notes: notes.clone(),
    };
    let edits = if coerced.changes.is_empty() && violations.is_empty() {
        None
    } else {
        document.edits(input)
    };
    // The search for a place is linear in the text: only the first of many get a place.
    let mut n_placed = 0;
    let mut place = |pointer: &str| {
        n_placed += 1;
        let edits = edits.as_ref().filter(|_| n_placed <= PLACED)?;
        edits.origin(&locate(&document.text, pointer))
    };
    for change in coerced.changes {
        let (code, message) = remark(change.repair);
        let at = if change.path.is_empty() {
            "at the root".to_owned()
        } else {
            format!("at `{}`", toolglot_json::internal::place(&change.path))
        };
        let origin = if text == input {
            Some(change.start..change.end)
        } else {
            place(&change.path)
        };
        notes.push(RepairNote {
            message: format!("{message}, {at}"),
            after: Some(change.after),
            ..RepairNote::at(code, origin.as_ref())
        });
    }
    for violation in violations {
        let origin = place(&violation.path);
        notes.push(RepairNote {
            message: violation.message,
            ..RepairNote::at(Code::InvalidArguments, origin.as_ref())
        });
    }
    Ok(RepairedDocument {
        text: document.text,
        notes,
    })
}

/// The value fitted to the schema, or an error.
fn fitted(
    text: String,
    mut notes: Vec<RepairNote>,
    target: &SchemaTarget,
) -> Result<RepairedDocument, RepairError> {
    let value: Value = toolglot_value::from_str(&text).map_err(|_| RepairError::Depth)?;
    let mut refusal = None;
    for how in [CoercionRules::Types, CoercionRules::Salvage] {
        match fit(&target.schema, value.clone(), how) {
            Ok(fitted) => match target.validator.validate(&fitted).into_iter().next() {
                None => {
                    if fitted == value {
                        return Ok(RepairedDocument { text, notes });
                    }
                    let (code, message) = remark(if how == CoercionRules::Types {
                        Repair::TypeCoercion
                    } else {
                        Repair::FilledBySchema
                    });
                    let text = fitted.to_string();
                    notes.push(RepairNote {
                        code,
                        start: 0,
                        end: 0,
                        message: message.to_owned(),
                        after: Some(text.clone()),
                        is_placed: false,
                    });
                    return Ok(RepairedDocument { text, notes });
                }
                Some(violation) => {
                    refusal.get_or_insert(RepairError::Invalid(violation.message));
                }
            },
            Err(misfit) => {
                refusal.get_or_insert(RepairError::Coercion(misfit));
            }
        }
    }
    Err(refusal.unwrap_or(RepairError::Depth))
}
