//! One line of a batch: a text to parse, and its context.

use serde::Serialize;
use thiserror::Error;
use toolglot_value::{Map, Value};

use crate::ToolChoice;

/// One document of `parse --jsonl`.
///
/// Unknown fields are ignored, so that lines may contain data of their owner; `null` is the same as absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Any value; the answer repeats it.
    pub id: Value,
    /// The model's text; empty if the line has none.
    pub input: String,
    /// The pieces of the text; without them the text is one piece.
    pub chunks: Option<Vec<String>>,
    /// Names of dialects, separated by commas, or `auto`.
    pub dialect: Option<String>,
    /// The tools, in any form that a tool file may have; a string names a builtin set.
    pub tools: Option<Value>,
    /// Whether the text starts inside reasoning.
    pub reasoning_open: bool,
    /// The end of the prompt, if the answer starts inside an open structure.
    pub prompt_suffix: Option<String>,
    /// The calls that the caller requests.
    pub tool_choice: ToolChoice,
    /// Why the model stopped: `stop`, `length` or `unknown`.
    pub finish: Option<String>,
}

/// Why a line is not a document.
#[derive(Debug, Error)]
enum LineError {
    /// The line is not JSON.
    #[error("not JSON: {0}")]
    Syntax(#[from] toolglot_value::Error),
    /// The line is JSON, but not an object.
    #[error("expected an object, found {0}")]
    NotAnObject(&'static str),
    /// A field has the wrong type.
    #[error("field `{field}` must be {expected}, found {found}")]
    Field {
        /// The field.
        field: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// The choice is not one of an API.
    #[error(
        "field `tool_choice` must be `auto`, `none`, `required`, or an object that names tools"
    )]
    Choice,
    /// The pieces belong to another text.
    #[error("field `chunks` must add up to `input`")]
    Chunks,
}

/// The answer to an unreadable line: `{"id":..,"error":".."}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BadLine {
    /// The line's id, if it could be read.
    pub id: Value,
    /// The message.
    pub error: String,
}

impl Line {
    /// Reads one line.
    ///
    /// # Errors
    /// The answer to return instead, with the line's id if it could be read.
    pub fn read(text: &str) -> Result<Line, BadLine> {
        let bad = |id, error: LineError| BadLine {
            id,
            error: error.to_string(),
        };
        let value: Value =
            toolglot_value::from_str(text).map_err(|error| bad(Value::Null, error.into()))?;
        match value {
            Value::Object(fields) => Line::of_fields(fields),
            other => Err(bad(Value::Null, LineError::NotAnObject(kind(&other)))),
        }
    }

    /// Reads the fields of one line.
    ///
    /// # Errors
    /// As [`Line::read`].
    pub fn of_fields(mut fields: Map<String, Value>) -> Result<Line, BadLine> {
        let id = fields.remove("id").unwrap_or_default();
        match Line::of(fields) {
            Ok(line) => Ok(Line { id, ..line }),
            Err(error) => Err(BadLine {
                id,
                error: error.to_string(),
            }),
        }
    }

    fn of(mut fields: Map<String, Value>) -> Result<Line, LineError> {
        let chunks = strings(&mut fields, "chunks")?;
        let input = match (string(&mut fields, "input")?, &chunks) {
            (Some(input), Some(chunks)) if chunks.concat() != input => {
                return Err(LineError::Chunks);
            }
            (Some(input), _) => input,
            (None, chunks) => chunks.as_deref().unwrap_or_default().concat(),
        };
        Ok(Line {
            id: Value::Null,
            input,
            chunks,
            dialect: string(&mut fields, "dialect")?,
            tools: fields.remove("tools").filter(|tools| !tools.is_null()),
            reasoning_open: flag(&mut fields, "reasoning_open")?,
            prompt_suffix: string(&mut fields, "prompt_suffix")?,
            tool_choice: ToolChoice::of(&fields.remove("tool_choice").unwrap_or_default())
                .map_err(|()| LineError::Choice)?,
            finish: string(&mut fields, "finish")?,
        })
    }
}

fn string(
    fields: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<String>, LineError> {
    match fields.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(LineError::Field {
            field,
            expected: "a string",
            found: kind(&other),
        }),
    }
}

fn strings(
    fields: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<Vec<String>>, LineError> {
    let wrong = |found| LineError::Field {
        field,
        expected: "an array of strings",
        found,
    };
    match fields.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(items)) => items
            .into_iter()
            .map(|item| match item {
                Value::String(text) => Ok(text),
                other => Err(wrong(kind(&other))),
            })
            .collect::<Result<_, _>>()
            .map(Some),
        Some(other) => Err(wrong(kind(&other))),
    }
}

fn flag(fields: &mut Map<String, Value>, field: &'static str) -> Result<bool, LineError> {
    match fields.remove(field) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(LineError::Field {
            field,
            expected: "true or false",
            found: kind(&other),
        }),
    }
}

/// The type of a value, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_have_defaults() {
        let line = Line::read(r#"{"id":7,"input":"x","finish":null,"source":"ours"}"#)
            .expect("it is a document");
        assert_eq!(
            line,
            Line {
                id: 7.into(),
                input: "x".into(),
                ..Line::default()
            }
        );
    }

    #[test]
    fn a_bad_field_keeps_the_id() {
        let bad = Line::read(r#"{"id":"a","input":3}"#).expect_err("a number is no input");
        assert_eq!(bad.id, "a");
        assert_eq!(bad.error, "field `input` must be a string, found a number");
        let bad = Line::read(r#"{"id":"b","tool_choice":"maybe"}"#);
        assert_eq!(bad.expect_err("nobody knows that choice").id, "b");
    }

    #[test]
    fn pieces_are_those_of_the_input() {
        let line = Line::read(r#"{"chunks":["a","b"]}"#).expect("pieces are a text");
        assert_eq!(line.input, "ab");
        let bad = Line::read(r#"{"input":"x","chunks":["a","b"]}"#).expect_err("another text");
        assert_eq!(bad.error, "field `chunks` must add up to `input`");
        let bad = Line::read(r#"{"chunks":["a",1]}"#).expect_err("a number is no piece");
        assert_eq!(
            bad.error,
            "field `chunks` must be an array of strings, found a number"
        );
    }

    #[test]
    fn what_is_no_object_has_no_id() {
        let bad = Line::read("[1]").expect_err("an array is no document");
        assert_eq!(
            bad,
            BadLine {
                id: Value::Null,
                error: "expected an object, found an array".into()
            }
        );
        let bad = Line::read("{").expect_err("half an object is no document");
        assert!(bad.error.starts_with("not JSON: "), "{}", bad.error);
    }
}
