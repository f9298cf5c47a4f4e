//! The caps on what one call may read, visit and return.

use std::time::Duration;

/// The caps on what one call may read, visit and return. Where one is reached, the outcome says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What one call returns, in bytes: file content, names of files, matching lines with those around them.
    /// The last line or name may reach beyond it.
    pub output_bytes: usize,
    /// The largest file that is written, appended to or searched, in bytes.
    pub file_bytes: u64,
    /// What one call reads in all, in bytes: lines after it are neither found nor counted.
    pub scan_bytes: u64,
    /// A line as far as it is searched, in bytes.
    pub line_bytes: usize,
    /// A line as far as a match shows it, in bytes.
    pub shown_line_bytes: usize,
    /// Entries that `list_files` returns.
    pub entries: usize,
    /// Entries that a call visits.
    pub visits: usize,
    /// Levels of directories that a call goes down. Each holds one file descriptor.
    pub depth: usize,
    /// Matching lines that `search_files` returns.
    pub matches: usize,
    /// Lines around a match.
    pub context_lines: u64,
    /// Memory of a compiled regular expression, in bytes.
    pub regex_bytes: usize,
    /// For how long `search_files` takes up new lines.
    pub search_time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            output_bytes: 256 << 10,
            file_bytes: 64 << 20,
            scan_bytes: 256 << 20,
            line_bytes: 64 << 10,
            shown_line_bytes: 400,
            entries: 2_000,
            visits: 200_000,
            depth: 64,
            matches: 500,
            context_lines: 20,
            regex_bytes: 4 << 20,
            search_time: Duration::from_secs(20),
        }
    }
}
