//! Corpora, read and written as files, one module per subject.

mod archives;
mod convert;
mod corpus;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod repair;
mod resume;
mod rows;
mod threads;
