//! The host's loop for running commands: it writes their input and stores their output until all end or time is up.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use super::step::{Failed, Report};
use super::sys::{self, Ended, Process};
use crate::{CapturedOutput, Watch};

/// How long a warden may take to kill everything after the leash is closed.
const GRACE: Duration = Duration::from_secs(2);

/// A running command.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) warden: Process,
    /// Closing the leash ends everything.
    pub(super) leash: Option<OwnedFd>,
    pub(super) status: Option<OwnedFd>,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    pub(super) result: Raw,
}

impl Drop for Stage {
    /// Closes the leash and waits for the warden, which kills all and exits.
    fn drop(&mut self) {
        self.leash = None;
        let _ = sys::reap(self.warden.pid, true);
        sys::close(self.warden.handle);
    }
}

/// The result of a command at its end.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) failed: Option<Failed>,
    pub(super) ended: Option<Ended>,
    pub(super) n_left: i32,
    pub(super) stdout: CapturedOutput,
    pub(super) stderr: CapturedOutput,
    pub(super) duration: Duration,
    /// The bytes of a report that is not complete so far.
    pending: Vec<u8>,
}

/// The use of a descriptor of a stage.
#[derive(Clone, Copy, Debug)]
enum Use {
    Stdin,
    Stdout,
    Stderr,
    Status,
    Cancel,
}

/// Why everything was killed early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Late,
    Cancelled,
}

/// The time limit, the output limit, and the watch of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    pub(super) started: Instant,
    pub(super) time: Duration,
    pub(super) output_bytes: usize,
    pub(super) watch: &'a Watch,
}

/// Runs the loop. Returns why it was cut short, if it was.
pub(super) fn pump(
    stages: &mut [Stage],
    stdin: &[u8],
    terms: Terms<'_>,
) -> io::Result<Option<Cut>> {
    let mut n_written = 0;
    let mut buffer = vec![0; 64 << 10];
    let mut deadline = terms.started.checked_add(terms.time);
    let mut cut = None;
    let cancel = terms.watch.cancel.as_ref();
    while stages.iter().any(|stage| stage.status.is_some()) {
        let (mut fds, mut uses) = waited_for(stages);
        if let (Some(cancel), None) = (cancel, cut) {
            fds.push(libc::pollfd {
                fd: cancel.descriptor().as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            });
            uses.push((0, Use::Cancel));
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            if cut.is_some() {
                // A warden hangs: the host kills it.
                for stage in &mut *stages {
                    let _ = sys::kill_handle(stage.warden.handle, libc::SIGKILL);
                    stage.status = None;
                }
                break;
            }
            cut = Some(Cut::Late);
            deadline = Instant::now().checked_add(GRACE);
            for stage in &mut *stages {
                stage.leash = None;
            }
            continue;
        }
        let timeout = left.map_or(-1, |left| {
            i32::try_from(left.as_millis())
                .unwrap_or(i32::MAX)
                .saturating_add(1)
        });
        sys::poll(&mut fds, timeout).map_err(io::Error::from_raw_os_error)?;
        for (fd, (index, used)) in fds.iter().zip(uses) {
            if fd.revents == 0 {
                continue;
            }
            let stage = &mut stages[index];
            match used {
                Use::Stdin => {
                    if !feed(fd.fd, stdin, &mut n_written) {
                        stage.stdin = None;
                    }
                }
                Use::Stdout => {
                    if !drain(
                        fd.fd,
                        &mut buffer,
                        &mut stage.result.stdout,
                        terms.output_bytes,
                    ) {
                        stage.stdout = None;
                    }
                }
                Use::Stderr => {
                    if !hearken(fd.fd, &mut buffer, &mut stage.result.stderr, &terms) {
                        stage.stderr = None;
                    }
                }
                Use::Cancel => {
                    cut = Some(Cut::Cancelled);
                    deadline = Instant::now().checked_add(GRACE);
                    for stage in &mut *stages {
                        stage.leash = None;
                    }
                    break;
                }
                Use::Status => {
                    if !hear(fd.fd, &mut stage.result) {
                        stage.status = None;
                        stage.result.duration = terms.started.elapsed();
                    }
                }
            }
        }
        if stages.iter().any(|stage| stage.result.failed.is_some()) {
            // A command of a pipeline that did not start ends the others.
            for stage in &mut *stages {
                stage.leash = None;
            }
        }
    }
    drain_all(stages, &mut buffer, terms.output_bytes);
    Ok(cut)
}

