//! What the engine promises of every dialect, alone and beside all others; no test names one.
//!
//! `TOOLGLOT_CASES` is the number of texts per dialect and property, `TOOLGLOT_SEED` where the generators begin.

#![expect(
    clippy::print_stderr,
    reason = "counts are for whoever runs with --no-capture"
)]

#[path = "../support/mod.rs"]
mod support;

mod bounded;
mod damage;
mod damaged_json;
mod deep;
mod edits;
mod files;
mod for_tools;
mod found;
mod reversible;
mod special;
mod spliced;
mod stream;
mod subjects;
mod texts;
mod truncated;
