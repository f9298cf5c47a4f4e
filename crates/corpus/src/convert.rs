//! Converts conversations from one dialect to another, row by row.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolglot_chat::{CompiledDialects, LineReader, default_server, tool_set};
use toolglot_engine::{Dialect, Program};
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, json};
use toolglot_wire::{
    BadLine, ConversionReport, ConvertedMessage, Converter, SourceForm, TargetForm, WireError,
};

use crate::Columns;
use crate::batch::Batch;
use crate::check::BadRow;
use crate::row::{Content, Row};
use crate::task::{Output, Tally, Task, Written, guarded, write_line};

/// The target form of conversations.
#[derive(Clone, Debug)]
pub enum Target {
    /// Messages of OpenAI's chat API.
    Chat,
    /// Items of OpenAI's Responses API.
    Responses,
    /// Calls in the text of the assistant's messages.
    Text(Box<Dialect>),
}

/// Writes each conversation in another form.
#[derive(Debug)]
pub struct Convert {
    /// The reader of texts, with the tools of the row if it has any.
    pub lines: LineReader,
    /// Whether calls are structured fields next to the text; the texts are then not read.
    pub is_structured: bool,
    /// The target form.
    pub target: Target,
    /// Whether each converted message is read back and compared.
    pub is_checked: bool,
    /// The columns of rows.
    pub columns: Columns,
    /// Further settings of the output, in the caller's form.
    pub settings: Value,
}

/// The counts of [`Convert`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvertTally {
    /// Rows.
    pub rows: u64,
    /// Rows that cannot be read.
    pub bad_rows: u64,
    /// Converted calls.
    pub calls: u64,
    /// Converted results.
    pub results: u64,
    /// Unchanged messages.
    pub left: u64,
    /// The unchanged messages that the target would read otherwise.
    pub differ: u64,
    /// Converted items that are in doubt.
    pub doubtful: u64,
}

impl Tally for ConvertTally {
    fn add(&mut self, later: ConvertTally) {
        self.rows += later.rows;
        self.bad_rows += later.bad_rows;
        self.calls += later.calls;
        self.results += later.results;
        self.left += later.left;
        self.differ += later.differ;
        self.doubtful += later.doubtful;
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn is_faulty(&self) -> bool {
        self.bad_rows + self.left > 0
    }
}

/// The report on a row.
#[derive(Serialize)]
struct ConvertedRow<'r> {
    row: u64,
    id: Value,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    left: &'r [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    doubtful: &'r [String],
}

/// A row, and the compiled dialects for its texts.
type Prepared = (Row, CompiledDialects);

impl Task for Convert {
    type Tally = ConvertTally;

    fn run(&self, batch: &Batch) -> Output<ConvertTally> {
        // A converter borrows its dialects: all of them are prepared first, and then the converters.
        let prepared: Vec<(u64, Result<Prepared, BadLine>)> = batch
            .rows()
            .map(|raw| (raw.number, guarded(raw, |raw| self.prepared(raw))))
            .collect();
        let compiled_of_rows: Vec<Option<CompiledDialects>> = prepared
            .iter()
            .map(|(_, row)| row.as_ref().ok().map(|(_, compiled)| compiled.clone()))
            .collect();
        let mut converters: HashMap<*const Program, Result<Converter<'_>, String>> = HashMap::new();
        let mut output = Output::<ConvertTally>::default();
        for ((raw, (number, row)), compiled) in batch.rows().zip(prepared).zip(&compiled_of_rows) {
            output.tally.rows += 1;
            let converted = row.and_then(|(row, _)| {
                let compiled = compiled.as_ref().expect("a row that was read has one");
                let converter = converters
                    .entry(Arc::as_ptr(&compiled.program))
                    .or_insert_with(|| self.converter(compiled).map_err(|error| error.to_string()));
                let id = row.id();
                let converter = converter.as_ref().map_err(|error| BadLine {
                    id: id.clone(),
                    error: error.clone(),
                })?;
                let mut report = ConversionReport::default();
                let document = guarded(raw, |_| self.converted(row, converter, &mut report))?;
                Ok((id, document, report))
            });
            match converted {
                Ok((id, document, report)) => {
                    write_line(&mut output.data, &document);
                    note(number, id, &report, &mut output);
                }
                Err(bad) => {
                    output.tally.bad_rows += 1;
                    write_line(&mut output.data, &bad);
                    let BadLine { id, error } = bad;
                    let row = number;
                    write_line(&mut output.report, &BadRow { row, id, error });
                }
            }
        }
        output
    }

