//! A note as JSON.

use serde::Serialize;
use toolglot_engine::Note;

/// A note: `{"code":"N012","name":"trailing-comma","span":[77,78],"message":".."}`, with `help` if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteLine {
    /// `N` and three digits.
    pub code: String,
    /// The code's name.
    pub name: &'static str,
    /// The first byte, and the byte after the last, in the model's text.
    pub span: [u64; 2],
    /// What was found, and how it was handled.
    pub message: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl From<&Note> for NoteLine {
    fn from(note: &Note) -> NoteLine {
        NoteLine {
            code: format!("N{:03}", note.code.number()),
            name: note.code.name(),
            span: [note.span.start, note.span.end],
            message: note.message.clone(),
            help: note.help.clone(),
        }
    }
}
