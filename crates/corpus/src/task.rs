//! What is done with rows.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolglot_value::Value;
use toolglot_wire::BadLine;

use crate::batch::{Batch, RawRow};

/// What is done with rows, on as many threads as share it.
pub trait Task: Sync {
    /// What is counted.
    type Tally: Tally;

    /// What the rows of a batch become. It depends on nothing but them.
    fn run(&self, batch: &Batch) -> Output<Self::Tally>;

    /// All that decides the output beside the rows: a run continues only where these are as they were.
    fn settings(&self) -> Value;

    /// What is written.
    fn writes(&self) -> Written;

    /// Which columns it reads.
    fn columns(&self) -> &crate::Columns;
}

/// What a task writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing: it only counts.
    Nothing,
    /// A report.
    Report,
    /// Each row anew, and a report beside.
    Rows,
}

/// What is counted over all rows.
pub trait Tally: Clone + Default + Send + Serialize + DeserializeOwned {
    /// Adds what was counted of later rows.
    fn add(&mut self, later: Self);

    /// How many rows there were.
    fn rows(&self) -> u64;

    /// Whether a row is bad, or a call truncated, unknown or invalid.
    fn is_faulty(&self) -> bool;
}

/// What the rows of a batch became.
#[derive(Clone, Debug, Default)]
pub struct Output<T> {
    /// Lines of JSON: the rows, or the report where that is all.
    pub data: Vec<u8>,
    /// Lines of JSON about rows that are bad, were changed, or were not carried.
    pub report: Vec<u8>,
    /// What was counted.
    pub tally: T,
}

/// Does something with a row. A panic is an error of the row: it ends no run.
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

/// Writes a value as one line of JSON. Memory takes all of it.
pub(crate) fn write_line(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(&mut *out, value).expect("a value of ours is JSON, and memory takes it");
    out.push(b'\n');
}
