//! A parsed message for people: the text, its calls, and notes that point at the bytes.

mod color;
pub(crate) mod paint;
pub(crate) mod screen;
pub(crate) mod snippet;
mod width;

use std::io::{self, Write};

use toolglot_chat::{
    Digest, DigestContext, Reader, Reading, compile, dialects_named, example_call,
};
use toolglot_engine::{Call, Code, Note};
use toolglot_wire::{CallDocument, Document};

pub(crate) use color::{Color, is_colored};
use paint::Style;
use screen::{ColorScreen, one_line};
use snippet::Page;
pub(crate) use width::width;

/// The data that is shown for a message.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// Where the message came from.
    pub(crate) name: &'a str,
    pub(crate) reading: &'a Reading,
    pub(crate) digest: &'a Digest,
    pub(crate) context: DigestContext<'a>,
    /// Whether every dialect was tried.
    pub(crate) is_auto: bool,
    pub(crate) is_colored: bool,
}

impl View<'_> {
    /// Writes the text, the calls and the notes.
    pub(crate) fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut ColorScreen(out);
        paint::text(out, self.reading, self.is_colored)?;
        writeln!(out)?;
        for call in &self.digest.document.calls {
            self.call(out, call)?;
        }
        if self.digest.document.calls.is_empty() {
            writeln!(out, "no calls")?;
            self.other_dialect(out)?;
        }
        self.chosen(out)?;
        let mut notes: Vec<&Note> = self.digest.message.notes.iter().collect();
        notes.sort_by_key(|note| note.span.start);
        notes.extend(&self.digest.canonical_notes);
        // Each right form is shown only once.
        let mut forms: Vec<String> = Vec::new();
        let width = width(&io::stdout());
        for (note, others) in snippet::grouped(&notes) {
            let page = Page {
                text: &self.reading.text,
                name: self.name,
                is_colored: self.is_colored,
                width,
                calls: &self.digest.message.calls,
            };
            let form = self.right_form(note);
            let form = form.filter(|form| !forms.contains(form));
            forms.extend(form.clone());
            let is_text = self.digest.lookalikes.contains(note);
            let report = if is_text { Page::remark } else { Page::note };
            writeln!(out, "\n{}", report(&page, note, &others, form.as_deref()))?;
        }
        Ok(())
    }

    /// If every dialect was tried, reports which dialects read the calls.
    fn chosen(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_auto || self.digest.document.calls.is_empty() {
            return Ok(());
        }
        let mut chosen: Vec<&str> = Vec::new();
        for call in &self.digest.document.calls {
            if !chosen.contains(&call.dialect.as_str()) {
                chosen.push(&call.dialect);
            }
        }
        let n_tried = self.context.dialects.len();
        writeln!(
            out,
            "read as {}, of {n_tried} dialects",
            chosen.join(" and ")
        )
    }

    fn call(&self, out: &mut dyn Write, call: &CallDocument) -> io::Result<()> {
        let style = |style, text: &str| paint::styled(style, text, self.is_colored);
        let name = style(Style::Name, &one_line(&call.name));
        let [start, end] = call.span;
        writeln!(
            out,
            "call {}: {name}  {}  bytes {start}..{end}  {}",
            call.index, call.dialect, call.end
        )?;
        if let Some(written) = call
            .written
            .as_ref()
            .filter(|written| **written != call.name)
        {
            writeln!(out, "  written {}", one_line(written))?;
        }
        for (key, value) in call.arguments.iter().flatten() {
            let value = paint::shortened(&value.to_string(), 160);
            writeln!(
                out,
                "  {}: {}",
                one_line(key),
                style(Style::Arguments, &value)
            )?;
        }
        if let Some(raw) = &call.arguments_raw {
            writeln!(
                out,
                "  no object: {}",
                style(Style::Arguments, &paint::shortened(raw, 160))
            )?;
        }
        Ok(())
    }

    /// If the named dialects read no call, reports another dialect that does, unless a note already reports it.
    fn other_dialect(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut notes = self.digest.message.notes.iter();
        if self.is_auto || notes.any(|note| note.code == Code::UnrecognizedCall) {
            return Ok(());
        }
        let others = dialects_named("auto", self.context.toolbox);
        let program = others.and_then(|others| compile(&others, self.context.toolbox));
        // A failed hint must not fail the command.
        let Ok(program) = program else { return Ok(()) };
        let reader = Reader::new(program);
        // A hint must be cheap, so only the start of a long text is read.
        let text = &self.reading.text;
        let text = &text[..snippet::floor(text, HINT_BYTES.min(text.len()))];
        let document = Document::new(&reader.read(text.as_bytes()).trace.message);
        match document.calls.first() {
            Some(call) => writeln!(
                out,
                "the dialect `{}` reads a call of `{}` here",
                call.dialect,
                one_line(&call.name)
            ),
            None => Ok(()),
        }
    }

    /// The right form of the call that a note is about.
    fn right_form(&self, note: &Note) -> Option<String> {
        if !teaches(note.code) {
            return None;
        }
        let call = self
            .digest
            .message
            .calls
            .iter()
            .find(|call| is_at(call, note));
        let dialects = self.context.dialects;
        let dialect = match call {
            Some(call) => dialects
                .iter()
                .find(|dialect| dialect.name() == call.dialect)?,
            None if dialects.len() == 1 => dialects.first()?,
            None => return None,
        };
        // Without a call, the note may point at a misspelt name.
        let pointed = || self.reading.text.get(note.span.range());
        let name = call.map(|call| call.name.as_str()).or_else(pointed);
        example_call(dialect, self.context.toolbox, name)
    }
}

/// How many bytes of a text without calls all dialects read, for a hint.
const HINT_BYTES: usize = 256 << 10;

fn is_at(call: &Call, note: &Note) -> bool {
    call.span.start <= note.span.start && note.span.end <= call.span.end
}

/// Whether a note is about a text that only looks like a call, or about a faulty call.
fn teaches(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownTool
            | Code::PlaceholderTag
            | Code::MissingToolName
            | Code::NotACall
            | Code::UnrecognizedCall
            | Code::UnknownParameter
            | Code::UnclosedCall
            | Code::MissingParameter
            | Code::InvalidArguments
    )
}
