//! How long a request may take, and what is heard of it meanwhile.

use std::time::{Duration, Instant};

use toolglot_value::Value;

/// What a server tells while it works.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// How far it is.
    Progress {
        /// So much is done.
        progress: f64,
        /// Of so much.
        total: Option<f64>,
        /// What it does.
        message: Option<String>,
    },
    /// Something for a log.
    Log {
        /// One of the eight of syslog.
        level: String,
        /// Who says it.
        logger: Option<String>,
        /// What.
        data: Value,
    },
}

/// How long a request may take, and who is notified.
pub struct Terms<'a> {
    /// Until when.
    pub until: Instant,
    /// Whether whoever called does not want it any more.
    pub stop: &'a dyn Fn() -> bool,
    /// Who gets what the server reports.
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
    /// This timeout, with nobody to stop it or to be notified.
    pub fn within(time: Duration) -> Terms<'static> {
        Terms {
            until: Instant::now() + time,
            stop: &|| false,
            tell: None,
        }
    }
}
