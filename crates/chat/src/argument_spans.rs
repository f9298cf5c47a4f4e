//! The positions of argument values in a model's text.

use std::cell::OnceCell;
use std::ops::Range;

use toolglot_engine::{Call, Calls, Event, Sink, Span};
use toolglot_json::internal::{last_members, locate, members};

use crate::reader::Reader;

/// The longest call that is read byte by byte, in bytes; a longer one is read in pieces.
const FINE: usize = 256 << 10;

/// The length of these pieces, in bytes.
const PIECE: usize = 64;

/// The limit on tried occurrences of a key whose value is spelled differently in the text.
const TRIED: usize = 16;

/// The positions of the values in a message, computed on the first query.
///
/// Events say which bytes they account for, and do not depend on how the text was pushed. So a second reading in pieces
/// of one byte shows where each value was read, whatever its format.
#[derive(Debug)]
pub struct ArgumentSpans<'a> {
    reader: &'a Reader,
    text: &'a str,
    found: OnceCell<Vec<Written>>,
}

/// The emitted arguments of a call, and where they were read.
#[derive(Debug, Default)]
struct Written {
    call: Span,
    args: String,
    runs: Vec<Run>,
}

impl Written {
    /// Whether these are the arguments of `call`. A repeated member counts once, with its last value.
    fn is_of(&self, call: &Call) -> bool {
        let is_same = || self.args == call.arguments || last_members(&self.args) == call.arguments;
        self.call == call.span && is_same()
    }
}

/// A run of argument text, and the bytes that it was read from.
#[derive(Debug)]
struct Run {
    /// The range in the arguments.
    json: Range<usize>,
    /// The range in the text.
    text: Range<usize>,
    /// Whether both are the same bytes.
    is_verbatim: bool,
}

impl<'a> ArgumentSpans<'a> {
    /// The positions of everything that `reader` reads in `text`.
    pub fn new(reader: &'a Reader, text: &'a str) -> ArgumentSpans<'a> {
        ArgumentSpans {
            reader,
            text,
            found: OnceCell::new(),
        }
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The text at `span`.
    pub fn text_at(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The span of the value at `pointer`, key included; the whole call if the position is unknown.
    ///
    /// `names` returns the aliases of a parameter, which the model may have used. Linear in the text, once.
    pub fn value<'n>(
        &self,
        call: &Call,
        pointer: &str,
        names: impl Fn(&str) -> &'n [String],
    ) -> Span {
        let found = self.found.get_or_init(|| self.find());
        // Lines of a shell block and other derived calls have no text of their own.
        let Some(written) = found.iter().find(|written| written.is_of(call)) else {
            return call.span;
        };
        let pointer = as_written(&written.args, pointer, names);
        let part = locate(&written.args, &pointer);
        let mut found: Option<Range<usize>> = None;
        let mut is_verbatim = true;
        let overlapping = |run: &&Run| run.json.start < part.end && part.start < run.json.end;
        for run in written.runs.iter().filter(overlapping) {
            is_verbatim &= run.is_verbatim;
            let text = if run.is_verbatim {
                let cut = part.start.max(run.json.start) - run.json.start;
                let left = run.json.end - part.end.min(run.json.end);
                run.text.start + cut..run.text.end - left
            } else {
                run.text.clone()
            };
            found = Some(match found {
                None => text,
                Some(found) => found.start.min(text.start)..found.end.max(text.end),
            });
        }
        let Some(mut found) = found else {
            return call.span;
        };
        if !is_verbatim {
            let around = call.span.range().start..found.end;
            let part = &written.args[part];
            let place = self.member(part, &around);
            found = place
                .or_else(|| self.item(part, &found))
                .or_else(|| self.keyword(part, &around, found.start))
                .unwrap_or(found);
        }
        self.trimmed(found).unwrap_or(call.span)
    }

