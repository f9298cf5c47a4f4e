//! How much one gateway takes on.

use std::time::Duration;

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
    /// How many requests are running at one time; one more gets the status 503.
    pub requests: usize,
    /// How many connections are open at one time; one more waits in the system's queue.
    pub connections: usize,
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
            connections: 1024,
            head: Duration::from_secs(30),
            body: Duration::from_secs(60),
            write: Duration::from_secs(60),
            silence: Duration::from_secs(600),
            grace: Duration::from_secs(30),
        }
    }
}
