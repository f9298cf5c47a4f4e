//! Results, in the shape of the dialect's `result` and `failure` rules. Only markers and encoding change their text.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::{IntoIter, Vec};
use core::iter::Peekable;
use core::ops::Range;

use toolglot_json::internal::{escape_into, members};

use super::CallText;
use super::escape::{self, Change, Escaped, Scheme};
use super::markers::{Markers, holds_tag, is_name_char, is_result};
use super::value::raw;
use crate::grammar::{Capture, Dialect, Piece, Term, TermKind};
use crate::{Code, Note, Span};

/// The text before a failure if the dialect has no rule `failure`.
const FAILED: &str = "Error: ";

/// A placeholder for a result, which splits a block into the texts before and after it.
const PLACE: &str = "\u{e000}";

/// Longest argument in an optional part, in bytes.
const SHOWN: usize = 160;

/// The result of a call, to be written in the shape the dialect's model was taught.
#[derive(Clone, Copy, Debug)]
pub struct ResultText<'a> {
    /// The call.
    pub call: CallText<'a>,
    /// The tool's output.
    pub text: &'a str,
    /// Whether the result is an error.
    pub failed: bool,
    /// Whether the text is JSON: the text stays valid JSON, and a JSON frame has it as a value, not as a string.
    pub is_json: bool,
}

/// Written results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedResults {
    /// The text for the model.
    pub text: String,
    /// The changes in the results: one note for each marker of each result.
    pub notes: Vec<ResultNote>,
}

/// A note on one of several results.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultNote {
    /// The index of the result.
    pub result: usize,
    /// The change. The note's span is the first place in the result's own text.
    pub note: Note,
}

/// An escaped marker of a written result, in a text that may have copied the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscapedMarker {
    /// The bytes of the escaped marker in the text.
    pub place: Range<usize>,
    /// The marker's spelling in the result before escaping.
    pub original: String,
}

/// Writes the results of one dialect, and reverses the changes that writing makes.
///
/// A result passes byte for byte, unless its frame encodes it. Only markers of the frame and special tokens of the
/// dialect, which end or start a turn, are changed. Each change is visible, reversible and has a note.
///
/// # Examples
/// ```
/// use toolglot_engine::{CallText, ResultText, ResultWriter};
///
/// let writer = ResultWriter::new(toolglot_dialects::get("hermes").unwrap());
/// let call = CallText { name: "read_file", arguments: "{}", server: None, id: None };
/// let result = ResultText { call, text: "a </tool_response> b", failed: false, is_json: false };
/// let written = writer.results(&[result]);
/// assert_eq!(written.text, "<tool_response>\na <\\/tool_response> b\n</tool_response>");
/// assert_eq!(writer.original(&result, "a <\\/tool_response> b"), "a </tool_response> b");
/// ```
#[derive(Debug)]
pub struct ResultWriter<'d> {
    dialect: &'d Dialect,
    scheme: Scheme,
    success: Frame<'d>,
    failure: Frame<'d>,
}

/// A rule that writes results, and the markers that their text must not hold.
#[derive(Debug)]
struct Frame<'d> {
    terms: &'d [Term],
    form: Form,
    markers: Markers<'d>,
    /// The text before a failure that has the frame of a result.
    word: &'static str,
}

/// How a frame holds a result's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As it is.
    Text,
    /// With entities.
    Xml,
    /// As a JSON value.
    Json,
}

