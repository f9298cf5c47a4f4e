//! `toolglot parse`: the calls in a message.

use std::io::{self, Write};

use toolglot::{Code, End, Event, Sink, Span};
use toolglot_wire::EventLine;

use crate::args::{ParseArguments, ParseFormat};
use crate::digest::{Knowledge, digest};
use crate::failure::Failure;
use crate::human;
use crate::places::Places;
use crate::reading::{Manner, compile};
use crate::{Outcome, jsonl, select, source, toolboxes};

/// Reads a message and shows its calls.
pub(crate) fn parse(arguments: &ParseArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let format = arguments.format.unwrap_or_default();
    if arguments.jsonl {
        return match arguments.format {
            None | Some(ParseFormat::Json) => jsonl::parse(arguments, out),
            Some(_) => Err(Failure::NotOfLines),
        };
    }
    let toolbox = toolboxes::known(arguments.reading.tools.as_deref())?;
    let dialects = select::dialects(&arguments.reading.dialect, toolbox.as_ref())?;
    let manner = Manner::new(compile(&dialects, toolbox.as_ref())?, &arguments.reading);
    if format == ParseFormat::Events {
        return events(arguments, &manner, out);
    }

    let reading = manner.whole(&source::bytes(&arguments.file)?);
    let places = Places::new(&manner, &reading.text);
    let knowledge = Knowledge {
        dialects: &dialects,
        toolbox: toolbox.as_ref(),
        normalize: arguments.normalize,
        places: Some(&places),
    };
    let digest = digest(reading.trace.message.clone(), knowledge);
    if format == ParseFormat::Human {
        let view = human::View {
            name: &source::name(&arguments.file),
            reading: &reading,
            digest: &digest,
            knowledge,
            is_auto: arguments.reading.dialect == "auto",
            is_colored: human::is_colored(arguments.color, &io::stdout()),
        };
        view.show(out).map_err(Failure::Output)?;
    } else {
        write_line(out, &digest.document).map_err(Failure::Output)?;
    }
    let is_strict_fault = arguments.strict && !digest.document.notes.is_empty();
    Ok(Outcome::faulty_if(digest.is_faulty || is_strict_fault))
}

/// Writes events while the text comes in.
fn events(
    arguments: &ParseArguments,
    manner: &Manner,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut input = source::open(&arguments.file)?;
    let mut lines = Lines {
        out,
        failure: None,
        is_faulty: false,
        has_note: false,
    };
    manner
        .stream(&mut *input, &mut lines)
        .map_err(|error| source::failed(&arguments.file, error))?;
    match lines.failure {
        Some(error) => Err(Failure::Output(error)),
        None => Ok(Outcome::faulty_if(
            lines.is_faulty || arguments.strict && lines.has_note,
        )),
    }
}

/// Writes each event as a line. A sink cannot fail: the first failure is kept for afterwards.
struct Lines<'a> {
    out: &'a mut dyn Write,
    failure: Option<io::Error>,
    is_faulty: bool,
    has_note: bool,
}

impl Sink for Lines<'_> {
    fn event(&mut self, span: Span, event: Event<'_>) {
        match &event {
            Event::CallEnd {
                end: End::Truncated,
                ..
            } => self.is_faulty = true,
            Event::Note(note) => {
                self.has_note = true;
                self.is_faulty |= matches!(note.code, Code::UnknownTool | Code::UnknownParameter);
            }
            _ => {}
        }
        if self.failure.is_none() {
            // Whoever reads the lines waits for them.
            let line = EventLine {
                span,
                event: &event,
            };
            self.failure = write_line(self.out, &line)
                .and_then(|()| self.out.flush())
                .err();
        }
    }
}

/// Writes a value as one line of JSON.
pub(crate) fn write_line(out: &mut dyn Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}
