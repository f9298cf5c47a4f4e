//! What stands for the arguments of a command that was left out of the build.

use std::ffi::OsString;

use clap::Args;

/// Whatever the command is given: the answer is the same.
#[derive(Debug, Args)]
pub(crate) struct LeftOutArguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    given: Vec<OsString>,
}