    /// The span of the key of the member at `pointer`; the whole member if the key is directly beside its value.
    pub fn key<'n>(
        &self,
        call: &Call,
        pointer: &str,
        names: impl Fn(&str) -> &'n [String],
    ) -> Span {
        let member = self.value(call, pointer, names);
        let key = pointer.rsplit('/').next().unwrap_or_default();
        let key = key.replace("~1", "/").replace("~0", "~");
        let (range, start) = (member.range(), call.span.range().start);
        let (Some(text), Some(before)) = (
            self.text.get(range.clone()),
            self.text.get(start.min(range.start)..range.start),
        ) else {
            return member;
        };
        let written = text.trim_start_matches(['"', '\'', '`', '\\', '<']);
        let after = written.strip_prefix(key.as_str());
        let is_beside = after
            .and_then(|after| {
                after
                    .trim_start_matches(['"', '\'', '`', '\\', ' '])
                    .chars()
                    .next()
            })
            .is_some_and(|next| matches!(next, ':' | '=' | '>'));
        match before
            .rfind(key.as_str())
            .filter(|_| !is_beside && !key.is_empty())
        {
            Some(at) => Span::new((start + at) as u64, (start + at + key.len()) as u64),
            None => member,
        }
    }

    /// The place of a list item that the text spells differently: right after a tag.
    fn item(&self, item: &str, around: &Range<usize>) -> Option<Range<usize>> {
        let value = match item.as_bytes().first()? {
            b'{' | b'[' => return None,
            b'"' => toolglot_json::internal::string(item)?,
            _ => item.into(),
        };
        let text = self.text.get(around.clone())?;
        let at = if text.starts_with(&*value) {
            0
        } else {
            text.find(&format!(">{value}"))? + 1
        };
        let start = around.start + at;
        (!value.is_empty()).then(|| start..start + value.len())
    }

    /// The place of a member of a Python call, from its keyword on. The member ends after `from`.
    fn keyword(&self, member: &str, around: &Range<usize>, from: usize) -> Option<Range<usize>> {
        let whole = format!("{{{member}}}");
        let (key, _) = members(&whole).next()?;
        let text = self.text.get(around.clone())?;
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let (at, _) = text.match_indices(&*key).find(|(at, key)| {
            let end = at + key.len();
            let sign = text[end..].trim_start().strip_prefix('=');
            around.start + end > from
                && !text[..*at].ends_with(is_name)
                && sign.is_some_and(|rest| !rest.starts_with('='))
        })?;
        let end = at + text[at..].trim_end_matches([',', ')', ' ', '\n']).len();
        Some(around.start + at..around.start + end)
    }

    /// The elements of this name, from the first opening tag to the end of the last element.
    fn elements(&self, key: &str, around: &Range<usize>) -> Option<Range<usize>> {
        let text = self.text.get(around.clone())?;
        let close = format!("</{key}>");
        let is_tag = |at: &usize| text[at + 1 + key.len()..].starts_with(['>', ' ', '\n', '/']);
        let open = text
            .match_indices(&format!("<{key}"))
            .map(|(at, _)| at)
            .find(is_tag)?;
        let end = text.rfind(&close).filter(|end| *end > open)? + close.len();
        Some(around.start + open..around.start + end)
    }

    /// The place of a member that the text spells differently: its value after its key if that is found, else
    /// everything from its key on.
    fn member(&self, member: &str, around: &Range<usize>) -> Option<Range<usize>> {
        let whole = format!("{{{member}}}");
        let (key, value) = members(&whole).next()?;
        let text = self.text.get(around.clone())?;
        let value = match value.as_bytes().first()? {
            b'{' | b'[' => return self.elements(&key, around),
            b'"' => toolglot_json::internal::string(value)?,
            _ => value.into(),
        };
        let keys = text.rmatch_indices(&*key);
        let value_after = |at: usize| Some(at + text[at..].find(&*value)?);
        let found = keys
            .take(if value.is_empty() { 0 } else { TRIED })
            .find_map(|(at, key)| value_after(at + key.len()));
        let range = if let Some(at) = found {
            at..at + value.len()
        } else {
            let at = text.rfind(&*key)?;
            at..at + text[at..].trim_end_matches([',', '}', ']', ')', ' ']).len()
        };
        Some(around.start + range.start..around.start + range.end)
    }

    /// The span without blanks at its ends, if any text remains.
    fn trimmed(&self, range: Range<usize>) -> Option<Span> {
        let text = self.text.get(range.clone())?;
        let start = range.start + text.len() - text.trim_start().len();
        let end = start + text.trim().len();
        (start < end).then(|| Span::new(start as u64, end as u64))
    }

    fn find(&self) -> Vec<Written> {
        let mut coarse = SpanSink::default();
        self.reader.read_pieces([self.text], &mut coarse);
        let mut tape = Tape {
            text: self.text,
            ..Tape::default()
        };
        let mut pieces = Vec::new();
        let mut at = 0;
        for call in &coarse.0.calls {
            let span = call.span.range();
            let (Some(before), Some(inside)) = (
                self.text.get(at..span.start.max(at)),
                self.text.get(span.start.max(at)..span.end.max(at)),
            ) else {
                continue;
            };
            at = span.end.max(at);
            pieces.push(before);
            let size = if inside.len() > FINE { PIECE } else { 1 };
            let mut rest = inside;
            while !rest.is_empty() {
                let end = (size..rest.len())
                    .find(|&end| rest.is_char_boundary(end))
                    .unwrap_or(rest.len());
                pieces.push(&rest[..end]);
                rest = &rest[end..];
            }
        }
        pieces.push(&self.text[at..]);
        self.reader.read_pieces(pieces, &mut tape);
        for (written, call) in tape.written.iter_mut().zip(&tape.calls.0.calls) {
            written.call = call.span;
        }
        tape.written
    }
}

