//! The tests of tool files through their public API, one module per subject.

mod files;
mod format;
