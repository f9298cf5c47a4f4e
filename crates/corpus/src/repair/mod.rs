//! Rows whose broken calls are written anew.
//!
//! A call in a text is written in its own dialect, and everything around it stays byte for byte. The text is read again: it
//! has to hold the same calls, with fewer notes. Arguments of calls that are beside the text are repaired as JSON, to the
//! schema of their tool. What cannot be repaired stays, and the report says why.

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

/// Writes broken calls anew.
#[derive(Debug)]
pub struct Repair {
    /// What reads rows.
    pub reader: RowReader,
    /// What else decides how rows are read, as the caller names it.
    pub settings: Value,
}

/// What [`Repair`] counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairTally {
    /// Rows.
    pub rows: u64,
    /// Rows that cannot be read.
    pub bad_rows: u64,
    /// Rows that were written anew.
    pub changed_rows: u64,
    /// Calls that were repaired.
    pub repaired: u64,
    /// Calls and messages that stayed as they were, though something is wrong with them.
    pub left: u64,
    /// Calls that were repaired, and whose values are uncertain.
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

/// One call that was repaired.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RepairedCall {
    /// The place of its message in the list; `None` where the row is one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<usize>,
    pub(crate) call: String,
    /// Codes of the notes that are gone.
    pub(crate) notes: Vec<String>,
}

/// What is to be said about a row.
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

/// The schemas of a batch, ready to be used: by their text. `None` is one that cannot be used.
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
    /// The row as it is written, where it is another one now.
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

/// Counts what became of a row, and reports what is to be said about it.
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
