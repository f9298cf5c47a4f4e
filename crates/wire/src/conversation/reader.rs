//! Reads the text of an assistant's message as a whole.

use std::sync::Arc;

use toolglot_engine::{
    Calls, Dialect, Finish, GrammarError, Input, Limits, Parser, Program, ToolSet,
};

/// Reads texts of these dialects.
#[derive(Debug)]
pub(super) struct Reader {
    program: Arc<Program>,
}

impl Reader {
    pub(super) fn new(dialects: &[Dialect], tools: &ToolSet) -> Result<Reader, GrammarError> {
        let program = Program::compile(dialects, tools, Limits::default())?;
        Ok(Reader::of(Arc::new(program)))
    }

    pub(super) fn of(program: Arc<Program>) -> Reader {
        Reader { program }
    }

    /// The calls in a text, and the text around them.
    pub(super) fn read(&self, text: &str) -> Calls {
        let mut calls = Calls::default();
        let mut parser = Parser::new(Arc::clone(&self.program));
        parser.push(Input::Text(text), &mut calls);
        parser.finish(Finish::default(), &mut calls);
        calls
    }
}
