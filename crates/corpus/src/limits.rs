//! How much is held at once.

/// How much of an input is held at once.
///
/// A run holds at most `threads + 2` batches and their outputs: the one that is read, those that are worked on, and those that
/// wait for an earlier one to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many rows a batch has at most.
    pub batch_rows: usize,
    /// A batch gets no further row once it has so many bytes. So it has fewer than this and one row more.
    pub batch_bytes: usize,
    /// A longer row is not held: it is bad.
    pub row_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            batch_rows: 1024,
            batch_bytes: 1 << 20,
            row_bytes: 64 << 20,
        }
    }
}
