//! A program to run, and its sandbox.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Inspection, ProcessOutcome, SandboxError, Watch};

/// A program to run, and its sandbox. Nothing is inherited: the program gets only what is stated here.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments, each a separate word: no shell reads them. A program without a slash is looked up
    /// along `PATH` of [`env`](Command::env), among the files that the sandbox lets it read.
    pub argv: Vec<OsString>,
    /// The working directory. It must be readable by [`read`](Command::read) or [`write`](Command::write).
    pub cwd: PathBuf,
    /// The whole environment. The sandbox sets `HOME` and `TMPDIR` to a private directory where they are missing. In a
    /// sandbox `PATH` loses the directories that the program may not run programs from, so that a later one is found.
    pub env: Vec<(OsString, OsString)>,
    /// The standard input; nothing if empty. Big inputs belong here: an argument has 131,071 bytes at most.
    pub stdin: Vec<u8>,
    /// The destinations of standard output and standard error; by default each has its own pipe.
    pub sinks: [Sink; 2],
    /// The level of the sandbox.
    pub isolation: Isolation,
    /// The network that the program reaches.
    pub network: Network,
    /// Readable and runnable places besides the system's programs and libraries. A missing place is ignored.
    pub read: Vec<PathBuf>,
    /// The programs that the program may start besides itself; by default all that it may read. [`Start::Itself`] keeps
    /// a program from running commands that a file names. [`Isolation::Plain`] cannot enforce that.
    pub start: Start,
    /// Places that the program may change. A missing place is ignored.
    pub write: Vec<PathBuf>,
    /// Places inside `write` that stay unchanged. Only [`Isolation::Namespaces`] can enforce that.
    pub protect: Vec<PathBuf>,
    /// Directories inside `protect` that the program may change. A directory that a link leads to is ignored.
    pub reopen: Vec<PathBuf>,
    /// Directories inside `write` that cannot be moved, nor the directories above them, so that their contents keep
    /// their path. Only [`Isolation::Namespaces`] can enforce that.
    pub hold: Vec<PathBuf>,
    /// Files and directories inside `read` and `write` that look empty to the program. Only [`Isolation::Namespaces`]
    /// can enforce that.
    pub mask: Vec<PathBuf>,
    /// A directory on the disk for temporary files and as the home, in place of a private one. Commands that name the
    /// same directory share it. [`ResourceLimits::temporary_bytes`] does not count there. See
    /// [`Scratch`](crate::Scratch).
    pub temporary: Option<PathBuf>,
    /// Files of the private home, empty at first, each with the variable that names it. A program that removes such a
    /// file, or renames another over it, changes nothing outside. So no variable must name a device or a file of the
    /// system.
    pub private_files: Vec<(OsString, &'static str)>,
    /// The limits of the program.
    pub limits: ResourceLimits,
    /// The caller's handle to cancel the program, and the listener of its standard error.
    pub watch: Watch,
    /// An inspection of what the program left. Of several commands that run together, only the first one's counts.
    /// After [`stay`](Command::stay) no inspection runs.
    pub inspection: Option<Inspection>,
}

impl Command {
    /// A command in the strongest sandbox. It may read the system's programs and `cwd`, and change nothing.
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

    /// Runs the command, waits for it, and kills all processes that it started and left behind.
    ///
    /// Blocks for at most [`ResourceLimits::time`] and a second. Standard output and error are stored up to
    /// [`ResourceLimits::output_bytes`]; the rest is read and dropped.
    ///
    /// # Errors
    /// If the program was not started: a layer of the sandbox cannot be set up here, or there is no such program.
    pub fn run(&self) -> Result<ProcessOutcome, SandboxError> {
        let mut outcomes = run_pipeline(std::slice::from_ref(self))?;
        Ok(outcomes.pop().expect("one outcome for each command"))
    }

    /// Starts the command with `socket` as its standard input. The program stays until the
    /// [`Resident`](crate::Resident) is dropped or ended. [`stdin`](Command::stdin) and [`ResourceLimits::time`] have
    /// no effect, except that the time limits each process's use of the processor.
    ///
    /// The function returns before the program runs: if a layer cannot be set up then, the socket is closed and
    /// [`Resident::end`](crate::Resident::end) returns the error.
    ///
    /// # Errors
    /// If the program cannot be started, as far as that is known at this time.
    #[cfg(unix)]
    pub fn stay(&self, socket: std::os::fd::OwnedFd) -> Result<crate::Resident, SandboxError> {
        crate::Resident::start(self, socket)
    }
}

/// Runs commands at the same time, the output of each is the input of the next, and waits for all.
///
/// Each command has its own sandbox. The time of the first command counts for all; only the `stdin` of the first is
/// read. Only the last one's standard output is in the outcomes, which come in the order of the commands.
///
/// # Errors
/// If any program was not started; then all started programs are killed.
pub fn run_pipeline(commands: &[Command]) -> Result<Vec<ProcessOutcome>, SandboxError> {
    if commands.is_empty() || commands.iter().any(|command| command.argv.is_empty()) {
        return Err(SandboxError::NoProgram);
    }
    let mut outcomes = crate::platform::run(commands);
    let Some(inspection) = &commands[0].inspection else {
        return outcomes;
    };
    // In a pipeline, other programs may run although one was not started.
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

/// The level of a program's sandbox, from weak to strong. Each level includes the levels before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isolation {
    /// Limits, a private session, a clean environment, nothing left behind. **No sandbox**: the program may do what its
    /// user may.
    Plain,
    /// Also Landlock for files, TCP and signals, and a filter of system calls.
    Landlock,
    /// Also private namespaces for users, processes, mounts, network and the rest; private temporary directories.
    Namespaces,
}

impl Isolation {
    /// The name of the level in policies and reports.
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
    /// To the reader of its standard output: the next command of a pipeline, or the outcome.
    Output,
    /// To the standard error of the outcome.
    Error,
    /// Nowhere: `/dev/null`.
    Null,
}

/// Which other programs a program may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// All programs that it may read.
    Any,
    /// Only itself.
    Itself,
}

/// The network that a program reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// Nothing, not even services of this machine. [`Isolation::Plain`] cannot enforce that. [`Isolation::Namespaces`]
    /// has a private loopback, which a program and its children share.
    None,
    /// All that the host reaches.
    Host,
}

/// The limits of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// The time until the command is killed.
    pub time: Duration,
    /// The stored bytes of each of standard output and error: the first half and the last.
    pub output_bytes: usize,
    /// Private memory of each process, in bytes; of all processes together where there is a control group.
    pub memory_bytes: u64,
    /// Processes and threads at a time.
    pub processes: u32,
    /// The size of each file that it writes, in bytes.
    pub file_bytes: u64,
    /// The number of files that each process may have open.
    pub open_files: u64,
    /// The size of its private temporary directories, in bytes.
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
