//! The events that a parser emits for a text, in order.
//!
//! ```text
//!  Text  Markup  CallStart  Args Args  Markup  CallEnd  Text
//!  ----  ------  |          ---- ----  ------  |        ----     spans of bytes tile the input; CallStart
//!                `- empty                      `- empty          and CallEnd account for no byte
//! ```

use crate::{Note, Span};

/// The index of a call in its message, in order of appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CallId(pub u32);

/// One step of a message. Borrowed until the sink returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Text for the reader, verbatim. If the dialect writes it as a string (`say` with a `value`), it is decoded, and
    /// its span includes the quotes and the escapes.
    Text(&'a str),
    /// The model's reasoning, verbatim.
    Reasoning(&'a str),
    /// Bytes that are neither text nor argument: tags, markers, blanks between them.
    Markup(&'a str),
    /// A call starts. It must not run before its `CallEnd`.
    CallStart(CallHead<'a>),
    /// A piece of a call's arguments. All pieces together are always a prefix of one JSON object.
    Args {
        /// The call.
        call: CallId,
        /// JSON text.
        json: &'a str,
    },
    /// An id that the model wrote after the arguments; `CallStart` had no id or another. The event covers no byte.
    LateId {
        /// The call.
        call: CallId,
        /// The id.
        id: &'a str,
    },
    /// A call ends: right after its bytes, except for a call with the note
    /// [`Code::FencedCall`](crate::Code::FencedCall). The bytes of such a call end at that note. Its `CallEnd` comes
    /// once it is known what follows the fence; other fenced calls may start before.
    CallEnd {
        /// The call.
        call: CallId,
        /// How sure the end is.
        end: End,
    },
    /// A note on the text. The event covers no byte of the tiling; the note has its own span.
    Note(&'a Note),
}

/// The head of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallHead<'a> {
    /// Which call.
    pub call: CallId,
    /// The dialect whose rule read it.
    pub dialect: &'a str,
    /// The tool's name as the model wrote it, or as the rule fixes it.
    pub name: &'a str,
    /// Where the name was read; empty where the rule fixes it.
    pub name_span: Span,
    /// A name space or server (`forge`).
    pub server: Option<&'a str>,
    /// An id that the model wrote.
    pub id: Option<&'a str>,
    /// Where the call is.
    pub place: Place,
}

/// Where a call is in the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Place {
    /// In the answer.
    #[default]
    Answer,
    /// In the model's reasoning.
    Reasoning,
    /// In quoted code, read as [`InCode`](crate::InCode) allows.
    Code,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum End {
    /// Only spelling was repaired: the call may run.
    #[default]
    Closed,
    /// A closer, quote or bracket was supplied, a key came twice, or a value is in doubt.
    Recovered,
    /// The message ended, nothing closed the call, or its arguments are not an object. It must never run.
    Truncated,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Finish {
    /// The model was done; servers strip the stop string, so a final closer may be missing.
    #[default]
    Stop,
    /// The model was cut off.
    Length,
    /// The reason is not known.
    Unknown,
}

/// What is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// Plain text.
    Text(&'a str),
    /// A special token: it takes precedence over text that looks the same.
    Special {
        /// How the token is spelt.
        text: &'a str,
        /// Its number in the vocabulary, if known. The parser ignores the number and compares spellings.
        id: Option<u32>,
    },
}

/// Receives the events. A sink must not call back into the parser.
pub trait Sink {
    /// `span` is the bytes that the event covers; for a note, the bytes that it points at.
    fn event(&mut self, span: Span, event: Event<'_>);
}

impl<F: FnMut(Span, Event<'_>)> Sink for F {
    fn event(&mut self, span: Span, event: Event<'_>) {
        self(span, event);
    }
}
