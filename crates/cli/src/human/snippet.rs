//! Reports in the manner of rustc: the label points at the bytes, the help says what to write instead.

use std::io;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use toolglot::{Call, Code, GrammarError, Note};

use crate::args::Color;
use crate::digest::is_fault;

/// The text that notes point into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    pub(crate) text: &'a str,
    /// Where it came from.
    pub(crate) name: &'a str,
    pub(crate) is_colored: bool,
    /// The calls in it: what keeps one from running is an error.
    pub(crate) calls: &'a [Call],
}

impl Page<'_> {
    /// A note on the text, with the places of others that say the same, and the right form of a call.
    pub(crate) fn note(&self, note: &Note, others: &[&Note], form: Option<&str>) -> String {
        let level = level(note.code, is_fault(note, self.calls));
        self.report(level, note, (others, form))
    }

    /// A note on text that only looks like a call.
    pub(crate) fn remark(&self, note: &Note, others: &[&Note], form: Option<&str>) -> String {
        self.report(Level::WARNING, note, (others, form))
    }

    fn report(
        &self,
        level: Level<'static>,
        note: &Note,
        (others, form): (&[&Note], Option<&str>),
    ) -> String {
        let code = format!("N{:03}", note.code.number());
        let window = Window::around(self.text, note.span.range());
        let label = one_line(&note.message);
        let label = AnnotationKind::Primary
            .span(window.span.clone())
            .label(&label);
        let mut group = level
            .primary_title(note.code.what())
            .id(code)
            .element(window.snippet(self.name).annotation(label));
        if !others.is_empty() {
            let places: Vec<String> = others
                .iter()
                .take(SHOWN_PLACES)
                .map(|note| self.place(note))
                .collect();
            let more = if others.len() > SHOWN_PLACES {
                ", .."
            } else {
                ""
            };
            let also = format!("also at {}{more}", places.join(", "));
            group = group.element(Level::NOTE.message(also));
        }
        if let Some(help) = &note.help {
            group = group.element(Level::HELP.message(one_line(help)));
        }
        if let Some(form) = form {
            group = group.element(Level::HELP.message(format!("the right form is\n{form}")));
        }
        render(group, self.is_colored)
    }

    /// Line and column, from 1, in characters.
    fn place(&self, note: &Note) -> String {
        let before = &self.text[..floor(self.text, note.span.range().start.min(self.text.len()))];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        format!("{line}:{}", before[line_start..].chars().count() + 1)
    }
}

/// How many places of equal notes are shown.
const SHOWN_PLACES: usize = 8;

/// Each note with the later ones that say the same.
pub(crate) fn grouped<'a>(notes: &[&'a Note]) -> Vec<(&'a Note, Vec<&'a Note>)> {
    let mut groups: Vec<(&Note, Vec<&Note>)> = Vec::new();
    let says_same = |one: &Note, other: &Note| {
        (one.code, &one.message, &one.help) == (other.code, &other.message, &other.help)
    };
    for note in notes {
        match groups.iter_mut().find(|(first, _)| says_same(first, note)) {
            Some((_, others)) => others.push(note),
            None => groups.push((note, Vec::new())),
        }
    }
    groups
}

/// `text` on one line: a label cannot have several.
fn one_line(text: &str) -> String {
    text.replace('\n', "\\n")
}

/// An error in a dialect file.
pub(crate) fn grammar(error: &GrammarError, text: &str, path: &str, is_colored: bool) -> String {
    let window = Window::around(text, error.span.clone());
    let mut group = Level::ERROR.primary_title(&error.message).element(
        window
            .snippet(path)
            .annotation(AnnotationKind::Primary.span(window.span.clone())),
    );
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(help));
    }
    render(group, is_colored)
}

/// Whether reports on standard error are coloured.
pub(crate) fn is_colored_err() -> bool {
    super::is_colored(Color::Auto, &io::stderr())
}

fn render(group: Group<'_>, is_colored: bool) -> String {
    let renderer = if is_colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&[group])
}

fn level(code: Code, is_error: bool) -> Level<'static> {
    match code {
        _ if is_error => Level::ERROR,
        Code::Alias
        | Code::Duplicate
        | Code::SplitShell
        | Code::DotDot
        | Code::StrippedStop
        | Code::EscapedMarker
        | Code::RestoredMarker => Level::NOTE,
        _ => Level::WARNING,
    }
}

/// The lines around a span. Reports are made of these, so that their cost does not depend on the length of the text.
struct Window<'a> {
    text: &'a str,
    /// The number of the window's first line.
    line: usize,
    /// The span, in the window.
    span: Range<usize>,
}

/// How far a window reaches to each side at most, in bytes: lines of a model's JSON may be long.
const REACH: usize = 400;
/// How many bytes of a span are shown at most.
const SHOWN: usize = 400;

impl<'a> Window<'a> {
    fn around(text: &'a str, span: Range<usize>) -> Window<'a> {
        let start = floor(text, span.start.min(text.len()));
        let end = floor(text, span.end.clamp(start, start + SHOWN).min(text.len())).max(start);
        let from = floor(text, start.saturating_sub(REACH));
        let from = text[from..start]
            .rfind('\n')
            .map_or(from, |newline| from + newline + 1);
        let to = floor(text, (end + REACH).min(text.len()));
        let to = text[end..to].find('\n').map_or(to, |newline| end + newline);
        let line = text[..from].bytes().filter(|byte| *byte == b'\n').count() + 1;
        Window {
            text: &text[from..to],
            line,
            span: start - from..end - from,
        }
    }

    fn snippet(&self, path: &'a str) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        Snippet::source(self.text).line_start(self.line).path(path)
    }
}

/// The last boundary of a character at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use toolglot::Span;

    use super::*;

    fn report(text: &str, span: Span, form: Option<&str>) -> String {
        let note_ = Note {
            code: Code::TrailingComma,
            span,
            message: "left out".into(),
            help: None,
        };
        let page = Page {
            text,
            name: "message",
            is_colored: false,
            calls: &[],
        };
        page.note(&note_, &[&note_], form)
    }

    #[test]
    fn the_label_points_at_the_bytes() {
        let report = report("one\n{\"é\": 1,}\n", Span::new(12, 13), None);
        assert!(
            report.contains("warning[N012]: a comma before a closing bracket was left out"),
            "{report}"
        );
        assert!(report.contains("--> message:2:8"), "{report}");
        assert!(report.contains("       ^ left out"), "{report}");
    }

    #[test]
    fn equal_notes_are_told_once() {
        let report = report("a\né,,\n", Span::new(5, 6), None);
        assert!(report.contains("also at 2:3"), "{report}");
    }

    #[test]
    fn the_right_form_is_shown_as_help() {
        let report = report("x", Span::new(0, 1), Some("<a>\n</a>"));
        assert!(report.contains("= help: the right form is"), "{report}");
        assert!(report.contains("</a>"), "{report}");
    }

    #[test]
    fn spans_beyond_the_text_do_no_harm() {
        for span in [
            Span::new(9, 12),
            Span::new(2, 3),
            Span::empty(5),
            Span::new(0, 90),
        ] {
            assert!(report("a漢🦀", span, None).contains("N012"));
        }
        assert!(report("", Span::empty(0), None).contains("N012"));
    }

    #[test]
    fn long_lines_are_cut() {
        let text = "x".repeat(100_000);
        assert!(report(&text, Span::new(50_000, 90_000), None).len() < 4_000);
    }
}
