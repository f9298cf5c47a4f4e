//! A child process that answers one line per request. After an error, the next request starts a new process.
//!
//! One thread writes to the process and two threads read from it. So a process that reads nothing, or writes without
//! end, blocks no caller. The process stays in our process group: Ctrl-C reaches the process too.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use toolglot_conform::{AskError, Program, Reply};

/// The longest line of an answer, in bytes: the longest request is a hundredth of it.
const LINE_BYTES: usize = 64 << 20;
/// How many of the last bytes of standard error are searched for an error message.
const ERROR_BYTES: usize = 4 << 10;
/// How long to wait for the end of a process that has closed its standard output.
const END_WAIT: Duration = Duration::from_millis(500);
/// The first answer may take this many times the timeout: interpreters load libraries.
const FIRST: u32 = 6;

/// A program that runs as a child process and answers requests.
pub(crate) struct ChildProgram {
    program: OsString,
    arguments: Vec<OsString>,
    timeout: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    questions: Sender<String>,
    answers: Receiver<Line>,
    errors: Receiver<String>,
    has_answered: bool,
}

/// A line from standard output.
enum Line {
    Text(String),
    TooLong,
}

impl ChildProgram {
    pub(crate) fn new(program: &OsStr, arguments: &[OsString], timeout: Duration) -> ChildProgram {
        ChildProgram {
            program: program.to_owned(),
            arguments: arguments.to_vec(),
            timeout,
            running: None,
        }
    }

    fn start(&self) -> io::Result<Running> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().expect("it was asked for");
        let stdout = child.stdout.take().expect("it was asked for");
        let stderr = child.stderr.take().expect("it was asked for");
        let (questions, to_write) = channel::<String>();
        let (read, answers) = sync_channel(16);
        let (sender, errors) = channel();
        thread::spawn(move || {
            for line in to_write {
                // The program may end before it reads all lines.
                if stdin.write_all(line.as_bytes()).is_err() || stdin.flush().is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || read_lines(stdout, &read));
        thread::spawn(move || {
            // The receiver may be gone.
            let _ = sender.send(last_line(stderr));
        });
        Ok(Running {
            child,
            questions,
            answers,
            errors,
            has_answered: false,
        })
    }
}

impl Program for ChildProgram {
    fn ask(&mut self, line: &str) -> Result<Reply, AskError> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self
                .start()
                .map_err(|error| AskError::Start(error.to_string()))?,
        };
        let timeout = if running.has_answered {
            self.timeout
        } else {
            self.timeout * FIRST
        };
        let start = Instant::now();
        // A program that does not read gives no answer, which the loop below reports.
        let _ = running.questions.send(format!("{line}\n"));
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            match running.answers.recv_timeout(left) {
                Ok(Line::Text(answer)) if answer.trim().is_empty() => {}
                Ok(Line::Text(line)) => {
                    let elapsed = start.elapsed();
                    running.has_answered = true;
                    self.running = Some(running);
                    return Ok(Reply { line, elapsed });
                }
                Ok(Line::TooLong) => return Err(AskError::TooLong(LINE_BYTES)),
                Err(RecvTimeoutError::Timeout) => return Err(AskError::Timeout(timeout)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(AskError::Ended(running.ended()));
                }
            }
        }
    }

    fn reset(&mut self) {
        self.running = None;
    }
}

impl Running {
    /// How the process ended, and its last line on standard error.
    fn ended(&mut self) -> String {
        let last = self.errors.recv_timeout(END_WAIT).unwrap_or_default();
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if start.elapsed() < END_WAIT => thread::sleep(END_WAIT / 50),
                _ => break "it closed its standard output".to_owned(),
            }
        };
        match last.as_str() {
            "" => status,
            last => format!("{status}: {last}"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends each line until the output ends, the receiver is gone or a line is too long.
fn read_lines(stdout: ChildStdout, lines: &SyncSender<Line>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut bytes = Vec::new();
        let limit = LINE_BYTES as u64 + 1;
        match stdout.by_ref().take(limit).read_until(b'\n', &mut bytes) {
            Ok(n_read) if n_read > 0 => {}
            _ => return,
        }
        let line = if bytes.len() > LINE_BYTES {
            Line::TooLong
        } else {
            Line::Text(String::from_utf8_lossy(&bytes).into_owned())
        };
        let is_last = matches!(line, Line::TooLong);
        if lines.send(line).is_err() || is_last {
            return;
        }
    }
}

/// The last line that is not empty, at the end of the stream.
fn last_line(stderr: ChildStderr) -> String {
    let mut stderr = BufReader::new(stderr);
    let mut last: Vec<u8> = Vec::new();
    loop {
        let n_read = match stderr.fill_buf() {
            Ok(bytes) if !bytes.is_empty() => {
                last.extend_from_slice(bytes);
                bytes.len()
            }
            _ => break,
        };
        stderr.consume(n_read);
        let n_old = last.len().saturating_sub(ERROR_BYTES);
        last.drain(..n_old);
    }
    let last = String::from_utf8_lossy(&last);
    let line = last
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty());
    line.unwrap_or_default().to_owned()
}
