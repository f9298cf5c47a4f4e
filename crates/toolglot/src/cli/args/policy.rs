//! Who may say what is run, and the log of it.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use toolglot_session::Grants;

/// Who may say what is run.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// A policy file; without it that of the user, and without one the usual rules. The project's narrows it in any case
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// What is allowed beforehand: read, write, delete, recovered, shell, net, exec:PROGRAM, net:HOST, or capabilities of tools such as shell.execute, separated by commas
    #[arg(long, value_name = "GRANTS", default_value = "")]
    pub(crate) allow: Grants,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Write the log for people, a line for a line
    Show {
        /// The log
        file: PathBuf,
    },
    /// Check that nothing was changed, removed or inserted
    Verify {
        /// The log
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Explain what becomes of a call: which rules apply, and what would change it
    Check {
        /// {"name","arguments"}; `-` is standard input
        #[arg(long, value_name = "FILE")]
        call: PathBuf,
        /// The directory that no tool leaves
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
        #[command(flatten)]
        policy: PolicyArguments,
        /// Write one JSON document
        #[arg(long)]
        json: bool,
    },
}
