//! The sandbox of the programs that calls start.

use clap::{Args, ValueEnum};

/// How programs are run that calls start; `call`, `run` and `mcp` share it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SandboxArguments {
    /// How strong the sandbox of programs is; where the policy sets a level, only a stronger one counts [default: namespaces]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) sandbox: Option<SandboxWord>,
    /// What the calls may cost together, in the currency of the tools
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    pub(crate) max_cost: Option<f64>,
    /// Report on standard error how far a tool is, and what it says there
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

/// An amount: a number from 0, which `nan` is not.
fn amount(text: &str) -> Result<f64, String> {
    let amount: f64 = text.parse().map_err(|_| "no number".to_owned())?;
    if amount.is_finite() && amount >= 0.0 {
        Ok(amount)
    } else {
        Err("invalid amount: write a number from 0".to_owned())
    }
}
