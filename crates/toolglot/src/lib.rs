//! The tool-calling engine.
#![no_std]
extern crate alloc;

mod call;
mod event;
mod limits;
mod note;
mod span;
mod stub;
mod tools;

pub use call::{Call, Calls};
pub use event::{CallHead, CallId, End, Event, Finish, Input, Place, Sink};
pub use limits::{InCode, InReasoning, Limits};
pub use note::{Code, Note};
pub use span::Span;
pub use stub::{CallText, Dialect, GrammarError, Parser, Program, ResultText, Unrenderable, render, render_results};
pub use toolglot_json::{Fields, Scalars, Shape};
pub use tools::{Tool, ToolSet};
