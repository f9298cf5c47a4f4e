//! The sandbox of the programs that calls start.

use clap::{Args, ValueEnum};

/// How programs are run that calls start; `call`, `run` and `mcp` share it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SandboxArguments {
    /// The level of the sandbox for programs; below the level of the policy it has no effect [default: namespaces]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) sandbox: Option<SandboxWord>,
    /// The most that all calls may cost together, in the currency of the tools
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    pub(crate) max_cost: Option<f64>,
    /// Report the progress and the messages of tools on standard error
    #[arg(long)]
    pub(crate) progress: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxWord {
    /// Limits only, and no process left running
    Plain,
    /// Files and system calls
    Landlock,
    /// And processes, mounts and network of its own
    Namespaces,
}

/// Parses an amount: a finite number that is not negative.
fn amount(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|amount: &f64| amount.is_finite() && *amount >= 0.0)
        .ok_or_else(|| "write a number from 0".to_owned())
}
