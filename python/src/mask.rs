//! Which class each byte of a message has: for the loss masks of training.
//!
//! ```text
//!  I look.\n<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>
//!  answer   markup              name  markup       arguments     markup
//! ```

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use toolglot_chat::{Piece, PieceKind};
use toolglot_engine::Span;

use crate::message::MessageData;

/// What a byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Answer,
    Reasoning,
    Markup,
    Name,
    Arguments,
}

impl Class {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Class::Answer => "answer",
            Class::Reasoning => "reasoning",
            Class::Markup => "markup",
            Class::Name => "name",
            Class::Arguments => "arguments",
        }
    }
}

/// A run of bytes of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) span: Span,
    pub(crate) class: Class,
}

/// The segments of a message, in order. They tile its text.
///
/// A piece of a call in which the tool's name stands is cut there: those bytes are the name's.
pub(crate) fn segments(pieces: &[Piece], names: &[Span]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut names: Vec<Span> = names.to_vec();
    names.sort_unstable();
    for piece in pieces {
        let class = match piece.kind {
            PieceKind::Text => Class::Answer,
            PieceKind::Reasoning => Class::Reasoning,
            PieceKind::Markup => Class::Markup,
            PieceKind::Arguments => Class::Arguments,
            PieceKind::CallStart | PieceKind::CallEnd => continue,
        };
        let mut at = piece.span.start;
        if matches!(class, Class::Markup | Class::Arguments) {
            let first = names.partition_point(|name| name.end <= at);
            for name in &names[first..] {
                let (start, end) = (name.start.max(at), name.end.min(piece.span.end));
                if name.start >= piece.span.end {
                    break;
                }
                if start < end {
                    add(&mut segments, at, start, class);
                    add(&mut segments, start, end, Class::Name);
                    at = end;
                }
            }
        }
        add(&mut segments, at, piece.span.end, class);
    }
    segments
}

fn add(segments: &mut Vec<Segment>, start: u64, end: u64, class: Class) {
    if start >= end {
        return;
    }
    match segments.last_mut() {
        Some(last) if last.class == class && last.span.end == start => last.span.end = end,
        _ => segments.push(Segment {
            span: Span::new(start, end),
            class,
        }),
    }
}

/// The class of each token, by the places where tokens start and end: that of its first byte. A token without bytes has none.
pub(crate) fn mask<'py>(
    py: Python<'py>,
    data: &MessageData,
    offsets: &[(usize, usize)],
    in_bytes: bool,
) -> PyResult<Bound<'py, PyList>> {
    let segments = data.segments();
    let words: Vec<Bound<'_, PyString>> = segments
        .iter()
        .map(|segment| PyString::intern(py, segment.class.word()))
        .collect();
    let classes = PyList::empty(py);
    let n_bytes = data.text.as_str().len();
    for &(start, end) in offsets {
        let first = if in_bytes {
            start
        } else {
            data.text.byte(start)
        };
        let at = segments.partition_point(|segment| segment.span.end <= first as u64);
        if start < end && first < n_bytes {
            classes.append(words.get(at))?;
        } else {
            classes.append(py.None())?;
        }
    }
    Ok(classes)
}
