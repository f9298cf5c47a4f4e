//! Bounds of a dialect file. A file may be untrusted, so these bounds limit the cost of compiling it.
//!
//! The largest dialect that ships has 2.6 KB and a tenth of these terms.

/// Bytes of a file.
pub(super) const FILE: usize = 128 << 10;
/// Dialects of a file.
pub(super) const DIALECTS: usize = 128;
/// Terms of a dialect, inherited ones included. The same bound holds after rules are inlined.
pub(super) const TERMS: usize = 4096;
/// Nested groups, loops and rules.
pub(super) const DEPTH: usize = 64;
/// Names that a setting lists.
pub(super) const NAMES: usize = 512;
