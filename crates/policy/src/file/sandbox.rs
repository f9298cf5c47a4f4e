//! The sandbox of programs: the settings of a file, the defaults, and how two files combine.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::PolicyError;

/// The table `[sandbox]` of a policy file. A missing setting has its default in the user's file, and no effect in the
/// project's: see [`Sandbox`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxTable {
    /// The level: `namespaces`, `landlock` or `plain`.
    pub level: Option<Level>,
    /// `none` or `host`.
    pub network: Option<Reach>,
    /// Absolute paths that programs may read besides the root and the system.
    pub read: Option<Vec<PathBuf>>,
    /// Paths of the root that programs may change; a tool file needs its grant as well.
    pub write: Option<Vec<String>>,
    /// Environment variables: commands get them, other programs get no variable that is not listed.
    pub env: Option<Vec<String>>,
    /// The timeout of a program in seconds, where neither its call nor its tool states one.
    pub timeout_s: Option<u64>,
    /// The longest timeout that a call or a tool may request, in seconds.
    pub max_timeout_s: Option<u64>,
    /// The maximum bytes of each output.
    pub output_bytes: Option<usize>,
    /// Memory in MiB.
    pub memory_mb: Option<u64>,
    /// Processes.
    pub pids: Option<u32>,
    /// The largest file, in MiB.
    pub fsize_mb: Option<u64>,
}

impl SandboxTable {
    /// Refuses the level `plain` beside a setting that it cannot enforce.
    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        match self.enforced_key() {
            Some(key) if self.level == Some(Level::Plain) => Err(PolicyError::Unenforced { key }),
            _ => Ok(()),
        }
    }

    /// The first stated setting that only a level above [`Level::Plain`] enforces, if there is one.
    fn enforced_key(&self) -> Option<&'static str> {
        let keys = [
            ("network = \"none\"", self.network == Some(Reach::None)),
            ("read", self.read.is_some()),
            ("write", self.write.is_some()),
        ];
        keys.into_iter()
            .find_map(|(key, is_stated)| is_stated.then_some(key))
    }

    /// The two tables together: the narrower value of each setting, and the other's value where one leaves it out.
    fn narrowed_by(self, project: &SandboxTable) -> SandboxTable {
        fn least<T: Ord + Copy>(own: Option<T>, project: Option<T>) -> Option<T> {
            [own, project].into_iter().flatten().min()
        }
        fn both<T: PartialEq + Clone>(
            own: Option<Vec<T>>,
            project: Option<&Vec<T>>,
        ) -> Option<Vec<T>> {
            match (own, project) {
                (Some(mut own), Some(project)) => {
                    own.retain(|item| project.contains(item));
                    Some(own)
                }
                (own, project) => own.or_else(|| project.cloned()),
            }
        }
        let is_whole = |list: &Vec<String>| list.iter().any(|top| top == ".");
        let write = match &project.write {
            // If the user opens the whole root, the project may open a part of it.
            Some(list) if self.write.as_ref().is_some_and(is_whole) => Some(list.clone()),
            list => both(self.write, list.as_ref()),
        };
        SandboxTable {
            level: self.level.max(project.level),
            network: self.network.max(project.network),
            read: both(self.read, project.read.as_ref()),
            write,
            env: both(self.env, project.env.as_ref()),
            timeout_s: least(self.timeout_s, project.timeout_s),
            max_timeout_s: least(self.max_timeout_s, project.max_timeout_s),
            output_bytes: least(self.output_bytes, project.output_bytes),
            memory_mb: least(self.memory_mb, project.memory_mb),
            pids: least(self.pids, project.pids),
            fsize_mb: least(self.fsize_mb, project.fsize_mb),
        }
    }
}

impl From<Sandbox> for SandboxTable {
    /// The table that states every setting.
    fn from(sandbox: Sandbox) -> SandboxTable {
        SandboxTable {
            level: Some(sandbox.level),
            network: Some(sandbox.network),
            read: Some(sandbox.read),
            write: Some(sandbox.write),
            env: Some(sandbox.env),
            timeout_s: Some(sandbox.timeout_s),
            max_timeout_s: Some(sandbox.max_timeout_s),
            output_bytes: Some(sandbox.output_bytes),
            memory_mb: Some(sandbox.memory_mb),
            pids: Some(sandbox.pids),
            fsize_mb: Some(sandbox.fsize_mb),
        }
    }
}

/// The weakest level that enforces the settings of [`SandboxTable::enforced_key`].
const LEAST_ENFORCING: Level = Level::Landlock;

/// The sandbox with a value for every setting. Level, places and limits apply to every program that a call starts. The
/// rest applies to commands, and to tools as far as it is stated: see [`SandboxSettings`]. All defaults are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// The level.
    pub level: Level,
    /// The network that commands reach; a tool follows its grants. [`Level::Plain`] cannot keep programs from the
    /// host's network.
    pub network: Reach,
    /// Absolute paths that programs may read besides the root and the system.
    pub read: Vec<PathBuf>,
    /// Paths of the root that programs may change, if any.
    pub write: Vec<String>,
    /// Environment variables that commands get.
    pub env: Vec<String>,
    /// The timeout of a command in seconds, where the call states none.
    pub timeout_s: u64,
    /// The longest timeout that a command may request, in seconds.
    pub max_timeout_s: u64,
    /// The maximum bytes of each output.
    pub output_bytes: usize,
    /// Memory in MiB.
    pub memory_mb: u64,
    /// Processes.
    pub pids: u32,
    /// The largest file, in MiB.
    pub fsize_mb: u64,
}

