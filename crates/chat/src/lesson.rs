//! The lessons for a model about a call that did not run as written: what is wrong, and where in its message.
//!
//! The words are for a model: they point at its lines, quote them, and say what to write. Only people need to know who
//! may grant what.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use toolglot_engine::{Call, Calls, Code, Dialect, End, Note, Place, Span};
use toolglot_toolset::Toolbox;

use crate::example_call::example_call;
use crate::prompt::DEFAULT_DIALECT;
use crate::verify::{call_around, unknown_tool_note};

/// The text for a model beside the verdict's reason.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    /// The words of the result, instead of the verdict's reason.
    pub words: Option<String>,
    /// The faults and their places. They come after the results, because some results would escape the quotations.
    pub reasons: Vec<String>,
    /// The correct form of the call.
    pub form: Option<String>,
}

/// The context in which a message was read.
#[derive(Clone, Copy, Debug)]
pub struct LessonContext<'a> {
    /// The message.
    pub text: &'a str,
    /// The dialects that it was read with.
    pub dialects: &'a [Dialect],
    /// The tools that the caller named.
    pub named: Option<&'a Toolbox>,
    /// The tools that apply if nobody named any.
    pub vocabulary: &'a Toolbox,
    /// Calls in quoted code, if the message has no others: they are text, but were probably meant as calls.
    pub quoted: &'a [Call],
}

/// The number of listed places in one message.
const MOST: usize = 6;

/// The number of further listed places with the same words.
const MOST_SAME: usize = 3;

/// The number of such places that are looked up; several may be on one line, which is listed once.
const MOST_LOOKED_UP: usize = 32;

/// The lesson about text that looks like a call and is not one; `None` if there is none. `before` is the text that
/// precedes the lesson, and `example` writes the correct form of a call in quoted code.
pub fn message_lesson(
    context: LessonContext<'_>,
    message: &Calls,
    before: &str,
    example: &dyn Fn(&Call) -> Option<String>,
) -> Option<String> {
    let notes: Vec<&Note> = message
        .notes
        .iter()
        .filter(|note| is_lesson(note.code) || quoted_call(context, note).is_some())
        .filter(|note| call_around(&message.calls, note.span).is_none())
        .collect();
    let first = *notes.first()?;
    let text = context.text;
    let start = if message.calls.is_empty() {
        "No tool was run"
    } else {
        "This was not run"
    };
    let mut words = match lines(&notes, text).as_slice() {
        [only] => format!("{start}: {only}\n"),
        several => format!("{start}:\n- {}\n", several.join("\n- ")),
    };
    let mut helps: BTreeSet<&str> = BTreeSet::new();
    for note in &notes {
        if let Some(help) = &note.help
            && found_after(note, text).is_none()
            && helps.insert(help)
        {
            words.push_str(help);
            words.push('\n');
        }
    }
    let form = form_of(context, first, example).filter(|form| !before.contains(form));
    words.push_str(&taught(form.as_slice()));
    Some(words)
}

/// The text after the results of steps: the repairs of their calls, and the correct form of each refused call, once.
pub fn step_lessons<'a>(steps: impl IntoIterator<Item = (&'a Call, &'a Lesson)>) -> String {
    let mut words = String::new();
    let mut forms: Vec<String> = Vec::new();
    for (call, lesson) in steps {
        if !lesson.reasons.is_empty() {
            let name = &call.name;
            let lines = lesson.reasons.join("\n- ");
            // Writing to a string cannot fail.
            let _ = writeln!(words, "\nIn your call of `{name}`:\n- {lines}");
        }
        let form = lesson.form.as_ref();
        forms.extend(form.filter(|form| !forms.contains(form)).cloned());
    }
    words.push_str(&taught(&forms));
    if !words.is_empty() {
        // A frame of results ends without a line break.
        words.insert(0, '\n');
    }
    words
}

/// The correct forms, with an introduction.
fn taught(forms: &[String]) -> String {
    match forms {
        [] => String::new(),
        [only] => format!("\nThe right form is:\n\n{only}\n"),
        several => format!("\nThe right forms are:\n\n{}\n", several.join("\n\n")),
    }
}

