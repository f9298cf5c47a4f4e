//! A text read with a program: whole, or as it comes.

use std::io::{self, BufRead};
use std::sync::Arc;

use toolglot::{
    Dialect, Finish, InCode, InReasoning, Input, Limits, Parser, Program, Sink, ToolSet,
};
use toolglot_tools::Toolbox;
use toolglot_wire::Bytes;

use crate::args::ReadingArguments;
use crate::failure::Failure;
use crate::trace::Trace;

/// How one text is read.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) program: Arc<Program>,
    pub(crate) in_code: InCode,
    pub(crate) in_reasoning: InReasoning,
    pub(crate) reasoning_open: bool,
    /// The end of the prompt, where the answer begins inside something.
    pub(crate) prompt_suffix: Option<String>,
    pub(crate) finish: Finish,
    /// How many bytes are pushed at once.
    pub(crate) chunk: usize,
}

/// A text and what was read in it.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The text that spans point into: the input with U+FFFD for what is no UTF-8.
    pub(crate) text: String,
    pub(crate) trace: Trace,
}

impl Manner {
    /// A text as plain as can be.
    pub(crate) fn with(program: Arc<Program>) -> Manner {
        Manner {
            program,
            in_code: InCode::default(),
            in_reasoning: InReasoning::default(),
            reasoning_open: false,
            prompt_suffix: None,
            finish: Finish::default(),
            chunk: 64 << 10,
        }
    }

    /// The manner that the command line asks for.
    pub(crate) fn new(program: Arc<Program>, arguments: &ReadingArguments) -> Manner {
        Manner {
            in_code: arguments.in_code.into(),
            in_reasoning: arguments.in_reasoning.into(),
            reasoning_open: arguments.reasoning_open,
            finish: arguments.finish.map_or(Finish::Stop, Finish::from),
            chunk: arguments.chunk as usize,
            ..Manner::with(program)
        }
    }

    /// Reads a text that is there as a whole.
    pub(crate) fn whole(&self, bytes: &[u8]) -> Reading {
        let mut trace = Trace::default();
        let mut parser = self.parser();
        let mut joiner = Bytes::new();
        for piece in bytes.chunks(self.chunk) {
            joiner.push(piece, &mut parser, &mut trace);
        }
        joiner.finish(&mut parser, &mut trace);
        parser.finish(self.finish, &mut trace);
        Reading {
            text: String::from_utf8_lossy(bytes).into_owned(),
            trace,
        }
    }

    /// Reads a text in these pieces.
    pub(crate) fn pieces<'p>(
        &self,
        pieces: impl IntoIterator<Item = &'p str>,
        sink: &mut dyn Sink,
    ) {
        let mut parser = self.parser();
        for piece in pieces {
            parser.push(Input::Text(piece), sink);
        }
        parser.finish(self.finish, sink);
    }

    /// Reads a text as it comes and keeps nothing of it.
    pub(crate) fn stream(&self, input: &mut dyn BufRead, sink: &mut dyn Sink) -> io::Result<()> {
        let mut parser = self.parser();
        let mut joiner = Bytes::new();
        loop {
            let buffer = input.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            for piece in buffer.chunks(self.chunk) {
                joiner.push(piece, &mut parser, sink);
            }
            let n_read = buffer.len();
            input.consume(n_read);
        }
        joiner.finish(&mut parser, sink);
        parser.finish(self.finish, sink);
        Ok(())
    }

    fn parser(&self) -> Parser {
        let program = Arc::clone(&self.program);
        let parser = match &self.prompt_suffix {
            Some(suffix) => Parser::primed(program, suffix),
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
pub(crate) fn compile(
    dialects: &[Dialect],
    toolbox: Option<&Toolbox>,
) -> Result<Arc<Program>, Failure> {
    let tools = tool_set(dialects, toolbox);
    Program::compile(dialects, &tools, Limits::default())
        .map(Arc::new)
        .map_err(|error| Failure::Program(Box::new(error)))
}

/// The names and shapes that a text is read with.
pub(crate) fn tool_set(dialects: &[Dialect], toolbox: Option<&Toolbox>) -> ToolSet {
    match (toolbox, dialects) {
        (Some(toolbox), _) => toolbox.tool_set(),
        (None, [only]) if only.name() == "roo" => toolglot_tools::roo_names(),
        (None, _) => ToolSet::default(),
    }
}
