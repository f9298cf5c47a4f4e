//! The sandbox of every program that a call starts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolglot_policy::{Level, Refusals, SandboxSettings};
use toolglot_sandbox::{Isolation, Watch};

/// The sandbox of every program that a call starts: commands, and the programs of tools that are files.
///
/// Both sandboxes are built only here. A command gets the policy's decision. The program of a tool gets the tool's
/// grants, narrowed by the policy's settings.
#[derive(Clone, Debug, Default)]
pub struct ProgramSandbox {
    /// The policy's settings.
    pub settings: SandboxSettings,
    /// Whether commands may change the root.
    pub may_write: bool,
    /// The paths that the policy refuses: programs see them empty or read-only, and searches skip them.
    pub refused: Refusals,
    /// Cancels programs and receives their output.
    pub watch: Watch,
}

impl ProgramSandbox {
    /// The isolation level. A command for a shell gets the strongest level, unless the level is `plain`.
    pub(crate) fn isolation(&self, needs_shell: bool) -> Isolation {
        match self.settings.decided.level {
            Level::Plain => Isolation::Plain,
            Level::Landlock if !needs_shell => Isolation::Landlock,
            Level::Landlock | Level::Namespaces => Isolation::Namespaces,
        }
    }

    /// The time limit of a command that requests `asked`.
    pub(crate) fn time(&self, asked: Option<Duration>) -> Duration {
        self.settings.decided.time(asked)
    }

    /// The existing paths of the root that a program with write access may change: absolute, links followed.
    pub fn writable(&self, root: &Path) -> Vec<PathBuf> {
        let list = self.settings.decided.write.iter();
        list.filter_map(|path| root.join(path).canonicalize().ok())
            .filter(|path| path.starts_with(root))
            .collect()
    }
}
