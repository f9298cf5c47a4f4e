//! A message as text, and back: for pickles.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use toolglot_chat::{Piece, PieceKind};
use toolglot_engine::{Call, CallId, Calls, Code, End, Finish, Note, Place, Span};

use crate::message::{MessageData, Original};
use crate::source_text::SourceText;

/// The version of this form.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(crate) struct PickledMessage {
    version: u32,
    text: String,
    original: Option<Vec<u8>>,
    is_bytes: bool,
    pieces: Vec<(u8, u64, u64)>,
    names: Vec<(u64, u64)>,
    calls: Vec<PickledCall>,
    content: String,
    reasoning: String,
    notes: Vec<PickledNote>,
    freeform: Vec<String>,
    is_faulty: bool,
    finish: u8,
}

#[derive(Serialize, Deserialize)]
struct PickledCall {
    id: u32,
    written_id: Option<String>,
    name: String,
    name_span: (u64, u64),
    server: Option<String>,
    arguments: String,
    span: (u64, u64),
    dialect: String,
    place: u8,
    end: u8,
    notes: Vec<PickledNote>,
}

#[derive(Serialize, Deserialize)]
struct PickledNote {
    code: u16,
    span: (u64, u64),
    message: String,
    help: Option<String>,
}

const KINDS: [PieceKind; 6] = [
    PieceKind::Text,
    PieceKind::Reasoning,
    PieceKind::Markup,
    PieceKind::CallStart,
    PieceKind::Arguments,
    PieceKind::CallEnd,
];
const PLACES: [Place; 3] = [Place::Answer, Place::Reasoning, Place::Code];
const ENDS: [End; 3] = [End::Closed, End::Recovered, End::Truncated];
const FINISHES: [Finish; 3] = [Finish::Stop, Finish::Length, Finish::Unknown];

impl PickledMessage {
    pub(crate) fn of(data: &MessageData) -> PickledMessage {
        let message = &data.message;
        let piece = |piece: &Piece| (index(&KINDS, &piece.kind), piece.span.start, piece.span.end);
        PickledMessage {
            version: VERSION,
            text: data.text.as_str().to_owned(),
            original: data.original.bytes.clone(),
            is_bytes: data.original.is_bytes,
            pieces: data.pieces.iter().map(piece).collect(),
            names: data.names.iter().map(|&name| pair(name)).collect(),
            calls: message.calls.iter().map(PickledCall::of).collect(),
            content: message.content.clone(),
            reasoning: message.reasoning.clone(),
            notes: message.notes.iter().map(PickledNote::of).collect(),
            freeform: data.freeform.clone(),
            is_faulty: data.is_faulty,
            finish: index(&FINISHES, &data.finish),
        }
    }

    /// The message; `None` where the form is that of another version, or is none.
    pub(crate) fn data(self) -> Option<MessageData> {
        if self.version != VERSION {
            return None;
        }
        let mut message = Calls::default();
        let calls = self.calls.into_iter().map(PickledCall::call);
        message.calls = calls.collect::<Option<_>>()?;
        let notes = self.notes.into_iter().map(PickledNote::note);
        message.notes = notes.collect::<Option<_>>()?;
        message.content = self.content;
        message.reasoning = self.reasoning;
        let pieces = self.pieces.into_iter().map(|(kind, start, end)| {
            Some(Piece {
                kind: *KINDS.get(usize::from(kind))?,
                span: span((start, end))?,
            })
        });
        Some(MessageData {
            pieces: pieces.collect::<Option<_>>()?,
            names: self.names.into_iter().map(span).collect::<Option<_>>()?,
            text: SourceText::of(self.text),
            original: Original {
                bytes: self.original,
                is_bytes: self.is_bytes,
            },
            message,
            freeform: self.freeform,
            document: OnceLock::new(),
            segments: OnceLock::new(),
            is_faulty: self.is_faulty,
            finish: *FINISHES.get(usize::from(self.finish))?,
        })
    }
}

impl PickledCall {
    fn of(call: &Call) -> PickledCall {
        PickledCall {
            id: call.id.0,
            written_id: call.written_id.clone(),
            name: call.name.clone(),
            name_span: pair(call.name_span),
            server: call.server.clone(),
            arguments: call.arguments.clone(),
            span: pair(call.span),
            dialect: call.dialect.clone(),
            place: index(&PLACES, &call.place),
            end: index(&ENDS, &call.end),
            notes: call.notes.iter().map(PickledNote::of).collect(),
        }
    }

    fn call(self) -> Option<Call> {
        let notes = self.notes.into_iter().map(PickledNote::note);
        Some(Call {
            id: CallId(self.id),
            written_id: self.written_id,
            name: self.name,
            name_span: span(self.name_span)?,
            server: self.server,
            arguments: self.arguments,
            span: span(self.span)?,
            dialect: self.dialect,
            place: *PLACES.get(usize::from(self.place))?,
            end: *ENDS.get(usize::from(self.end))?,
            notes: notes.collect::<Option<_>>()?,
        })
    }
}

impl PickledNote {
    fn of(note: &Note) -> PickledNote {
        PickledNote {
            code: note.code.number(),
            span: pair(note.span),
            message: note.message.clone(),
            help: note.help.clone(),
        }
    }

    fn note(self) -> Option<Note> {
        let code = Code::ALL.iter().find(|code| code.number() == self.code)?;
        Some(Note {
            code: *code,
            span: span(self.span)?,
            message: self.message,
            help: self.help,
        })
    }
}

/// The place of a value in its table. Every value stands in it.
fn index<T: PartialEq>(table: &[T], value: &T) -> u8 {
    let found = table.iter().position(|one| one == value);
    found.unwrap_or_default() as u8
}

fn pair(span: Span) -> (u64, u64) {
    (span.start, span.end)
}

fn span((start, end): (u64, u64)) -> Option<Span> {
    (start <= end).then(|| Span::new(start, end))
}
