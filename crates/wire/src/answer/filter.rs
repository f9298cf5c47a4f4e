//! A filter of the calls that a client gets.

use toolglot_engine::{End, Place, Span};

/// Decides which calls a client gets, and when.
pub trait CallFilter {
    /// Whether the arguments of a call of this tool are sent while they are read. Otherwise the call is sent once
    /// complete. `name` is the model's spelling. Called once per call.
    fn streams(&mut self, name: &str) -> bool;

    /// The decision on a complete call that was not sent in part. Called again after [`Decision::Wait`].
    fn decide(&mut self, call: &CompleteCall<'_>) -> Decision;
}

/// A call that is complete, or that was cut off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompleteCall<'a> {
    /// The tool's name as the model wrote it.
    pub name: &'a str,
    /// The server or namespace that the model named.
    pub server: Option<&'a str>,
    /// JSON text; a prefix if the call is truncated.
    pub arguments: &'a str,
    /// The dialect of the rule that read the call; `None` for a native call.
    pub dialect: Option<&'a str>,
    /// The place of the call.
    pub place: Place,
    /// The span of the name in the text; `None` for a native call.
    pub name_span: Option<Span>,
    /// How the call ended.
    pub end: End,
    /// Whether the arguments are one JSON object.
    pub is_object: bool,
}

/// The decision on a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The client gets the call. A truncated call, or one whose arguments are not an object, is never sent.
    Send,
    /// The client gets this text instead of the call.
    Text(String),
    /// The client gets nothing of the call.
    Drop,
    /// The decision is pending: the call and everything after it are held until more of the answer arrives, or until
    /// [`Answer::release`](crate::Answer::release). At the end of the answer this means [`Decision::Drop`].
    Wait,
}

/// The usual filters: closed and recovered calls are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emission {
    /// Arguments are sent while they are read. For a truncated call the client gets an unfinished prefix without an
    /// end. Some clients close it themselves, so this is for read-only tools.
    Stream,
    /// A call is sent once complete. A truncated call is not sent, and the answer ends as truncated.
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
