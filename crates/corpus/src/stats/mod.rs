//! Statistics of a corpus.

mod chart;
mod histogram;
mod names;
mod page;
mod summary;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toolglot_chat::Digest;
use toolglot_engine::{Call, Code, End, Place};
use toolglot_value::{Value, json};
use toolglot_wire::BadLine;

use crate::Columns;
use crate::batch::Batch;
use crate::reading::{RowReader, RowReading};
use crate::row::Row;
use crate::task::{Output, Tally, Task, Written, guarded};
pub use histogram::Histogram;
pub use names::Names;

/// Counts the contents of rows.
#[derive(Debug)]
pub struct Count {
    /// The reader of rows.
    pub reader: RowReader,
    /// Further settings of the reader, in the caller's form.
    pub settings: Value,
}

/// Statistics of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Stats {
    /// Rows.
    pub rows: u64,
    /// Bytes of the rows, uncompressed.
    pub bytes: u64,
    /// Rows that cannot be read.
    pub bad_rows: u64,
    /// Why they cannot be read.
    pub errors: Names,
    /// Rows with a truncated, unknown or invalid call, or an unreadable message.
    pub faulty_rows: u64,
    /// Rows with their own tools.
    pub rows_with_tools: u64,
    /// Rows by their number of calls.
    pub calls_per_row: Histogram,
    /// Parsed texts and messages of the assistant.
    pub messages: u64,
    /// Messages that cannot be read.
    pub unread_messages: u64,
    /// Calls.
    pub calls: u64,
    /// Calls by dialect; `openai` is a structured call.
    pub dialects: BTreeMap<String, u64>,
    /// Calls by their end.
    pub ends: BTreeMap<String, u64>,
    /// Calls by their place.
    pub places: BTreeMap<String, u64>,
    /// Notes by code.
    pub notes: BTreeMap<String, u64>,
    /// Calls by the tool's name, in its written form.
    pub tools: Names,
    /// Calls of tools that are not on the list.
    pub unknown_tools: Names,
    /// Arguments by validity.
    pub arguments: ArgumentCounts,
    /// Calls with invalid arguments, by the tool's name.
    pub invalid_tools: Names,
    /// Calls by the number of bytes of their arguments.
    pub argument_bytes: Histogram,
}

/// Calls by the result of validation against the schema of their tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArgumentCounts {
    /// They fit.
    pub valid: u64,
    /// They do not fit.
    pub invalid: u64,
    /// The tool is not on the list.
    pub unknown_tool: u64,
    /// The call is truncated.
    pub truncated: u64,
    /// There is no list of tools.
    pub unchecked: u64,
}

impl Tally for Stats {
    fn add(&mut self, later: Stats) {
        self.rows += later.rows;
        self.bytes += later.bytes;
        self.bad_rows += later.bad_rows;
        self.errors.add(later.errors);
        self.faulty_rows += later.faulty_rows;
        self.rows_with_tools += later.rows_with_tools;
        self.calls_per_row.add(&later.calls_per_row);
        self.messages += later.messages;
        self.unread_messages += later.unread_messages;
        self.calls += later.calls;
        add(&mut self.dialects, later.dialects);
        add(&mut self.ends, later.ends);
        add(&mut self.places, later.places);
        add(&mut self.notes, later.notes);
        self.tools.add(later.tools);
        self.unknown_tools.add(later.unknown_tools);
        self.arguments.valid += later.arguments.valid;
        self.arguments.invalid += later.arguments.invalid;
        self.arguments.unknown_tool += later.arguments.unknown_tool;
        self.arguments.truncated += later.arguments.truncated;
        self.arguments.unchecked += later.arguments.unchecked;
        self.invalid_tools.add(later.invalid_tools);
        self.argument_bytes.add(&later.argument_bytes);
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn is_faulty(&self) -> bool {
        self.bad_rows + self.faulty_rows > 0
    }
}

fn add(counts: &mut BTreeMap<String, u64>, later: BTreeMap<String, u64>) {
    for (name, n) in later {
        *counts.entry(name).or_default() += n;
    }
}

/// Increments a count, without a new string if the name exists.
fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(n) => *n += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

impl Task for Count {
    type Tally = Stats;

    fn run(&self, batch: &Batch) -> Output<Stats> {
        let mut stats = Stats::default();
        for raw in batch.rows() {
            stats.rows += 1;
            stats.bytes += raw.overlong.unwrap_or(raw.text.len() as u64);
            let read = guarded(raw, |raw| {
                let row = Row::read(raw, &self.reader.columns)?;
                Ok((row.tools.is_some(), self.reader.read(&row)?))
            });
            match read {
                Ok((has_tools, reading)) => {
                    stats.rows_with_tools += u64::from(has_tools);
                    stats.row(&reading);
                }
                Err(BadLine { error, .. }) => {
                    stats.bad_rows += 1;
                    stats.errors.count(&error);
                }
            }
        }
        Output {
            tally: stats,
            ..Output::default()
        }
    }

    fn settings(&self) -> Value {
        json!({"task": "stats", "reading": self.settings})
    }

    fn writes(&self) -> Written {
        Written::Nothing
    }

    fn columns(&self) -> &Columns {
        &self.reader.columns
    }
}

impl Stats {
    fn row(&mut self, reading: &RowReading) {
        self.faulty_rows += u64::from(reading.is_faulty());
        if let RowReading::Conversation(messages) = reading {
            let unread = messages.iter().filter(|message| message.digest.is_err());
            self.unread_messages += unread.count() as u64;
        }
        let digests = reading.digests();
        let calls: usize = digests
            .iter()
            .map(|digest| digest.message.calls.len())
            .sum();
        self.calls_per_row.count(calls as u64);
        for digest in digests {
            self.message(digest);
        }
    }

    fn message(&mut self, digest: &Digest) {
        self.messages += 1;
        for note in &digest.document.notes {
            count(&mut self.notes, &note.code);
        }
        for call in &digest.message.calls {
            self.call(call, digest.is_verified);
        }
    }

    fn call(&mut self, call: &Call, is_verified: bool) {
        self.calls += 1;
        count(&mut self.dialects, &call.dialect);
        count(&mut self.ends, end(call.end));
        count(&mut self.places, place(call.place));
        self.tools.count(&call.name);
        self.argument_bytes.count(call.arguments.len() as u64);
        let has = |codes: &[Code]| call.notes.iter().any(|note| codes.contains(&note.code));
        let arguments = &mut self.arguments;
        if call.end == End::Truncated {
            arguments.truncated += 1;
        } else if has(&[Code::UnknownTool]) {
            arguments.unknown_tool += 1;
            self.unknown_tools.count(&call.name);
        } else if has(&[
            Code::InvalidArguments,
            Code::MissingParameter,
            Code::UnknownParameter,
        ]) {
            arguments.invalid += 1;
            self.invalid_tools.count(&call.name);
        } else if is_verified {
            arguments.valid += 1;
        } else {
            arguments.unchecked += 1;
        }
    }
}

fn end(end: End) -> &'static str {
    match end {
        End::Closed => "closed",
        End::Recovered => "recovered",
        End::Truncated => "truncated",
    }
}

fn place(place: Place) -> &'static str {
    match place {
        Place::Answer => "answer",
        Place::Reasoning => "reasoning",
        Place::Code => "code",
    }
}
