//! The sandbox on Linux.

mod cgroup;
mod filter;
mod landlock;
mod places;
mod plan;
mod program;
mod pump;
mod resident;
mod scratch;
mod step;
#[expect(unsafe_code, reason = "system calls")]
mod sys;
mod warden;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::Instant;

pub use resident::Resident;
pub use scratch::Scratch;

use plan::Plan;
use pump::{Cut, Raw, Stage, Terms, pump};
use step::{Failed, Step, setup};
use sys::Ended;
use warden::Ends;

use crate::{Command, Exit, Isolation, Layer, Layers, ProcessOutcome, SandboxError, Sink};

/// Makes a write beyond the limit of a file's size (`RLIMIT_FSIZE`) return an error. Otherwise a signal ends the host,
/// with half a file left behind. Programs in the sandbox get the signal as usual.
pub fn outlive_file_limits() {
    sys::ignore_file_size();
}

/// Runs commands as a pipeline.
pub(crate) fn run(commands: &[Command]) -> Result<Vec<ProcessOutcome>, SandboxError> {
    let mut plans = commands
        .iter()
        .map(Plan::new)
        .collect::<Result<Vec<_>, _>>()?;
    let started = Instant::now();
    let mut stages = Vec::with_capacity(commands.len());
    let mut pipe_in: Option<OwnedFd> = None;
    for (index, (command, plan)) in commands.iter().zip(&mut plans).enumerate() {
        let is_last = index + 1 == commands.len();
        let (stage, to_next) = start(command, plan, pipe_in.take(), is_last)
            .map_err(|error| setup(Step::Fork, None, io::Error::from_raw_os_error(error)))?;
        stages.push(stage);
        pipe_in = to_next;
    }
    let first = &commands[0];
    let terms = Terms {
        started,
        time: first.limits.time,
        output_bytes: first.limits.output_bytes,
        watch: &first.watch,
    };
    let pumped = pump(&mut stages, &first.stdin, terms);
    // After any error all processes end: without leashes the wardens kill all.
    let results: Vec<Raw> = stages
        .iter_mut()
        .map(|stage| std::mem::take(&mut stage.result))
        .collect();
    drop(stages);
    let cut = pumped.map_err(|error| setup(Step::Fork, None, error))?;
    let failed = results.iter().zip(&plans).zip(commands);
    for ((result, plan), command) in failed {
        if let Some(failed) = result.failed {
            return Err(refusal(failed, plan, command));
        }
    }
    Ok(results
        .into_iter()
        .map(|result| outcome(result, cut))
        .collect())
}

/// Starts one command. The returned descriptor is the input of the next command.
fn start(
    command: &Command,
    plan: &mut Plan,
    stdin: Option<OwnedFd>,
    is_last: bool,
) -> sys::Sys<(Stage, Option<OwnedFd>)> {
    let (leash_end, leash) = sys::pipe()?;
    let (status, status_end) = sys::pipe()?;
    let (stderr, stderr_end) = sys::pipe()?;
    let (stdout, stdout_end) = sys::pipe()?;
    let (stdin_end, stdin) = match stdin {
        Some(previous) => (previous, None),
        None if command.stdin.is_empty() => (null()?, None),
        None => {
            let (read, write) = sys::pipe()?;
            (read, Some(write))
        }
    };
    for end in [&status, &stderr, &stdout].into_iter().chain(&stdin) {
        sys::set_nonblocking(end.as_raw_fd())?;
    }
    let nowhere = if command.sinks.contains(&Sink::Null) {
        Some(null_output()?)
    } else {
        None
    };
    let end = |sink: Sink| match (sink, &nowhere) {
        (Sink::Error, _) => stderr_end.as_raw_fd(),
        (Sink::Null, Some(nowhere)) => nowhere.as_raw_fd(),
        _ => stdout_end.as_raw_fd(),
    };
    let ends = Ends {
        standard: [
            stdin_end.as_raw_fd(),
            end(command.sinks[0]),
            end(command.sinks[1]),
        ],
        leash: leash_end.as_raw_fd(),
        status: status_end.as_raw_fd(),
    };
    // SAFETY: the copy runs `guard`, which calls functions of `sys` only and never returns.
    #[expect(unsafe_code, reason = "a process is copied")]
    let Some(warden) = (unsafe { sys::fork(plan.namespaces(command.network))? }) else {
        warden::guard(plan, ends)
    };
    let (stdout, to_next) = if is_last {
        (Some(stdout), None)
    } else {
        // The next command blocks on its input, as any program does.
        sys::set_blocking(stdout.as_raw_fd())?;
        (None, Some(stdout))
    };
    let stage = Stage {
        warden,
        leash: Some(leash),
        status: Some(status),
        stdin,
        stdout,
        stderr: Some(stderr),
        result: Raw::default(),
    };
    Ok((stage, to_next))
}