    fn settings(&self) -> Value {
        let to = match &self.target {
            Target::Chat => "openai",
            Target::Responses => "responses",
            Target::Text(dialect) => dialect.source(),
        };
        json!({
            "task": "convert",
            "to": to,
            "structured": self.is_structured,
            "check": self.is_checked,
            "reading": self.settings,
        })
    }

    fn writes(&self) -> Written {
        Written::Rows
    }

    fn columns(&self) -> &Columns {
        &self.columns
    }
}

impl Convert {
    fn prepared(&self, raw: crate::batch::RawRow<'_>) -> Result<Prepared, BadLine> {
        let row = Row::read(raw, &self.columns)?;
        let compiled = self.lines.compiled(None, row.tools.as_ref());
        let compiled = compiled.map_err(|error| BadLine {
            id: row.id(),
            error: error.to_string(),
        })?;
        Ok((row, compiled))
    }

    fn converter<'s>(&'s self, compiled: &'s CompiledDialects) -> Result<Converter<'s>, WireError> {
        let toolbox: Option<&'s Toolbox> = compiled.toolbox.as_deref();
        let from = if self.is_structured {
            SourceForm::Structured
        } else {
            SourceForm::Compiled {
                dialects: &compiled.dialects,
                program: Arc::clone(&compiled.program),
                toolbox,
            }
        };
        let to = match &self.target {
            Target::Chat => TargetForm::Chat,
            Target::Responses => TargetForm::Responses,
            Target::Text(dialect) => TargetForm::Text {
                dialect,
                tools: tool_set(std::slice::from_ref(dialect), toolbox),
                server: default_server(dialect.name()),
            },
        };
        Converter::new(from, to, self.is_checked)
    }

    /// The row with its conversation in the other form.
    fn converted(
        &self,
        row: Row,
        converter: &Converter<'_>,
        report: &mut ConversionReport,
    ) -> Result<Value, BadLine> {
        let id = row.id();
        let bad = |error: WireError| BadLine {
            id,
            error: error.to_string(),
        };
        match row.content() {
            Content::Text(text) => Ok(match converter.message(text, report) {
                ConvertedMessage::Text(text) => row.with_content(Value::String(text)),
                ConvertedMessage::Json(message) => self.with_messages(row, message),
            }),
            Content::Conversation(conversation) => {
                // The list goes to the standard field of its form, unless the caller named the column.
                let is_known = !row.is_encoded && self.columns.content.is_none();
                if is_known && conversation.is_array() && row.document.is_object() {
                    return converter.conversation(row.document, report).map_err(bad);
                }
                let conversation = conversation.clone();
                let list = converter.conversation(conversation, report).map_err(bad)?;
                Ok(row.with_content(list))
            }
        }
    }

    /// A text that became structured: it moves from its column to the standard field of its form.
    fn with_messages(&self, mut row: Row, message: Value) -> Value {
        let (name, list) = match (&self.target, message) {
            (Target::Responses, items) => ("input", items),
            (_, message) => ("messages", Value::Array(vec![message])),
        };
        if let (Value::Object(fields), Some(column)) = (&mut row.document, &row.column) {
            fields.remove(column);
            fields.insert(name.to_owned(), list);
        }
        row.document
    }
}

/// Counts the result of a row, and reports its problems.
fn note(row: u64, id: Value, report: &ConversionReport, output: &mut Output<ConvertTally>) {
    let tally = &mut output.tally;
    tally.calls += report.calls as u64;
    tally.results += report.results as u64;
    tally.left += report.left.len() as u64;
    tally.differ += report.differ as u64;
    tally.doubtful += report.doubtful.len() as u64;
    let (left, doubtful) = (report.left.as_slice(), report.doubtful.as_slice());
    if left.len() + doubtful.len() > 0 {
        let line = ConvertedRow {
            row,
            id,
            left,
            doubtful,
        };
        write_line(&mut output.report, &line);
    }
}
