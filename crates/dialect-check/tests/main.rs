//! The tests of the crate, one module per subject.

mod documents;
mod formats;
mod grammars;
mod samples;
