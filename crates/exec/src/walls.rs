//! The walls around commands that run in the root.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolglot_policy::{Level, Reach, Refusals, Sandbox};
use toolglot_sandbox::{Command, Isolation, Limits, Network, Start, Watch};

use crate::kept::Kept;
use crate::{Failure, identity};

/// What git is told in every command, whoever runs it: what a repository's own settings could run without being asked is
/// switched off. Filters, drivers and conversions have names of their own and cannot be, and a repository below is asked with
/// its own settings: so git may start no other program at all, see [`starts`].
const GIT: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    // Below a file nothing can be made, whoever runs: an installer of hooks replaces no device.
    ("core.hooksPath", "/dev/null/hooks"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("sequence.editor", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("log.showSignature", "false"),
    ("credential.helper", ""),
    ("protocol.ext.allow", "never"),
    ("uploadpack.packObjectsHook", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// The walls around commands that run in the root.
#[derive(Clone, Debug)]
pub struct Walls {
    /// What a policy says of them.
    pub sandbox: Sandbox,
    /// Whether commands may change the root.
    pub may_write: bool,
    /// What a policy refuses of places: it is empty to commands, or stays as it is, and is not searched.
    pub refused: Refusals,
    /// Who may end them, and hears what they say.
    pub watch: Watch,
}

impl Default for Walls {
    /// The strongest, and the root is not changed.
    fn default() -> Walls {
        Walls {
            sandbox: Sandbox::default(),
            may_write: false,
            refused: Refusals::default(),
            watch: Watch::default(),
        }
    }
}

impl Walls {
    /// How strong they are. What needs a shell gets the strongest, whatever is said.
    pub(crate) fn isolation(&self, needs_shell: bool) -> Isolation {
        match self.sandbox.level {
            Level::Plain => Isolation::Plain,
            Level::Landlock if !needs_shell => Isolation::Landlock,
            Level::Landlock | Level::Namespaces => Isolation::Namespaces,
        }
    }

    /// A command with no words yet, in the directory `cwd` of the root.
    ///
    /// # Errors
    ///
    /// What it may not see cannot be told.
    pub(crate) fn command(
        &self,
        root: &Path,
        cwd: &Path,
        needs_shell: bool,
    ) -> Result<Command, Failure> {
        let isolation = self.isolation(needs_shell);
        let network = match (self.sandbox.network, isolation) {
            (Reach::Host, _) | (_, Isolation::Plain) => Network::Host,
            (Reach::None, _) => Network::None,
        };
        let mut command = Command::new(Vec::<OsString>::new(), root.join(cwd));
        command.isolation = isolation;
        command.watch = self.watch.clone();
        command.network = network;
        command.env = self.environment();
        // None of the user's settings, whichever home the policy passes on. What a command sets here ends with its line.
        command.private_files = vec![("GIT_CONFIG_GLOBAL".into(), ".gitconfig")];
        identity::set(&mut command.env, root, cwd);
        command.read = vec![root.to_path_buf()];
        command.read.extend(
            self.sandbox
                .read
                .iter()
                .filter(|path| path.is_absolute())
                .cloned(),
        );
        command.write = self.writable(root);
        if isolation == Isolation::Namespaces {
            Kept::of(root, "execute_command", &self.refused)?.around(&mut command);
        }
        command.limits = Limits {
            time: self.sandbox.time(None),
            output_bytes: self.sandbox.output_bytes,
            memory_bytes: self.sandbox.memory_mb.saturating_mul(1 << 20),
            processes: self.sandbox.pids,
            file_bytes: self.sandbox.fsize_mb.saturating_mul(1 << 20),
            ..Limits::default()
        };
        Ok(command)
    }

    /// How long a command has that asks for so many seconds.
    pub(crate) fn time(&self, asked: Option<Duration>) -> Duration {
        self.sandbox.time(asked)
    }

    fn writable(&self, root: &Path) -> Vec<PathBuf> {
        if !self.may_write {
            return Vec::new();
        }
        let list = self.sandbox.write.iter();
        list.filter_map(|path| root.join(path).canonicalize().ok())
            .filter(|path| path.starts_with(root))
            .collect()
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut env: BTreeMap<OsString, OsString> = BTreeMap::new();
        for name in &self.sandbox.env {
            if let Some(value) = std::env::var_os(name) {
                env.insert(name.into(), value);
            }
        }
        let mut set = |name: String, value: &str| env.insert(name.into(), value.into());
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_PAGER", "cat"),
            ("GIT_EDITOR", "false"),
            ("PAGER", "cat"),
        ] {
            set(name.to_owned(), value);
        }
        let fixed = GIT.iter().map(|(key, value)| (*key, (*value).to_owned()));
        let trusted = identity::trusted().map(|path| ("safe.directory", path));
        let mut n = 0;
        for (key, value) in fixed.chain(trusted) {
            set(format!("GIT_CONFIG_KEY_{n}"), key);
            set(format!("GIT_CONFIG_VALUE_{n}"), &value);
            n += 1;
        }
        set("GIT_CONFIG_COUNT".to_owned(), &n.to_string());
        env.into_iter().collect()
    }
}

/// What git does by means of other programs. Whatever else it is asked for, it does itself.
const GIT_WITH_OTHERS: &[&str] = &[
    "bisect",
    "clone",
    "difftool",
    "fetch",
    "filter-branch",
    "lfs",
    "ls-remote",
    "mergetool",
    "p4",
    "pull",
    "push",
    "rebase",
    "request-pull",
    "send-email",
    "submodule",
    "subtree",
    "svn",
];

/// Options of git itself whose value is the next word.
const GIT_OPTIONS: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
];

/// Which other programs the words may start: git none, but for what it cannot do alone. So nothing that a repository's settings
/// name is run, however they name it and wherever they stand.
pub(crate) fn starts(words: &[String]) -> Start {
    let Some((program, mut rest)) = words.split_first() else {
        return Start::Any;
    };
    if program.rsplit('/').next() != Some("git") {
        return Start::Any;
    }
    while let Some((word, behind)) = rest.split_first() {
        if !word.starts_with('-') {
            return if GIT_WITH_OTHERS.contains(&word.as_str()) {
                Start::Any
            } else {
                Start::Itself
            };
        }
        rest = if GIT_OPTIONS.contains(&word.as_str()) {
            behind.get(1..).unwrap_or_default()
        } else {
            behind
        };
    }
    Start::Itself
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program may rename another file over what a variable names, and as root at level `plain` nothing keeps it from that.
    #[test]
    fn no_variable_names_a_file_that_is_there() {
        let walls = Walls {
            sandbox: Sandbox {
                level: Level::Plain,
                env: Vec::new(),
                ..Sandbox::default()
            },
            ..Walls::default()
        };
        let command = walls
            .command(Path::new("/"), Path::new(""), false)
            .expect("nothing is looked for");
        for (name, value) in command.env {
            let place = Path::new(&value);
            let is_there = place.is_absolute() && place.exists() && !place.is_dir();
            assert!(!is_there, "{name:?} is {value:?}");
        }
    }
}
