//! The tests of schemas through their public API, one module per subject.

mod any_schema;
mod files;
mod values;
