//! The progress of a run, on one line of standard error.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::time::{Duration, Instant};

use toolglot_corpus::Progress;

use crate::cli::args::ProgressWord;

/// How often the line is written at a terminal, and elsewhere.
const AT_TERMINAL: Duration = Duration::from_millis(250);
const ELSEWHERE: Duration = Duration::from_secs(10);

/// The progress line.
pub(super) struct ProgressLine {
    is_shown: bool,
    /// Whether the line is shown even if the run ends before the first line is due.
    is_asked: bool,
    is_terminal: bool,
    start: Instant,
    /// When the line was last written, or when the run started.
    written: Instant,
    /// The length of the last line at a terminal.
    width: usize,
    /// The progress that the last line shows.
    shown: Option<Progress>,
    progress: Progress,
}

impl ProgressLine {
    pub(super) fn new(word: ProgressWord) -> ProgressLine {
        let is_terminal = io::stderr().is_terminal();
        ProgressLine {
            is_shown: match word {
                ProgressWord::Auto => is_terminal,
                ProgressWord::Always => true,
                ProgressWord::Never => false,
            },
            is_asked: word == ProgressWord::Always || !is_terminal,
            is_terminal,
            start: Instant::now(),
            written: Instant::now(),
            width: 0,
            shown: None,
            progress: Progress::default(),
        }
    }

    /// Writes the line if it is due.
    pub(super) fn show(&mut self, progress: &Progress) {
        self.progress = *progress;
        if !self.is_shown {
            return;
        }
        let pause = if self.is_terminal {
            AT_TERMINAL
        } else {
            ELSEWHERE
        };
        if self.written.elapsed() >= pause {
            self.written = Instant::now();
            self.shown = Some(*progress);
            self.write();
        }
    }

    /// Writes the last line, unless it is already shown, and ends the line at a terminal.
    pub(super) fn end(&mut self) {
        if self.is_shown && (self.is_asked || self.shown.is_some()) {
            if self.shown != Some(self.progress) {
                self.write();
            }
            if self.is_terminal {
                let _ = writeln!(io::stderr());
            }
        }
    }

    fn write(&mut self) {
        let line = line(&self.progress, self.start.elapsed());
        // Blanks overwrite the rest of the previous line. Standard error may be closed.
        let width = self.width;
        self.width = line.len();
        let _ = if self.is_terminal {
            let start = if width > 0 { "\r" } else { "" };
            write!(io::stderr(), "{start}{line:<width$}")
        } else {
            writeln!(io::stderr(), "{line}")
        };
    }
}

/// Rows, rows per second, and the time left where the sizes of all inputs are known.
fn line(progress: &Progress, elapsed: Duration) -> String {
    let here = progress.rows - progress.earlier_rows;
    let per_second = u128::from(here) * 1000 / elapsed.as_millis().max(1);
    let mut line = format!("{} rows, {per_second} rows/s", progress.rows);
    if let Some(total) = progress.total_bytes.filter(|total| *total > 0) {
        let read = progress.bytes.min(total);
        let percent = u128::from(read) * 100 / u128::from(total);
        // Rows of an earlier run took none of this time. Their share of the bytes is their share of all rows.
        let read_here = u128::from(read) * u128::from(here) / u128::from(progress.rows.max(1));
        let left = elapsed.as_millis() * u128::from(total - read);
        let left = left.checked_div(read_here).map(|left| clock(left / 1000));
        // Writing to a `String` cannot fail.
        let _ = write!(line, ", {percent} %");
        if let Some(left) = left {
            let _ = write!(line, ", {left} left");
        }
    }
    line
}

/// Seconds as hours, minutes and seconds.
fn clock(seconds: u128) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_an_earlier_run_count_for_no_speed() {
        let mut progress = Progress::default();
        progress.rows = 3_000;
        progress.earlier_rows = 1_000;
        progress.bytes = 60;
        progress.total_bytes = Some(100);
        let line = line(&progress, Duration::from_secs(10));
        assert_eq!(line, "3000 rows, 200 rows/s, 60 %, 0:10 left");
        assert_eq!(clock(3_661), "1:01:01");
    }

    #[test]
    fn without_sizes_there_is_no_time_left() {
        let mut progress = Progress::default();
        progress.rows = 10;
        assert_eq!(
            line(&progress, Duration::from_secs(1)),
            "10 rows, 10 rows/s"
        );
    }
}
