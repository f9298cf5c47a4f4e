//! The limits of one gateway.

use std::time::Duration;

use tokio::sync::Semaphore;

/// Limits on bytes, time and concurrency; the defaults are above the needs of a coding agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The longest request body, in bytes.
    pub body_bytes: usize,
    /// The longest answer of the upstream that is read, in bytes.
    pub answer_bytes: usize,
    /// The most bytes of request bodies in memory, of all requests together.
    pub held_bytes: usize,
    /// The most running requests; one more gets the status 503. At most four times as many connections are open,
    /// because clients keep idle ones; one more waits in the system's queue.
    pub requests: usize,
    /// The most time for the head of a request to arrive. An idle connection is also closed after this time.
    pub head: Duration,
    /// The most time for the body of a request to arrive.
    pub body: Duration,
    /// The most time that a client may leave pending data unread.
    pub write: Duration,
    /// The most time that the upstream may be silent.
    pub silence: Duration,
    /// The most time that running requests may continue after a stop.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 32 << 20,
            answer_bytes: 16 << 20,
            held_bytes: 256 << 20,
            requests: 256,
            head: Duration::from_secs(30),
            body: Duration::from_secs(60),
            write: Duration::from_secs(60),
            silence: Duration::from_secs(600),
            grace: Duration::from_secs(30),
        }
    }
}

/// The open connections for each possible running request: clients keep idle ones.
const CONNECTIONS_PER_REQUEST: usize = 4;

impl Limits {
    /// The most running requests, capped at what a semaphore can count.
    pub(crate) fn requests(&self) -> usize {
        self.requests.min(Semaphore::MAX_PERMITS)
    }

    /// The most open connections.
    pub(crate) fn connections(&self) -> usize {
        let connections = self.requests().saturating_mul(CONNECTIONS_PER_REQUEST);
        connections.min(Semaphore::MAX_PERMITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_follow_requests() {
        let limits = |requests| Limits {
            requests,
            ..Limits::default()
        };
        assert_eq!(Limits::default().connections(), 1024);
        assert_eq!(limits(4096).connections(), 16_384);
        // More than a semaphore can count.
        assert_eq!(limits(usize::MAX).connections(), Semaphore::MAX_PERMITS);
        assert_eq!(limits(usize::MAX).requests(), Semaphore::MAX_PERMITS);
    }
}
