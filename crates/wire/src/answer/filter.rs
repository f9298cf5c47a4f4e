//! What of a call a client gets.

use toolglot_engine::{End, Place, Span};

/// Decides what of a call a client gets.
pub trait CallFilter {
    /// Whether the arguments of a call of this tool leave as they are read. Otherwise the call leaves once it is complete.
    /// The name is the model's. It is asked once for a call.
    fn streams(&mut self, name: &str) -> bool;

    /// What becomes of a complete call of which nothing was sent. It is asked again after [`Decision::Wait`].
    fn decide(&mut self, call: &CompleteCall<'_>) -> Decision;
}

/// A call that is complete, or over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompleteCall<'a> {
    /// The tool's name as the model wrote it.
    pub name: &'a str,
    /// The server or namespace that the model named.
    pub server: Option<&'a str>,
    /// JSON text; of a truncated call a prefix.
    pub arguments: &'a str,
    /// The dialect whose rule read it; `None` for a native call.
    pub dialect: Option<&'a str>,
    /// Where it stands.
    pub place: Place,
    /// Where its name stands in the text; `None` for a native call.
    pub name_span: Option<Span>,
    /// How it ended.
    pub end: End,
    /// Whether the arguments are one JSON object.
    pub is_object: bool,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The client gets it. A truncated call, and one whose arguments are no object, is never sent.
    Send,
    /// The client gets a text in its place.
    Text(String),
    /// The client gets nothing of it.
    Drop,
    /// It is not known yet: the call and what comes after it are held until more of the answer is there, or
    /// [`Answer::release`](crate::Answer::release). At the end of the answer it is [`Decision::Drop`].
    Wait,
}

/// The usual filters: closed and recovered calls are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emission {
    /// Arguments leave as they are read. Of a truncated call an unfinished prefix was sent, without an end: some clients close
    /// it by themselves, so it is for tools that only read.
    Stream,
    /// A call leaves once it is complete. Of a truncated call nothing is sent, and the answer ends as one that was cut off.
    #[default]
    Atomic,
}

impl CallFilter for Emission {
    fn streams(&mut self, _: &str) -> bool {
        *self == Emission::Stream
    }

    fn decide(&mut self, call: &CompleteCall<'_>) -> Decision {
        match call.end {
            End::Closed | End::Recovered => Decision::Send,
            End::Truncated => Decision::Drop,
        }
    }
}
