//! The frames of a stream, in its API's format.

use std::io::Write;

use toolglot_value::Value;

use super::AnswerHead;
use super::anthropic::MessagesFrames;
use super::chat::ChatFrames;
use super::ids::AnswerIds;
use super::item::AnswerItem;
use super::responses::ResponsesFrames;
use crate::{Api, ApiError, Ending, Request};

/// The writer of one answer's frames.
#[derive(Debug)]
pub(super) enum Frames {
    Chat(ChatFrames),
    Responses(ResponsesFrames),
    Messages(MessagesFrames),
}

impl Frames {
    pub(super) fn new(request: &Request, head: AnswerHead<'_>, ids: &mut AnswerIds) -> Frames {
        match request.api() {
            Api::Chat => Frames::Chat(ChatFrames::new(request, head, ids)),
            Api::Responses => Frames::Responses(ResponsesFrames::new(request, head, ids)),
            Api::Messages => Frames::Messages(MessagesFrames::new(request, head, ids)),
        }
    }

    pub(super) fn api(&self) -> Api {
        match self {
            Frames::Chat(_) => Api::Chat,
            Frames::Responses(_) => Api::Responses,
            Frames::Messages(_) => Api::Messages,
        }
    }

    /// The first frames.
    pub(super) fn start(&mut self, out: &mut Vec<u8>) {
        match self {
            Frames::Chat(frames) => frames.start(out),
            Frames::Responses(frames) => frames.start(out),
            Frames::Messages(frames) => frames.start(out),
        }
    }

    /// Opens an empty item.
    pub(super) fn open(&mut self, item: &AnswerItem, out: &mut Vec<u8>) {
        match self {
            Frames::Chat(frames) => frames.open(item, out),
            Frames::Responses(frames) => frames.open(item, out),
            Frames::Messages(frames) => frames.open(item, out),
        }
    }

    /// Appends a piece to the open item.
    pub(super) fn delta(&mut self, item: &AnswerItem, piece: &str, out: &mut Vec<u8>) {
        match self {
            Frames::Chat(frames) => frames.delta(item, piece, out),
            Frames::Responses(frames) => frames.delta(item, piece, out),
            Frames::Messages(frames) => frames.delta(item, piece, out),
        }
    }

    /// Closes the open item, which is complete.
    pub(super) fn close(&mut self, item: &AnswerItem, out: &mut Vec<u8>) {
        match self {
            Frames::Chat(_) => {}
            Frames::Responses(frames) => frames.close(item, out),
            Frames::Messages(frames) => frames.close(out),
        }
    }

    /// Leaves the open item without an end: clients ignore a call without an end.
    pub(super) fn abandon(&mut self) {
        match self {
            Frames::Chat(_) => {}
            Frames::Responses(frames) => frames.abandon(),
            Frames::Messages(frames) => frames.abandon(),
        }
    }

    /// The last frames.
    pub(super) fn finish(
        &mut self,
        items: &[AnswerItem],
        ending: &Ending,
        n_tokens: u64,
        out: &mut Vec<u8>,
    ) {
        match self {
            Frames::Chat(frames) => frames.finish(ending, out),
            Frames::Responses(frames) => frames.finish(items, ending, n_tokens, out),
            Frames::Messages(frames) => frames.finish(ending, n_tokens, out),
        }
    }

    /// Writes an error, which ends the stream.
    pub(super) fn error(&mut self, error: &ApiError, items: &[AnswerItem], out: &mut Vec<u8>) {
        match self {
            Frames::Chat(_) => write(out, &error.body(Api::Chat)),
            Frames::Responses(frames) => frames.error(error, items, out),
            Frames::Messages(_) => write_event(out, "error", &error.body(Api::Messages)),
        }
    }

    /// The whole answer.
    pub(super) fn whole(&self, items: &[AnswerItem], ending: &Ending, n_tokens: u64) -> Value {
        match self {
            Frames::Chat(frames) => frames.whole(items, ending),
            Frames::Responses(frames) => frames.whole(items, ending, n_tokens),
            Frames::Messages(frames) => frames.whole(items, ending, n_tokens),
        }
    }
}

/// Appends a frame without a type.
pub(super) fn write(out: &mut Vec<u8>, data: &Value) {
    // Writing into a vector never fails.
    let _ = write!(out, "data: {data}\n\n");
}

/// Appends a frame of a type.
pub(super) fn write_event(out: &mut Vec<u8>, kind: &str, data: &Value) {
    let _ = write!(out, "event: {kind}\ndata: {data}\n\n");
}

/// Appends a typed frame that contains one piece of text as a JSON string between two texts. It allocates nothing:
/// most frames of a stream are of this kind.
pub(super) fn write_piece(
    out: &mut Vec<u8>,
    before: std::fmt::Arguments<'_>,
    piece: &str,
    after: &str,
) {
    let _ = out.write_fmt(before);
    let _ = serde_json::to_writer(&mut *out, piece);
    let _ = write!(out, "{after}\n\n");
}
