//! The sandbox of programs: what a file states, what holds where no file states anything, and how two files make one.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::PolicyError;

/// The table `[sandbox]` of a policy file. What is left out is the default's to say in the user's file, and nobody's in the
/// project's: see [`Sandbox`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxTable {
    /// How strong: `namespaces`, `landlock` or `plain`.
    pub level: Option<Level>,
    /// `none` or `host`.
    pub network: Option<Reach>,
    /// What programs may read beyond the root and the system, as absolute paths.
    pub read: Option<Vec<PathBuf>>,
    /// What of the root they may change; a tool that is a file only with its grant.
    pub write: Option<Vec<String>>,
    /// Variables of the environment: commands get them, other programs get none that is not listed.
    pub env: Option<Vec<String>>,
    /// Seconds that a program has where neither its call nor its tool says.
    pub timeout_s: Option<u64>,
    /// Seconds that a call or a tool may ask for.
    pub max_timeout_s: Option<u64>,
    /// Bytes that are kept of each output.
    pub output_bytes: Option<usize>,
    /// Memory in MiB.
    pub memory_mb: Option<u64>,
    /// Processes.
    pub pids: Option<u32>,
    /// The largest file, in MiB.
    pub fsize_mb: Option<u64>,
}

impl SandboxTable {
    /// Refuses the level `plain` beside a setting that it cannot hold.
    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        match self.enforced_key() {
            Some(key) if self.level == Some(Level::Plain) => Err(PolicyError::Unenforced { key }),
            _ => Ok(()),
        }
    }

    /// The first stated setting that only a level above [`Level::Plain`] holds, if there is one.
    fn enforced_key(&self) -> Option<&'static str> {
        let keys = [
            ("network = \"none\"", self.network == Some(Reach::None)),
            ("read", self.read.is_some()),
            ("write", self.write.is_some()),
        ];
        keys.into_iter()
            .find_map(|(key, is_stated)| is_stated.then_some(key))
    }

    /// What two tables state together: of each setting the narrower, and what one of them leaves out as the other states it.
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
            // What the user opens as a whole the project may open in part.
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

/// The weakest level that holds what [`SandboxTable::enforced_key`] names.
const LEAST_ENFORCING: Level = Level::Landlock;

/// The sandbox with every setting decided. Every program that a call starts has its level, its places and its limits; the rest
/// is for commands, and binds tools as far as it is stated: see [`SandboxSettings`]. Defaults are written here alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// How strong.
    pub level: Level,
    /// What of the network commands reach; a tool follows its grants. At [`Level::Plain`] nothing holds programs from the host's.
    pub network: Reach,
    /// What programs may read beyond the root and the system, as absolute paths.
    pub read: Vec<PathBuf>,
    /// What of the root they may change, if anything.
    pub write: Vec<String>,
    /// Variables of the environment that commands get.
    pub env: Vec<String>,
    /// Seconds that a command has where the call does not say.
    pub timeout_s: u64,
    /// Seconds that a command may ask for.
    pub max_timeout_s: u64,
    /// Bytes that are kept of each output.
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

/// What of the network programs reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// All that the host reaches.
    Host,
    /// Nothing.
    None,
}

impl Default for Sandbox {
    /// What holds where no policy file says anything.
    fn default() -> Sandbox {
        // What says how to talk, and no more.
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
    /// The sandbox that a table means: what it leaves out has its default.
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

    /// How long a command has that asks for `asked`, if that may be asked for.
    pub fn time(&self, asked: Option<Duration>) -> Duration {
        let usual = Duration::from_secs(self.timeout_s);
        let most = Duration::from_secs(self.max_timeout_s.max(1));
        asked.unwrap_or(usual).min(most)
    }
}

/// The sandbox of every program that a call starts: each setting decided, and which of them somebody states.
///
/// A default is about commands. What is stated binds tools that are files and servers as well: a tool keeps its own usual time
/// and output where nobody states another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    /// Each setting, with a default where nobody states it.
    pub decided: Sandbox,
    /// The same settings, as far as a policy file or the command line states them.
    pub stated: SandboxTable,
}

impl SandboxSettings {
    /// The settings of the user's table and the project's, with the level that the command line asks for: that narrows what the
    /// user's file states, and is free only where it states none.
    ///
    /// Where a file states `network = "none"`, `read` or `write`, the level is never [`Level::Plain`], which holds none of them.
    pub fn new(
        user: Option<&SandboxTable>,
        project: Option<&SandboxTable>,
        level: Option<Level>,
    ) -> SandboxSettings {
        let mut user = user.cloned().unwrap_or_default();
        user.level = user.level.max(level);
        let absent = SandboxTable::default();
        let project = project.unwrap_or(&absent);
        // The user's table is complete before it is narrowed: what it leaves out is a default, which no project widens.
        let complete = SandboxTable::from(Sandbox::of(user.clone()));
        let mut decided = Sandbox::of(complete.narrowed_by(project));
        let mut stated = user.narrowed_by(project);
        if stated.enforced_key().is_some() {
            decided.level = decided.level.max(LEAST_ENFORCING);
            stated.level = stated.level.map(|level| level.max(LEAST_ENFORCING));
        }
        SandboxSettings { decided, stated }
    }

    /// How long a tool that is a file has: `own` is what it states itself, `usual` what it has otherwise.
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

    /// How many bytes of an output of a tool that is a file are taken, where `usual` are otherwise.
    pub fn tool_output(&self, usual: usize) -> usize {
        self.stated
            .output_bytes
            .map_or(usual, |most| usual.min(most))
    }

    /// Whether the program of a tool that is a file may have the network, once that is granted.
    pub fn tool_network(&self) -> bool {
        self.stated.network != Some(Reach::None)
    }

    /// Whether the program of a tool that is a file may get a variable of the environment, once its file names it.
    pub fn tool_variable(&self, name: &str) -> bool {
        let listed = self.stated.env.as_ref();
        listed.is_none_or(|listed| listed.iter().any(|one| one == name))
    }
}
