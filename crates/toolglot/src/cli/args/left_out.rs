//! The arguments of a command that the build leaves out.

use std::ffi::OsString;

use clap::Args;

/// Whatever the command is given: the answer is the same.
#[derive(Debug, Args)]
pub(crate) struct LeftOutArguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    given: Vec<OsString>,
}
