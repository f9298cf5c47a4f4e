//! A report on every row: one JSON document each, as in `parse --jsonl`.

use serde::{Deserialize, Serialize};
use toolglot_value::{Value, json};
use toolglot_wire::{BadLine, CallDocument, Document, NoteLine};

use crate::Columns;
use crate::batch::Batch;
use crate::reading::{RowReader, RowReading};
use crate::row::Row;
use crate::task::{Output, Tally, Task, Written, guarded, write_line};

/// The rows in a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportedRows {
    /// All rows.
    #[default]
    All,
    /// Rows with a note, and faulty rows.
    Noted,
    /// Rows with a truncated, unknown or invalid call, and bad rows.
    Faulty,
}

/// Reports the calls of each row, and their faults.
#[derive(Debug)]
pub struct Check {
    /// The reader of rows.
    pub reader: RowReader,
    /// Which rows are reported.
    pub rows: ReportedRows,
    /// Whether a row with a note is faulty.
    pub is_strict: bool,
    /// Further settings of the reader, in the caller's form.
    pub settings: Value,
}

/// The counts of [`Check`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckTally {
    /// Rows.
    pub rows: u64,
    /// Rows that cannot be read.
    pub bad_rows: u64,
    /// Rows with a truncated, unknown or invalid call, or an unreadable message.
    pub faulty_rows: u64,
    /// Rows with notes and without a fault.
    pub noted_rows: u64,
    /// Calls.
    pub calls: u64,
}

impl Tally for CheckTally {
    fn add(&mut self, later: CheckTally) {
        self.rows += later.rows;
        self.bad_rows += later.bad_rows;
        self.faulty_rows += later.faulty_rows;
        self.noted_rows += later.noted_rows;
        self.calls += later.calls;
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn is_faulty(&self) -> bool {
        self.bad_rows + self.faulty_rows > 0
    }
}

/// A row with one text.
#[derive(Serialize)]
struct TextReport<'d> {
    row: u64,
    #[serde(flatten)]
    document: &'d Document,
}

/// A row with a conversation.
#[derive(Serialize)]
struct ConversationReport<'d> {
    row: u64,
    schema: u32,
    id: Value,
    messages: Vec<MessageReport<'d>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum MessageReport<'d> {
    Read {
        message: usize,
        dialect: Option<&'d str>,
        calls: &'d [CallDocument],
        content: &'d str,
        reasoning: &'d str,
        notes: &'d [NoteLine],
    },
    Unread {
        message: usize,
        error: &'d str,
    },
}

/// A row that cannot be read.
#[derive(Serialize)]
pub(crate) struct BadRow {
    pub(crate) row: u64,
    pub(crate) id: Value,
    pub(crate) error: String,
}

impl Task for Check {
    type Tally = CheckTally;

    fn run(&self, batch: &Batch) -> Output<CheckTally> {
        let mut output = Output::<CheckTally>::default();
        for raw in batch.rows() {
            output.tally.rows += 1;
            let read = guarded(raw, |raw| {
                let row = Row::read(raw, &self.reader.columns)?;
                Ok((row.id(), self.reader.read(&row)?))
            });
            match read {
                Ok((id, reading)) => self.report(raw.number, id, &reading, &mut output),
                Err(BadLine { id, error }) => {
                    output.tally.bad_rows += 1;
                    let row = raw.number;
                    write_line(&mut output.data, &BadRow { row, id, error });
                }
            }
        }
        output
    }

    fn settings(&self) -> Value {
        let rows = match self.rows {
            ReportedRows::All => "all",
            ReportedRows::Noted => "noted",
            ReportedRows::Faulty => "faulty",
        };
        json!({"task": "check", "rows": rows, "strict": self.is_strict, "reading": self.settings})
    }

    fn writes(&self) -> Written {
        Written::Report
    }

    fn columns(&self) -> &Columns {
        &self.reader.columns
    }
}

impl Check {
    fn report(&self, row: u64, id: Value, reading: &RowReading, output: &mut Output<CheckTally>) {
        let digests = reading.digests();
        let has_note = digests
            .iter()
            .any(|digest| !digest.document.notes.is_empty());
        let is_faulty = reading.is_faulty() || self.is_strict && has_note;
        let calls = digests
            .iter()
            .map(|digest| digest.document.calls.len() as u64);
        output.tally.calls += calls.sum::<u64>();
        output.tally.faulty_rows += u64::from(is_faulty);
        output.tally.noted_rows += u64::from(has_note && !is_faulty);
        let is_reported = match self.rows {
            ReportedRows::All => true,
            ReportedRows::Noted => is_faulty || has_note,
            ReportedRows::Faulty => is_faulty,
        };
        if !is_reported {
            return;
        }
        match reading {
            RowReading::Text(digest) => {
                let document = &digest.document;
                write_line(&mut output.data, &TextReport { row, document });
            }
            RowReading::Conversation(messages) => {
                let messages = messages.iter().map(|message| match &message.digest {
                    Ok(digest) => MessageReport::Read {
                        message: message.at,
                        dialect: digest.document.dialect.as_deref(),
                        calls: &digest.document.calls,
                        content: &digest.document.content,
                        reasoning: &digest.document.reasoning,
                        notes: &digest.document.notes,
                    },
                    Err(error) => MessageReport::Unread {
                        message: message.at,
                        error,
                    },
                });
                let report = ConversationReport {
                    row,
                    schema: 1,
                    id,
                    messages: messages.collect(),
                };
                write_line(&mut output.data, &report);
            }
        }
    }
}