impl<'d> ResultWriter<'d> {
    /// The writer of a dialect's results.
    pub fn new(dialect: &'d Dialect) -> ResultWriter<'d> {
        let word = if dialect.distinguishes_failures() {
            ""
        } else {
            FAILED
        };
        ResultWriter {
            dialect,
            scheme: if dialect.values.entities {
                Scheme::Entity
            } else {
                Scheme::Backslash
            },
            success: Frame::of(dialect, &["result"], ""),
            failure: Frame::of(dialect, &["failure", "result"], word),
        }
    }

    /// Joins results by the rule `result_block`. Without that rule, results that a tag closes are joined as calls are,
    /// and others by a blank line. A failure without a rule of its own starts with `Error: `. Linear in the texts.
    pub fn results(&self, results: &[ResultText<'_>]) -> RenderedResults {
        let mut notes = Vec::new();
        let mut texts = Vec::with_capacity(results.len());
        for (at, result) in results.iter().enumerate() {
            let (text, changes) = self.one(result, at);
            texts.push(text);
            let of_this = grouped(&changes, result.text).into_iter();
            notes.extend(of_this.map(|note| ResultNote { result: at, note }));
        }
        let text = self.block(texts);
        RenderedResults { text, notes }
    }

    /// Writes one result as one of several, without the text of the rule `result_block` around them.
    pub fn result(&self, result: &ResultText<'_>) -> String {
        self.one(result, 0).0
    }

    /// The text before and after a result, or a failure if `failed`, as [`ResultWriter::result`] writes them.
    /// If `is_alone`, as [`ResultWriter::results`] writes them for a single result. A fence may be longer.
    pub fn frame(&self, call: CallText<'_>, failed: bool, is_alone: bool) -> (String, String) {
        let result = &ResultText {
            call,
            text: "",
            failed,
            is_json: false,
        };
        let frame = self.rule(failed);
        let (before, after) = frame.around();
        let [before, after] = [before, after].map(|terms| {
            let mut out = String::new();
            self.fill(result, "", 0).terms(terms, &mut out);
            out
        });
        let word = if frame.form == Form::Json {
            ""
        } else {
            frame.word
        };
        let (mut around, mut end) = (String::new(), String::new());
        if is_alone {
            let whole = self.block(Vec::from([PLACE.into()]));
            let (start, rest) = whole.split_once(PLACE).unwrap_or_default();
            around.push_str(start);
            end.push_str(rest);
        }
        (around + &before + word, after + &end)
    }

    /// Whether the frame of a result encodes its text, as JSON or with entities.
    pub fn encodes(&self, failed: bool) -> bool {
        self.rule(failed).form != Form::Text
    }

    /// The text of a result, from `inside`, its frame's content. The exact reverse of writing a text that is not JSON.
    pub fn original(&self, result: &ResultText<'_>, inside: &str) -> String {
        let frame = self.rule(result.failed);
        match frame.form {
            Form::Text => {
                let starts_line = self.starts_line(result);
                escape::unescaped(inside, &frame.markers, self.scheme, starts_line)
            }
            Form::Xml => escape::from_xml(inside),
            Form::Json => match toolglot_json::internal::string(inside) {
                Some(text) => text.strip_prefix(frame.word).unwrap_or(&text).into(),
                None => inside.into(),
            },
        }
    }

    /// Each marker that the text of a result must not hold, as it may occur there. One that counts only at the start of
    /// a line has a line break before it. One that holds a tool's name has the name `x`.
    pub fn markers(&self, failed: bool) -> Vec<String> {
        self.rule(failed).markers.examples().collect()
    }

    /// The markers in `text` that are escaped as in a written result, so that a model may have copied them from one.
    pub fn escaped_markers(&self, text: &str) -> Vec<EscapedMarker> {
        let mut all: Vec<EscapedMarker> = Vec::new();
        for frame in [&self.success, &self.failure] {
            let found: Vec<(Range<usize>, String)> = match frame.form {
                Form::Text => escape::escapes(text, &frame.markers, self.scheme, true),
                Form::Xml => escape::entities(text)
                    .map(|(place, c)| (place, c.into()))
                    .collect(),
                Form::Json => Vec::new(),
            };
            let found = found.into_iter();
            all.extend(found.map(|(place, original)| EscapedMarker { place, original }));
        }
        all.sort_by_key(|escaped| escaped.place.start);
        all.dedup_by_key(|escaped| escaped.place.start);
        all
    }

    fn rule(&self, failed: bool) -> &Frame<'d> {
        if failed { &self.failure } else { &self.success }
    }

    /// Whether the text of a result starts a line.
    fn starts_line(&self, result: &ResultText<'_>) -> bool {
        let (before, _) = self.frame(result.call, result.failed, false);
        before.is_empty() || before.ends_with('\n')
    }

    fn fill<'a>(&'a self, result: &'a ResultText<'a>, text: &'a str, number: usize) -> Fill<'a> {
        let frame = self.rule(result.failed);
        let fence = if is_fenced(frame.terms) {
            longest_fence(text)
        } else {
            0
        };
        Fill {
            result,
            number,
            dialect: self.dialect,
            frame,
            scheme: self.scheme,
            text,
            fence,
        }
    }

    fn one(&self, result: &ResultText<'_>, number: usize) -> (String, Vec<Change<'d>>) {
        let frame = self.rule(result.failed);
        let starts_line = self.starts_line(result);
        let Escaped { text, changes } = frame.escaped(result, self.scheme, starts_line);
        let mut out = String::with_capacity(text.len() + 64);
        if frame.terms.is_empty() {
            out.push_str(frame.word);
            out.push_str(&text);
        }
        self.fill(result, &text, number)
            .terms(frame.terms, &mut out);
        (out, changes)
    }

    /// Joins written results.
    fn block(&self, written: Vec<String>) -> String {
        let Some(rule) = self.dialect.rules_named("result_block").next() else {
            // Results that a tag closes are joined as calls are.
            let (_, after) = self.success.around();
            return written.join(if holds_tag(after) {
                self.dialect.between_calls()
            } else {
                "\n\n"
            });
        };
        let mut out = String::new();
        let mut written = written.into_iter().peekable();
        for term in rule.alt.0.first().into_iter().flatten() {
            together(term, &mut written, &mut out);
        }
        out
    }
}

impl<'d> Frame<'d> {
    /// The first rule of these names that the dialect has.
    fn of(dialect: &'d Dialect, names: &[&str], word: &'static str) -> Frame<'d> {
        let rule = names
            .iter()
            .find_map(|name| dialect.rules.iter().find(|rule| rule.name == *name));
        let terms = rule.and_then(|rule| rule.alt.0.first());
        let terms = terms.map_or(&[][..], Vec::as_slice);
        let form = match terms
            .iter()
            .find(|term| is_result(term))
            .map(|term| &term.kind)
        {
            Some(TermKind::Xml(_)) => Form::Xml,
            Some(TermKind::Json(_)) => Form::Json,
            _ => Form::Text,
        };
        let markers = Markers::of(dialect, terms);
        Frame {
            terms,
            form,
            markers,
            word,
        }
    }

