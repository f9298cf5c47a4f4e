//! Reads tool calls out of what a language model writes, in any dialect.
//!
//! The library is the engine ([`Parser`], [`Program`], [`Event`]) and the dialects that ship with it ([`dialects`]). It does
//! no I/O and runs nothing; `toolglot-session` carries calls out.
//!
//! ```
//! use toolglot::{Calls, Finish, Input, Parser, dialects};
//!
//! let mut message = Calls::default();
//! let mut parser = Parser::new(std::sync::Arc::clone(dialects::auto()));
//! parser.push(Input::Text("<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>"), &mut message);
//! parser.finish(Finish::Stop, &mut message);
//! assert_eq!(message.calls[0].name, "ls");
//! ```

pub use toolglot_dialects as dialects;
pub use toolglot_engine::{
    Call, CallHead, CallId, CallText, Calls, Code, Dialect, End, EscapedMarker, Event, Evidence,
    Fields, Finish, GrammarError, IdForm, InCode, InReasoning, Input, Limits, Note, Parser, Place,
    Program, Renderer, ResultNote, ResultText, ResultWriter, Scalars, Shape, Sink, Span, Tool,
    ToolSet, Unrenderable, WrittenResults, remark, render,
};

/// The README's example of the library, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
