//! The tool-calling engine.
#![no_std]
extern crate alloc;

mod body;
mod call;
mod event;
mod grammar;
mod limits;
mod machine;
mod note;
mod program;
mod remark;
mod render;
mod span;
mod tools;

pub use call::{Call, Calls};
pub use event::{CallHead, CallId, End, Event, Finish, Input, Place, Sink};
pub use grammar::{Dialect, GrammarError};
pub use limits::{InCode, InReasoning, Limits};
pub use machine::Parser;
pub use note::{Code, Note};
pub use program::Program;
pub use remark::remark;
pub use render::{CallText, Renderer, ResultText, Unrenderable, render};
pub use span::Span;
pub use toolglot_json::{Fields, Scalars, Shape};
pub use tools::{Tool, ToolSet};
