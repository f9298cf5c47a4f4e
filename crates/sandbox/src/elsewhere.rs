//! Systems without a sandbox: everything is refused.

use crate::{Command, Isolation, Layer, Layers, ProcessOutcome, SandboxError};

pub(crate) fn run(_: &[Command]) -> Result<Vec<ProcessOutcome>, SandboxError> {
    Err(SandboxError::Unsupported {
        os: std::env::consts::OS,
    })
}

/// Does nothing: there is no limit to outlive here.
pub fn outlive_file_limits() {}

/// The layers of a sandbox: none.
pub fn layers() -> Layers {
    Layers {
        layers: vec![Layer {
            name: "operating system",
            needed_by: Some(Isolation::Plain),
            found: Err(format!("no sandbox for {} yet", std::env::consts::OS)),
        }],
    }
}

/// A program that stays. There is no such program here.
#[derive(Debug)]
pub enum Resident {}

impl Resident {
    #[cfg(unix)]
    pub(crate) fn start(_: &Command, _: std::os::fd::OwnedFd) -> Result<Resident, SandboxError> {
        Err(SandboxError::Unsupported {
            os: std::env::consts::OS,
        })
    }

    /// Ends the program; without a value it is never called.
    ///
    /// # Errors
    /// Never.
    pub fn end(self) -> Result<ProcessOutcome, SandboxError> {
        match self {}
    }
}

/// A directory for temporary files. No program here needs one.
#[derive(Debug)]
pub enum Scratch {}

impl Scratch {
    /// Makes no directory.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> Result<Scratch, SandboxError> {
        Err(SandboxError::Unsupported {
            os: std::env::consts::OS,
        })
    }

    /// The path of the directory; without a value it is never called.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        match *self {}
    }
}

/// Whether a descriptor is readable at this moment.
#[cfg(unix)]
pub(crate) fn is_readable(descriptor: std::os::fd::BorrowedFd<'_>) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut fds = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&now)).is_ok_and(|n_ready| n_ready > 0)
}
