//! The tests of the engine through its public API, one module per subject.
//!
//! `allocations.rs` is a binary of its own: it replaces the allocator of the process, to count.

mod doubt;
mod fold;
mod grammar;
mod lines;
mod properties;
mod recovery;
mod results;