/// An input without bytes.
fn null() -> sys::Sys<OwnedFd> {
    let file = std::fs::File::open("/dev/null")
        .map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
    sys::above_standard(file.into())
}

/// An output that drops all bytes.
fn null_output() -> sys::Sys<OwnedFd> {
    let file = std::fs::File::options().write(true).open("/dev/null");
    let file = file.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
    sys::above_standard(file.into())
}

fn outcome(result: Raw, cut: Option<Cut>) -> ProcessOutcome {
    let exit = match result.ended {
        Some(Ended::Code(code)) => Exit::Code(code),
        Some(Ended::Signal(libc::SIGKILL)) | None if cut == Some(Cut::Late) => Exit::TimedOut,
        Some(Ended::Signal(libc::SIGKILL)) | None if cut == Some(Cut::Cancelled) => Exit::Cancelled,
        Some(Ended::Signal(signal)) => Exit::Signal(signal),
        None => Exit::Signal(libc::SIGKILL),
    };
    ProcessOutcome {
        exit,
        stdout: result.stdout,
        stderr: result.stderr,
        n_left: u32::try_from(result.n_left).unwrap_or(0),
        duration: result.duration,
    }
}

fn refusal(failed: Failed, plan: &Plan, command: &Command) -> SandboxError {
    let source = io::Error::from_raw_os_error(failed.error);
    if failed.step == Step::Exec {
        return SandboxError::Exec {
            program: command.argv[0].to_string_lossy().into_owned(),
            source,
        };
    }
    setup(
        failed.step,
        plan.about(failed.step, failed.about).as_deref(),
        source,
    )
}

/// The layers that a sandbox can use on this machine, for this user. They are probed once.
pub fn layers() -> Layers {
    static LAYERS: OnceLock<Layers> = OnceLock::new();
    LAYERS.get_or_init(look).clone()
}

fn because(error: i32) -> String {
    io::Error::from_raw_os_error(error).to_string()
}

/// Landlock of this version, or why it is not sufficient.
fn landlock_layer(version: sys::Sys<i32>) -> Result<String, String> {
    match version {
        Ok(version) if version >= landlock::OLDEST => Ok(format!("version {version}")),
        Ok(version) => Err(format!(
            "version {version} is too old: it does not cover truncating files"
        )),
        Err(error) => Err(because(error)),
    }
}

fn look() -> Layers {
    let landlock = landlock_layer(sys::landlock_version());
    let children = std::fs::metadata("/proc/thread-self/children").map(|_| "available".to_owned());
    let group = match cgroup::parents() {
        [] => Err("this user cannot create one".to_owned()),
        parents => Ok(parents
            .iter()
            .map(|parent| parent.display().to_string())
            .collect::<Vec<_>>()
            .join(", ")),
    };
    let layers = vec![
        Layer {
            name: "process tree tracking",
            needed_by: Some(Isolation::Plain),
            found: children.map_err(|error| error.to_string()),
        },
        Layer {
            name: "landlock",
            needed_by: Some(Isolation::Landlock),
            found: landlock,
        },
        Layer {
            name: "seccomp",
            needed_by: Some(Isolation::Plain),
            found: probe(0, true)
                .map(|()| "available".to_owned())
                .map_err(because),
        },
        Layer {
            name: "namespaces",
            needed_by: Some(Isolation::Namespaces),
            found: probe(NAMESPACES, false)
                .map(|()| "user, process, mount, ipc, name and network".to_owned())
                .map_err(because),
        },
        Layer {
            name: "control group",
            needed_by: None,
            found: group,
        },
    ];
    Layers { layers }
}

