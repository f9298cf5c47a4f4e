//! JSON at the edge of toolglot: what programs write to it and read from it.
//!
//! The engine's types are not `Serialize`.
//! Their mirrors are here, and the conversions are written by hand, once: the [`Document`] of a parsed message, the
//! [`EventLine`]s of a stream, the [`Line`]s of a batch and the [`Message`] to be rendered.
//!
//! What this crate deliberately does not do: it reads no file and writes none, it repairs nothing, and it decides nothing
//! about calls.
//!
//! ```
//! use toolglot::{CallHead, CallId, Calls, End, Event, Place, Sink, Span};
//!
//! let mut calls = Calls::default();
//! calls.event(Span::new(0, 3), Event::Text("hi "));
//! let head = CallHead {
//!     call: CallId(0),
//!     dialect: "forge",
//!     name: "ls",
//!     name_at: Span::new(4, 6),
//!     ns: None,
//!     id: None,
//!     place: Place::Answer,
//! };
//! calls.event(Span::empty(3), Event::CallStart(head));
//! calls.event(Span::new(3, 9), Event::Args { call: CallId(0), json: "{}" });
//! calls.event(Span::empty(9), Event::CallEnd { call: CallId(0), end: End::Closed });
//!
//! let document = toolglot_wire::Document::new(&calls);
//! assert_eq!(document.dialect.as_deref(), Some("forge"));
//! assert_eq!(document.content, "hi ");
//! ```

mod arguments;
mod bytes;
mod choice;
mod document;
mod events;
mod line;
mod message;
mod note;
mod prefix;

pub use arguments::Arguments;
pub use bytes::Bytes;
pub use choice::ToolChoice;
pub use document::{CallDocument, Document};
pub use events::EventLine;
pub use line::{BadLine, Line};
pub use message::{Message, MessageCall, MessageError, MessageResult};
pub use note::NoteLine;

/// The README's example of the library, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
