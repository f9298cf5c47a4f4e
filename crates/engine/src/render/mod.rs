//! Writes calls and results in a dialect, from the rules that parse it.
//!
//! Each written call is read back. A call that the dialect cannot carry (no escape for its own closer, say) is refused.
//! Results are never read back.

mod equal;
mod escape;
pub mod form;
mod markers;
mod reach;
mod result;
mod separator;
mod value;
mod write;

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use toolglot_json::internal::{Kind, kind, members};

use crate::{
    Calls, Code, Dialect, End, Finish, GrammarError, Input, Limits, Parser, Program, ToolSet,
};
use equal::same_value;
use form::Forms;
pub(crate) use reach::{holds, leads_to_calls};
pub use result::{EscapedMarker, RenderedResults, ResultNote, ResultText, ResultWriter};
pub(crate) use value::ITEM;
use write::{LastFirst, Writer};

/// A call to be written.
#[derive(Clone, Copy, Debug)]
pub struct CallText<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// JSON text of one object.
    pub arguments: &'a str,
    /// The name space or server, where the dialect has one.
    pub server: Option<&'a str>,
    /// The id, where the dialect has one.
    pub id: Option<&'a str>,
}

/// Why a dialect cannot carry a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderError {
    /// One line, lower case, no full stop.
    pub reason: String,
    /// The text that was written and would be read back differently. `None`: no text could be written.
    pub text: Option<String>,
    /// If no text could be written: the text up to the part that no rule writes.
    pub start: Option<String>,
}

impl RenderError {
    fn new(why: impl Into<String>) -> RenderError {
        RenderError {
            reason: why.into(),
            text: None,
            start: None,
        }
    }

    /// The error with `text` as its start, unless it already has a start.
    fn after(mut self, text: &str) -> RenderError {
        self.start.get_or_insert_with(|| text.into());
        self
    }
}

impl core::fmt::Display for RenderError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl core::error::Error for RenderError {}

/// Writes calls of one dialect for one tool set.
#[derive(Debug)]
pub struct Renderer<'a> {
    dialect: &'a Dialect,
    forms: Forms,
    program: Arc<Program>,
}