/// Reads what is left in the pipes, after all processes are dead.
fn drain_all(stages: &mut [Stage], buffer: &mut [u8], limit: usize) {
    for stage in &mut *stages {
        let result = &mut stage.result;
        for (pipe, output) in [
            (&stage.stdout, &mut result.stdout),
            (&stage.stderr, &mut result.stderr),
        ] {
            if let Some(pipe) = pipe {
                while drain(pipe.as_raw_fd(), buffer, output, limit) {
                    if is_empty(pipe.as_raw_fd()) {
                        break;
                    }
                }
            }
        }
    }
}

fn waited_for(stages: &[Stage]) -> (Vec<libc::pollfd>, Vec<(usize, Use)>) {
    let mut fds = Vec::new();
    let mut uses = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        let all = [
            (&stage.stdin, Use::Stdin, libc::POLLOUT),
            (&stage.stdout, Use::Stdout, libc::POLLIN),
            (&stage.stderr, Use::Stderr, libc::POLLIN),
            (&stage.status, Use::Status, libc::POLLIN),
        ];
        for (fd, used, events) in all {
            if let Some(fd) = fd {
                fds.push(libc::pollfd {
                    fd: fd.as_raw_fd(),
                    events,
                    revents: 0,
                });
                uses.push((index, used));
            }
        }
    }
    (fds, uses)
}

/// Writes as much as the pipe takes. Returns whether there is more.
fn feed(fd: RawFd, bytes: &[u8], n_written: &mut usize) -> bool {
    match sys::write(fd, &bytes[*n_written..]) {
        Ok(n) => {
            *n_written += n;
            *n_written < bytes.len()
        }
        Err(libc::EAGAIN | libc::EINTR) => true,
        // The pipe has no reader.
        Err(_) => false,
    }
}

/// Reads the available bytes, once. Returns whether there may be more.
fn drain(fd: RawFd, buffer: &mut [u8], output: &mut CapturedOutput, limit: usize) -> bool {
    match sys::read(fd, buffer) {
        Ok(0) => false,
        Ok(n) => {
            output.take(&buffer[..n], limit);
            true
        }
        Err(libc::EAGAIN | libc::EINTR) => true,
        Err(_) => false,
    }
}

/// Does the same for standard error, which has a listener.
fn hearken(fd: RawFd, buffer: &mut [u8], output: &mut CapturedOutput, terms: &Terms<'_>) -> bool {
    match sys::read(fd, buffer) {
        Ok(0) => false,
        Ok(n) => {
            if let Some(listener) = &terms.watch.heard {
                listener(&buffer[..n]);
            }
            output.take(&buffer[..n], terms.output_bytes);
            true
        }
        Err(libc::EAGAIN | libc::EINTR) => true,
        Err(_) => false,
    }
}

/// Whether a pipe is empty at this moment.
pub(super) fn is_empty(fd: RawFd) -> bool {
    let mut fds = [libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    }];
    sys::poll(&mut fds, 0).is_err() || fds[0].revents & libc::POLLIN == 0
}

/// Reads reports. Returns whether there may be more.
fn hear(fd: RawFd, result: &mut Raw) -> bool {
    let mut buffer = [0; 8 * Report::SIZE];
    let is_open = match sys::read(fd, &mut buffer) {
        Ok(0) => false,
        Ok(n) => {
            result.pending.extend_from_slice(&buffer[..n]);
            true
        }
        Err(libc::EAGAIN | libc::EINTR) => true,
        Err(_) => false,
    };
    while let Some(bytes) = result.pending.first_chunk::<{ Report::SIZE }>().copied() {
        result.pending.drain(..Report::SIZE);
        match Report::read(bytes) {
            // The first failure is the cause of the others.
            Some(Report::Failed(failed)) => result.failed = result.failed.or(Some(failed)),
            Some(Report::Ended(ended)) => result.ended = Some(ended),
            Some(Report::Left(n)) => result.n_left = n,
            None => {}
        }
    }
    is_open
}
