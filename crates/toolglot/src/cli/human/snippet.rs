//! Reports in the style of rustc: the label points at the bytes, and the help shows what to write instead.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use toolglot_engine::{Call, Code, GrammarError, Note};

use super::color::{Color, is_colored as is_stream_colored};
use toolglot_chat::is_fault;

use super::screen::harmless;
use super::width::width;

/// The text that notes point into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    pub(crate) text: &'a str,
    /// Where it came from.
    pub(crate) name: &'a str,
    pub(crate) is_colored: bool,
    /// The width of a line, in columns.
    pub(crate) width: usize,
    /// The calls in the text. A note that keeps a call from running is an error.
    pub(crate) calls: &'a [Call],
}

impl Page<'_> {
    /// The report of a note, with the places of equal notes and the right form of the call.
    pub(crate) fn note(&self, note: &Note, others: &[&Note], form: Option<&str>) -> String {
        let level = level(note.code, is_fault(note, self.calls));
        self.report(level, note, (others, form))
    }

    /// The report of a note on text that only looks like a call.
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
        let window = Window::around(self.text, note.span.range(), self.width);
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
            group = group
                .element(Level::HELP.message(format!("the right form is\n{}", harmless(form))));
        }
        renderer(self.is_colored, self.width).render(&[group])
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

/// Each note with the later notes that differ only in their span.
pub(crate) fn grouped<'a>(notes: &[&'a Note]) -> Vec<(&'a Note, Vec<&'a Note>)> {
    let mut groups: Vec<(&Note, Vec<&Note>)> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    for note in notes {
        let key = (note.code.number(), &note.message, &note.help);
        match known.entry(key) {
            Entry::Occupied(group) => groups[*group.get()].1.push(note),
            Entry::Vacant(group) => {
                group.insert(groups.len());
                groups.push((note, Vec::new()));
            }
        }
    }
    groups
}

/// `text` on one line: a label cannot have several.
fn one_line(text: &str) -> String {
    harmless(text).replace('\n', "\\n")
}

/// An error in a dialect file.
pub(crate) fn grammar(error: &GrammarError, text: &str, path: &str, is_colored: bool) -> String {
    let columns = width(&io::stderr());
    let window = Window::around(text, error.span.clone(), columns);
    let mut group = Level::ERROR.primary_title(&error.message).element(
        window
            .snippet(path)
            .annotation(AnnotationKind::Primary.span(window.span.clone())),
    );
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(harmless(help)));
    }
    renderer(is_colored, columns).render(&[group])
}

/// Whether reports on standard error are coloured.
pub(crate) fn is_colored_err() -> bool {
    is_stream_colored(Color::Auto, &io::stderr())
}

/// The renderer of reports with lines of `width` columns.
pub(crate) fn renderer(is_colored: bool, width: usize) -> Renderer {
    let renderer = if is_colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.term_width(width)
}

fn level(code: Code, is_error: bool) -> Level<'static> {
    match code {
        _ if is_error => Level::ERROR,
        Code::Alias
        | Code::DuplicateCall
        | Code::SplitShell
        | Code::DotDot
        | Code::StrippedStopString
        | Code::EscapedMarker
        | Code::RestoredMarker => Level::NOTE,
        _ => Level::WARNING,
    }
}

/// The lines around a span. A report uses only this window, so its cost does not depend on the length of the text.
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
/// Columns that hold no text of a line: the line number, a bar, and dots at a cut.
const BESIDE: usize = 24;
/// The columns in which a tab is shown.
const TAB: usize = 4;

impl<'a> Window<'a> {
    fn around(text: &'a str, span: Range<usize>, width: usize) -> Window<'a> {
        let start = floor(text, span.start.min(text.len()));
        let end = floor(text, span.end.clamp(start, start + SHOWN).min(text.len())).max(start);
        // A span wider than a line would be underlined where the terminal breaks the line.
        let end = start + fitting(&text[start..end], width.saturating_sub(BESIDE).max(TAB));
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
        Snippet::source(self.text)
            .line_start(self.line)
            .path(harmless(path))
    }
}

/// How many bytes of `text` come before the first character that exceeds `columns`; all bytes if no line is wider.
/// A character counts as its bytes, which are never fewer than its columns, except for a tab.
fn fitting(text: &str, columns: usize) -> usize {
    let mut left = columns;
    for (at, c) in text.char_indices() {
        let n = if c == '\t' { TAB } else { c.len_utf8() };
        match left.checked_sub(n) {
            _ if c == '\n' => left = columns,
            Some(rest) => left = rest,
            None => return at,
        }
    }
    text.len()
}

/// The last boundary of a character at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use toolglot_engine::Span;

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
            width: 140,
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

    /// At every width, the caret is below its text, and the line fits.
    #[test]
    fn marks_stand_under_their_text_in_narrow_terminals_too() {
        for prefix in ["", "{\"path\": \"", "\t\tx", "漢字, ", "é = "] {
            for n_before in [0, 3, 30, 200] {
                for word in ["MARK", "M"] {
                    let text = format!(
                        "{prefix}{}{word}{}",
                        "before ".repeat(n_before),
                        " after".repeat(60)
                    );
                    let start = text.find(word).expect("it is there") as u64;
                    let note = Note {
                        code: Code::TrailingComma,
                        span: Span::new(start, start + word.len() as u64),
                        message: "what was done, in a sentence of some length".into(),
                        help: None,
                    };
                    for width in [30, 40, 60, 80, 100, 140, 200] {
                        let page = Page {
                            text: &text,
                            name: "m",
                            is_colored: false,
                            width,
                            calls: &[],
                        };
                        let report = page.note(&note, &[], None);
                        let lines: Vec<&str> = report.lines().collect();
                        let source = lines
                            .iter()
                            .position(|line| line.contains(" | "))
                            .expect(&report);
                        let carets = lines[source + 1];
                        let column = |line: &str, at: usize| -> usize {
                            line[..at]
                                .chars()
                                .map(|c| if c > '\u{2e80}' { 2 } else { 1 })
                                .sum()
                        };
                        let at = lines[source]
                            .find(word)
                            .unwrap_or_else(|| panic!("{width} {report}"));
                        let caret = carets.find('^').expect(&report);
                        assert_eq!(
                            column(lines[source], at),
                            column(carets, caret),
                            "{width}\n{report}"
                        );
                        assert!(
                            column(lines[source], lines[source].len()) <= width,
                            "{width}\n{report}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_span_that_is_wider_than_the_line_is_cut() {
        let text = "x".repeat(300);
        for width in [20, 40, 80, 140] {
            let note = Note {
                code: Code::TrailingComma,
                span: Span::new(0, 300),
                message: "m".into(),
                help: None,
            };
            let page = Page {
                text: &text,
                name: "m",
                is_colored: false,
                width,
                calls: &[],
            };
            let report = page.note(&note, &[], None);
            for line in report
                .lines()
                .filter(|line| line.contains(" | ") || line.contains('^'))
            {
                assert!(
                    line.trim_end_matches(" m").chars().count() <= width,
                    "{width}\n{report}"
                );
            }
        }
    }

    #[test]
    fn long_lines_are_cut() {
        let text = "x".repeat(100_000);
        assert!(report(&text, Span::new(50_000, 90_000), None).len() < 4_000);
    }
}
