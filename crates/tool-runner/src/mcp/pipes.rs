//! The two pipes of a server that was started: whoever waits for an answer reads and writes them, and no other thread.

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

/// A longer line is no message.
const MAX_LINE: usize = 64 << 20;
/// So much is read at a time.
const PIECE: usize = 64 << 10;

/// The host's side of them.
pub(super) struct Pipes {
    input: File,
    output: File,
    /// What the server did not take yet, and how much of that it did.
    unsent: (Vec<u8>, usize),
    lines: Lines,
    piece: Box<[u8]>,
    /// Readable once the server is gone; then its last word is there as well.
    is_gone: PipeReader,
    last_word: Receiver<Heard>,
    /// What is said from now on, whatever is asked.
    over: Option<Heard>,
}

/// Whoever watches the server tells of its end.
pub(super) struct End {
    word: Sender<Heard>,
    /// What is waited for is that nobody has it any more.
    _gone: PipeWriter,
}

impl End {
    /// The server is gone.
    pub(super) fn tell(self, word: Heard) {
        let _ = self.word.send(word);
    }
}

impl Pipes {
    /// Opens the pipes `in` and `out` of a folder.
    pub(super) fn open(folder: &Path) -> io::Result<(Pipes, End)> {
        let open = |name: &str| {
            // Both ends at once: so it does not wait for the other side.
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

    /// Waits until the server is gone, at most so long.
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

    /// Writes what the server takes now.
    fn flush(&mut self) {
        let (bytes, n_sent) = &mut self.unsent;
        while *n_sent < bytes.len() {
            match self.input.write(&bytes[*n_sent..]) {
                Ok(n) => *n_sent += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It is full; or nobody reads it any more, and that is heard of as such.
                Err(_) => return,
            }
        }
        bytes.clear();
        *n_sent = 0;
    }

    /// Reads a piece, if there is one.
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

    /// The next line that came, or the last word of a server that is gone.
    fn next(&mut self) -> Option<Heard> {
        if self.over.is_some() {
            return self.over.clone();
        }
        let heard = self.lines.take();
        if let Some(Heard::Failed(_)) = &heard {
            self.over.clone_from(&heard);
        }
        heard
    }

    /// Waits for the server, and does what can be done then. Whether it is gone.
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
        // What it wrote before it went is there, and is heard first.
        !self.fill() && is_gone
    }
}

impl Wire for Pipes {
    fn send(&mut self, message: &Message) -> Result<(), Trouble> {
        let value: Value = message.write();
        // A vector takes whatever is written to it.
        let _ = serde_json::to_writer(&mut self.unsent.0, &value);
        self.unsent.0.push(b'\n');
        self.flush();
        Ok(())
    }

    fn heard(&mut self, wait: Duration) -> Heard {
        let until = Instant::now() + wait;
        loop {
            if let Some(heard) = self.next() {
                return heard;
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