const NAMESPACES: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWNET;

/// Tries one step in a process with these namespaces, under the filter if `is_filtered`. Returns the error of the step.
fn probe(flags: i32, is_filtered: bool) -> sys::Sys<()> {
    let filter = filter::filter(filter::Sockets::None);
    // SAFETY: the copy calls functions of `sys` only.
    #[expect(unsafe_code, reason = "a process is copied")]
    let Some(process) = (unsafe { sys::fork(flags)? }) else {
        let done = if is_filtered {
            sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).and_then(|()| sys::set_filter(&filter))
        } else {
            // Some systems allow everything but mounts.
            sys::mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)
        };
        sys::exit(done.err().unwrap_or(0));
    };
    sys::close(process.handle);
    match sys::reap(process.pid, true)? {
        Some((_, Ended::Code(0))) => Ok(()),
        Some((_, Ended::Code(error))) => Err(error),
        _ => Err(libc::EPERM),
    }
}

/// Whether a descriptor is readable.
pub(crate) fn is_readable(fd: BorrowedFd<'_>) -> bool {
    let mut fds = [libc::pollfd {
        fd: fd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    }];
    sys::poll(&mut fds, 0).is_ok() && fds[0].revents & libc::POLLIN != 0
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn what_ended_a_program_is_told_by_how_and_why() {
        let killed = Some(Ended::Signal(libc::SIGKILL));
        for (ended, cut, expected) in [
            (Some(Ended::Code(3)), None, Exit::Code(3)),
            (Some(Ended::Code(3)), Some(Cut::Late), Exit::Code(3)),
            (killed, None, Exit::Signal(libc::SIGKILL)),
            (killed, Some(Cut::Late), Exit::TimedOut),
            (killed, Some(Cut::Cancelled), Exit::Cancelled),
            (None, Some(Cut::Late), Exit::TimedOut),
            (None, Some(Cut::Cancelled), Exit::Cancelled),
            (None, None, Exit::Signal(libc::SIGKILL)),
            (Some(Ended::Signal(11)), None, Exit::Signal(11)),
            (Some(Ended::Signal(11)), Some(Cut::Late), Exit::Signal(11)),
        ] {
            let mut result = Raw::default();
            result.ended = ended;
            assert_eq!(outcome(result, cut).exit, expected, "{ended:?} {cut:?}");
        }
    }

    #[test]
    fn landlock_is_there_where_its_version_is_good_enough() {
        let found = |version: sys::Sys<i32>| landlock_layer(version).is_ok();
        assert!(found(Ok(landlock::OLDEST)) && found(Ok(landlock::OLDEST + 1)));
        assert!(!found(Ok(landlock::OLDEST - 1)));
        assert_eq!(
            landlock_layer(Err(libc::ENOSYS)),
            Err("Function not implemented (os error 38)".to_owned())
        );
    }

    #[test]
    fn every_namespace_of_a_command_is_probed() {
        for flag in [
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNS,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWNET,
        ] {
            assert_ne!(NAMESPACES & flag, 0, "{flag:#x}");
        }
    }

    #[test]
    fn a_pipe_is_readable_once_something_is_in_it() {
        let (read, mut write) = std::io::pipe().expect("a pipe");
        assert!(!is_readable(read.as_fd()) && pump::is_empty(read.as_raw_fd()));
        write.write_all(b"x").expect("written");
        assert!(is_readable(read.as_fd()) && !pump::is_empty(read.as_raw_fd()));
        // The end of a pipe alone is nothing to read.
        let (read, write) = std::io::pipe().expect("a pipe");
        drop(write);
        assert!(!is_readable(read.as_fd()) && pump::is_empty(read.as_raw_fd()));
    }
}
