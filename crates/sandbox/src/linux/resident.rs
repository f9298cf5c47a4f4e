//! A program that stays: no caller waits for its end, and a socket connects to it.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use super::plan::Plan;
use super::pump::{Stage, Terms, pump};
use super::step::{Step, setup};
use super::{outcome, refusal, start};
use crate::{Command, ProcessOutcome, SandboxError};

/// A program that was started to stay, in its sandbox. Dropping it kills it and all that it started.
#[derive(Debug)]
pub struct Resident {
    // The stage comes before the plan: the processes end before their control group and directories are removed.
    stage: Stage,
    plan: Plan,
    command: Command,
    started: Instant,
}

impl Resident {
    pub(crate) fn start(command: &Command, socket: OwnedFd) -> Result<Resident, SandboxError> {
        if command.argv.is_empty() {
            return Err(SandboxError::NoProgram);
        }
        let mut plan = Plan::new(command)?;
        let started = Instant::now();
        // The socket is the input, and the host holds no copy of it: when the program ends, the other end sees that.
        let (stage, _) = start(command, &mut plan, Some(socket), true)
            .map_err(|error| setup(Step::Fork, None, io::Error::from_raw_os_error(error)))?;
        Ok(Resident {
            stage,
            plan,
            command: command.clone(),
            started,
        })
    }

    /// Kills the program and all that it started. Returns its output, and how it ended if it had ended before.
    ///
    /// # Errors
    /// If the program was never started.
    pub fn end(self) -> Result<ProcessOutcome, SandboxError> {
        let Resident {
            stage,
            plan,
            command,
            started,
        } = self;
        let terms = Terms {
            started,
            time: Duration::ZERO,
            output_bytes: command.limits.output_bytes,
            watch: &command.watch,
        };
        let mut stages = [stage];
        let pumped = pump(&mut stages, &[], terms);
        let result = std::mem::take(&mut stages[0].result);
        drop(stages);
        let cut = pumped.map_err(|error| setup(Step::Fork, None, error))?;
        match result.failed {
            Some(failed) => Err(refusal(failed, &plan, &command)),
            None => Ok(outcome(result, cut)),
        }
    }
}
