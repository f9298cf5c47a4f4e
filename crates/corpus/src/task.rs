//! The processing of rows.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolglot_value::Value;
use toolglot_wire::BadLine;

use crate::batch::{Batch, RawRow};

/// The processing of rows, on any number of threads that share it.
pub trait Task: Sync {
    /// The counts.
    type Tally: Tally;

    /// Processes the rows of a batch. The result depends only on them.
    fn run(&self, batch: &Batch) -> Output<Self::Tally>;

    /// All settings that affect the output: a run is resumed only with the same settings.
    fn settings(&self) -> Value;

    /// The kind of output.
    fn writes(&self) -> Written;

    /// The columns that it reads.
    fn columns(&self) -> &crate::Columns;
}

/// The kind of output of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Only counts.
    Nothing,
    /// A report.
    Report,
    /// The rewritten rows, and a report.
    Rows,
}

/// The counts over all rows.
pub trait Tally: Clone + Default + Send + Serialize + DeserializeOwned {
    /// Adds the counts of later rows.
    fn add(&mut self, later: Self);

    /// The number of rows.
    fn rows(&self) -> u64;

    /// Whether a row is bad, or a call truncated, unknown or invalid.
    fn is_faulty(&self) -> bool;
}

/// The result for the rows of a batch.
#[derive(Clone, Debug, Default)]
pub struct Output<T> {
    /// Lines of JSON: the rows, or the report if that is the only output.
    pub data: Vec<u8>,
    /// Lines of JSON about rows that are bad, changed or not converted.
    pub report: Vec<u8>,
    /// The counts.
    pub tally: T,
}

/// Processes a row. A panic is an error of the row and does not end the run.
pub(crate) fn guarded<T>(
    row: RawRow<'_>,
    work: impl FnOnce(RawRow<'_>) -> Result<T, BadLine>,
) -> Result<T, BadLine> {
    catch_unwind(AssertUnwindSafe(|| work(row))).unwrap_or_else(|panic| {
        Err(BadLine {
            id: Value::Null,
            error: format!("internal error, please report it: {}", message(&*panic)),
        })
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    let text = owned.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message")
}

/// Writes a value as one line of JSON. Writing to memory cannot fail.
pub(crate) fn write_line(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(&mut *out, value).expect("a value of ours is JSON, and memory takes it");
    out.push(b'\n');
}
