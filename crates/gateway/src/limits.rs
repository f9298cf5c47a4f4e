//! How much one gateway takes on.

use std::time::Duration;

use tokio::sync::Semaphore;

/// Caps on bytes, time and concurrency; each has a default that a coding agent does not reach.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The longest request body, in bytes.
    pub body_bytes: usize,
    /// The longest answer of the upstream that is read, in bytes.
    pub answer_bytes: usize,
    /// The request bodies that are held at one time, in bytes of all requests together.
    pub held_bytes: usize,
    /// How many requests are running at one time; one more gets the status 503. Four times as many connections are open at most,
    /// since clients keep idle ones; one more waits in the system's queue.
    pub requests: usize,
    /// How long the head of a request may take to arrive. An idle connection is closed after it, too.
    pub head: Duration,
    /// How long the body of a request may take to arrive.
    pub body: Duration,
    /// How long a client may read nothing while there is something to read.
    pub write: Duration,
    /// How long the upstream may stay silent.
    pub silence: Duration,
    /// How long requests that are running may continue after the gateway is asked to stop.
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

/// So many connections are open for each request that may run: clients keep idle ones.
const CONNECTIONS_PER_REQUEST: usize = 4;

impl Limits {
    /// How many requests are running at one time, as far as they can be counted.
    pub(crate) fn requests(&self) -> usize {
        self.requests.min(Semaphore::MAX_PERMITS)
    }

    /// How many connections are open at one time.
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
        // More than can be counted.
        assert_eq!(limits(usize::MAX).connections(), Semaphore::MAX_PERMITS);
        assert_eq!(limits(usize::MAX).requests(), Semaphore::MAX_PERMITS);
    }
}
