//! The time limit of a request, and the receiver of its events.

use std::time::{Duration, Instant};

use toolglot_value::Value;

/// An event that a server reports during a request.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// Progress.
    Progress {
        /// The finished amount.
        progress: f64,
        /// The total amount.
        total: Option<f64>,
        /// The current activity.
        message: Option<String>,
    },
    /// A log message.
    Log {
        /// One of the eight levels of syslog.
        level: String,
        /// The source of the message.
        logger: Option<String>,
        /// The message.
        data: Value,
    },
}

/// The time limit of a request, and the receiver of its events.
pub struct Terms<'a> {
    /// The deadline.
    pub until: Instant,
    /// Whether the caller has cancelled the request.
    pub stop: &'a dyn Fn() -> bool,
    /// The receiver of the server's events.
    pub tell: Option<&'a dyn Fn(ServerEvent)>,
}

impl std::fmt::Debug for Terms<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms")
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

impl Terms<'static> {
    /// This timeout, without a stop condition and without a receiver of events.
    pub fn within(time: Duration) -> Terms<'static> {
        Terms {
            until: Instant::now() + time,
            stop: &|| false,
            tell: None,
        }
    }
}
