//! What a parser says about a text, in order.
//!
//! ```text
//!  Text  Markup  CallStart  Args Args  Markup  CallEnd  Text
//!  ----  ------  |          ---- ----  ------  |        ----     spans of bytes tile the input; CallStart
//!                `- empty                      `- empty          and CallEnd account for no byte
//! ```

use crate::{Note, Span};

/// The index of a call in its message, in order of appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u32);

/// One step of a message. Borrowed until the sink returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Text for the reader, verbatim. Where the dialect writes it as a string (`say` with a `value`) it is decoded, and its
    /// span holds the quotes and the escapes.
    Text(&'a str),
    /// The model's reasoning, verbatim.
    Reasoning(&'a str),
    /// Bytes that are neither text nor argument: tags, markers, blanks between them.
    Markup(&'a str),
    /// A call begins. Nothing of it may be run before its `CallEnd`.
    CallStart(CallHead<'a>),
    /// A piece of a call's arguments. All pieces together are always a prefix of one JSON object.
    Args {
        /// The call.
        call: CallId,
        /// JSON text.
        json: &'a str,
    },
    /// The id that the model wrote behind a call's arguments; `CallStart` had none, or another. It accounts for no byte.
    LateId {
        /// The call.
        call: CallId,
        /// The id.
        id: &'a str,
    },
    /// A call ends: right after its bytes, but for calls with a note of [`Code::FencedCall`](crate::Code::FencedCall). Their
    /// bytes are over at that note, and they end once it is known what follows their fence; other calls of fences may begin
    /// before.
    CallEnd {
        /// The call.
        call: CallId,
        /// How sure the end is.
        end: End,
    },
    /// A remark on the text; it covers no byte of the tiling, its span is its own.
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
    /// Where the call stands.
    pub place: Place,
}

/// Where a call stands in the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the answer.
    Answer,
    /// In the model's reasoning.
    Reasoning,
    /// In quoted code, read because the caller asked for it.
    Code,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Nothing but spelling was mended: it may run.
    Closed,
    /// A closer, quote or bracket was supplied, a key was double, or a value is in doubt.
    Recovered,
    /// The message ended, or nothing closed it. Never run.
    Truncated,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Finish {
    /// It was done; servers strip the stop string, so a final closer may be missing.
    #[default]
    Stop,
    /// It was cut off.
    Length,
    /// Nobody said.
    Unknown,
}

/// What is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// Plain text.
    Text(&'a str),
    /// A special token: it outranks text that looks the same.
    Special {
        /// How the token is spelt.
        text: &'a str,
        /// Its number in the vocabulary, if known. The parser knows tokens by their spelling and does not read it.
        id: Option<u32>,
    },
}

/// Takes the events. It must not call back into the parser.
pub trait Sink {
    /// `span` says which bytes the event accounts for; a note's span says where it points.
    fn event(&mut self, span: Span, event: Event<'_>);
}

impl<F: FnMut(Span, Event<'_>)> Sink for F {
    fn event(&mut self, span: Span, event: Event<'_>) {
        self(span, event);
    }
}
