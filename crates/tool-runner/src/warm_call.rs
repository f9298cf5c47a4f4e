//! The limits and the result of a call in a warm interpreter.

use std::time::Duration;

use toolglot_sandbox::{Exit, SandboxError};

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) exit: Exit,
    pub(crate) answer: Taken,
    pub(crate) stdout: Taken,
    pub(crate) stderr: Taken,
}

/// The stored bytes of a pipe.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) bytes: Vec<u8>,
    /// How many further bytes were dropped.
    pub(crate) n_more: u64,
}

impl Taken {
    /// The bytes as text; invalid UTF-8 is replaced.
    pub(crate) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        if self.n_more == 0 {
            text.into_owned()
        } else {
            format!("{text}\n[{} more bytes]", self.n_more)
        }
    }
}

/// The limits of one call.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only programs in a sandbox need it")
)]
pub(crate) struct Terms {
    pub(crate) time: Duration,
    pub(crate) answer_bytes: usize,
    pub(crate) printed_bytes: usize,
}

/// Why a warm interpreter did not run a call.
#[derive(Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only programs in a sandbox need it")
)]
pub(crate) enum NotWarm {
    /// This interpreter cannot stay warm: each call has to start one.
    Cold,
    /// The interpreter was not started.
    Refused(SandboxError),
}
