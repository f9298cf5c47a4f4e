//! `toolglot call`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::policy::PolicyArguments;
use super::sandbox::SandboxArguments;

#[derive(Debug, Args)]
pub(crate) struct CallArguments {
    /// The tool's id, or ID.ACTION
    pub(crate) id: String,
    /// Its arguments, a JSON object; @FILE reads a file, @- standard input
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
    /// The project: the directory that holds .ai
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
    /// Append every decision and effect to this log; the variable `TOOLGLOT_AUDIT` names one too
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Log the arguments themselves, with secrets masked, and not only their sizes
    #[arg(long)]
    pub(crate) audit_values: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArguments,
    /// Check everything and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What to write
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: CallFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallFormat {
    /// What the tool returned, as JSON
    #[default]
    Result,
    /// The whole record of the call, as JSON
    Json,
}
