//! `toolglot run`: a message's calls carried out in document order, and the answer that its model was taught to expect.
//!
//! ```text
//!  calls ─ split ─ normalize ─▶ step by step: one-call rule ─ verify ─ plan ─ judge ─ run ─▶ record, answer
//! ```
//!
//! A step is planned when its turn comes, not before: what an earlier step writes, a later one may read.

mod answer;
mod copied;
pub(crate) mod files;
mod one_call;
mod record;
mod report;
mod session;
pub(crate) mod step;
#[cfg(test)]
mod tests;
pub(crate) mod undo;

use std::io::{self, Write};

use toolglot::{Call, Calls, Code, End, Finish, InCode, Place};
use toolglot_chat::{
    ArgumentSpans, LookalikeContext, OtherPrograms, Reader, compile, drop_unknown_tool_notes,
    is_lesson, lookalike_notes, merge_notes, missing_tool_notes, split_shell_blocks,
};
use toolglot_exec::Journal;
use toolglot_session::OwnFile;
use toolglot_tools::Toolbox;

use crate::args::{RunArguments, RunFormat};
use crate::failure::Failure;
use crate::human::{self, screen, snippet};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::write_line;
use crate::terminal::Here;
use crate::{open_session, select, source, toolboxes};

use files::FileTools;
use record::Record;
use report::Report;
use session::Session;

/// Runs the calls of a message.
pub(crate) fn run(arguments: &RunArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    if arguments.undo {
        return undo::undo(arguments, out);
    }
    let named = arguments
        .reading
        .tools
        .as_deref()
        .map(toolboxes::load)
        .transpose()?;
    let dialects = select::dialects(&arguments.reading.dialect, named.as_ref())?;
    let taught = match dialects.as_slice() {
        [only] => Toolbox::taught(only.name()),
        _ => None,
    };
    let vocabulary = toolboxes::builtin("vocabulary")?;
    let bytes = source::bytes(&arguments.file)?;
    // Tools that are files are looked up by what the message names: a project may have thousands.
    let log = open_session::log(arguments.audit.as_deref(), arguments.audit_values);
    let mut builder = open_session::builder(&arguments.root, &arguments.policy, log)?;
    for file in arguments.reading.files() {
        builder = builder.protect(file, OwnFile::READING);
    }
    let name = source::name(&arguments.file);
    let is_colored = human::is_colored(arguments.color, &io::stderr());
    let cancel = interrupt::cancel().map_err(Failure::Signals)?;
    let opened = open_session::with_sandbox(builder, &arguments.sandbox)
        .approver(Here::of(&name, is_colored))
        .cancel(cancel.clone())
        .dry_run(arguments.dry_run)
        .build()?;
    let runner = opened.runner(opened.watch.clone());
    let files = FileTools::named_in(&String::from_utf8_lossy(&bytes), runner, &vocabulary);
    let mut vocabulary = vocabulary;
    vocabulary.extend(files.specs());
    let taught = taught.map(|mut taught| {
        taught.extend(files.specs());
        taught
    });
    let known = named.as_ref().or(taught.as_ref()).unwrap_or(&vocabulary);
    let mut reader = arguments.reading.reader(compile(&dialects, Some(known))?);
    if arguments.reading.finish.is_none() {
        // What acts does not take it for granted that the model had stopped by itself.
        reader.finish = Finish::Unknown;
    }
    let reading = reader.read(&bytes);
    let mut message = reading.trace.message.clone();
    split_shell_blocks(&mut message, &dialects);
    let is_empty_handed = message.calls.is_empty() && !reading.trace.message.calls.is_empty();
    files.resolve_servers(&mut message);

    let context = LookalikeContext {
        dialects: &dialects,
        toolbox: Some(known),
        reader: &reader,
        others: &OtherPrograms::default(),
    };
    merge_notes(lookalike_notes(context, &reading), &mut message.notes);
    drop_unknown_tool_notes(&mut message, &[known, &vocabulary]);
    if message.calls.is_empty() && !(message.notes.iter()).any(|note| is_lesson(note.code)) {
        let reader = arguments.reading.reader(compile(&dialects, None)?);
        let calls = reader.read(&bytes).trace.message.calls;
        let workspace = toolboxes::builtin("workspace")?;
        let offered = named.as_ref().or(taught.as_ref()).unwrap_or(&workspace);
        let missing = missing_tool_notes(&calls, known, offered);
        message.notes.extend(missing);
    }
    let quoted = quoted_calls(&message, &reader, &bytes);
    let spans = ArgumentSpans::new(&reader, &reading.text);
    let journal = opened.journal();
    let page = snippet::Page {
        text: &reading.text,
        name: &name,
        is_colored,
        width: human::width(&io::stderr()),
        calls: &message.calls,
    };
    let session = Session {
        dialects: &dialects,
        named: named.as_ref(),
        vocabulary: &vocabulary,
        files: Some(&files),
        gate: opened.gate(journal.as_ref()),
        after_failing_line: arguments.after_failing_line,
        many: arguments.many,
        spans: Some(&spans),
        quoted: &quoted,
        is_empty_handed,
        cancel: Some(&cancel),
    };
    let mut steps = session.steps(&message);
    if let Some(why) = journal.as_ref().and_then(Journal::why_off) {
        let _ = writeln!(
            screen::stderr(),
            "note: nothing is kept for `--undo`: {why}"
        );
    }
    let answer = answer::answer(&session, &message, &mut steps);
    let is_unread = || session.message_lesson(&message, "").is_some();
    let is_faulty =
        message.calls.is_empty() && is_unread() || steps.iter().any(|step| !step.is_fine());
    let report = Report {
        page,
        message: &message,
        steps: &steps,
    };
    match arguments.format {
        RunFormat::Json => write_line(out, &Record::new(&session, &message, &steps, &answer)),
        RunFormat::Text => out.write_all(answer.as_bytes()),
        RunFormat::Human if arguments.dry_run => report.write(out),
        RunFormat::Human => {
            // The answer must come, also where nobody reads the report.
            let _ = report.write(&mut screen::stderr());
            if !answer.is_empty() {
                // Where both are read at once they stand apart.
                let _ = writeln!(screen::stderr());
            }
            out.write_all(answer.as_bytes())
        }
    }
    .map_err(Failure::Output)?;
    Ok(if cancel.is_cancelled() {
        Outcome::Interrupted
    } else {
        Outcome::faulty_if(is_faulty)
    })
}

/// The calls in quoted code of a message that has no others.
fn quoted_calls(message: &Calls, reader: &Reader, bytes: &[u8]) -> Vec<Call> {
    let mut notes = message.notes.iter();
    if !message.calls.is_empty() || !notes.any(|note| note.code == Code::QuotedCall) {
        return Vec::new();
    }
    let reader = Reader {
        in_code: InCode::Accept,
        ..reader.clone()
    };
    let mut calls = reader.read(bytes).trace.message.calls;
    calls.retain(|call| call.place == Place::Code && call.end != End::Truncated);
    calls
}