/// Why a repaired call, or a call in a place where calls do not count, was not run.
pub fn doubt_lesson(call: &Call) -> String {
    let name = &call.name;
    let why = match call.place {
        Place::Reasoning => "it is in your reasoning. Write it in your answer",
        Place::Code => "it is in a code fence. Write it without the fence",
        Place::Answer => {
            "its text is broken, and a repaired call that changes anything needs the user's approval. Write it again in the right form"
        }
    };
    format!("The call of `{name}` was not run: {why}.")
}

/// The repairs of a call: the grave ones if there are any, else all.
pub fn repair_reasons(call: &Call, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let of = |is_shown: fn(Code) -> bool| -> Vec<&Note> {
        let notes = call.notes.iter();
        notes.filter(|note| is_shown(note.code)).collect()
    };
    let grave = of(is_grave);
    lines(
        &if grave.is_empty() {
            of(is_repair)
        } else {
            grave
        },
        text,
    )
}

/// The faults of a call's arguments, one reason per line.
pub fn argument_lesson(notes: &[Note], call: &Call, text: &str) -> String {
    let reasons = notes.iter().map(|note| {
        let help = note.help.iter().map(|help| format!("; {help}"));
        let words = help.fold(note.message.clone(), |words, help| words + &help);
        // If the place is the whole call, the words suffice.
        if note.span == call.span || text.is_empty() {
            return words;
        }
        format!("{words} (line {})", line(text, note.span.range().start))
    });
    reasons.collect::<Vec<_>>().join("\n")
}

/// Notes with the same words, about different subjects or places.
struct NoteGroup<'n> {
    first: &'n Note,
    others: Vec<Span>,
}

/// Each note with its place; notes with the same words about different subjects share a line.
///
/// Finding a place is linear in the text, so only the places of listed notes are found.
fn lines(notes: &[&Note], text: &str) -> Vec<String> {
    let mut groups: Vec<NoteGroup<'_>> = Vec::new();
    let mut by_words: BTreeMap<(Code, &str), usize> = BTreeMap::new();
    for note in notes {
        let (_, rest) = subject(&note.message);
        let n_groups = groups.len();
        let index = *by_words.entry((note.code, rest)).or_insert(n_groups);
        match groups.get_mut(index) {
            Some(group) => group.others.push(note.span),
            None => groups.push(NoteGroup {
                first: note,
                others: Vec::new(),
            }),
        }
    }
    let shown = groups.iter().take(MOST);
    let mut lines: Vec<String> = shown.map(|group| group.line(text)).collect();
    if groups.len() > MOST {
        lines.push(format!("and {} more", groups.len() - MOST));
    }
    lines
}

impl NoteGroup<'_> {
    fn line(&self, text: &str) -> String {
        let note = self.first;
        let (subject, rest) = subject(&note.message);
        let found = found_after(note, text).map(|found| {
            let help = note.help.iter().map(|help| format!(": {help}"));
            format!("{}, found {found}", help.collect::<String>())
        });
        let found = found.unwrap_or_default();
        let place_of_first = place(text, note.span, &note.message);
        let words: Vec<&str> = subject.split_whitespace().collect();
        let line = format!("{} {rest}{found} ({place_of_first})", words.join(" "));
        let mut line = line.trim_start().to_owned();
        let mut n_same = 0;
        for other in self.others.iter().take(MOST_LOOKED_UP) {
            let more = format!("; also {}", place(text, *other, ""));
            if n_same < MOST_SAME && !line.contains(&more) {
                line.push_str(&more);
                n_same += 1;
            }
        }
        line
    }
}

/// The words between backticks at the start of a message, and the rest of it.
fn subject(message: &str) -> (&str, &str) {
    let end = message
        .strip_prefix('`')
        .and_then(|rest| rest.find("` "))
        .map_or(0, |end| end + 3);
    message.split_at(end)
}

/// The text after the opener of a call, if that text is not a call.
fn found_after(note: &Note, text: &str) -> Option<String> {
    let is_opener = matches!(
        note.code,
        Code::NotACall | Code::MissingToolName | Code::MalformedJson
    );
    let rest = text.get(usize::try_from(note.span.end).ok()?..)?;
    let line = rest.lines().map(str::trim).find(|line| !line.is_empty())?;
    is_opener.then(|| quoted(line, false))
}

