//! Reads a text with a program, as a whole or in pieces.

use std::borrow::Cow;
use std::sync::Arc;

use toolglot_engine::{
    Dialect, Finish, InCode, InReasoning, Input, Limits, Parser, Program, Sink, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_wire::Bytes;

use crate::error::ChatError;
use crate::trace::Trace;

/// The settings for reading one text.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The dialects, compiled for the tools.
    pub program: Arc<Program>,
    /// The treatment of calls in quoted code.
    pub in_code: InCode,
    /// The treatment of calls in reasoning.
    pub in_reasoning: InReasoning,
    /// Whether the text starts inside reasoning.
    pub reasoning_open: bool,
    /// The end of the prompt, if the answer starts inside an open structure.
    pub prompt_suffix: Option<String>,
    /// Why the model stopped.
    pub finish: Finish,
    /// The number of bytes that are pushed at once.
    pub chunk_bytes: usize,
}

/// A text and its parse.
#[derive(Debug)]
pub struct Reading {
    /// The text that spans point into: the input with U+FFFD for invalid UTF-8.
    pub text: String,
    /// The calls, and the kind of each byte.
    pub trace: Trace,
}

impl Reader {
    /// A reader with default settings.
    pub fn new(program: Arc<Program>) -> Reader {
        Reader {
            program,
            in_code: InCode::default(),
            in_reasoning: InReasoning::default(),
            reasoning_open: false,
            prompt_suffix: None,
            finish: Finish::default(),
            chunk_bytes: 64 << 10,
        }
    }

    /// Reads a whole text. An owned text is not copied if it is valid UTF-8.
    pub fn read<'b>(&self, bytes: impl Into<Cow<'b, [u8]>>) -> Reading {
        let bytes = bytes.into();
        let mut trace = Trace::default();
        let mut parser = self.parser();
        let mut joiner = Bytes::new();
        for piece in bytes.chunks(self.chunk_bytes) {
            joiner.push(piece, &mut parser, &mut trace);
        }
        joiner.finish(&mut parser, &mut trace);
        parser.finish(self.finish, &mut trace);
        let replaced = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let text = match bytes {
            Cow::Borrowed(bytes) => replaced(bytes),
            Cow::Owned(bytes) => {
                String::from_utf8(bytes).unwrap_or_else(|error| replaced(error.as_bytes()))
            }
        };
        Reading { text, trace }
    }

    /// Reads a text in these pieces.
    pub fn read_pieces<'p>(&self, pieces: impl IntoIterator<Item = &'p str>, sink: &mut dyn Sink) {
        let mut parser = self.parser();
        for piece in pieces {
            parser.push(Input::Text(piece), sink);
        }
        parser.finish(self.finish, sink);
    }

    /// A parser for one message, with these settings.
    pub fn parser(&self) -> Parser {
        let program = Arc::clone(&self.program);
        let parser = match &self.prompt_suffix {
            Some(suffix) => Parser::after_prompt(program, suffix),
            None => Parser::new(program),
        };
        let parser = parser.in_code(self.in_code).in_reasoning(self.in_reasoning);
        if self.reasoning_open {
            parser.reasoning_open()
        } else {
            parser
        }
    }
}

/// Compiles `dialects` for the tools. Without a toolbox, Roo knows the names of its system, and other dialects know
/// none.
pub fn compile(dialects: &[Dialect], toolbox: Option<&Toolbox>) -> Result<Arc<Program>, ChatError> {
    let tools = tool_set(dialects, toolbox);
    Program::compile(dialects, &tools, Limits::default())
        .map(Arc::new)
        .map_err(|error| ChatError::Program(Box::new(error)))
}

/// The names and parameter shapes that a text is read with.
pub fn tool_set(dialects: &[Dialect], toolbox: Option<&Toolbox>) -> ToolSet {
    match (toolbox, dialects) {
        (Some(toolbox), _) => toolbox.tool_set(),
        (None, [only]) if only.name() == "roo" => toolglot_toolset::roo_names(),
        (None, _) => ToolSet::default(),
    }
}
