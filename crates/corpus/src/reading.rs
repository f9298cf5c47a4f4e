//! The messages of a row, read and verified.

use toolglot_chat::{CompiledDialects, Digest, DigestContext, LineReader, no_object_note};
use toolglot_engine::{Call, CallId, Calls, End, Place, Span};
use toolglot_wire::{Arguments, AssistantMessage, BadLine, Line, StructuredCall};

use crate::columns::Columns;
use crate::row::{Content, Row};

/// The dialect of structured calls next to the text.
pub(crate) const STRUCTURED: &str = "openai";

/// Reads rows and verifies their calls.
#[derive(Debug)]
pub struct RowReader {
    pub(crate) lines: LineReader,
    pub(crate) columns: Columns,
}

/// A parsed row.
pub(crate) enum RowReading {
    /// The row is one text.
    Text(Box<Digest>),
    /// The row is a conversation: the messages of the assistant, and unreadable messages of any role.
    Conversation(Vec<MessageReading>),
}

/// A message of a conversation.
pub(crate) struct MessageReading {
    /// Its index in the list, from 0.
    pub(crate) at: usize,
    /// The parsed message, or the reason why it is unreadable.
    pub(crate) digest: Result<Digest, String>,
}

impl RowReading {
    /// Whether a call is truncated, unknown or invalid, or a message is unreadable.
    pub(crate) fn is_faulty(&self) -> bool {
        match self {
            RowReading::Text(digest) => digest.is_faulty,
            RowReading::Conversation(messages) => messages.iter().any(|message| {
                let digest = message.digest.as_ref();
                digest.map_or(true, |digest| digest.is_faulty)
            }),
        }
    }

    /// All parsed messages.
    pub(crate) fn digests(&self) -> Vec<&Digest> {
        match self {
            RowReading::Text(digest) => vec![digest],
            RowReading::Conversation(messages) => messages
                .iter()
                .filter_map(|message| message.digest.as_ref().ok())
                .collect(),
        }
    }
}

impl RowReader {
    /// A reader of rows. `lines` reads the texts, with the tools of the row if it has any.
    pub fn new(lines: LineReader, columns: Columns) -> RowReader {
        RowReader { lines, columns }
    }

    /// The messages of a row.
    pub(crate) fn read(&self, row: &Row) -> Result<RowReading, BadLine> {
        let bad = |error: String| BadLine {
            id: row.id(),
            error,
        };
        match row.content() {
            Content::Text(text) => {
                let line = row.line(text)?;
                let digest = self.lines.read(&line);
                let digest = digest.map_err(|error| bad(error.to_string()))?;
                Ok(RowReading::Text(Box::new(digest)))
            }
            Content::Conversation(conversation) => {
                let messages = toolglot_wire::assistant_messages(conversation);
                let messages = messages.map_err(|error| bad(error.to_string()))?;
                let compiled = self.lines.compiled(None, row.tools.as_ref());
                let compiled = compiled.map_err(|error| bad(error.to_string()))?;
                let messages = messages.into_iter().map(|message| MessageReading {
                    at: message.at,
                    digest: self.message(message, &compiled),
                });
                Ok(RowReading::Conversation(messages.collect()))
            }
        }
    }

    /// One message. If it has structured calls, its text is not read.
    fn message(
        &self,
        message: AssistantMessage,
        compiled: &CompiledDialects,
    ) -> Result<Digest, String> {
        if let Some(fault) = message.fault {
            return Err(fault);
        }
        let mut digest = if message.calls.is_empty() {
            let line = Line {
                input: message.text,
                ..Line::default()
            };
            let digest = self.lines.read_compiled(compiled, &line);
            digest.map_err(|error| error.to_string())?
        } else {
            let mut calls = Calls::default();
            calls.content = message.text;
            calls.calls = (0..).zip(message.calls).map(structured).collect();
            if compiled.toolbox.is_none() {
                let broken = calls.calls.iter_mut();
                for call in broken.filter(|call| !Arguments::is_object(call)) {
                    let note = no_object_note(call);
                    call.notes.push(note.clone());
                    calls.notes.push(note);
                }
            }
            Digest::new(
                calls,
                DigestContext {
                    dialects: &[],
                    toolbox: compiled.toolbox.as_deref(),
                    normalize: false,
                    spans: None,
                },
            )
        };
        if digest.document.reasoning.is_empty() {
            digest.document.reasoning = message.reasoning;
        }
        Ok(digest)
    }
}

/// A structured call in the form of a parsed call. It has no place in the text.
fn structured((index, call): (u32, StructuredCall)) -> Call {
    Call {
        id: CallId(index),
        written_id: call.id,
        name: call.name,
        name_span: Span::empty(0),
        server: None,
        arguments: call.arguments,
        span: Span::empty(0),
        dialect: STRUCTURED.to_owned(),
        place: Place::Answer,
        end: End::Closed,
        notes: Vec::new(),
    }
}
