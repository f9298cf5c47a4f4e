//! The `toolglot` binary: [`toolglot::command_line`] for the arguments of the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(toolglot::command_line(std::env::args_os()))
}
