//! Limits of the memory.

/// Limits of the part of an input that is in memory.
///
/// A run holds at most `threads + 2` batches and their outputs. A batch is being read, is being processed, or waits for
/// an earlier one to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of rows in a batch.
    pub batch_rows: usize,
    /// A batch with this many bytes gets no further row, so it has fewer bytes than this plus one row.
    pub batch_bytes: usize,
    /// A longer row is not stored: it is bad.
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
