//! How much a dialect file may hold. A file comes from anywhere; what it costs to compile is bounded by these.
//!
//! The largest dialect that ships has 2 KiB and a tenth of these terms.

/// Bytes of a file.
pub(super) const FILE: usize = 128 << 10;
/// Dialects of a file.
pub(super) const DIALECTS: usize = 128;
/// Terms of a dialect, with those that it takes from its base; and once more where rules stand in the place of their names.
pub(crate) const TERMS: usize = 4096;
/// Groups, loops and rules inside each other.
pub(crate) const DEPTH: usize = 64;
/// Names that a setting lists.
pub(super) const NAMES: usize = 512;
