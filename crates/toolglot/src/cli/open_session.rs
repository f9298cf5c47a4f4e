//! The parts of a command's session: its root, its policy files, its log and its sandbox.

use std::io::Write;
use std::path::{Path, PathBuf};

use toolglot_session::{FileLog, Level, Policies, Progress, Session, SessionBuilder};

use crate::cli::args::PolicyArguments;
use crate::cli::args::{SandboxArguments, SandboxWord};
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::source;

/// The builder of a command's session in `root`.
///
/// # Errors
/// If the root or the policy file that the command line names does not exist.
pub(crate) fn builder(
    root: &Path,
    policy: &PolicyArguments,
    log: Option<FileLog>,
) -> Result<SessionBuilder, Failure> {
    let policies = policies(policy, &project(root)?)?;
    let session = Session::builder(root, policies).grants(policy.allow.clone());
    Ok(match log {
        Some(log) => session.audit(log),
        None => session,
    })
}

/// The policy files of `root`. Warnings about them go to standard error, since only the user may see them.
///
/// # Errors
/// If the file that the command line names does not exist. A fault inside a policy file denies every call.
pub(crate) fn policies(policy: &PolicyArguments, root: &Path) -> Result<Policies, Failure> {
    if let Some(file) = &policy.policy {
        file.metadata()
            .map_err(|error| source::failed(file, error))?;
    }
    let policies = Policies::read(root, policy.policy.as_deref());
    warn(policies.warnings());
    Ok(policies)
}

pub(crate) fn warn(warnings: &[String]) {
    for warning in warnings {
        // Standard error may be closed.
        let _ = writeln!(screen::stderr(), "note: {warning}");
    }
}

/// The log, in the file that the command line names, or else in the file that the environment names.
pub(crate) fn log(named: Option<&Path>, has_values: bool) -> Option<FileLog> {
    let place = named
        .map(Path::to_path_buf)
        .or_else(|| std::env::var_os("TOOLGLOT_AUDIT").map(PathBuf::from))?;
    Some(FileLog::new(&place, has_values))
}

/// The session with the sandbox arguments of the command line.
pub(crate) fn with_sandbox(
    mut session: SessionBuilder,
    arguments: &SandboxArguments,
) -> SessionBuilder {
    if let Some(word) = arguments.sandbox {
        session = session.sandbox(level(word));
    }
    if let Some(most) = arguments.max_cost {
        session = session.max_cost(most);
    }
    if arguments.progress {
        session = session.progress(told_on_stderr);
    }
    session
}

fn level(word: SandboxWord) -> Level {
    match word {
        SandboxWord::Plain => Level::Plain,
        SandboxWord::Landlock => Level::Landlock,
        SandboxWord::Namespaces => Level::Namespaces,
    }
}

/// A project's directory, absolute and without links.
pub(crate) fn project(root: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(root).map_err(|error| source::failed(root, error))
}

/// Writes one line for each step, and the tool's own text as it arrives. A closed standard error is ignored.
fn told_on_stderr(progress: Progress) {
    let mut out = screen::stderr();
    let _ = match progress {
        Progress::Attempt(number) => writeln!(out, "attempt {number}"),
        Progress::Waiting(delay) => writeln!(out, "failed; again in {} s", delay.as_secs_f64()),
        Progress::Said(said) => write!(out, "{said}"),
        Progress::At {
            done,
            total,
            message,
        } => {
            let total = total
                .map(|total| format!(" of {total}"))
                .unwrap_or_default();
            let message = message
                .map(|message| format!(": {message}"))
                .unwrap_or_default();
            writeln!(out, "{done}{total}{message}")
        }
        Progress::Log {
            level,
            logger,
            data,
        } => {
            let logger = logger
                .map(|logger| format!(" ({logger})"))
                .unwrap_or_default();
            let data = data
                .as_str()
                .map_or_else(|| data.to_string(), str::to_owned);
            writeln!(out, "{level}{logger}: {data}")
        }
        _ => Ok(()),
    };
}
