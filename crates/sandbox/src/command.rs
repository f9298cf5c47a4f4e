//! A program to run, and its sandbox.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Inspection, ProcessOutcome, SandboxError, Watch};

/// A program to run, and its sandbox. Nothing is inherited: what is not said here the program does not get.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments, each a word of its own: no shell reads them. A program without a slash is looked
    /// up along `PATH` of [`env`](Command::env), among what the sandbox lets it read.
    pub argv: Vec<OsString>,
    /// Where it runs. It has to be readable by [`read`](Command::read) or [`write`](Command::write).
    pub cwd: PathBuf,
    /// Its whole environment. `HOME` and `TMPDIR` are set by the sandbox to a private directory where they are missing.
    /// In a sandbox `PATH` loses the directories that it may not run programs from, so that a later one is found.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads on standard input; nothing if empty. Big inputs belong here: an argument has 131,071 bytes at most.
    pub stdin: Vec<u8>,
    /// Where its standard output and its standard error go: a pipe of its own each, unless this says otherwise.
    pub sinks: [Sink; 2],
    /// How it is kept apart.
    pub isolation: Isolation,
    /// What it reaches of the network.
    pub network: Network,
    /// What it may read and run, beyond the system's programs and libraries. What does not exist is left out.
    pub read: Vec<PathBuf>,
    /// The programs that it may start besides itself: all that it may read, unless this says otherwise. A program that is
    /// known to need no other is kept from running what a file that it reads tells it to. [`Isolation::Plain`] cannot do that.
    pub start: Start,
    /// What it may change. What does not exist is left out.
    pub write: Vec<PathBuf>,
    /// Places inside `write` that stay as they are. Only [`Isolation::Namespaces`] can do that.
    pub protect: Vec<PathBuf>,
    /// Directories inside `protect` that it may change all the same. One that a link leads to is left out.
    pub reopen: Vec<PathBuf>,
    /// Directories inside `write` that stay where they are, with those above them, so that what is in them keeps its path. Only
    /// [`Isolation::Namespaces`] can do that.
    pub hold: Vec<PathBuf>,
    /// Files and directories inside `read` and `write` that are empty to it. Only [`Isolation::Namespaces`] can do that.
    pub mask: Vec<PathBuf>,
    /// A directory on the disk that it has for temporary files and as its home, in place of one of its own: commands that name
    /// the same one share them. [`ResourceLimits::temporary_bytes`] does not count there. See [`Scratch`](crate::Scratch).
    pub temporary: Option<PathBuf>,
    /// Files of its private home, empty at first, each with the variable that names it. A program that renames another file
    /// over such a place, or removes it, changes nothing outside: a device or a file of the system must never stand in a variable.
    pub private_files: Vec<(OsString, &'static str)>,
    /// What it may use up.
    pub limits: ResourceLimits,
    /// Who may end it before its time, and hears what it says.
    pub watch: Watch,
    /// Looks at what it left. Of several that run at once the first one's is asked. After [`stay`](Command::stay) nobody asks it.
    pub inspection: Option<Inspection>,
}

impl Command {
    /// A command in the strongest sandbox, that may read the system's programs and `cwd`, and change nothing.
    pub fn new<I, W>(argv: I, cwd: impl Into<PathBuf>) -> Command
    where
        I: IntoIterator<Item = W>,
        W: Into<OsString>,
    {
        let cwd = cwd.into();
        Command {
            argv: argv.into_iter().map(Into::into).collect(),
            read: vec![cwd.clone()],
            cwd,
            env: Vec::new(),
            stdin: Vec::new(),
            sinks: [Sink::Output, Sink::Error],
            isolation: Isolation::Namespaces,
            network: Network::None,
            start: Start::Any,
            write: Vec::new(),
            protect: Vec::new(),
            reopen: Vec::new(),
            hold: Vec::new(),
            mask: Vec::new(),
            temporary: None,
            private_files: Vec::new(),
            limits: ResourceLimits::default(),
            watch: Watch::default(),
            inspection: None,
        }
    }

    /// Runs the command, waits for it, and kills all that it started and left behind.
    ///
    /// Blocks for at most [`ResourceLimits::time`] and a second. Standard output and error are kept as far as
    /// [`ResourceLimits::output_bytes`] allows; the rest is read and dropped.
    ///
    /// # Errors
    /// If the program was not started: a layer of the sandbox cannot be set up here, or there is no such program.
    pub fn run(&self) -> Result<ProcessOutcome, SandboxError> {
        let mut outcomes = run_pipeline(std::slice::from_ref(self))?;
        Ok(outcomes.pop().expect("one outcome for each command"))
    }