impl<'a> Renderer<'a> {
    /// A renderer, with the program that reads back its texts.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn new(dialect: &'a Dialect, tools: &ToolSet) -> Result<Renderer<'a>, GrammarError> {
        let program = Arc::new(Program::compile(
            core::slice::from_ref(dialect),
            tools,
            Limits::default(),
        )?);
        Ok(Renderer {
            dialect,
            forms: Forms::new(dialect),
            program,
        })
    }

    /// The program that reads back the written texts.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Writes `calls`, in order.
    ///
    /// # Errors
    /// A call that the dialect cannot carry, because it would not be read back as this very call.
    pub fn calls(&self, calls: &[CallText<'_>]) -> Result<String, RenderError> {
        self.message("", calls)
    }

    /// Writes `content`, then `calls` in order. Without calls the text is `content` unchanged.
    ///
    /// # Errors
    /// As [`Renderer::calls`], and content that is read as a call or hides the calls.
    pub fn message(&self, content: &str, calls: &[CallText<'_>]) -> Result<String, RenderError> {
        if calls.is_empty() {
            return Ok(String::from(content));
        }
        let between = match content {
            "" => "",
            _ if content.ends_with('\n') => "",
            _ => "\n\n",
        };
        let alone = read(&self.program, content);
        if !alone.calls.is_empty() {
            return Err(RenderError::new(format!(
                "dialect `{}` would read a call in the content",
                self.dialect.name()
            )));
        }
        let mut why = RenderError::new(format!(
            "dialect `{}` has no rule that writes such a call",
            self.dialect.name()
        ));
        let checked = |text: String| {
            let whole = format!("{content}{between}{text}");
            match self.reads_back(&whole, &alone, calls) {
                Ok(end) => Ok((whole, end)),
                Err(error) => Err(RenderError {
                    text: Some(whole),
                    ..error
                }),
            }
        };
        let tools = &self.program.tools;
        // A text that is read back differently explains more than a rule that could not write the call.
        let mut misread = None;
        // A text that is read back as these calls, but not all `Closed`. Other forms of the values may all be `Closed`.
        let mut doubtful = None;
        let writer = Writer::new(self.dialect, &self.forms, tools);
        for text in writer.ways(calls) {
            match text.map(checked) {
                Ok(Ok((whole, End::Closed))) => return Ok(whole),
                Ok(Ok((whole, _))) => {
                    doubtful = Some(whole);
                    break;
                }
                Ok(Err(error)) => misread = Some(error),
                Err(error) => why = error,
            }
        }
        // A call without the types of its values needs the tools, not a form that the model was not taught.
        let lacks_types = |call: &CallText<'_>| {
            let is_text = |(_, json): (_, &str)| kind(json) == Kind::String;
            tools.find(call.name).is_none() && !members(call.arguments).all(is_text)
        };
        // A second form of a value (CDATA) or of a call (JSON) may carry what the first form cannot.
        for last_first in [LastFirst::Values, LastFirst::Calls] {
            let keeps_form = doubtful.is_some() || calls.iter().any(lacks_types);
            if last_first == LastFirst::Calls && keeps_form {
                break;
            }
            let second = writer.last_first(last_first);
            match second.ways(calls).find_map(|text| checked(text.ok()?).ok()) {
                Some((whole, End::Closed)) => return Ok(whole),
                Some((whole, _)) => doubtful = doubtful.or(Some(whole)),
                None => {}
            }
        }
        doubtful.ok_or_else(|| misread.unwrap_or(why))
    }

    /// Checks that `text` parses to these calls, and to the content and reasoning in `alone`, which is the content
    /// parsed without calls. Returns the least certain end of a call.
    fn reads_back(
        &self,
        text: &str,
        alone: &Calls,
        calls: &[CallText<'_>],
    ) -> Result<End, RenderError> {
        let read = read(&self.program, text);
        let dialect = self.dialect.name();
        if read.calls.len() != calls.len() {
            return Err(RenderError::new(format!(
                "dialect `{dialect}` would read back {} calls instead of {}",
                read.calls.len(),
                calls.len()
            )));
        }
        if read.content.trim() != alone.content.trim()
            || read.reasoning.trim() != alone.reasoning.trim()
        {
            let what = if alone.content.is_empty() && alone.reasoning.is_empty() {
                "part of the call as text"
            } else {
                "the content and the calls otherwise"
            };
            return Err(RenderError::new(format!(
                "dialect `{dialect}` would read {what}"
            )));
        }
        for (read, call) in read.calls.iter().zip(calls) {
            if read.name != call.name {
                return Err(RenderError::new(format!(
                    "dialect `{dialect}` would read the name `{}` as `{}`",
                    call.name, read.name
                )));
            }
            if read
                .notes
                .iter()
                .any(|note| note.code == Code::DuplicateKey)
            {
                return Err(RenderError::new(format!(
                    "the arguments of `{}` name a key twice",
                    call.name
                )));
            }
            if read.end == End::Truncated {
                return Err(RenderError::new(format!(
                    "dialect `{dialect}` could not find the end of a value of `{}`",
                    call.name
                )));
            }
            if !same_value(&read.arguments, call.arguments) {
                return Err(RenderError::new(format!(
                    "dialect `{dialect}` would read back other arguments of `{}`: {}",
                    call.name, read.arguments
                )));
            }
            if call.server.is_some() && read.server.as_deref() != call.server {
                return Err(RenderError::new(format!(
                    "dialect `{dialect}` has no place for the server `{}`",
                    call.server.unwrap_or("")
                )));
            }
        }
        let ends = read.calls.iter().map(|call| call.end);
        Ok(ends.max().unwrap_or(End::Closed))
    }
}

/// Writes `calls` in `dialect`, for `tools`. To write many, keep a [`Renderer`].
///
/// # Errors
/// A call that the dialect cannot carry.
///
/// # Examples
/// ```
/// use toolglot_engine::{CallText, ToolSet, render};
///
/// let dialect = toolglot_dialects::get("hermes").unwrap();
/// let call = CallText { name: "read_file", arguments: r#"{"path":"a.rs"}"#, server: None, id: None };
/// let text = render(dialect, &ToolSet::default(), &[call]).unwrap();
/// assert_eq!(text, "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}\n</tool_call>");
/// ```
pub fn render(
    dialect: &Dialect,
    tools: &ToolSet,
    calls: &[CallText<'_>],
) -> Result<String, RenderError> {
    Renderer::new(dialect, tools)
        .map_err(|error| RenderError::new(format!("{error}")))?
        .calls(calls)
}

fn read(program: &Arc<Program>, text: &str) -> Calls {
    let mut calls = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    parser.push(Input::Text(text), &mut calls);
    parser.finish(Finish::Unknown, &mut calls);
    calls
}
