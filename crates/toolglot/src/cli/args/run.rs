//! `toolglot run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::policy::PolicyArguments;
use super::reading::ReadingArguments;
use super::sandbox::SandboxArguments;
use crate::cli::human::Color;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The message; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// The directory that tools cannot leave
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
    /// What becomes of the commands of a shell block after one that failed
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) after_failing_line: AfterFailure,
    /// Append every decision and effect to this log; the variable `TOOLGLOT_AUDIT` names one too
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Log the arguments themselves, with secrets masked, and not only their sizes
    #[arg(long)]
    pub(crate) audit_values: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArguments,
    /// Run every call, even if the dialect's own system runs one per message
    #[arg(long)]
    pub(crate) many: bool,
    /// Show what would be done and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Undo what the latest run in this root wrote, edited, deleted and moved; no message is read
    #[arg(long)]
    pub(crate) undo: bool,
    /// What to write: the answer with a report on standard error, the whole record, or the answer alone
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: RunFormat,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AfterFailure {
    /// They run, as they would in a shell
    #[default]
    Run,
    /// They are skipped
    Skip,
}

impl From<AfterFailure> for toolglot_session::AfterFailure {
    fn from(what: AfterFailure) -> toolglot_session::AfterFailure {
        match what {
            AfterFailure::Run => toolglot_session::AfterFailure::Run,
            AfterFailure::Skip => toolglot_session::AfterFailure::Skip,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// The answer, and a report on standard error
    #[default]
    Human,
    /// The whole record as one JSON document
    Json,
    /// The answer alone
    Text,
}
