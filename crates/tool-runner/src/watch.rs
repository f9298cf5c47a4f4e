//! Watches calls: cancels them and receives their progress.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use toolglot_sandbox::Cancel;
use toolglot_value::Value;

/// The progress of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// An attempt starts; its number, from 1.
    Attempt(u32),
    /// The program wrote this to standard error. A line may come in several pieces.
    Said(String),
    /// A server of tools reports its progress.
    At {
        /// The amount done.
        done: f64,
        /// The total amount.
        total: Option<f64>,
        /// The present step.
        message: Option<String>,
    },
    /// A server of tools logs a record.
    Log {
        /// One of the eight levels of syslog.
        level: String,
        /// The name of the logger.
        logger: Option<String>,
        /// The logged data.
        data: Value,
    },
    /// The attempt failed, and another follows after this pause.
    Waiting(Duration),
}

/// Receives the progress of a call.
pub type ProgressListener = Arc<dyn Fn(Progress) + Send + Sync>;

/// The watcher of calls.
#[derive(Clone, Default)]
pub struct Watch {
    /// Ends the running call with all its processes, and keeps further calls from starting.
    pub cancel: Option<Cancel>,
    /// Receives the progress of the call.
    pub progress: Option<ProgressListener>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("cancel", &self.cancel)
            .field("is_told", &self.progress.is_some())
            .finish()
    }
}

impl Watch {
    /// Whether the call is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// Reports progress to the listener. The listener belongs to the embedding program: the call continues if the
    /// listener panics.
    pub fn tell(&self, progress: Progress) {
        if let Some(listener) = &self.progress {
            let _ = catch_unwind(AssertUnwindSafe(|| listener(progress)));
        }
    }

    /// The watcher of a call's program.
    pub(crate) fn of_program(&self) -> toolglot_sandbox::Watch {
        toolglot_sandbox::Watch {
            cancel: self.cancel.clone(),
            heard: self.progress.is_some().then(|| {
                let watch = self.clone();
                let heard = move |bytes: &[u8]| {
                    watch.tell(Progress::Said(String::from_utf8_lossy(bytes).into_owned()));
                };
                Arc::new(heard) as toolglot_sandbox::OutputListener
            }),
        }
    }

    /// Waits for `delay`, or until the call is cancelled.
    pub(crate) fn wait(&self, delay: Duration, pause: fn(Duration)) {
        let Some(cancel) = &self.cancel else {
            return pause(delay);
        };
        wait_for(cancel, delay);
    }
}

/// Waits until the call is cancelled, at most `most`.
#[cfg(unix)]
fn wait_for(cancel: &Cancel, most: Duration) {
    let mut fds = [rustix::event::PollFd::from_borrowed_fd(
        cancel.descriptor(),
        rustix::event::PollFlags::IN,
    )];
    let until = rustix::event::Timespec::try_from(most).ok();
    // An interruption is most likely the signal of a cancellation; otherwise the pause is too short.
    let _ = rustix::event::poll(&mut fds, until.as_ref());
}

/// Waits until the call is cancelled, at most `most`.
#[cfg(not(unix))]
fn wait_for(cancel: &Cancel, most: Duration) {
    let until = std::time::Instant::now() + most;
    // This system has no descriptor to wait for.
    while !cancel.is_cancelled() {
        let left = until.saturating_duration_since(std::time::Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(20)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_that_panics_ends_nothing() {
        let watch = Watch {
            cancel: None,
            progress: Some(Arc::new(|_| panic!("on purpose"))),
        };
        watch.tell(Progress::Attempt(1));
        let heard = watch.of_program().heard.expect("there is a listener");
        heard(b"a line\n");
    }
}
