//! Servers that are programs, in the sandbox of all programs.
//!
//! A server reads and writes lines on two pipes in a directory of its session. The sandbox starts the server, and ends
//! it with all its processes when the session ends.

use std::path::Path;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use toolglot_mcp::client::{Heard, Trouble, Wire};
use toolglot_mcp::message::Message;
use toolglot_sandbox::{Cancel, Exit, ProcessOutcome, Watch};
use toolglot_tool_files::template;
use toolglot_value::Value;

use super::definition::Definition;
use super::pipes::Pipes;
use super::session_error::SessionError;
use crate::environment;
use crate::failure::CallError;
use crate::program::{Manner, Program};
use crate::runner::ToolRunner;
use crate::sandboxed::command;
use crate::words::words;

/// The time limit of a session.
const LIFE: Duration = Duration::from_secs(24 * 3600);
/// The most bytes of a server's standard error that are stored: the start and the end.
const STDERR_BYTES: usize = 64 << 10;
/// How long to wait for the processes of an ended server.
const GRACE: Duration = Duration::from_secs(3);

/// Starts a server and returns the wire to it.
pub(super) fn wire(
    runner: &ToolRunner,
    definition: &Definition,
) -> Result<Box<dyn Wire>, SessionError> {
    let id = definition.found.id.to_string();
    let bad = |why: String| {
        SessionError::Refused(CallError::Config {
            id: id.clone(),
            why,
        })
    };
    let folder =
        tempfile::tempdir().map_err(|error| bad(format!("no room for its pipes: {error}")))?;
    let program = program(runner, definition, folder.path()).map_err(bad)?;
    let opened = Pipes::open(folder.path());
    let (pipes, end) =
        opened.map_err(|error| bad(format!("its pipes cannot be opened: {error}")))?;
    let cancel = Cancel::new().map_err(|error| bad(error.to_string()))?;
    let mut command = command(runner, program, LIFE).map_err(SessionError::Refused)?;
    command.write.push(folder.path().to_owned());
    // Each call has its own inspection, see `call`. New files of a whole session may be the user's.
    command.inspection = None;
    command.limits.output_bytes = runner.sandbox.settings.tool_output(STDERR_BYTES);
    command.watch = Watch {
        cancel: Some(cancel.clone()),
        heard: None,
    };
    std::thread::spawn(move || {
        end.tell(match command.run() {
            Ok(outcome) => Heard::Ended(how(&outcome)),
            Err(refusal) => Heard::Failed(Trouble::Barred(refusal.to_string())),
        });
    });
    Ok(Box::new(Started {
        pipes,
        cancel,
        _folder: folder,
    }))
}

/// How a server ended, with the last line that it wrote to standard error.
fn how(outcome: &ProcessOutcome) -> String {
    let stderr = outcome.stderr.text();
    let last = stderr.trim_end().rsplit('\n').next().unwrap_or_default();
    let last: String = last.chars().take(300).collect();
    let said = match last.trim() {
        "" => ", and wrote nothing".to_owned(),
        last => format!(": {last}"),
    };
    match outcome.exit {
        Exit::Code(code) => format!("(exit code {code}){said}"),
        Exit::Signal(signal) => format!("(signal {signal}){said}"),
        _ => "(it was ended)".to_owned(),
    }
}

/// A running server; its drop ends the server.
#[derive(Debug)]
struct Started {
    pipes: Pipes,
    cancel: Cancel,
    _folder: tempfile::TempDir,
}

impl Wire for Started {
    fn send(&mut self, message: &Message) -> Result<(), Trouble> {
        self.pipes.send(message)
    }

    fn heard(&mut self, wait: Duration) -> Heard {
        self.pipes.heard(wait)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.cancel.cancel();
        // Waits until no process of the server is left, unless the system hangs.
        self.pipes.wait_for_end(GRACE);
    }
}

/// The server's program, with its standard input and output on the pipes of `folder`.
fn program(runner: &ToolRunner, definition: &Definition, folder: &Path) -> Result<Program, String> {
    let settings = &definition.settings;
    for pipe in ["in", "out"] {
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, folder.join(pipe), FileType::Fifo, mode, 0)
            .map_err(|error| format!("no pipe can be made: {error}"))?;
    }
    let variables = runner.program_variables();
    let mut env = environment::base(&variables);
    environment::configured(settings.get("env"), &variables, &mut env)
        .map_err(|unset| unset.to_string())?;
    let settings = template::expand(settings, &variables).map_err(|unset| unset.to_string())?;
    let name = settings
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let interpreter = match name {
        "python" | "python3" => runner.interpreters.python(&runner.project),
        name => runner.interpreters.program(name),
    };
    let interpreter =
        interpreter.ok_or_else(|| format!("no program `{name}` is found along PATH"))?;
    let shell = runner
        .interpreters
        .program("sh")
        .ok_or("there is no `sh`")?;
    let own_words = words(settings.get("args"))?;
    // The shell passes the program's words on unchanged: it interprets only this line.
    let line = "exec \"$@\" < \"$0/in\" > \"$0/out\"";
    let argv = [
        shell.program.into_os_string(),
        "-c".into(),
        line.into(),
        folder.into(),
    ]
    .into_iter()
    .chain([interpreter.program.into_os_string()])
    .chain(own_words.into_iter().map(Into::into))
    .collect();
    Ok(Program {
        id: definition.found.id.to_string(),
        argv,
        cwd: runner.project.clone(),
        env,
        stdin: Vec::new(),
        reads: interpreter.reads,
        manner: Manner::Printed,
        is_container: false,
        names_cache: false,
    })
}
