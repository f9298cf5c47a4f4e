//! The command line: reads the tool calls in a model's text, shows them, runs them, and teaches models to write them.
//!
//! Data goes to standard output, everything else to standard error.
//! This module only translates between the command line and the libraries. It deliberately contains no grammar, no
//! policy and no tool of its own.
//!
//! ```text
//! args ── select (which dialects, which tools) ── reading (text -> calls) ─┬─ human | document | events
//!                                                                          └─ run: canonical ─ verify ─ judge ─ execute ─ answer
//! ```

mod args;
mod audit;
mod batch;
mod call;
#[cfg(feature = "conform")]
mod conform;
mod convert;
mod corpus;
mod dialect_cases;
mod dialect_fault;
mod dialect_file;
mod dialects;
mod doctor;
mod explain;
mod failure;
mod grammar;
mod human;
mod import;
mod input_name;
mod interrupt;
mod jsonl;
#[cfg(feature = "mcp")]
mod mcp;
mod open_session;
mod outcome;
mod output;
mod parse;
mod policy;
mod prompt;
mod render;
mod repair;
mod run;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod source;
mod terminal;
mod toolboxes;
mod tools;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use failure::Failure;
use human::screen::{ColorScreen, harmless};
use outcome::Outcome;

/// Runs one command of the binary `toolglot` and returns its exit code. The first of `arguments` is the program name.
/// Exit code 0: all calls are fine. 1: a call is not. 2: a usage or file error. 130: the command was interrupted.
///
/// It writes to the standard output and the standard error of the process. It does not end the process.
///
/// ```
/// let arguments = ["toolglot", "explain", "N012"].map(std::ffi::OsString::from);
/// assert_eq!(toolglot::command_line(arguments), 0);
/// ```
pub fn command_line(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    toolglot_sandbox::outlive_file_limits();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut out = human::screen::stdout();
    let outcome = match Arguments::try_parse_from(&arguments) {
        Ok(arguments) => dispatch(arguments.command, &mut out),
        Err(usage) if usage.use_stderr() => {
            // The message quotes arguments, which may contain control characters.
            let quoted = |argument: &OsString| {
                harmless(&argument.to_string_lossy()) != argument.to_string_lossy()
            };
            // Nothing can be done where standard error is closed.
            if arguments.iter().any(quoted) {
                let _ = write!(human::screen::stderr(), "{}", usage.render());
            } else {
                let _ = usage.print();
            }
            return USAGE_EXIT_CODE;
        }
        // Help, and the version.
        Err(shown) => shown
            .print()
            .map(|()| Outcome::Fine)
            .map_err(Failure::Output),
    };
    let outcome =
        outcome.and_then(|outcome| out.flush().map(|()| outcome).map_err(Failure::Output));
    match outcome {
        Ok(Outcome::Fine) => 0,
        Ok(Outcome::Faulty) => 1,
        Ok(Outcome::Interrupted) => interrupt::EXIT_CODE,
        // The reader of standard output has closed it.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(failure) => {
            // Nothing can be done where standard error is closed as well.
            let mut out = ColorScreen(human::screen::stderr());
            let _ = writeln!(out, "{}", failure.report());
            USAGE_EXIT_CODE
        }
    }
}

/// The exit code where the arguments, a file or the output is at fault.
const USAGE_EXIT_CODE: u8 = 2;

fn dispatch(command: Command, out: &mut dyn Write) -> Result<Outcome, Failure> {
    match command {
        Command::Parse(arguments) => parse::parse(&arguments, out),
        Command::Repair(arguments) => repair::repair(&arguments, out),
        Command::Render(arguments) => render::render(&arguments, out),
        Command::Convert(arguments) => convert::convert(&arguments, out),
        Command::Corpus { command } => corpus::corpus(&command, out),
        Command::Prompt(arguments) => prompt::prompt(&arguments, out),
        Command::Grammar(arguments) => grammar::write_grammar(&arguments, out),
        #[cfg(feature = "conform")]
        Command::Conform(arguments) => conform::conform(&arguments, out),
        #[cfg(not(feature = "conform"))]
        Command::Conform(_) => Err(Failure::LeftOut {
            command: "conform",
            feature: "conform",
        }),
        Command::Run(arguments) => run::run(&arguments, out),
        Command::Dialects { command } => dialects::dialects(&command, out),
        Command::Call(arguments) => call::call(&arguments, out),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => mcp::mcp(&arguments, out),
        #[cfg(not(feature = "mcp"))]
        Command::Mcp(_) => Err(Failure::LeftOut {
            command: "mcp",
            feature: "mcp",
        }),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::serve(&arguments),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => Err(Failure::LeftOut {
            command: "serve",
            feature: "serve",
        }),
        Command::Tools { command } => tools::tools(&command, out),
        Command::Explain { code } => explain::explain(&code, out),
        Command::Policy { command } => policy::policy(&command, out),
        Command::Audit { command } => audit::audit(&command, out),
        #[cfg(feature = "serve")]
        Command::Doctor(arguments) if arguments.upstream.is_some() => {
            serve::diagnose(&arguments, out)
        }
        Command::Doctor(_) => doctor::doctor(out),
        Command::Completions { shell } => {
            // `generate` panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "toolglot", &mut script);
            out.write_all(&script)
                .map(|()| Outcome::Fine)
                .map_err(Failure::Output)
        }
    }
}
