//! Warm interpreters for Python functions: an interpreter starts once and forks one child per call, before the call
//! comes.
//!
//! ```text
//!         interpreter ──fork──▶ child: waits, reads the request, runs the tool, answers on a pipe of its own
//!             │                   ▲  └─ whatever it starts
//!  host ──────┼──── four pipes ───┘
//!    ◀────────┤ "all are dead"
//!    ◀────────┘ "clean"
//! ```
//!
//! The interpreter is in the sandbox of one call: namespaces, Landlock, the filter of system calls, limits. A child
//! inherits all of them. The child is killed with everything it started before the next one is forked. Children share
//! only state that is checked after each call: the private directories, shared memory and the interpreter itself. After
//! a call that leaves a trace there, the next call gets a new interpreter. The check runs after the call, and its
//! result is read before the next one. An interpreter has one call at a time. After a timeout or an unexpected message,
//! everything in the sandbox is killed.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags,
    SocketType, recv, sendmsg, socketpair,
};
use rustix::pipe::{PipeFlags, pipe_with};
use toolglot_sandbox::{Cancel, Command, Exit, Isolation, Resident, SandboxError, Watch};

use crate::fingerprint::{Fingerprint, fingerprint};
use crate::warm_call::{Ended, NotWarm, Taken, Terms};

/// How long the interpreter may take to kill the remaining processes of a dead child.
const GRACE: Duration = Duration::from_secs(2);
/// The most waiting interpreters; the one that waited longest is ended first.
const MOST_WAITING: usize = 16;
/// The bytes of one read from a pipe.
const PIECE: usize = 64 << 10;

/// Interpreters that wait for calls. Clones share them. Each interpreter has one call at a time, and no call waits for
/// another's.
#[derive(Clone, Debug, Default)]
pub struct WarmInterpreters(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    /// Each with its start parameters.
    interpreters: Vec<(StartedAs, WarmInterpreter)>,
    /// Programs that cannot stay warm, by their files.
    cold: Vec<std::ffi::OsString>,
}

/// The start parameters of an interpreter: everything that its sandbox depends on. They have to be equal for its next
/// call.
#[derive(Debug, PartialEq, Eq)]
struct StartedAs {
    argv: Vec<std::ffi::OsString>,
    env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    read: Vec<std::path::PathBuf>,
    write: Vec<std::path::PathBuf>,
    /// The present entries of the protected paths.
    protected: [Fingerprint; 4],
    has_network: bool,
    limits: toolglot_sandbox::ResourceLimits,
    /// The project's directory by device and inode: its path may be replaced.
    place: Option<(u64, u64)>,
}

impl StartedAs {
    fn of(command: &Command) -> StartedAs {
        use std::os::unix::fs::MetadataExt;
        let place = std::fs::metadata(&command.cwd).ok();
        StartedAs {
            argv: command.argv.clone(),
            env: command.env.clone(),
            read: command.read.clone(),
            write: command.write.clone(),
            protected: [
                &command.protect,
                &command.hold,
                &command.mask,
                &command.reopen,
            ]
            .map(|places| fingerprint(places.iter())),
            has_network: command.network == toolglot_sandbox::Network::Host,
            limits: command.limits.clone(),
            place: place.map(|metadata| (metadata.dev(), metadata.ino())),
        }
    }
}

impl WarmInterpreters {
    /// Calls a function. `command` is the interpreter with its loader and sandbox. The time limit is in `terms`, not in
    /// `command`.
    pub(crate) fn call(
        &self,
        command: &Command,
        request: &[u8],
        terms: Terms,
    ) -> Result<Ended, NotWarm> {
        if command.isolation != Isolation::Namespaces {
            return Err(NotWarm::Cold);
        }
        let started_as = StartedAs::of(command);
        let waiting = {
            let mut state = self.state();
            if state.cold.contains(&command.argv[0]) {
                return Err(NotWarm::Cold);
            }
            let all = state.interpreters.iter();
            let known = all
                .enumerate()
                .rfind(|(_, (known, _))| *known == started_as);
            known
                .map(|(at, _)| at)
                .map(|at| state.interpreters.remove(at).1)
        };
        // The check may wait for the interpreter, so it runs without the lock.
        let waiting = waiting.and_then(|mut waiting| waiting.is_waiting().then_some(waiting));
        let mut interpreter = match waiting {
            Some(interpreter) => interpreter,
            None => WarmInterpreter::start(command).map_err(NotWarm::Refused)?,
        };
        let is_cold = || {
            let mut state = self.state();
            if !state.cold.contains(&command.argv[0]) {
                state.cold.push(command.argv[0].clone());
            }
            NotWarm::Cold
        };
        match interpreter.call(request, terms, &command.watch) {
            Ok((ended, may_stay)) => {
                if may_stay {
                    self.give_back(started_as, interpreter);
                }
                Ok(ended)
            }
            Err(Trouble::Cold) => Err(is_cold()),
            Err(Trouble::Gone) => {
                if let Err(refusal) = interpreter.resident.end() {
                    return Err(NotWarm::Refused(refusal));
                }
                // It died before the call: the interpreter cannot run its loader.
                Err(is_cold())
            }
        }
    }

