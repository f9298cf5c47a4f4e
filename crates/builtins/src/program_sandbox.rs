//! The sandbox of every program that a call starts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolglot_policy::{Level, Refusals, SandboxSettings};
use toolglot_sandbox::{Isolation, Watch};

/// The sandbox of every program that a call starts: commands, and the programs of tools that are files.
///
/// Both are made here and nowhere else. A command has what the policy decides; the program of a tool has what is granted to the
/// tool, narrowed by what the policy states.
#[derive(Clone, Debug, Default)]
pub struct ProgramSandbox {
    /// What a policy says of it.
    pub settings: SandboxSettings,
    /// Whether commands may change the root.
    pub may_write: bool,
    /// What a policy refuses of places: it is empty to programs, or stays as it is, and is not searched.
    pub refused: Refusals,
    /// Who may end programs, and hears what they say.
    pub watch: Watch,
}

impl ProgramSandbox {
    /// How strong it is. What needs a shell gets the strongest, unless the level is `plain`.
    pub(crate) fn isolation(&self, needs_shell: bool) -> Isolation {
        match self.settings.decided.level {
            Level::Plain => Isolation::Plain,
            Level::Landlock if !needs_shell => Isolation::Landlock,
            Level::Landlock | Level::Namespaces => Isolation::Namespaces,
        }
    }

    /// How long a command has that asks for so many seconds.
    pub(crate) fn time(&self, asked: Option<Duration>) -> Duration {
        self.settings.decided.time(asked)
    }

    /// What of the root programs may change that may change anything: absolute, links followed, as far as it is there.
    pub fn writable(&self, root: &Path) -> Vec<PathBuf> {
        let list = self.settings.decided.write.iter();
        list.filter_map(|path| root.join(path).canonicalize().ok())
            .filter(|path| path.starts_with(root))
            .collect()
    }
}
