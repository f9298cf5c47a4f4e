//! Who watches calls: may end them, and gets their progress.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use toolglot_sandbox::Cancel;
use toolglot_value::Value;

/// How far a call is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// An attempt starts; its number, from 1.
    Attempt(u32),
    /// The program wrote this to standard error. A line may come in several pieces.
    Said(String),
    /// A server of tools says how far it is.
    At {
        /// So much is done.
        done: f64,
        /// Of so much.
        total: Option<f64>,
        /// What it does.
        message: Option<String>,
    },
    /// A server of tools logs something.
    Log {
        /// One of the eight of syslog.
        level: String,
        /// Who says it.
        logger: Option<String>,
        /// What.
        data: Value,
    },
    /// The attempt failed, and another follows after this pause.
    Waiting(Duration),
}

/// Gets the progress of a call.
pub type ProgressListener = Arc<dyn Fn(Progress) + Send + Sync>;

/// Who watches calls.
#[derive(Clone, Default)]
pub struct Watch {
    /// Ends the running call with all that it started, and keeps others from starting.
    pub cancel: Option<Cancel>,
    /// Gets the progress of the call.
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
    /// Whether it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// Tells how far a call is. The listener is the embedding program's: the call continues when it panics.
    pub fn tell(&self, progress: Progress) {
        if let Some(listener) = &self.progress {
            let _ = catch_unwind(AssertUnwindSafe(|| listener(progress)));
        }
    }

    /// What a program is watched by.
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

    /// Waits, but only until it is cancelled.
    pub(crate) fn wait(&self, delay: Duration, pause: fn(Duration)) {
        let Some(cancel) = &self.cancel else {
            return pause(delay);
        };
        wait_for(cancel, delay);
    }
}

/// Waits until it is cancelled, at most so long.
#[cfg(unix)]
fn wait_for(cancel: &Cancel, most: Duration) {
    let mut fds = [rustix::event::PollFd::from_borrowed_fd(
        cancel.descriptor(),
        rustix::event::PollFlags::IN,
    )];
    let until = rustix::event::Timespec::try_from(most).ok();
    // An interruption is most likely the signal that this waits for; if not, the pause was shorter than it should be.
    let _ = rustix::event::poll(&mut fds, until.as_ref());
}

/// Waits until it is cancelled, at most so long.
#[cfg(not(unix))]
fn wait_for(cancel: &Cancel, most: Duration) {
    let until = std::time::Instant::now() + most;
    // There is nothing to wait on but time.
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
