//! The tests of the JSON reader through its public API, one module per subject.

mod cuts;
mod document;
mod faults;
mod finished;
mod promises;
mod repairs;
