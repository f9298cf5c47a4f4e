//! `toolglot parse --jsonl`: one document in, one document out.

use std::io::Write;

use serde::Serialize;
use toolglot_chat::FaultDetector;
use toolglot_engine::{Event, Sink, Span};
use toolglot_value::Value;
use toolglot_wire::{BadLine, EventLine, Line};

use crate::cli::args::ParseArguments;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{batch, select};

/// Answers each line of the input with a line, in order.
pub(crate) fn parse(arguments: &ParseArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let reader = select::line_reader(&arguments.reading)?.normalize(arguments.normalize);
    batch::answer(&arguments.file, out, |line, out| {
        let line = match Line::read(line) {
            Ok(line) => line,
            Err(BadLine { id, error }) => return batch::bad(out, id, error),
        };
        match reader.read(&line) {
            Ok(digest) => {
                write_line(out, &digest.document)?;
                let is_strict_fault = arguments.strict && !digest.document.notes.is_empty();
                Ok(digest.is_faulty || is_strict_fault)
            }
            Err(error) => batch::bad(out, line.id, Failure::from(error).told()),
        }
    })
}

/// Answers each line of the input with the events of its text, in order.
pub(crate) fn events(arguments: &ParseArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let reader = select::line_reader(&arguments.reading)?;
    batch::answer(&arguments.file, out, |line, out| {
        let line = match Line::read(line) {
            Ok(line) => line,
            Err(BadLine { id, error }) => return batch::bad(out, id, error),
        };
        let mut events = EventList::default();
        if let Err(error) = reader.events(&line, &mut events) {
            return batch::bad(out, line.id, Failure::from(error).told());
        }
        let answer = EventAnswer {
            id: &line.id,
            events: &events.events,
        };
        write_line(out, &answer)?;
        Ok(events.faults.is_faulty() || arguments.strict && events.has_note)
    })
}

/// The answer to a line: the events of its text.
#[derive(Serialize)]
struct EventAnswer<'a> {
    id: &'a Value,
    events: &'a [Value],
}

/// Collects events as JSON, since events borrow from the parser and the line is written at the end.
#[derive(Default)]
struct EventList {
    events: Vec<Value>,
    faults: FaultDetector,
    has_note: bool,
}

impl Sink for EventList {
    fn event(&mut self, span: Span, event: Event<'_>) {
        self.faults.event(span, event.clone());
        self.has_note |= matches!(event, Event::Note(_));
        let line = EventLine {
            span,
            event: &event,
        };
        let event = toolglot_value::to_value(&line).expect("an event is JSON");
        self.events.push(event);
    }
}