/// The number of characters of the model's text that are quoted.
const QUOTED: usize = 60;

/// `text` between backticks, cut short at its end or at its start.
fn quoted(text: &str, keeps_end: bool) -> String {
    let shown = if keeps_end {
        let first = text.char_indices().rev().take(QUOTED).last();
        let tail = first.map_or(text, |(at, _)| &text[at..]);
        let cut = if tail.len() < text.len() { ".." } else { "" };
        format!("{cut}{tail}")
    } else {
        let end = text.char_indices().nth(QUOTED);
        let cut = if end.is_some() { ".." } else { "" };
        format!("{}{cut}", &text[..end.map_or(text.len(), |(at, _)| at)])
    };
    let quote = if shown.contains('`') { '"' } else { '`' };
    format!("{quote}{shown}{quote}")
}

/// A place in words: its line, and its text unless `message` already quotes the text.
fn place(text: &str, span: Span, message: &str) -> String {
    let range = span.range();
    let (Some(before), Some(at)) = (text.get(..range.start), text.get(range.clone())) else {
        return "in your message".to_owned();
    };
    let Some(first) = at.lines().map(str::trim).find(|line| !line.is_empty()) else {
        // Something is missing here: the preceding text gives the place.
        let before = before.trim_end();
        let last = before.lines().next_back().unwrap_or_default().trim_start();
        return match last {
            "" => "at the start of your message".to_owned(),
            last => {
                let line = line(text, before.len());
                format!("line {line}, after {}", quoted(last, true))
            }
        };
    };
    let line = line(text, range.start);
    let is_quoted = message.contains(first);
    let quoted = quoted(first, false);
    if is_quoted {
        format!("line {line}")
    } else {
        format!("line {line}: {quoted}")
    }
}

/// The line number of a place.
fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before.split(|byte| *byte == b'\n').count()
}

/// The correct form of the call that a note is about.
fn form_of(
    context: LessonContext<'_>,
    note: &Note,
    example: &dyn Fn(&Call) -> Option<String>,
) -> Option<String> {
    if let Some(call) = quoted_call(context, note) {
        return example(call);
    }
    let dialect = dialect_of(context.dialects, note)?;
    let known = || Toolbox::taught(dialect.name()).unwrap_or(context.vocabulary);
    let toolbox = context.named.unwrap_or_else(known);
    let range = note.span.range();
    let start = context.text.get(range.start..).unwrap_or_default();
    example_call(dialect, context.named, tool_in(start, toolbox))
}

/// The call in quoted code that a note is about.
fn quoted_call<'c>(context: LessonContext<'c>, note: &Note) -> Option<&'c Call> {
    let mut calls = context.quoted.iter();
    calls.find(|call| {
        note.code == Code::QuotedCall
            && call.span.start <= note.span.end
            && note.span.start < call.span.end
    })
}

/// The number of characters after a place that may contain the name of the intended tool.
const NAMED_WITHIN: usize = 240;

/// The first word of `text` that is a tool's name.
fn tool_in<'t>(text: &'t str, toolbox: &Toolbox) -> Option<&'t str> {
    let end = text.char_indices().nth(NAMED_WITHIN);
    let text = &text[..end.map_or(text.len(), |(at, _)| at)];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let mut words = text.split(|c| !is_part(c));
    let names = || toolbox.iter().map(|spec| spec.name.as_str());
    let known = words.clone().find(|word| {
        toolbox
            .canonical(word)
            .is_some_and(|(_, is_other)| !is_other)
    });
    known.or_else(|| {
        words.find(|word| word.len() > 3 && toolglot_toolset::nearest(word, names()).is_some())
    })
}

/// The dialect that a note is about: the only one in use, or the one that the note names.
fn dialect_of<'d>(dialects: &'d [Dialect], note: &Note) -> Option<&'d Dialect> {
    if let [only] = dialects {
        return Some(only);
    }
    if note.code == Code::UnrecognizedCall {
        // The call's dialect is not in use, so the default dialect of prompts is named if it is in use.
        return dialects
            .iter()
            .find(|dialect| dialect.name() == DEFAULT_DIALECT);
    }
    dialects.iter().find(|dialect| {
        let is_refused = || {
            let mut words = dialect.setting("not_tools").unwrap_or_default().split('|');
            words.any(|word| note.message.starts_with(&format!("`{}`", word.trim())))
        };
        note.message
            .contains(&format!("call of `{}`", dialect.name()))
            || note.code == Code::PlaceholderTag && is_refused()
    })
}

