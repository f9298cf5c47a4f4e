//! Tool calls in data sets of any size.
//!
//! A [`Task`] processes rows: [`Check`] reports on each, [`Repair`] rewrites broken calls, [`Convert`] writes
//! conversations in another dialect, [`Count`] computes [`Stats`] and their page. A [`Runner`] reads JSON lines, plain
//! or compressed, and Parquet files. It runs a task over their rows on all cores, and writes the results in the order
//! of the rows. The output bytes do not depend on the number of threads, or on an interruption of the run.
//!
//! A bad row is a row in the report: no row ends a run. [`Limits`] bound the memory.
//!
//! This crate deliberately uses no network and no policy, runs no call, and prints nothing. A caller with its own rows
//! and threads passes a [`Batch`] to [`Task::run`], which is a pure function of its rows.
//!
//! ```
//! use toolglot_chat::{DialectChoice, LineReader, Reader, dialect_named};
//! use toolglot_corpus::{Batch, Columns, Count, RowReader, Task};
//! use toolglot_value::Value;
//!
//! let hermes = DialectChoice::new("hermes", |name| Ok::<_, toolglot_chat::ChatError>(vec![dialect_named(name)?.clone()]))?;
//! let reader = Reader::new(toolglot_dialects::auto().clone());
//! let lines = LineReader::new(reader, hermes, None)?;
//! let count = Count { reader: RowReader::new(lines, Columns::default()), settings: Value::Null };
//!
//! let mut batch = Batch::new(0);
//! batch.push(br#"{"text": "<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>"}"#);
//! batch.push(b"{not json");
//! let stats = count.run(&batch).tally;
//! assert_eq!((stats.rows, stats.bad_rows, stats.calls), (2, 1, 1));
//! # Ok::<(), toolglot_chat::ChatError>(())
//! ```
//!
//! # Features
//!
//! - `parquet`, off by default: Parquet files as inputs.

#![warn(missing_docs)]

mod batch;
mod check;
mod columns;
mod compression;
mod convert;
mod error;
mod folder;
mod input;
mod limits;
mod lines;
#[cfg(feature = "parquet")]
mod parquet_file;
mod reading;
mod repair;
mod row;
mod runner;
mod stats;
mod task;

pub use batch::Batch;
pub use check::{Check, CheckTally, ReportedRows};
pub use columns::Columns;
pub use compression::Compression;
pub use convert::{Convert, ConvertTally, Target};
pub use error::CorpusError;
pub use folder::Folder;
pub use input::Input;
pub use limits::Limits;
pub use reading::RowReader;
pub use repair::{Repair, RepairTally};
pub use runner::{Observer, Progress, Runner, Streams, Summary};
pub use stats::{ArgumentCounts, Count, Histogram, Names, Stats};
pub use task::{Output, Tally, Task, Written};

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
