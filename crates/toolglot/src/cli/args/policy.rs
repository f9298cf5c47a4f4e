//! The arguments of policies, and the commands `policy` and `audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use toolglot_session::Grants;

/// Who may say what is run.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// A policy file [default: the user's, or else the usual rules]. The project's own file can only narrow it
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Grants for this command: read, write, delete, recovered, shell, net, exec:PROGRAM, net:HOST, or capabilities of tools such as shell.execute, separated by commas
    #[arg(long, value_name = "GRANTS", default_value = "")]
    pub(crate) allow: Grants,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show the log in readable form, line by line
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
        /// The directory that tools cannot leave
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
        #[command(flatten)]
        policy: PolicyArguments,
        /// Write one JSON document
        #[arg(long)]
        json: bool,
    },
}
