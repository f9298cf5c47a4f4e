//! What a call of a warm interpreter is given, and what comes of it.

use std::time::Duration;

use toolglot_sandbox::{Exit, SandboxError};

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) exit: Exit,
    pub(crate) answer: Taken,
    pub(crate) stdout: Taken,
    pub(crate) stderr: Taken,
}

/// What was read of a pipe, as far as it is kept.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) bytes: Vec<u8>,
    /// How many came after those.
    pub(crate) n_more: u64,
}

impl Taken {
    /// As text, what is no UTF-8 replaced.
    pub(crate) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        if self.n_more == 0 {
            text.into_owned()
        } else {
            format!("{text}\n[{} more bytes]", self.n_more)
        }
    }
}

/// What one call may use up.
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

/// Why a call was not made here.
#[derive(Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only programs in a sandbox need it")
)]
pub(crate) enum NotWarm {
    /// This interpreter cannot be kept warm: each call has to start one.
    Cold,
    /// It was not started.
    Refused(SandboxError),
}
