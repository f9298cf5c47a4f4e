//! Rewrites the broken calls of rows.
//!
//! A call in a text is rewritten in its own dialect, and everything around it stays byte for byte. The result is read
//! again: it must contain the same calls, with fewer notes. Arguments of structured calls are repaired as JSON, to the
//! schema of their tool. A call that cannot be repaired stays, and the report gives the reason.

mod arguments;
mod message;
mod text;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolglot_repair::SchemaTarget;
use toolglot_value::{Value, json};
use toolglot_wire::BadLine;

use crate::Columns;
use crate::batch::{Batch, RawRow};
use crate::check::BadRow;
use crate::reading::RowReader;
use crate::row::{Content, Row};
use crate::task::{Output, Tally, Task, Written, guarded, write_line};
pub(crate) use text::TextRepair;

/// Rewrites broken calls.
#[derive(Debug)]
pub struct Repair {
    /// The reader of rows.
    pub reader: RowReader,
    /// Further settings of the reader, in the caller's form.
    pub settings: Value,
}

/// The counts of [`Repair`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairTally {
    /// Rows.
    pub rows: u64,
    /// Rows that cannot be read.
    pub bad_rows: u64,
    /// Rewritten rows.
    pub changed_rows: u64,
    /// Calls that were repaired.
    pub repaired: u64,
    /// Faulty calls and messages that were not changed.
    pub left: u64,
    /// Repaired calls with uncertain values.
    pub doubtful: u64,
}

impl Tally for RepairTally {
    fn add(&mut self, later: RepairTally) {
        self.rows += later.rows;
        self.bad_rows += later.bad_rows;
        self.changed_rows += later.changed_rows;
        self.repaired += later.repaired;
        self.left += later.left;
        self.doubtful += later.doubtful;
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn is_faulty(&self) -> bool {
        self.bad_rows + self.left > 0
    }
}

/// One repaired call.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RepairedCall {
    /// The index of its message in the list; `None` if the row is one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<usize>,
    pub(crate) call: String,
    /// Codes of the notes that the repair removed.
    pub(crate) notes: Vec<String>,
}

/// The report on a row.
#[derive(Debug, Default)]
pub(crate) struct RowReport {
    pub(crate) repaired: Vec<RepairedCall>,
    pub(crate) left: Vec<String>,
    pub(crate) doubtful: Vec<String>,
}

#[derive(Serialize)]
struct ReportLine<'r> {
    row: u64,
    id: Value,
    #[serde(skip_serializing_if = "<[RepairedCall]>::is_empty")]
    repaired: &'r [RepairedCall],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    left: &'r [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    doubtful: &'r [String],
}

/// The prepared schemas of a batch, by their text. `None` is an unusable schema.
pub(crate) type Targets = RefCell<HashMap<String, Option<Arc<SchemaTarget>>>>;

impl Task for Repair {
    type Tally = RepairTally;

    fn run(&self, batch: &Batch) -> Output<RepairTally> {
        let targets = Targets::default();
        let mut output = Output::<RepairTally>::default();
        for raw in batch.rows() {
            output.tally.rows += 1;
            match guarded(raw, |raw| self.row(raw, &targets)) {
                Ok((document, id, report)) => {
                    if let Some(document) = &document {
                        write_line(&mut output.data, document);
                    } else {
                        output.data.extend_from_slice(raw.text.trim_ascii());
                        output.data.push(b'\n');
                    }
                    count(raw.number, id, document.is_some(), &report, &mut output);
                }
                Err(bad) => {
                    output.tally.bad_rows += 1;
                    write_line(&mut output.data, &bad);
                    let BadLine { id, error } = bad;
                    let row = raw.number;
                    write_line(&mut output.report, &BadRow { row, id, error });
                }
            }
        }
        output
    }

    fn settings(&self) -> Value {
        json!({"task": "repair", "reading": self.settings})
    }

    fn writes(&self) -> Written {
        Written::Rows
    }

    fn columns(&self) -> &Columns {
        &self.reader.columns
    }
}

impl Repair {
    /// The output row, if it changed.
    fn row(
        &self,
        raw: RawRow<'_>,
        targets: &Targets,
    ) -> Result<(Option<Value>, Value, RowReport), BadLine> {
        let row = Row::read(raw, &self.reader.columns)?;
        let id = row.id();
        let bad = |error: String| BadLine {
            id: id.clone(),
            error,
        };
        let mut report = RowReport::default();
        let content = match row.content() {
            Content::Text(text) => {
                let line = row.line(text)?;
                let compiled = self
                    .reader
                    .lines
                    .compiled(line.dialect.as_deref(), line.tools.as_ref());
                let compiled = compiled.map_err(|error| bad(error.to_string()))?;
                let reader = self.reader.lines.reader_of_line(&compiled, &line);
                let reader = reader.map_err(|error| bad(error.to_string()))?;
                let repair = TextRepair::new(&reader, &compiled, text);
                repair.run(None, &mut report).map(Value::String)
            }
            Content::Conversation(conversation) => {
                let compiled = self.reader.lines.compiled(None, row.tools.as_ref());
                let compiled = compiled.map_err(|error| bad(error.to_string()))?;
                let reader = self.reader.lines.reader_of(&compiled);
                let repair = message::ConversationRepair {
                    reader: &reader,
                    compiled: &compiled,
                    targets,
                };
                repair
                    .run(conversation, &mut report)
                    .map_err(|error| bad(error.to_string()))?
            }
        };
        Ok((content.map(|content| row.with_content(content)), id, report))
    }
}

/// Counts the result of a row, and reports its problems.
fn count(
    row: u64,
    id: Value,
    is_changed: bool,
    report: &RowReport,
    output: &mut Output<RepairTally>,
) {
    let RowReport {
        repaired,
        left,
        doubtful,
    } = report;
    output.tally.changed_rows += u64::from(is_changed);
    output.tally.repaired += repaired.len() as u64;
    output.tally.left += left.len() as u64;
    output.tally.doubtful += doubtful.len() as u64;
    if repaired.len() + left.len() + doubtful.len() > 0 {
        let line = ReportLine {
            row,
            id,
            repaired,
            left,
            doubtful,
        };
        write_line(&mut output.report, &line);
    }
}
