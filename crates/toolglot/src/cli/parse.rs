//! `toolglot parse`: the calls in a message.

use std::io::{self, BufRead, Read, Write};

use toolglot_chat::{
    ArgumentSpans, Digest, DigestContext, FaultDetector, LOOKALIKE_BYTES, LookalikeCache,
    LookalikeContext, Reader, Reading, Trace, compile, lookalike_notes,
};
use toolglot_engine::{Event, Sink, Span};
use toolglot_wire::{Bytes, EventLine};

use crate::cli::args::{ParseArguments, ParseFormat};
use crate::cli::failure::Failure;
use crate::cli::human;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{jsonl, select, source, toolboxes};

/// Reads a message and shows its calls.
pub(crate) fn parse(arguments: &ParseArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let format = arguments.format.unwrap_or_default();
    if arguments.jsonl {
        return match arguments.format {
            None | Some(ParseFormat::Json) => jsonl::parse(arguments, out),
            Some(ParseFormat::Events) => jsonl::events(arguments, out),
            Some(ParseFormat::Human) => Err(Failure::NotOfLines),
        };
    }
    let toolbox = toolboxes::known(arguments.reading.tools.as_deref())?;
    let dialects = select::dialects(&arguments.reading.dialect, toolbox.as_ref())?;
    let program = compile(&dialects, toolbox.as_ref())?;
    let reader = arguments.reading.reader(program);
    if format == ParseFormat::Events {
        let lookalikes = LookalikeContext {
            dialects: &dialects,
            toolbox: toolbox.as_ref(),
            reader: &reader,
            cache: &LookalikeCache::default(),
        };
        return events(arguments, lookalikes, out);
    }

    let mut reading = reader.read(source::bytes(&arguments.file)?);
    let lookalikes = LookalikeContext {
        dialects: &dialects,
        toolbox: toolbox.as_ref(),
        reader: &reader,
        cache: &LookalikeCache::default(),
    };
    let lookalikes = lookalike_notes(lookalikes, &reading);
    // Arguments may be large, so only the human format copies the message.
    let message = match format {
        ParseFormat::Human => reading.trace.message.clone(),
        _ => std::mem::take(&mut reading.trace.message),
    };
    let spans = ArgumentSpans::new(&reader, &reading.text);
    let context = DigestContext {
        dialects: &dialects,
        toolbox: toolbox.as_ref(),
        normalize: arguments.normalize,
        spans: Some(&spans),
    };
    let mut digest = Digest::new(message, context);
    digest.add_lookalikes(lookalikes);
    if format == ParseFormat::Human {
        let view = human::View {
            name: &source::name(&arguments.file),
            reading: &reading,
            digest: &digest,
            context,
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

/// Writes events while the text arrives, and at the end notes on text that only looks like a call.
fn events(
    arguments: &ParseArguments,
    lookalikes: LookalikeContext<'_>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut input = SearchedInput {
        input: source::open(&arguments.file)?,
        bytes: Vec::new(),
    };
    let mut lines = Lines {
        out,
        failure: None,
        faults: FaultDetector::default(),
        has_note: false,
        trace: Some(Trace::default()),
    };
    stream(lookalikes.reader, &mut input, &mut lines)
        .map_err(|error| source::failed(&arguments.file, error))?;
    if let Some(trace) = lines.trace.take() {
        let text = String::from_utf8_lossy(&input.bytes).into_owned();
        for note in lookalike_notes(lookalikes, &Reading { text, trace }) {
            lines.write(note.span, &Event::Note(&note));
        }
    }
    match lines.failure {
        Some(error) => Err(Failure::Output(error)),
        None => Ok(Outcome::faulty_if(
            lines.faults.is_faulty() || arguments.strict && lines.has_note,
        )),
    }
}

/// Parses a text as it arrives, and stores nothing of it.
fn stream(reader: &Reader, input: &mut dyn BufRead, sink: &mut dyn Sink) -> io::Result<()> {
    let mut parser = reader.parser();
    let mut joiner = Bytes::new();
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        for piece in buffer.chunks(reader.chunk_bytes) {
            joiner.push(piece, &mut parser, sink);
        }
        let n_read = buffer.len();
        input.consume(n_read);
    }
    joiner.finish(&mut parser, sink);
    parser.finish(reader.finish, sink);
    Ok(())
}

/// An input that stores its first bytes, for the search for look-alikes at the end.
struct SearchedInput<R> {
    input: R,
    bytes: Vec<u8>,
}

impl<R: BufRead> Read for SearchedInput<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut buffer = self.fill_buf()?;
        let n_read = buffer.read(into)?;
        self.consume(n_read);
        Ok(n_read)
    }
}

impl<R: BufRead> BufRead for SearchedInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, n_bytes: usize) {
        // The consumed bytes are in the buffer already, so `fill_buf` does not block.
        if let Ok(buffer) = self.input.fill_buf() {
            let room = (LOOKALIKE_BYTES + 1).saturating_sub(self.bytes.len());
            self.bytes.extend(buffer.iter().take(n_bytes.min(room)));
        }
        self.input.consume(n_bytes);
    }
}

/// Writes each event as a line. A sink cannot fail, so the first failure is stored.
struct Lines<'a> {
    out: &'a mut dyn Write,
    failure: Option<io::Error>,
    faults: FaultDetector,
    has_note: bool,
    /// The trace so far, while the text is short enough for the search at the end.
    trace: Option<Trace>,
}

impl Sink for Lines<'_> {
    fn event(&mut self, span: Span, event: Event<'_>) {
        self.trace = self
            .trace
            .take()
            .filter(|_| span.end <= LOOKALIKE_BYTES as u64);
        if let Some(trace) = &mut self.trace {
            trace.event(span, event.clone());
        }
        self.faults.event(span, event.clone());
        self.write(span, &event);
    }
}

impl Lines<'_> {
    fn write(&mut self, span: Span, event: &Event<'_>) {
        self.has_note |= matches!(event, Event::Note(_));
        if self.failure.is_none() {
            // The client waits for each line.
            let line = EventLine { span, event };
            self.failure = write_line(self.out, &line)
                .and_then(|()| self.out.flush())
                .err();
        }
    }
}