/// `pointer` with the parameter's name as written in `args`.
fn as_written<'n>(args: &str, pointer: &str, names: impl Fn(&str) -> &'n [String]) -> String {
    let mut segments = pointer.splitn(3, '/').skip(1);
    let Some(first) = segments.next() else {
        return String::new();
    };
    let has = |name: &str| members(args).any(|(key, _)| key == name);
    let alias = names(first).iter().find(|name| has(name));
    match alias.filter(|_| !has(first)) {
        Some(alias) => {
            let rest = segments
                .next()
                .map_or(String::new(), |rest| format!("/{rest}"));
            format!("/{}{rest}", alias.replace('~', "~0").replace('/', "~1"))
        }
        None => pointer.to_owned(),
    }
}

/// Folds events into calls without their arguments, which may be large: only the spans are needed.
#[derive(Debug, Default)]
struct SpanSink(Calls);

impl Sink for SpanSink {
    fn event(&mut self, span: Span, event: Event<'_>) {
        let event = match event {
            Event::Args { call, .. } => Event::Args { call, json: "" },
            other => other,
        };
        self.0.event(span, event);
    }
}

/// Folds events into calls and records where their arguments were read.
#[derive(Debug, Default)]
struct Tape<'a> {
    text: &'a str,
    calls: SpanSink,
    written: Vec<Written>,
    /// Bytes that events have accounted for, and that no argument text has matched.
    read: Range<usize>,
}

impl Tape<'_> {
    /// Records argument text. Its bytes may start with bytes that an earlier event accounted for: a number ends only
    /// with the byte after it.
    fn record(&mut self, json: &str, span: Span) {
        if self.read.end != span.range().start {
            self.read.start = span.range().start;
        }
        self.read.end = span.range().end;
        let Some(written) = self.written.last_mut().filter(|_| !json.is_empty()) else {
            return;
        };
        let at = written.args.len();
        written.args.push_str(json);
        let read = self.text.get(self.read.clone()).unwrap_or_default();
        let found = read.find(json);
        let text = match found {
            Some(offset) => {
                let start = self.read.start + offset;
                start..start + json.len()
            }
            None => self.read.clone(),
        };
        self.read.start = text.end;
        written.runs.push(Run {
            json: at..at + json.len(),
            text,
            is_verbatim: found.is_some(),
        });
    }
}

impl Sink for Tape<'_> {
    fn event(&mut self, span: Span, event: Event<'_>) {
        match &event {
            Event::CallStart(_) => self.written.push(Written::default()),
            Event::Args { json, .. } => self.record(json, span),
            _ => {}
        }
        self.calls.event(span, event);
    }
}
