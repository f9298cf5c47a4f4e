//! A parsed message for people: the text with its calls, what they are, and the notes pointing at the bytes.

pub(crate) mod paint;
pub(crate) mod snippet;

use std::io::{self, IsTerminal, Write};

use toolglot::{Call, Code, Note};
use toolglot_wire::{CallDocument, Document};

use crate::args::Color;
use crate::digest::{Digest, Knowledge};
use crate::form;
use crate::reading::{Manner, Reading, compile};
use crate::select;

use paint::Style;

/// Whether `stream` is to be coloured: <https://no-color.org> is honoured unless colour was asked for.
pub(crate) fn is_colored(color: Color, stream: &impl IsTerminal) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            stream.is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// All that is shown of a message.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// Where the message came from.
    pub(crate) name: &'a str,
    pub(crate) reading: &'a Reading,
    pub(crate) digest: &'a Digest,
    pub(crate) knowledge: Knowledge<'a>,
    /// Whether every dialect was tried.
    pub(crate) is_auto: bool,
    pub(crate) is_colored: bool,
}

impl View<'_> {
    /// Writes the text, the calls and the notes.
    pub(crate) fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        paint::text(out, self.reading, self.is_colored)?;
        writeln!(out)?;
        for call in &self.digest.document.calls {
            self.call(out, call)?;
        }
        if self.digest.document.calls.is_empty() {
            writeln!(out, "no calls")?;
            self.other_dialect(out)?;
        }
        let canonical = self.digest.canonical_notes.iter();
        for note in self.digest.message.notes.iter().chain(canonical) {
            let form = self.right_form(note);
            let report = snippet::note(
                note,
                &self.reading.text,
                self.name,
                form.as_deref(),
                self.is_colored,
            );
            writeln!(out, "\n{report}")?;
        }
        Ok(())
    }

    fn call(&self, out: &mut dyn Write, call: &CallDocument) -> io::Result<()> {
        let style = |style, text: &str| paint::styled(style, text, self.is_colored);
        let name = style(Style::Name, &call.name);
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
            writeln!(out, "  written {written}")?;
        }
        for (key, value) in call.arguments.iter().flatten() {
            let value = paint::shortened(&value.to_string(), 160);
            writeln!(out, "  {key}: {}", style(Style::Arguments, &value))?;
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

    /// Where the named dialects read no call, says which other dialect would.
    fn other_dialect(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.is_auto {
            return Ok(());
        }
        let others = select::dialects("auto", self.knowledge.toolbox);
        let program = others.and_then(|others| compile(&others, self.knowledge.toolbox));
        // A hint must not fail the command that it would help.
        let Ok(program) = program else { return Ok(()) };
        let manner = Manner::with(program);
        let document = Document::new(&manner.whole(self.reading.text.as_bytes()).trace.message);
        match document.calls.first() {
            Some(call) => writeln!(
                out,
                "the dialect `{}` reads a call of `{}` here",
                call.dialect, call.name
            ),
            None => Ok(()),
        }
    }

    /// How the call that a note complains about should have been written.
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
        let dialects = self.knowledge.dialects;
        let dialect = match call {
            Some(call) => dialects
                .iter()
                .find(|dialect| dialect.name() == call.dialect)?,
            None if dialects.len() == 1 => dialects.first()?,
            None => return None,
        };
        form::of_call(
            dialect,
            self.knowledge.toolbox,
            call.map(|call| call.name.as_str()),
        )
    }
}

fn is_at(call: &Call, note: &Note) -> bool {
    call.span.start <= note.span.start && note.span.end <= call.span.end
}

/// Whether a note is about something that only looks like a call, or like a good one.
fn teaches(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownTool
            | Code::PlaceholderTag
            | Code::MissingToolName
            | Code::NotACall
            | Code::UnknownParameter
            | Code::UnclosedCall
            | Code::MissingParameter
            | Code::InvalidArguments
    )
}