/// How strong the sandbox of programs is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// None: limits only.
    Plain,
    /// Landlock and a filter of system calls.
    Landlock,
    /// Namespaces too.
    Namespaces,
}

/// The network that programs reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// All that the host reaches.
    Host,
    /// Nothing.
    None,
}

impl Default for Sandbox {
    /// The sandbox without a policy file.
    fn default() -> Sandbox {
        // Only variables for programs, language, terminal and time zone.
        let env = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ"];
        Sandbox {
            level: Level::Namespaces,
            network: Reach::None,
            read: Vec::new(),
            write: vec![".".to_owned()],
            env: env.map(str::to_owned).to_vec(),
            timeout_s: 30,
            max_timeout_s: 600,
            output_bytes: 64 << 10,
            memory_mb: 2 << 10,
            pids: 128,
            fsize_mb: 256,
        }
    }
}

impl Sandbox {
    /// The sandbox of a table: a setting that it leaves out has its default.
    fn of(table: SandboxTable) -> Sandbox {
        let Sandbox {
            level,
            network,
            read,
            write,
            env,
            timeout_s,
            max_timeout_s,
            output_bytes,
            memory_mb,
            pids,
            fsize_mb,
        } = Sandbox::default();
        Sandbox {
            level: table.level.unwrap_or(level),
            network: table.network.unwrap_or(network),
            read: table.read.unwrap_or(read),
            write: table.write.unwrap_or(write),
            env: table.env.unwrap_or(env),
            timeout_s: table.timeout_s.unwrap_or(timeout_s),
            max_timeout_s: table.max_timeout_s.unwrap_or(max_timeout_s),
            output_bytes: table.output_bytes.unwrap_or(output_bytes),
            memory_mb: table.memory_mb.unwrap_or(memory_mb),
            pids: table.pids.unwrap_or(pids),
            fsize_mb: table.fsize_mb.unwrap_or(fsize_mb),
        }
    }

    /// The timeout of a command: the requested one, at most the longest, or the default.
    pub fn time(&self, requested: Option<Duration>) -> Duration {
        let usual = Duration::from_secs(self.timeout_s);
        let most = Duration::from_secs(self.max_timeout_s.max(1));
        requested.unwrap_or(usual).min(most)
    }
}

/// The sandbox of every program that a call starts: each setting, and which settings a file or the command line states.
///
/// A default applies to commands only. A stated setting applies to tool files and servers too; without one, a tool
/// keeps its own timeout and output limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    /// Each setting, with its default where it is not stated.
    pub decided: Sandbox,
    /// The same settings, as far as a policy file or the command line states them.
    pub stated: SandboxTable,
}

impl SandboxSettings {
    /// The settings of the user's table, the project's table and the level of the command line. That level can only
    /// strengthen a level in the user's file.
    ///
    /// Where a file states `network = "none"`, `read` or `write`, the level is never [`Level::Plain`], which enforces
    /// none of them.
    pub fn new(
        user: Option<&SandboxTable>,
        project: Option<&SandboxTable>,
        level: Option<Level>,
    ) -> SandboxSettings {
        let mut user = user.cloned().unwrap_or_default();
        user.level = user.level.max(level);
        let absent = SandboxTable::default();
        let project = project.unwrap_or(&absent);
        // Defaults complete the user's table before it is narrowed, so that no project widens a default.
        let complete = SandboxTable::from(Sandbox::of(user.clone()));
        let mut decided = Sandbox::of(complete.narrowed_by(project));
        let mut stated = user.narrowed_by(project);
        if stated.enforced_key().is_some() {
            decided.level = decided.level.max(LEAST_ENFORCING);
            stated.level = stated.level.map(|level| level.max(LEAST_ENFORCING));
        }
        SandboxSettings { decided, stated }
    }

    /// The timeout of a tool file: `own` is the timeout that it states, `usual` its default.
    pub fn tool_time(&self, own: Option<Duration>, usual: Duration) -> Duration {
        let stated =
            |seconds: Option<u64>| seconds.map(|seconds| Duration::from_secs(seconds.max(1)));
        let time = own.unwrap_or_else(|| match stated(self.stated.timeout_s) {
            Some(most) => usual.min(most),
            None => usual,
        });
        match stated(self.stated.max_timeout_s) {
            Some(most) => time.min(most),
            None => time,
        }
    }

    /// The maximum bytes of an output of a tool file; `usual` is the default.
    pub fn tool_output(&self, usual: usize) -> usize {
        self.stated
            .output_bytes
            .map_or(usual, |most| usual.min(most))
    }

    /// Whether the program of a tool file may use the network, once a grant allows it.
    pub fn tool_network(&self) -> bool {
        self.stated.network != Some(Reach::None)
    }

    /// Whether the program of a tool file may get an environment variable, once the file names it.
    pub fn tool_variable(&self, name: &str) -> bool {
        let listed = self.stated.env.as_ref();
        listed.is_none_or(|listed| listed.iter().any(|one| one == name))
    }
}
