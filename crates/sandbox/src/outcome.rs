//! The outcome of a command.

use std::time::Duration;

/// The outcome of a command that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessOutcome {
    /// How the command ended.
    pub exit: Exit,
    /// The standard output; empty where it went into another command.
    pub stdout: CapturedOutput,
    /// The standard error.
    pub stderr: CapturedOutput,
    /// The number of processes that it left behind; they were killed.
    pub n_left: u32,
    /// The time from the start of the command to its end.
    pub duration: Duration,
}

impl ProcessOutcome {
    /// Whether the command exited with code 0.
    pub fn is_success(&self) -> bool {
        self.exit == Exit::Code(0)
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exit {
    /// The command exited with this code.
    Code(i32),
    /// A signal with this number ended it; the system's limits send such signals too.
    Signal(i32),
    /// The command was killed because its time was up.
    TimedOut,
    /// The command was killed because the caller cancelled it.
    Cancelled,
}

/// The stored part of a stream: its start and its end, if it was longer than allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    head: Vec<u8>,
    tail: std::collections::VecDeque<u8>,
    n_cut: u64,
}

impl CapturedOutput {
    /// Adds more of the stream, so that at most `limit` bytes are stored.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "only programs in a sandbox need it")
    )]
    pub(crate) fn take(&mut self, bytes: &[u8], limit: usize) {
        let n_head = limit
            .div_ceil(2)
            .saturating_sub(self.head.len())
            .min(bytes.len());
        let (head, rest) = bytes.split_at(n_head);
        self.head.extend_from_slice(head);
        let n_tail = limit / 2;
        let skipped = rest.len().saturating_sub(n_tail);
        let dropped = (self.tail.len() + rest.len() - skipped).saturating_sub(n_tail);
        self.tail.drain(..dropped);
        self.tail.extend(&rest[skipped..]);
        self.n_cut += (skipped + dropped) as u64;
    }

    /// Adds a text of toolglot, whatever the limit.
    pub(crate) fn append(&mut self, text: &str) {
        let last = self.tail.back().or(self.head.last());
        if !text.is_empty() && last.is_some_and(|byte| *byte != b'\n') {
            self.tail.push_back(b'\n');
        }
        self.tail.extend(text.as_bytes());
    }

    /// The number of bytes that are left out between the start and the end.
    pub fn n_cut(&self) -> u64 {
        self.n_cut
    }

    /// The number of bytes of the whole stream.
    pub fn n_total(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.n_cut
    }

    /// The start, and the end if something was left out between them.
    pub fn parts(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        let tail = self.tail.iter().copied();
        if self.n_cut == 0 {
            return (self.head.iter().copied().chain(tail).collect(), None);
        }
        (self.head.clone(), Some(tail.collect()))
    }

    /// The stream as text, with a line that states how much is left out; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> String {
        let (head, tail) = self.parts();
        let mut text = String::from_utf8_lossy(&head).into_owned();
        if let Some(tail) = tail {
            use std::fmt::Write;
            let _ = write!(
                text,
                "\n[... {} bytes of {} were cut here ...]\n",
                self.n_cut,
                self.n_total()
            );
            text.push_str(&String::from_utf8_lossy(&tail));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::CapturedOutput;

    #[test]
    fn the_beginning_and_the_end_stay_however_the_stream_was_cut() {
        let stream: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for limit in [0, 1, 2, 7, 100, 999, 1000, 1001] {
            for chunk in [1, 3, 64, 1000] {
                let mut output = CapturedOutput::default();
                for piece in stream.chunks(chunk) {
                    output.take(piece, limit);
                }
                assert_eq!(output.n_total(), 1000);
                let (head, tail) = output.parts();
                let tail = tail.unwrap_or_default();
                assert_eq!(output.n_cut(), 1000_u64.saturating_sub(limit as u64));
                assert!(stream.starts_with(&head), "{limit} {chunk}");
                assert!(stream.ends_with(&tail), "{limit} {chunk}");
            }
        }
    }

    #[test]
    fn a_remark_starts_a_line_and_is_never_cut() {
        for (written, remark, expected) in [
            ("", "", ""),
            ("", "[a]\n", "[a]\n"),
            ("x", "", "x"),
            ("x", "[a]\n", "x\n[a]\n"),
            ("x\n", "[a]\n", "x\n[a]\n"),
            ("xyz", "[a]\n", "xyz\n[a]\n"),
            ("xyz\n", "[a]\n", "xyz\n[a]\n"),
        ] {
            for limit in [2, 4, 100] {
                let mut output = CapturedOutput::default();
                output.take(written.as_bytes(), limit);
                output.append(remark);
                let text = output.text();
                if written.len() <= limit {
                    assert_eq!(text, expected, "{limit}");
                }
                assert!(text.ends_with(remark), "{text}");
            }
        }
    }
}
