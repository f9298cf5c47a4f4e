//! For systems without a sandbox: no interpreter stays warm, and the start of a program is refused.

use toolglot_sandbox::Command;

use crate::warm_call::{Ended, NotWarm, Terms};

/// Interpreters that wait for calls: none on this system.
#[derive(Clone, Debug, Default)]
pub struct WarmInterpreters(());

#[expect(
    clippy::unused_self,
    reason = "the same functions as where there is a sandbox"
)]
impl WarmInterpreters {
    pub(crate) fn call(&self, _: &Command, _: &[u8], _: Terms) -> Result<Ended, NotWarm> {
        Err(NotWarm::Cold)
    }

    /// How many interpreters wait for a call: none on this system.
    pub fn n_waiting(&self) -> usize {
        0
    }

    /// Does nothing: no interpreter waits on this system.
    pub fn end(&self) {}
}
