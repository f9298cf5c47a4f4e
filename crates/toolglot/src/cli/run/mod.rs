//! `toolglot run`: runs a message's calls in a session, and writes their results.

mod report;
mod undo;

use std::io::{self, Write};

use toolglot_session::{AfterFailure, OwnFile, Run, RunRecord, Session};

use crate::cli::args::{RunArguments, RunFormat};
use crate::cli::failure::Failure;
use crate::cli::human::{self, screen, snippet};
use crate::cli::interrupt;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::terminal::Here;
use crate::cli::{open_session, select, source, toolboxes};

use report::Report;

/// Runs the calls of a message.
pub(crate) fn run(arguments: &RunArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    if arguments.undo {
        return undo::undo(arguments, out);
    }
    let reading = &arguments.reading;
    let named = reading.tools.as_deref().map(toolboxes::load).transpose()?;
    let dialects = select::dialects(&reading.dialect, named.as_ref())?;
    let bytes = source::bytes(&arguments.file)?;
    let log = open_session::log(arguments.audit.as_deref(), arguments.audit_values);
    let mut builder = open_session::builder(&arguments.root, &arguments.policy, log)?;
    for file in reading.files() {
        builder = builder.protect(file, OwnFile::READING);
    }
    if let Some(named) = named {
        builder = builder.tools(named);
    }
    let name = source::name(&arguments.file);
    let is_colored = human::is_colored(arguments.color, &io::stderr());
    let cancel = interrupt::cancel().map_err(Failure::Signals)?;
    let session = open_session::with_sandbox(builder, &arguments.sandbox)
        .dialects(dialects)
        .reading(reading.settings())
        .after_failing_line(AfterFailure::from(arguments.after_failing_line))
        .many(arguments.many)
        .approver(Here::of(&name, is_colored))
        .cancel(cancel.clone())
        .dry_run(arguments.dry_run)
        .build()?;
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let run = session.run(text)?;
    if let Some(why) = &run.journal_problem {
        let _ = writeln!(
            screen::stderr(),
            "note: nothing is saved for `--undo`: {why}"
        );
    }
    write(&run, &session, (arguments, &name, is_colored), out).map_err(Failure::Output)?;
    Ok(if cancel.is_cancelled() {
        Outcome::Interrupted
    } else {
        Outcome::faulty_if(!run.is_fine())
    })
}

/// Writes the result of a run.
fn write(
    run: &Run,
    session: &Session,
    (arguments, name, is_colored): (&RunArguments, &str, bool),
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = Report {
        page: snippet::Page {
            text: &run.text,
            name,
            is_colored,
            width: human::width(&io::stderr()),
            calls: &run.message.calls,
        },
        message: &run.message,
        steps: &run.steps,
    };
    match arguments.format {
        RunFormat::Json => {
            let root = session.root().path();
            write_line(out, &RunRecord::new(run, root, arguments.dry_run))
        }
        RunFormat::Text => out.write_all(run.answer.as_bytes()),
        RunFormat::Human if arguments.dry_run => report.write(out),
        RunFormat::Human => {
            // The answer is written even if standard error is closed.
            let _ = report.write(&mut screen::stderr());
            if !run.answer.is_empty() {
                // A blank line separates the report from the answer.
                let _ = writeln!(screen::stderr());
            }
            out.write_all(run.answer.as_bytes())
        }
    }
}