    fn give_back(&self, started_as: StartedAs, interpreter: WarmInterpreter) {
        let mut state = self.state();
        let oldest =
            (state.interpreters.len() >= MOST_WAITING).then(|| state.interpreters.remove(0));
        state.interpreters.push((started_as, interpreter));
        drop(state);
        // Ends the oldest interpreter without the lock.
        drop(oldest);
    }

    /// How many interpreters wait for a call. Interpreters with a trace of their last call are dropped.
    pub fn n_waiting(&self) -> usize {
        let mut interpreters = std::mem::take(&mut self.state().interpreters);
        interpreters.retain_mut(|(_, waiting)| waiting.is_waiting());
        let n = interpreters.len();
        self.state().interpreters.extend(interpreters);
        n
    }

    /// Ends all waiting interpreters. The next call starts a new one.
    pub fn end(&self) {
        let interpreters = std::mem::take(&mut self.state().interpreters);
        drop(interpreters);
    }

    fn state(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why an interpreter did not take a call.
enum Trouble {
    /// The interpreter reports that it cannot stay.
    Cold,
    /// The interpreter died before it reported `ready`.
    Gone,
}

/// A resident interpreter.
#[derive(Debug)]
struct WarmInterpreter {
    socket: OwnedFd,
    resident: Resident,
    is_ready: bool,
    /// Whether the report about traces of the last call is pending.
    is_in_doubt: bool,
    /// The buffer for one read from a pipe.
    piece: Box<[u8]>,
}

impl WarmInterpreter {
    fn start(command: &Command) -> Result<WarmInterpreter, SandboxError> {
        let failed = |source: Errno| SandboxError::Setup {
            step: "making a socket",
            path: None,
            source: source.into(),
        };
        let (socket, end) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(failed)?;
        Ok(WarmInterpreter {
            socket,
            resident: command.stay(end)?,
            is_ready: false,
            is_in_doubt: false,
            piece: vec![0; PIECE].into(),
        })
    }

    /// Whether the last call left no trace, and the next child still waits. A message between two calls means that the
    /// child ended.
    fn is_waiting(&mut self) -> bool {
        if self.is_in_doubt {
            let mut word = [0; 64];
            let said = has_more(&self.socket, GRACE)
                .then(|| recv(&self.socket, &mut word, RecvFlags::empty()).map_or(0, |(n, _)| n));
            self.is_in_doubt = said.is_none_or(|n| &word[..n] != b"clean");
        }
        !self.is_in_doubt && !has_more(&self.socket, Duration::ZERO)
    }

    /// Runs one call. Returns also whether another call may follow, if this one left no trace.
    fn call(
        &mut self,
        request: &[u8],
        terms: Terms,
        watch: &Watch,
    ) -> Result<(Ended, bool), Trouble> {
        let Ok((mut pipes, ends)) = Pipes::new() else {
            return Err(Trouble::Cold);
        };
        let seconds = terms
            .time
            .as_secs()
            .saturating_add(2)
            .min(1 << 30)
            .to_string();
        let deadline = Instant::now().checked_add(terms.time);
        // Fills the pipe before the child reads.
        let mut n_sent = 0;
        if !pipes.feed(request, &mut n_sent) {
            pipes.request = None;
        }
        let is_sent = send(&self.socket, seconds.as_bytes(), &ends).is_ok();
        drop(ends);
        let mut ended = Ended {
            exit: Exit::Signal(9),
            answer: Taken::default(),
            stdout: Taken::default(),
            stderr: Taken::default(),
        };
        // If the interpreter has died, the socket reports it below.
        let mut is_over = false;
        let mut grace: Option<Instant> = None;
        while !is_over {
            let until = [deadline, grace].into_iter().flatten().min();
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let is_cancelled = watch.cancel.as_ref().is_some_and(Cancel::is_cancelled);
            if left == Some(Duration::ZERO) || is_cancelled {
                ended.exit = match (is_cancelled, grace) {
                    (true, _) => Exit::Cancelled,
                    // The child has ended, but its remaining processes do not end.
                    (_, Some(_)) => Exit::Code(0),
                    (_, None) => Exit::TimedOut,
                };
                break;
            }
            let ready = pipes.wait(&self.socket, left, watch);
            if ready.request && !pipes.feed(request, &mut n_sent) {
                pipes.request = None;
            }
            for (pipe, is_ready, taken, most, is_live) in [
                (
                    &mut pipes.answer,
                    ready.answer,
                    &mut ended.answer,
                    terms.answer_bytes,
                    false,
                ),
                (
                    &mut pipes.stdout,
                    ready.stdout,
                    &mut ended.stdout,
                    terms.printed_bytes,
                    false,
                ),
                (
                    &mut pipes.stderr,
                    ready.stderr,
                    &mut ended.stderr,
                    terms.printed_bytes,
                    true,
                ),
            ] {
                let before = taken.bytes.len();
                if is_ready && !take(pipe.as_ref(), taken, most, &mut self.piece) {
                    *pipe = None;
                }
                if let (Some(listener), true) = (&watch.heard, is_live)
                    && taken.bytes.len() > before
                {
                    listener(&taken.bytes[before..]);
                }
            }
            if pipes.answer.is_none() && grace.is_none() {
                grace = Instant::now().checked_add(GRACE);
            }
            if ready.socket {
                let mut message = [0; 64];
                let n = recv(&self.socket, &mut message, RecvFlags::empty()).map_or(0, |(n, _)| n);
                match &message[..n] {
                    b"ready" => self.is_ready = true,
                    b"cold" => return Err(Trouble::Cold),
                    b"" if !self.is_ready => return Err(Trouble::Gone),
                    report => {
                        let exit = told(report);
                        self.is_in_doubt = exit.is_some();
                        // Without a status the interpreter itself died.
                        ended.exit = exit.unwrap_or(Exit::Signal(9));
                        is_over = true;
                    }
                }
            }
        }
        // All writers are dead, or will be killed with the interpreter: the pipes contain the rest of the output.
        for (pipe, taken, most) in [
            (&pipes.answer, &mut ended.answer, terms.answer_bytes),
            (&pipes.stdout, &mut ended.stdout, terms.printed_bytes),
            (&pipes.stderr, &mut ended.stderr, terms.printed_bytes),
        ] {
            while pipe
                .as_ref()
                .is_some_and(|pipe| has_more(pipe, Duration::ZERO))
                && take(pipe.as_ref(), taken, most, &mut self.piece)
            {}
        }
        Ok((ended, is_sent && self.is_in_doubt))
    }
}

/// Reads the interpreter's report at the end of a call: the status of `wait`, and the number of remaining processes.
fn told(report: &[u8]) -> Option<Exit> {
    let (status, n_left) = std::str::from_utf8(report).ok()?.split_once(' ')?;
    let (status, _) = (status.parse::<i32>().ok()?, n_left.parse::<u32>().ok()?);
    let signal = status & 0x7f;
    Some(if signal == 0 {
        Exit::Code((status >> 8) & 0xff)
    } else {
        Exit::Signal(signal)
    })
}

/// The host's ends of a call's pipes.
struct Pipes {
    request: Option<OwnedFd>,
    answer: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
}

/// Which descriptors are ready.
#[derive(Default)]
struct Ready {
    request: bool,
    answer: bool,
    stdout: bool,
    stderr: bool,
    socket: bool,
}

impl Pipes {
    /// Makes the pipes. Returns also the child's ends: request, answer, standard output, standard error.
    fn new() -> io::Result<(Pipes, [OwnedFd; 4])> {
        let (request_end, request) = pipe_with(PipeFlags::CLOEXEC)?;
        let (answer, answer_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, stdout_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, stderr_end) = pipe_with(PipeFlags::CLOEXEC)?;
        // Only the host's ends are nonblocking: the two ends of a pipe have separate flags.
        for end in [&request, &answer, &stdout, &stderr] {
            rustix::io::ioctl_fionbio(end, true)?;
        }
        let pipes = Pipes {
            request: Some(request),
            answer: Some(answer),
            stdout: Some(stdout),
            stderr: Some(stderr),
        };
        Ok((pipes, [request_end, answer_end, stdout_end, stderr_end]))
    }

    fn wait(&self, socket: &OwnedFd, left: Option<Duration>, watch: &Watch) -> Ready {
        let mut fds: Vec<(usize, PollFd<'_>)> = Vec::with_capacity(6);
        let all = [
            (self.request.as_ref(), PollFlags::OUT),
            (self.answer.as_ref(), PollFlags::IN),
            (self.stdout.as_ref(), PollFlags::IN),
            (self.stderr.as_ref(), PollFlags::IN),
            (Some(socket), PollFlags::IN),
        ];
        for (index, (fd, flags)) in all.into_iter().enumerate() {
            if let Some(fd) = fd {
                fds.push((index, PollFd::new(fd, flags)));
            }
        }
        if let Some(cancel) = &watch.cancel {
            let fd = PollFd::from_borrowed_fd(cancel.descriptor(), PollFlags::IN);
            fds.push((5, fd));
        }
        let (indices, mut fds): (Vec<usize>, Vec<PollFd<'_>>) = fds.into_iter().unzip();
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut ready = Ready::default();
        // After an interruption the caller checks the time and waits again.
        if poll(&mut fds, timeout.as_ref()).is_err() {
            return ready;
        }
        for (index, fd) in indices.into_iter().zip(&fds) {
            let is_ready = !fd.revents().is_empty();
            match index {
                0 => ready.request = is_ready,
                1 => ready.answer = is_ready,
                2 => ready.stdout = is_ready,
                3 => ready.stderr = is_ready,
                4 => ready.socket = is_ready,
                _ => {}
            }
        }
        ready
    }

    /// Writes as much as fits. Returns whether there is more.
    fn feed(&self, request: &[u8], n_sent: &mut usize) -> bool {
        let Some(pipe) = &self.request else {
            return false;
        };
        match rustix::io::write(pipe, &request[*n_sent..]) {
            Ok(n) => {
                *n_sent += n;
                *n_sent < request.len()
            }
            Err(Errno::AGAIN | Errno::INTR) => true,
            // The pipe has no reader.
            Err(_) => false,
        }
    }
}

/// Reads once. Returns whether more may come.
fn take(pipe: Option<&OwnedFd>, taken: &mut Taken, most: usize, piece: &mut [u8]) -> bool {
    let Some(pipe) = pipe else { return false };
    match rustix::io::read(pipe, &mut *piece) {
        Ok(0) => false,
        Ok(n) => {
            let kept = n.min(most.saturating_sub(taken.bytes.len()));
            taken.bytes.extend_from_slice(&piece[..kept]);
            taken.n_more += (n - kept) as u64;
            true
        }
        Err(Errno::AGAIN | Errno::INTR) => true,
        Err(_) => false,
    }
}

/// Whether there is something to read within `time`.
fn has_more(pipe: &OwnedFd, time: Duration) -> bool {
    let mut fds = [PollFd::new(pipe, PollFlags::IN)];
    let time = Timespec::try_from(time).ok();
    poll(&mut fds, time.as_ref()).is_ok() && fds[0].revents().contains(PollFlags::IN)
}

/// Sends a word and the descriptors of a call.
fn send(socket: &OwnedFd, word: &[u8], ends: &[OwnedFd; 4]) -> rustix::io::Result<usize> {
    let fds: Vec<BorrowedFd<'_>> = ends.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&fds));
    // Without `NOSIGNAL` a dead reader would end this process by a signal.
    sendmsg(
        socket,
        &[io::IoSlice::new(word)],
        &mut control,
        SendFlags::NOSIGNAL,
    )
}
