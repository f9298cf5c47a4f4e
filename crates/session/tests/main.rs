//! The tests of sessions through their public API, one module per subject.
//!
//! `memory.rs` is a binary of its own: it replaces the allocator of the process, to count.

mod scenarios;
mod sessions;
