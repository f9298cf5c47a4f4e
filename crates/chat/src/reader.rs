//! A text read with a program: whole, or as it comes.

use std::borrow::Cow;
use std::sync::Arc;

use toolglot_engine::{
    Dialect, Finish, InCode, InReasoning, Input, Limits, Parser, Program, Sink, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_wire::Bytes;

use crate::error::ChatError;
use crate::trace::Trace;

/// How one text is read.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The dialects, compiled for the tools.
    pub program: Arc<Program>,
    /// What becomes of a call in quoted code.
    pub in_code: InCode,
    /// What becomes of a call in reasoning.
    pub in_reasoning: InReasoning,
    /// Whether the text starts inside reasoning.
    pub reasoning_open: bool,
    /// The end of the prompt, where the answer starts inside something.
    pub prompt_suffix: Option<String>,
    /// Why the model stopped.
    pub finish: Finish,
    /// How many bytes are pushed at once.
    pub chunk_bytes: usize,
}

/// A text and what was read in it.
#[derive(Debug)]
pub struct Reading {
    /// The text that spans point into: the input with U+FFFD for what is no UTF-8.
    pub text: String,
    /// The calls, and what each byte was read as.
    pub trace: Trace,
}

impl Reader {
    /// A text as plain as can be.
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

    /// Reads a text that is there as a whole. An owned one is kept without a copy where it is UTF-8.
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

    /// A parser for one message, as the options say.
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

/// Compiles `dialects` for the tools; without a toolbox Roo knows the names of its system, and any other dialect none.
pub fn compile(dialects: &[Dialect], toolbox: Option<&Toolbox>) -> Result<Arc<Program>, ChatError> {
    let tools = tool_set(dialects, toolbox);
    Program::compile(dialects, &tools, Limits::default())
        .map(Arc::new)
        .map_err(|error| ChatError::Program(Box::new(error)))
}

/// The names and shapes that a text is read with.
pub fn tool_set(dialects: &[Dialect], toolbox: Option<&Toolbox>) -> ToolSet {
    match (toolbox, dialects) {
        (Some(toolbox), _) => toolbox.tool_set(),
        (None, [only]) if only.name() == "roo" => toolglot_toolset::roo_names(),
        (None, _) => ToolSet::default(),
    }
}