    /// Starts the command with `socket` as its standard input, and lets it stay until the [`Resident`](crate::Resident) is
    /// dropped or ended. [`stdin`](Command::stdin) and [`ResourceLimits::time`] do not count, but that no process has more of the
    /// processor than the time.
    ///
    /// It returns before the program runs: where a layer cannot be set up then, the socket is closed and
    /// [`Resident::end`](crate::Resident::end) says why.
    ///
    /// # Errors
    /// If it cannot be started, as far as that is known already.
    #[cfg(unix)]
    pub fn stay(&self, socket: std::os::fd::OwnedFd) -> Result<crate::Resident, SandboxError> {
        crate::Resident::start(self, socket)
    }
}

/// Runs commands at once, the output of each the input of the next, and waits for all.
///
/// Each has a sandbox of its own. The time of the first command counts for all; `stdin` only of the first is read. Only the
/// last one's standard output is in the outcomes, which come in the order of the commands.
///
/// # Errors
/// If any of the programs was not started; then those that were are killed.
pub fn run_pipeline(commands: &[Command]) -> Result<Vec<ProcessOutcome>, SandboxError> {
    if commands.is_empty() || commands.iter().any(|command| command.argv.is_empty()) {
        return Err(SandboxError::NoProgram);
    }
    let mut outcomes = crate::platform::run(commands);
    let Some(inspection) = &commands[0].inspection else {
        return outcomes;
    };
    // Of a pipeline others may have been started where one was not.
    let is_single = commands.len() == 1;
    if is_single && outcomes.as_ref().is_err_and(SandboxError::is_before_start) {
        return outcomes;
    }
    let argv = if is_single {
        commands[0].argv.as_slice()
    } else {
        &[]
    };
    let remarks = inspection.text(argv);
    match &mut outcomes {
        Ok(all) => {
            if let Some(last) = all.last_mut() {
                last.stderr.append(&remarks);
            }
            outcomes
        }
        Err(_) if remarks.is_empty() => outcomes,
        Err(_) => outcomes.map_err(|refusal| SandboxError::Remarked {
            source: Box::new(refusal),
            remarks,
        }),
    }
}

/// How a program is kept apart from everything else, from weak to strong. Each holds what the ones before it hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isolation {
    /// Limits, its own session, a clean environment, nothing left behind. **No sandbox**: it may touch what its user may.
    Plain,
    /// And Landlock for files, TCP and signals, and a filter of system calls.
    Landlock,
    /// And namespaces of its own for users, processes, mounts, network and the rest; private temporary directories.
    Namespaces,
}

impl Isolation {
    /// The word for it in policies and reports.
    pub fn word(self) -> &'static str {
        match self {
            Isolation::Plain => "plain",
            Isolation::Landlock => "landlock",
            Isolation::Namespaces => "namespaces",
        }
    }
}

/// Where an output of a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// To who reads its standard output: the next command of a pipeline, or the outcome.
    Output,
    /// To the standard error of the outcome.
    Error,
    /// Nowhere: `/dev/null`.
    Null,
}

/// Which other programs a program may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// All that it may read.
    Any,
    /// None but itself.
    Itself,
}

/// What a program reaches of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// Nothing, this machine's own services included. [`Isolation::Plain`] cannot hold that; with [`Isolation::Namespaces`] there
    /// is a loopback of its own, which a program and what it starts share.
    None,
    /// All that the host reaches.
    Host,
}

/// What one command may use up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Until it is killed.
    pub time: Duration,
    /// What is kept of each of standard output and error, in bytes: the first half and the last.
    pub output_bytes: usize,
    /// Private memory of each process, in bytes; of all together where there is a control group.
    pub memory_bytes: u64,
    /// Processes and threads at a time.
    pub processes: u32,
    /// Of each file it writes, in bytes.
    pub file_bytes: u64,
    /// Files that each process holds open.
    pub open_files: u64,
    /// What fits into its private temporary directories, in bytes.
    pub temporary_bytes: u64,
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits {
            time: Duration::from_secs(30),
            output_bytes: 64 << 10,
            memory_bytes: 2 << 30,
            processes: 128,
            file_bytes: 256 << 20,
            open_files: 1024,
            temporary_bytes: 256 << 20,
        }
    }
}