    /// The terms before the result's text, and the terms after it.
    fn around(&self) -> (&'d [Term], &'d [Term]) {
        match self.terms.iter().position(is_result) {
            Some(at) => (&self.terms[..at], &self.terms[at + 1..]),
            None => (self.terms, &[]),
        }
    }

    fn escaped(&self, result: &ResultText<'_>, scheme: Scheme, starts_line: bool) -> Escaped<'d> {
        let (text, markers) = (result.text, &self.markers);
        // With a word before it, JSON is only text.
        let is_json = result.is_json && self.word.is_empty();
        match self.form {
            Form::Json if !is_json => {
                let mut inside = String::with_capacity(text.len());
                escape_into(&mut inside, self.word);
                escape_into(&mut inside, text);
                let mut escaped = escape::as_json(&inside, markers, true);
                for change in &mut escaped.changes {
                    change.at = change.at.saturating_sub(self.word.len());
                }
                escaped.text.insert(0, '"');
                escaped.text.push('"');
                escaped
            }
            Form::Xml => escape::as_xml(text, markers, starts_line),
            Form::Json | Form::Text if is_json => escape::as_json(text, markers, false),
            Form::Json | Form::Text => escape::escaped(text, markers, scheme, starts_line),
        }
    }
}

fn together(term: &Term, written: &mut Peekable<IntoIter<String>>, out: &mut String) {
    match &term.kind {
        TermKind::Literal(pieces) => {
            for piece in pieces {
                if let Piece::Bytes(text) = piece {
                    out.push_str(text);
                }
            }
        }
        TermKind::Rule(_) => out.push_str(&written.next().unwrap_or_default()),
        TermKind::Group(alt) => {
            for term in alt.0.first().into_iter().flatten() {
                together(term, written, out);
            }
        }
        TermKind::Many(inner) => {
            while written.peek().is_some() {
                let before = written.len();
                together(inner, written, out);
                if written.len() == before {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Writes the rule of a frame for one result.
struct Fill<'a> {
    result: &'a ResultText<'a>,
    /// The number of results before this one, for the id of a call without one.
    number: usize,
    dialect: &'a Dialect,
    frame: &'a Frame<'a>,
    scheme: Scheme,
    /// The result's text as the frame holds it.
    text: &'a str,
    /// The longest run of backticks in the text, where the frame is a fence.
    fence: usize,
}

impl Fill<'_> {
    fn terms(&self, terms: &[Term], out: &mut String) {
        for term in terms {
            match &term.kind {
                TermKind::Literal(pieces) => {
                    for piece in pieces {
                        match piece {
                            Piece::Bytes(literal) => self.literal(literal, out),
                            Piece::Hole(capture) => out.push_str(&self.captured(*capture)),
                        }
                    }
                }
                TermKind::Capture(capture, _) => out.push_str(&self.captured(*capture)),
                TermKind::Raw(None, _) => {
                    out.push_str(self.frame.word);
                    out.push_str(self.text);
                }
                TermKind::Xml(_) => {
                    out.push_str(self.frame.word);
                    out.push_str(self.text);
                }
                TermKind::Json(_) => out.push_str(self.text),
                TermKind::Raw(Some(name), _) => {
                    out.push_str(&self.argument(name).unwrap_or_default());
                }
                TermKind::Nl => out.push('\n'),
                TermKind::Ws(Some(written)) => out.push_str(written),
                TermKind::Optional(term, _) => {
                    // Writes the first alternative whose parts the call has.
                    if let TermKind::Group(alt) = &term.kind
                        && let Some(seq) = alt.0.iter().find(|seq| self.has(seq))
                    {
                        self.terms(seq, out);
                    }
                }
                _ => {}
            }
        }
    }

    /// Writes a literal. A fence becomes longer than any run of backticks in the text.
    fn literal(&self, literal: &str, out: &mut String) {
        let Some(at) = literal.find(FENCE).filter(|_| self.fence >= FENCE.len()) else {
            out.push_str(literal);
            return;
        };
        out.push_str(&literal[..at]);
        out.extend(core::iter::repeat_n('`', self.fence + 1));
        out.push_str(literal[at..].trim_start_matches('`'));
    }

    /// The argument of that name, as text.
    fn argument(&self, name: &str) -> Option<String> {
        let (_, json) = members(self.result.call.arguments).find(|(key, _)| key == name)?;
        Some(raw(json).into_owned())
    }

    /// Whether the call has the id, the server and the arguments that `seq` names. Each argument must be short, on one
    /// line, and free of markers.
    fn has(&self, seq: &[Term]) -> bool {
        let call = &self.result.call;
        seq.iter().all(|term| match &term.kind {
            TermKind::Raw(Some(name), _) => self.argument(name).is_some_and(|text| {
                let is_short = (1..=SHOWN).contains(&text.len()) && !text.contains(['\n', '\r']);
                is_short && self.frame.markers.none_in(&text, self.scheme)
            }),
            TermKind::Capture(Capture::Id, _) => call.id.is_some(),
            TermKind::Capture(Capture::Server, _) => call.server.is_some(),
            _ => true,
        })
    }

    /// The text for a capture. A model wrote it, so a character that a name may not hold becomes `_`.
    fn captured(&self, capture: Capture) -> String {
        let call = &self.result.call;
        let counted;
        let text = match capture {
            Capture::Name => call.name,
            Capture::Id => {
                counted = self.dialect.counted_id(call.name, self.number as u64);
                call.id.unwrap_or(&counted)
            }
            Capture::Server => call.server.unwrap_or(""),
            Capture::Key | Capture::Type | Capture::Any | Capture::Length => "",
        };
        text.chars()
            .map(|c| if is_name_char(c) { c } else { '_' })
            .collect()
    }
}

/// The shortest fence.
const FENCE: &str = "```";

/// Whether a frame is a fence around text.
pub(super) fn is_fenced(frame: &[Term]) -> bool {
    let literal = |term: &Term| match &term.kind {
        TermKind::Literal(pieces) => match pieces.as_slice() {
            [Piece::Bytes(text)] => Some(text.trim().starts_with(FENCE)),
            _ => None,
        },
        _ => None,
    };
    let Some(at) = frame.iter().position(is_result) else {
        return false;
    };
    let beside = [at.checked_sub(1), Some(at + 1)];
    matches!(frame[at].kind, TermKind::Raw(None, _))
        && beside
            .into_iter()
            .all(|at| at.and_then(|at| frame.get(at)).and_then(literal) == Some(true))
}

/// The length of the longest run of backticks.
fn longest_fence(text: &str) -> usize {
    let runs = text.split(|c| c != '`');
    runs.map(str::len).max().unwrap_or(0)
}

/// One note for each marker that was changed in `text`.
fn grouped(changes: &[Change<'_>], text: &str) -> Vec<Note> {
    let mut groups: Vec<(&Change<'_>, usize)> = Vec::new();
    for change in changes {
        let is_same = |(first, _): &&mut (&Change<'_>, usize)| first.marker == change.marker;
        match groups.iter_mut().find(is_same) {
            Some((_, n)) => *n += 1,
            None => groups.push((change, 1)),
        }
    }
    let notes = groups.into_iter().map(|(first, n)| {
        let at = first.at.min(text.len());
        let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
        let places = match n {
            1 => format!("in line {line}"),
            n => format!("{n} times, first in line {line}"),
        };
        Note {
            code: Code::EscapedMarker,
            span: Span::new(at as u64, (at + first.from.len()) as u64),
            message: format!(
                "`{}` is a marker of this dialect and is written as `{}` in the result: {places}",
                short(&first.from),
                short(&first.to)
            ),
            help: None,
        }
    });
    notes.collect()
}

/// The first characters of a spelling, for a note.
fn short(text: &str) -> Cow<'_, str> {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{} ..", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
