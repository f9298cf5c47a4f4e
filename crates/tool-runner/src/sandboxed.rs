//! Builds the sandboxed command of a tool's program.

use std::path::Path;
use std::time::Duration;

use toolglot_builtins::{ToolCommand, ToolRights};
use toolglot_sandbox::Command;

use crate::environment;
use crate::failure::CallError;
use crate::program::{Manner, Program};
use crate::runner::ToolRunner;
use crate::sizes;

/// The sandboxed command of a program.
pub(crate) fn command(
    runner: &ToolRunner,
    program: Program,
    time: Duration,
) -> Result<Command, CallError> {
    // A framed answer also contains the tool's output: the reader checks their lengths.
    let output_bytes = match program.manner {
        Manner::Framed(_) => sizes::ANSWER_BYTES,
        _ => sizes::answer(runner),
    };
    let not_kept = |source| CallError::NotKept {
        id: program.id.clone(),
        source,
    };
    let mut command = if program.is_container {
        let sandbox = &runner.sandbox;
        let mut command = sandbox.engine_client(&runner.project, time, output_bytes);
        if runner.grants("fs.write") {
            let inspection = sandbox.inspection(&runner.project, &program.id);
            command.inspection = inspection.map_err(not_kept)?;
        }
        command
    } else {
        let may_write = runner.grants("fs.write");
        let cwd = program.cwd.strip_prefix(&runner.project);
        let cwd = cwd.unwrap_or(Path::new(""));
        let command = match &program.manner {
            Manner::Command(text) => Some(ToolCommand { text, cwd }),
            _ => None,
        };
        let rights = ToolRights {
            command,
            tool: &program.id,
            may_write,
            may_connect: runner.grants("net.http"),
            has_cache: may_write && program.names_cache,
            time,
            output_bytes,
        };
        let command = runner.sandbox.tool(&runner.project, &rights);
        command.map_err(not_kept)?
    };
    command.argv = program.argv;
    command.cwd = program.cwd;
    // A file cannot override variables that the sandbox sets.
    let mut env = environment::pairs(program.env);
    env.retain(|(name, _)| command.env.iter().all(|(own, _)| own != name));
    command.env.extend(env);
    command.stdin = program.stdin;
    command.read.extend(program.reads);
    command.watch = runner.watch.of_program();
    Ok(command)
}
