//! Why a program was not started.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::Isolation;

/// Why a program was not started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// An empty command.
    #[error("there is no program to run")]
    NoProgram,
    /// No program of that name can be run.
    #[error(
        "program `{name}` not found in the directories of PATH that the sandbox can read; a policy can add some in `read` of `[sandbox]`"
    )]
    NotFound {
        /// The name.
        name: String,
    },
    /// A zero byte in a word, a name, a path.
    #[error("{what} holds a zero byte, which no program can be given")]
    ZeroByte {
        /// The text that contains it.
        what: &'static str,
    },
    /// A longer argument than the system accepts.
    #[error(
        "an argument of {bytes} bytes is longer than the limit of 131071 bytes: write it to a file, or pass it on standard input"
    )]
    ArgumentTooLong {
        /// The length of the argument.
        bytes: usize,
    },
    /// A layer that the command requests is not available here.
    #[error("the sandbox layer `{layer}` is missing here ({why}), and without it nothing is run at level `{}`: see `toolglot doctor`", .level.word())]
    Missing {
        /// The layer.
        layer: &'static str,
        /// The reason.
        why: String,
        /// The requested level.
        level: Isolation,
    },
    /// The command requests something that only a higher level can do.
    #[error("{what} needs the sandbox level `{}`", .needs.word())]
    NeedsLevel {
        /// The request.
        what: &'static str,
        /// The level that can do it.
        needs: Isolation,
    },
    /// A step of the preparation failed.
    #[error("the sandbox could not be set up: {step}{}: {source}", .path.as_ref().map(|path| format!(" ({})", path.display())).unwrap_or_default())]
    Setup {
        /// The step.
        step: &'static str,
        /// The path of the step.
        path: Option<PathBuf>,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The program could not be started in the sandbox.
    #[error("`{program}` could not be started: {source}")]
    Exec {
        /// The program.
        program: String,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// A run that failed after some of its programs were started, with the remarks of the inspection.
    #[error("{source}\n{}", .remarks.trim_end())]
    Remarked {
        /// Why the run failed.
        #[source]
        source: Box<SandboxError>,
        /// The remarks of its [`Inspection`](crate::Inspection), a line for each.
        remarks: String,
    },
    /// There is no sandbox for this system.
    #[error("there is no sandbox for {os} yet, and without one no program is run")]
    Unsupported {
        /// The system.
        os: &'static str,
    },
}

impl SandboxError {
    /// The error without the remarks of an inspection.
    pub fn cause(&self) -> &SandboxError {
        match self {
            SandboxError::Remarked { source, .. } => source.cause(),
            refusal => refusal,
        }
    }

    /// Whether the error means that no program was started, in a run of one command.
    pub(crate) fn is_before_start(&self) -> bool {
        matches!(
            self,
            SandboxError::NoProgram
                | SandboxError::NotFound { .. }
                | SandboxError::ZeroByte { .. }
                | SandboxError::ArgumentTooLong { .. }
                | SandboxError::Missing { .. }
                | SandboxError::NeedsLevel { .. }
                | SandboxError::Unsupported { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_tells_whether_a_program_had_started() {
        let error = || io::Error::from_raw_os_error(1);
        let exec = SandboxError::Exec {
            program: "a".to_owned(),
            source: error(),
        };
        assert!(!exec.is_before_start());
        let remarked = SandboxError::Remarked {
            source: Box::new(exec),
            remarks: "one".to_owned(),
        };
        assert!(!remarked.is_before_start());
        assert!(matches!(remarked.cause(), SandboxError::Exec { .. }));
        for refusal in [
            SandboxError::NoProgram,
            SandboxError::ArgumentTooLong { bytes: 1 },
            SandboxError::Unsupported { os: "none" },
        ] {
            assert!(refusal.is_before_start(), "{refusal}");
        }
    }
}
