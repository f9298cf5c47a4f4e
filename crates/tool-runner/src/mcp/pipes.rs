//! The two pipes of a server's program: only the thread that waits for a response reads and writes them.

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use toolglot_mcp::client::{Heard, Lines, Trouble, Wire};
use toolglot_mcp::message::Message;
use toolglot_value::Value;

/// A longer line is not a message.
const MAX_LINE: usize = 64 << 20;
/// The bytes of one read.
const PIECE: usize = 64 << 10;

/// The host's ends of the pipes.
pub(super) struct Pipes {
    input: File,
    output: File,
    /// Bytes for the server, and how many of them it has taken.
    unsent: (Vec<u8>, usize),
    lines: Lines,
    piece: Box<[u8]>,
    /// Readable after the server has ended; then its final event is there, too.
    is_gone: PipeReader,
    last_word: Receiver<Heard>,
    /// The final event: every later receive returns it.
    over: Option<Heard>,
}

/// Reports the end of the server; the watching thread has it.
pub(super) struct End {
    word: Sender<Heard>,
    /// Its drop makes `is_gone` readable.
    _gone: PipeWriter,
}

impl End {
    /// Sends the final event of the server.
    pub(super) fn tell(self, word: Heard) {
        let _ = self.word.send(word);
    }
}

impl Pipes {
    /// Opens the pipes `in` and `out` of a folder.
    pub(super) fn open(folder: &Path) -> io::Result<(Pipes, End)> {
        let open = |name: &str| {
            // Opens both ends at once, so that it does not wait for the other side.
            OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
                .open(folder.join(name))
        };
        let (is_gone, gone) = io::pipe()?;
        let (word, last_word) = channel();
        let pipes = Pipes {
            input: open("in")?,
            output: open("out")?,
            unsent: (Vec::new(), 0),
            lines: Lines::new(MAX_LINE),
            piece: vec![0; PIECE].into(),
            is_gone,
            last_word,
            over: None,
        };
        Ok((pipes, End { word, _gone: gone }))
    }

    /// Waits until the server has ended, at most `most`.
    pub(super) fn wait_for_end(&self, most: Duration) {
        let until = Instant::now() + most;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut fds = [PollFd::new(&self.is_gone, PollFlags::IN)];
            let n = poll(&mut fds, Timespec::try_from(left).ok().as_ref());
            if left.is_zero() || n.is_ok_and(|n| n > 0) {
                return;
            }
        }
    }

    /// Writes as much as the server takes now.
    fn flush(&mut self) {
        let (bytes, n_sent) = &mut self.unsent;
        while *n_sent < bytes.len() {
            match self.input.write(&bytes[*n_sent..]) {
                Ok(n) => *n_sent += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The pipe is full, or has no reader; the server's end is reported separately.
                Err(_) => return,
            }
        }
        bytes.clear();
        *n_sent = 0;
    }

    /// Reads once; returns whether there were bytes.
    fn fill(&mut self) -> bool {
        loop {
            match self.output.read(&mut self.piece) {
                Ok(0) => return false,
                Ok(n) => {
                    self.lines.push(&self.piece[..n]);
                    return true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }

    /// The next received line, or the final event of an ended server.
    fn next(&mut self) -> Option<Heard> {
        if self.over.is_some() {
            return self.over.clone();
        }
        let event = self.lines.take();
        if let Some(Heard::Failed(_)) = &event {
            self.over.clone_from(&event);
        }
        event
    }

    /// Waits for the server, then writes and reads. Returns whether it has ended.
    fn wait(&mut self, most: Duration) -> bool {
        let mut fds = vec![
            PollFd::new(&self.output, PollFlags::IN),
            PollFd::new(&self.is_gone, PollFlags::IN),
        ];
        if !self.unsent.0.is_empty() {
            fds.push(PollFd::new(&self.input, PollFlags::OUT));
        }
        if poll(&mut fds, Timespec::try_from(most).ok().as_ref()).is_err() {
            return false;
        }
        let is_ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        let (is_gone, takes) = (is_ready(1), is_ready(2));
        if takes {
            self.flush();
        }
        // Lines that the server wrote before its end are received first.
        !self.fill() && is_gone
    }
}

impl Wire for Pipes {
    fn send(&mut self, message: &Message) -> Result<(), Trouble> {
        let value: Value = message.write();
        // A write to a vector cannot fail.
        let _ = serde_json::to_writer(&mut self.unsent.0, &value);
        self.unsent.0.push(b'\n');
        self.flush();
        Ok(())
    }

    fn heard(&mut self, wait: Duration) -> Heard {
        let until = Instant::now() + wait;
        loop {
            if let Some(event) = self.next() {
                return event;
            }
            let left = until.saturating_duration_since(Instant::now());
            if self.wait(left) {
                let word = self.last_word.recv();
                let word = word.unwrap_or_else(|_| Heard::Ended("and left no word".to_owned()));
                self.over = Some(word);
            } else if left.is_zero() {
                return self.next().unwrap_or(Heard::Nothing);
            }
        }
    }
}

impl std::fmt::Debug for Pipes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipes")
            .field("n_unsent", &(self.unsent.0.len() - self.unsent.1))
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}
