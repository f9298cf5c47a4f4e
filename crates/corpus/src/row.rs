//! One row: its conversation or text, its tools, its id.

use toolglot_value::{Map, Value};
use toolglot_wire::{BadLine, Line};

use crate::batch::RawRow;
use crate::columns::Columns;
use crate::error::{alternatives, quoted};

/// A parsed row.
#[derive(Debug)]
pub(crate) struct Row {
    /// The whole row; a conversation that was JSON in a string is a list here.
    pub(crate) document: Value,
    /// The column of its content; `None` if the row is a list of messages.
    pub(crate) column: Option<String>,
    /// Whether the content was JSON in a string.
    pub(crate) is_encoded: bool,
    /// The tools of the row.
    pub(crate) tools: Option<Value>,
}

/// The content of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'r> {
    Text(&'r str),
    /// A list of messages, or an object with one.
    Conversation(&'r Value),
}

impl Row {
    /// Reads a row.
    ///
    /// # Errors
    /// The error response, with the row's id if it could be read.
    pub(crate) fn read(raw: RawRow<'_>, columns: &Columns) -> Result<Row, BadLine> {
        let bad = |id: Value, error: String| BadLine { id, error };
        if let Some(n_bytes) = raw.overlong {
            let error = format!("the row has {n_bytes} bytes, which is more than a row may have");
            return Err(bad(Value::Null, error));
        }
        let text = std::str::from_utf8(raw.text).map_err(|error| {
            let id = toolglot_value::from_str(&String::from_utf8_lossy(raw.text));
            let id = id.ok().and_then(|row| row.get("id").cloned());
            bad(
                id.unwrap_or_default(),
                format!("not UTF-8: byte {}", error.valid_up_to()),
            )
        })?;
        let text = match raw.number {
            0 => text.strip_prefix('\u{feff}').unwrap_or(text),
            _ => text,
        };
        let document: Value = toolglot_value::from_str(text)
            .map_err(|error| bad(Value::Null, format!("not JSON: {error}")))?;
        let id = document.get("id").cloned().unwrap_or_default();
        Row::of(document, columns).map_err(|error| bad(id, error))
    }

    fn of(mut document: Value, columns: &Columns) -> Result<Row, String> {
        let fields = match &mut document {
            Value::Array(_) => {
                return Ok(Row {
                    document,
                    column: None,
                    is_encoded: false,
                    tools: None,
                });
            }
            Value::Object(fields) => fields,
            other => return Err(format!("expected an object, found {}", kind(other))),
        };
        let has = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
        let Some(column) = columns.chosen(has) else {
            return Err(no_column(columns, fields));
        };
        let column = column.to_owned();
        let content = fields.get_mut(&column).expect("it was found");
        let is_encoded = match content {
            Value::Array(_) | Value::Object(_) => false,
            Value::String(text) => match conversation(text) {
                Some(conversation) => {
                    *content = conversation;
                    true
                }
                None => false,
            },
            other => {
                return Err(format!(
                    "column `{column}` must be a text or a list of messages, found {}",
                    kind(other)
                ));
            }
        };
        let tools = tools(fields.get(&columns.tools))
            .map_err(|error| format!("column `{}` is not JSON: {error}", columns.tools))?;
        Ok(Row {
            document,
            column: Some(column),
            is_encoded,
            tools,
        })
    }

    /// The id, or `null`.
    pub(crate) fn id(&self) -> Value {
        self.document.get("id").cloned().unwrap_or_default()
    }

    /// The content.
    pub(crate) fn content(&self) -> Content<'_> {
        let content = match &self.column {
            Some(column) => &self.document[column.as_str()],
            None => &self.document,
        };
        match content {
            Value::String(text) => Content::Text(text),
            conversation => Content::Conversation(conversation),
        }
    }

    /// Its text as a line of `parse --jsonl`. A row with its text in `input` has that form, and may have further
    /// fields.
    pub(crate) fn line(&self, text: &str) -> Result<Line, BadLine> {
        let column = self.column.as_deref().unwrap_or_default();
        let mut line = match &self.document {
            Value::Object(fields) if column == "input" => {
                let mut fields = fields.clone();
                fields.remove("tools");
                Line::of_fields(fields)?
            }
            _ => Line::default(),
        };
        line.id = self.id();
        text.clone_into(&mut line.input);
        line.tools.clone_from(&self.tools);
        Ok(line)
    }

    /// The output row with this content.
    pub(crate) fn with_content(mut self, content: Value) -> Value {
        let content = if self.is_encoded {
            Value::String(content.to_string())
        } else {
            content
        };
        match (&mut self.document, self.column) {
            (Value::Object(fields), Some(column)) => {
                if let Some(place) = fields.get_mut(&column) {
                    *place = content;
                }
            }
            (document, _) => *document = content,
        }
        self.document
    }
}

/// A conversation in JSON text.
fn conversation(text: &str) -> Option<Value> {
    if !text.trim_start().starts_with(['[', '{']) {
        return None;
    }
    let value: Value = toolglot_value::from_str(text).ok()?;
    toolglot_wire::is_conversation(text).then_some(value)
}

/// The tools of a row. An empty list counts as none, and a list may be JSON in a string.
fn tools(value: Option<&Value>) -> Result<Option<Value>, toolglot_value::Error> {
    Ok(match value {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::String(text)) if text.trim_start().starts_with(['[', '{']) => {
            Some(toolglot_value::from_str(text)?)
        }
        Some(tools) => Some(tools.clone()),
    })
}

/// The maximum number of columns that an error names.
const NAMED: usize = 20;

fn no_column(columns: &Columns, fields: &Map<String, Value>) -> String {
    let wanted = alternatives(&columns.wanted());
    let names: Vec<String> = fields.keys().take(NAMED).cloned().collect();
    if names.is_empty() {
        return format!("no column {wanted}; the row is empty");
    }
    format!(
        "no column {wanted}; the row has {}",
        quoted(&names).join(", ")
    )
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
