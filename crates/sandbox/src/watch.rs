//! Watching a program: the caller can cancel it, and receives its standard error while it runs.

use std::fmt;
use std::io;
use std::sync::Arc;
#[cfg(not(unix))]
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::{
    io::Write,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

/// Receives the output of a program.
pub type OutputListener = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// The caller's means to watch a program.
#[derive(Clone, Default)]
pub struct Watch {
    /// Cancels the program, and all that it started.
    pub cancel: Option<Cancel>,
    /// Receives its standard error while the program runs. The listener must not wait for the program.
    pub heard: Option<OutputListener>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("cancel", &self.cancel)
            .field("hears", &self.heard.is_some())
            .finish()
    }
}

/// Cancels all programs that use this value: those that run, and those that start later.
///
/// All copies share one state. The signal is a byte in a pipe that nobody reads, so that a signal handler may write it.
#[derive(Clone, Debug)]
pub struct Cancel {
    #[cfg(unix)]
    ends: Arc<(io::PipeReader, io::PipeWriter)>,
    /// Without pipes that can be polled, a flag is the signal.
    #[cfg(not(unix))]
    flag: Arc<AtomicBool>,
}

#[cfg(unix)]
impl Cancel {
    /// A value that is not cancelled.
    ///
    /// # Errors
    /// If the system has no pipe left.
    pub fn new() -> io::Result<Cancel> {
        Ok(Cancel {
            ends: Arc::new(io::pipe()?),
        })
    }

    /// Cancels. One byte is enough, and the pipe has room for it.
    pub fn cancel(&self) {
        if !self.is_cancelled() {
            let _ = (&self.ends.1).write(&[0]);
        }
    }

    /// Whether the value is cancelled.
    pub fn is_cancelled(&self) -> bool {
        crate::platform::is_readable(self.descriptor())
    }

    /// A descriptor that is readable after a cancel.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.ends.0.as_fd()
    }

    /// A descriptor for a signal handler: a byte that is written to it cancels.
    ///
    /// # Errors
    /// If the process has no descriptor left.
    pub fn writer(&self) -> io::Result<OwnedFd> {
        self.ends.1.as_fd().try_clone_to_owned()
    }
}

#[cfg(not(unix))]
impl Cancel {
    /// A value that is not cancelled.
    ///
    /// # Errors
    /// Never here.
    pub fn new() -> io::Result<Cancel> {
        Ok(Cancel {
            flag: Arc::default(),
        })
    }

    /// Cancels.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether the value is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }

    /// The flag: setting it cancels. A signal handler may set it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_cancelled_with_its_original() {
        let cancel = Cancel::new().expect("there is a pipe");
        let copy = cancel.clone();
        assert!(!copy.is_cancelled());
        cancel.cancel();
        cancel.cancel();
        assert!(cancel.is_cancelled() && copy.is_cancelled());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_holds_one_byte_however_often_it_is_cancelled() {
        let cancel = Cancel::new().expect("there is a pipe");
        for _ in 0..3 {
            cancel.cancel();
        }
        let mut byte = [0; 8];
        let n = io::Read::read(&mut &cancel.ends.0, &mut byte).expect("it is readable");
        assert_eq!(n, 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_byte_in_its_writer_cancels() {
        let cancel = Cancel::new().expect("there is a pipe");
        let writer = cancel.writer().expect("a descriptor is left");
        std::fs::File::from(writer)
            .write_all(&[0])
            .expect("there is room");
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn a_watch_shows_whether_it_hears() {
        let mut watch = Watch::default();
        assert_eq!(format!("{watch:?}"), "Watch { cancel: None, hears: false }");
        watch.heard = Some(Arc::new(|_| ()));
        assert_eq!(format!("{watch:?}"), "Watch { cancel: None, hears: true }");
    }
}
