//! The limits on the work and the results of one call.

use std::time::Duration;

/// The limits on the work and the results of one call. Where a limit is reached, the outcome says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes that one call returns: file content, file names, matching lines with their context. The last line
    /// or name may exceed it.
    pub output_bytes: usize,
    /// The largest file to write, append to or search, in bytes.
    pub file_bytes: u64,
    /// The most bytes that one call reads: later lines are neither found nor counted.
    pub scan_bytes: u64,
    /// How many bytes of a line are searched.
    pub line_bytes: usize,
    /// How many bytes of a line a match shows.
    pub shown_line_bytes: usize,
    /// The most entries that `list_files` returns.
    pub entries: usize,
    /// The most entries that a call visits.
    pub visits: usize,
    /// The most levels of directories that a call enters. Each level holds one file descriptor.
    pub depth: usize,
    /// The most matching lines that `search_files` returns.
    pub matches: usize,
    /// The most lines of context before and after a match.
    pub context_lines: u64,
    /// Memory of a compiled regular expression, in bytes.
    pub regex_bytes: usize,
    /// After this time `search_files` reads no new line.
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
