//! The events of an input, merged so that they do not depend on the cut, and written as lines.

use std::fmt::Write as _;
use std::sync::Arc;

use toolglot_engine::{End, Event, Input, Place, Program, Sink, Span};

use crate::case::{Case, Part, ReadingError};

/// An event that owns its text.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Reasoning(String),
    Markup(String),
    /// The head, in the form of an event line.
    Call(String),
    Args(String),
    End(End),
    /// The code in the form of an event line, and the span of the note.
    Note(String, Span),
}

/// How an input is cut into pushes; a character or a special token is never split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// One push.
    Whole,
    /// Into pieces of this many bytes.
    Every(usize),
    /// In two, at a byte.
    At(usize),
}

impl Cut {
    /// The length of the piece that starts at `at`.
    fn length(self, at: usize) -> usize {
        match self {
            Cut::Every(bytes) => bytes,
            Cut::At(place) if at < place => place - at,
            Cut::Whole | Cut::At(_) => usize::MAX,
        }
    }
}

/// The merged events of a message.
#[derive(Debug, Default)]
pub struct Reading {
    /// The whole input.
    input: String,
    pieces: Vec<Piece>,
    /// The end of the bytes that events cover so far.
    cursor: u64,
    /// The first byte that no event covers.
    gap: Option<u64>,
    /// The only dialect, which heads omit.
    only: String,
}

