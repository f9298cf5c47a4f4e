//! A report of repairs for people: the text with each repair in its place, and a line for each repair.

use std::fmt::Write as _;

use toolglot_engine::Code;
use toolglot_repair::{RepairError, RepairNote, RepairedDocument};

use crate::cli::human::screen::harmless;

/// The text that repairs point into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) is_colored: bool,
}

/// How many characters of a long piece are shown.
const SHOWN: usize = 60;

impl Page<'_> {
    /// The text with deletions in red and insertions in green, then one line for each repair.
    pub(super) fn explain(&self, document: &RepairedDocument) -> String {
        let mut out = String::new();
        if document.notes.is_empty() {
            let _ = writeln!(out, "{}: nothing to repair", self.name);
            return out;
        }
        self.marked(&mut out, document);
        let _ = writeln!(out);
        let width = document.notes.iter().map(|note| label(note).len()).max();
        for note in &document.notes {
            self.line(&mut out, note, width.unwrap_or_default());
        }
        let _ = writeln!(out, "\n`toolglot explain CODE` says more about each");
        out
    }

    /// The faults that remain.
    pub(super) fn faults(&self, document: &RepairedDocument) -> String {
        let mut out = String::new();
        for note in document
            .notes
            .iter()
            .filter(|note| note.code == Code::InvalidArguments)
        {
            self.line(&mut out, note, 0);
        }
        out
    }

    /// Why nothing was written.
    pub(super) fn refusal(&self, error: &RepairError) -> String {
        match error {
            RepairError::Text(refused) => format!(
                "error: {}:{}: {refused}; `--preset llm` repairs every text\n",
                self.name,
                self.place(refused.at)
            ),
            error => format!("error: {}: {error}\n", self.name),
        }
    }

    /// The text with deletions and insertions, or a notice if the text is too long to be compared.
    fn marked(&self, out: &mut String, document: &RepairedDocument) {
        let Some(edits) = document.edits(self.text) else {
            out.push_str("the text is too long to be shown with its repairs\n");
            return;
        };
        for piece in &edits.pieces {
            let before = &self.text[piece.before.clone()];
            if piece.is_same {
                out.push_str(&harmless(before));
            } else {
                self.went(out, before);
                self.came(out, &document.text[piece.after.clone()]);
            }
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }

    fn went(&self, out: &mut String, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = harmless(text);
        let _ = if self.is_colored {
            write!(out, "\x1b[9;31m{text}\x1b[0m")
        } else {
            write!(out, "[-{text}-]")
        };
    }

    fn came(&self, out: &mut String, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = harmless(text);
        let _ = if self.is_colored {
            write!(out, "\x1b[1;32m{text}\x1b[0m")
        } else {
            write!(out, "{{+{text}+}}")
        };
    }

    fn line(&self, out: &mut String, note: &RepairNote, width: usize) {
        let code = label(note);
        let place = if note.is_placed {
            format!("{}:{}", self.name, self.place(note.start))
        } else {
            self.name.to_owned()
        };
        let _ = write!(out, "{code:<width$}  {place}: {}", harmless(&note.message));
        let before = self
            .text
            .get(note.start..note.end)
            .filter(|text| note.is_placed && !text.is_empty());
        match (
            before,
            note.after.as_deref().filter(|text| !text.is_empty()),
        ) {
            (Some(before), Some(after)) if before != after => {
                let _ = write!(out, ": {} is now {}", short(before), short(after));
            }
            (Some(before), _) => {
                let _ = write!(out, ": {}", short(before));
            }
            (None, Some(after)) => {
                let _ = write!(out, ": {}", short(after));
            }
            (None, None) => {}
        }
        out.push('\n');
    }

    /// Line and column, from 1, in characters.
    fn place(&self, at: usize) -> String {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .map_or(0, |line| line.chars().count())
            + 1;
        format!("{line}:{column}")
    }
}

/// A note's code and name.
fn label(note: &RepairNote) -> String {
    format!("N{:03} {}", note.code.number(), note.code.name())
}

/// A piece on one line, between backticks.
fn short(text: &str) -> String {
    let text = text.replace('\n', "⏎");
    let text = harmless(&text);
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("`{}` ..", &text[..cut]),
        None => format!("`{text}`"),
    }
}
