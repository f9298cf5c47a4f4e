//! Who watches a program: may end it before its time, and hears what it says while it runs.

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

/// Hears what a program writes.
pub type OutputListener = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Who watches a program.
#[derive(Clone, Default)]
pub struct Watch {
    /// Ends it, and all that it started.
    pub cancel: Option<Cancel>,
    /// Hears what it writes to standard error, as it comes. It must not wait for the program.
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

/// Cancels what watches it: everything that runs, and whatever starts later.
///
/// A copy is the same. The signal is a byte in a pipe that nobody takes out, so that a handler of signals may do it.
#[derive(Clone, Debug)]
pub struct Cancel {
    #[cfg(unix)]
    ends: Arc<(io::PipeReader, io::PipeWriter)>,
    /// Without pipes that can be polled a flag has to do.
    #[cfg(not(unix))]
    flag: Arc<AtomicBool>,
}

#[cfg(unix)]
impl Cancel {
    /// One that is not cancelled yet.
    ///
    /// # Errors
    /// If the system has no pipe left.
    pub fn new() -> io::Result<Cancel> {
        Ok(Cancel {
            ends: Arc::new(io::pipe()?),
        })
    }

    /// Ends what is watched. One byte is enough, and there is room for it.
    pub fn cancel(&self) {
        if !self.is_cancelled() {
            let _ = (&self.ends.1).write(&[0]);
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        crate::platform::is_readable(self.descriptor())
    }

    /// Readable once it was cancelled.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.ends.0.as_fd()
    }

    /// A byte that is written into it cancels.
    ///
    /// # Errors
    /// If the process has no descriptor left.
    pub fn writer(&self) -> io::Result<OwnedFd> {
        self.ends.1.as_fd().try_clone_to_owned()
    }
}

#[cfg(not(unix))]
impl Cancel {
    /// One that is not cancelled yet.
    ///
    /// # Errors
    /// Never here.
    pub fn new() -> io::Result<Cancel> {
        Ok(Cancel {
            flag: Arc::default(),
        })
    }

    /// Ends what is watched.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }

    /// Setting it cancels. A handler of signals may do that.
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