/// Notes on calls that would be read only if the list contained their tools: nothing else shows that they are calls.
pub fn missing_tool_notes(calls: &[Call], known: &Toolbox, offered: &Toolbox) -> Vec<Note> {
    let is_missing = |call: &&Call| {
        call.end == End::Closed
            && call.place == Place::Answer
            && known.canonical(&call.name).is_none()
    };
    let missing = calls.iter().filter(is_missing);
    missing
        .map(|call| unknown_tool_note(&call.name, offered, call.name_span))
        .collect()
}

/// Whether a note is about text that was meant as a call and is not one.
pub fn is_lesson(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownTool
            | Code::PlaceholderTag
            | Code::MissingToolName
            | Code::NotACall
            | Code::UnrecognizedCall
            | Code::MalformedJson
            | Code::UnclosedCall
    )
}

/// Whether a note of a call is about its text, not about its tool, its arguments or later changes.
fn is_repair(code: Code) -> bool {
    !matches!(
        code,
        Code::UnknownTool
            | Code::UnknownParameter
            | Code::PlaceholderTag
            | Code::Alias
            | Code::DuplicateCall
            | Code::SplitShell
            | Code::DotDot
            | Code::OneCallOnly
            | Code::MissingParameter
            | Code::InvalidArguments
    )
}

/// Whether a repair may have changed the meaning of a call, beyond its spelling.
fn is_grave(code: Code) -> bool {
    matches!(
        code,
        Code::UnclosedCall
            | Code::MissingCloser
            | Code::Junk
            | Code::DuplicateKey
            | Code::AmbiguousValue
            | Code::LengthLimit
            | Code::MentionedCall
            | Code::MalformedXml
            | Code::TooLarge
            | Code::MalformedJson
            | Code::MissingQuote
            | Code::MissingBracket
            | Code::MismatchedBracket
            | Code::MissingValue
            | Code::Ellipsis
            | Code::TruncatedJson
            | Code::UnescapedQuote
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(code: Code, span: (u64, u64), message: &str) -> Note {
        Note {
            code,
            span: Span::new(span.0, span.1),
            message: message.to_owned(),
            help: None,
        }
    }

    #[test]
    fn a_place_is_a_line_and_its_text() {
        let text = "one\n  <path>a</pth>\n</read_file>";
        let check = |span: (u64, u64), words: &str| {
            assert_eq!(place(text, Span::new(span.0, span.1), "x"), words);
        };
        check((6, 12), "line 2: `<path>`");
        check((20, 20), "line 2, after `<path>a</pth>`");
        check((0, 0), "at the start of your message");
        check((900, 901), "in your message");
        let long = "x".repeat(300);
        assert!(place(&long, Span::new(0, 300), "").len() < 100);
        assert!(place(&long, Span::empty(300), "").contains("after `..xxx"));
    }

    #[test]
    fn what_is_said_of_several_words_is_said_once() {
        let text = "<tool_name>\n<parameter_name>";
        let notes = [
            note(
                Code::PlaceholderTag,
                (1, 10),
                "`tool_name` is a placeholder",
            ),
            note(
                Code::PlaceholderTag,
                (13, 27),
                "`parameter_name` is a placeholder",
            ),
        ];
        assert_eq!(
            lines(&notes.iter().collect::<Vec<_>>(), text),
            ["`tool_name` is a placeholder (line 1); also line 2: `parameter_name`"]
        );
    }

    #[test]
    fn the_tool_that_was_meant_is_found_by_its_name() {
        let toolbox = Toolbox::builtin("roo").expect("it is built in");
        assert_eq!(
            tool_in("<write_to_file x=\"1\"><path>", &toolbox),
            Some("write_to_file")
        );
        assert_eq!(tool_in("<raed_file><path>", &toolbox), Some("raed_file"));
        assert_eq!(tool_in("nothing at all", &toolbox), None);
    }
}
