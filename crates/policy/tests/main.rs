//! The tests of policies through their public API, one module per subject.

mod carriers;
mod files;
mod rules;
mod surveys;
mod verdicts;