impl Reading {
    /// Parses a case's input in pieces.
    ///
    /// # Errors
    /// [`ReadingError::Gap`], if the events do not cover the input.
    pub fn of(program: &Arc<Program>, case: &Case, cut: Cut) -> Result<Reading, ReadingError> {
        let mut reading = Reading {
            input: case.input.iter().map(|part| part.text.as_str()).collect(),
            ..Reading::default()
        };
        if let [only] = &*case.options.dialects {
            reading.only.clone_from(only);
        }
        let mut parser = case.parser(program);
        let mut at = 0;
        for Part { text, special } in &case.input {
            if *special {
                parser.push(Input::Special { text, id: None }, &mut reading);
                at += text.len();
                continue;
            }
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let mut end = cut.length(at).min(rest.len());
                while !rest.is_char_boundary(end) {
                    end += 1;
                }
                let (piece, tail) = rest.split_at(end);
                parser.push(Input::Text(piece), &mut reading);
                at += end;
                rest = tail;
            }
        }
        parser.finish(case.options.finish, &mut reading);
        let is_short = reading.cursor != reading.input.len() as u64;
        match reading.gap.or(is_short.then_some(reading.cursor)) {
            Some(byte) => Err(ReadingError::Gap(byte)),
            None => Ok(reading),
        }
    }

    /// The calls: head, arguments and end, without their dialects.
    pub fn calls(&self) -> Vec<String> {
        let mut calls: Vec<String> = Vec::new();
        for piece in &self.pieces {
            match (piece, calls.last_mut()) {
                (Piece::Call(head), _) => calls.push(
                    head.split(' ')
                        .filter(|word| !word.starts_with("dialect="))
                        .collect::<Vec<_>>()
                        .join(" "),
                ),
                (Piece::Args(json), Some(call)) => call.push_str(json),
                (Piece::End(end), Some(call)) => {
                    write!(call, " {end:?}").expect("writing to a string");
                }
                _ => {}
            }
        }
        calls
    }

    /// The dialects of the calls, where a head names one.
    pub fn dialects(&self) -> Vec<&str> {
        let heads = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Call(head) => Some(head.as_str()),
            _ => None,
        });
        heads
            .flat_map(|head| head.split(' '))
            .filter_map(|word| word.strip_prefix("dialect="))
            .collect()
    }

    /// Whether both have the same events. The place of a note inside a call does not count, since it depends on the
    /// cut.
    pub fn same(&self, other: &Reading) -> bool {
        let (events, notes) = self.apart();
        (events, notes) == other.apart()
    }

    /// The events, and the notes, each with the number of call starts and ends before it.
    fn apart(&self) -> (Vec<&Piece>, Vec<(usize, &Piece)>) {
        let (mut events, mut notes) = (Vec::new(), Vec::new());
        let mut n_calls = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Note(..) => notes.push((n_calls, piece)),
                other => {
                    n_calls += usize::from(matches!(other, Piece::Call(_) | Piece::End(_)));
                    events.push(other);
                }
            }
        }
        (events, notes)
    }

    /// The events as lines. Markup right before and inside a call belongs to the call and is left out; its arguments
    /// are one line.
    pub fn lines(&self) -> String {
        let mut out = String::new();
        let mut args: Option<String> = None;
        for (n, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => line(&mut out, "text", text),
                Piece::Reasoning(text) => line(&mut out, "reasoning", text),
                Piece::Markup(text) => {
                    let after = self.pieces[n + 1..]
                        .iter()
                        .find(|piece| !matches!(piece, Piece::Note(..)));
                    if args.is_none() && !matches!(after, Some(Piece::Call(_))) {
                        line(&mut out, "markup", text);
                    }
                }
                Piece::Call(head) => {
                    out.push_str(head);
                    out.push('\n');
                    args = Some(String::new());
                }
                Piece::Args(json) => args.get_or_insert_default().push_str(json),
                Piece::End(end) => {
                    write_args(&mut out, args.take());
                    let end = match end {
                        End::Closed => "closed",
                        End::Recovered => "recovered",
                        End::Truncated => "truncated",
                    };
                    writeln!(out, "end {end}").expect("writing to a string");
                }
                Piece::Note(code, span) => {
                    // The end of such a call waits for the text after its fence.
                    if code.starts_with("N068") {
                        write_args(&mut out, args.take());
                    }
                    let at = &self.input[span.range()];
                    let cut: String = at.chars().take(60).collect();
                    let dots = if cut.len() < at.len() { ".." } else { "" };
                    writeln!(out, "note {code} {cut:?}{dots}").expect("writing to a string");
                }
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

fn write_args(out: &mut String, args: Option<String>) {
    if let Some(args) = args {
        writeln!(out, "args {args}").expect("writing to a string");
    }
}

fn line(out: &mut String, word: &str, text: &str) {
    writeln!(out, "{word} {text:?}").expect("writing to a string");
}

impl Sink for Reading {
    fn event(&mut self, span: Span, event: Event<'_>) {
        if !matches!(event, Event::Note(_)) {
            if span.start != self.cursor {
                self.gap.get_or_insert(self.cursor);
            }
            self.cursor = span.end;
        }
        let piece = match event {
            Event::Text(text) => Piece::Text(text.to_owned()),
            Event::Reasoning(text) => Piece::Reasoning(text.to_owned()),
            Event::Markup(text) => Piece::Markup(text.to_owned()),
            Event::Args { json, .. } => Piece::Args(json.to_owned()),
            Event::CallEnd { end, .. } => Piece::End(end),
            Event::Note(note) => Piece::Note(
                format!("N{:03} {}", note.code.number(), note.code.name()),
                note.span,
            ),
            Event::CallStart(head) => {
                let mut text = format!("call {}", head.name);
                let extra = [
                    ("server", head.server.unwrap_or("")),
                    ("id", head.id.unwrap_or("")),
                    (
                        "dialect",
                        if head.dialect == self.only {
                            ""
                        } else {
                            head.dialect
                        },
                    ),
                    (
                        "place",
                        match head.place {
                            Place::Answer => "",
                            Place::Reasoning => "reasoning",
                            Place::Code => "code",
                        },
                    ),
                ];
                for (key, value) in extra.iter().filter(|(_, value)| !value.is_empty()) {
                    write!(text, " {key}={value}").expect("writing to a string");
                }
                Piece::Call(text)
            }
            Event::LateId { id, .. } => {
                let call = self.pieces.iter_mut().rev().find_map(|piece| match piece {
                    Piece::Call(text) => Some(text),
                    _ => None,
                });
                if let Some(call) = call {
                    write!(call, " late_id={id}").expect("writing to a string");
                }
                return;
            }
            _ => return,
        };
        // A note does not split the text around it.
        let last = self
            .pieces
            .iter_mut()
            .rev()
            .find(|piece| !matches!(piece, Piece::Note(..)));
        match (last, &piece) {
            (Some(Piece::Text(have)), Piece::Text(more))
            | (Some(Piece::Reasoning(have)), Piece::Reasoning(more))
            | (Some(Piece::Markup(have)), Piece::Markup(more))
            | (Some(Piece::Args(have)), Piece::Args(more)) => have.push_str(more),
            _ => self.pieces.push(piece),
        }
    }
}
