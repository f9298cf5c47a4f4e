//! `toolglot parse --jsonl`: one document in, one document out.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use toolglot_chat::{
    ArgumentSpans, Digest, DigestContext, LookalikeContext, OtherPrograms, compile, dialects_named,
    lookalike_notes, tool_set,
};
use toolglot_engine::{Dialect, Finish, Program};
use toolglot_toolset::Toolbox;
use toolglot_value::Value;
use toolglot_wire::{BadLine, Document, Line};

use crate::cli::args::ParseArguments;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{batch, select, toolboxes};

/// Answers each line of the input with a line, in order.
pub(crate) fn parse(arguments: &ParseArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut lines = Batch::new(arguments)?;
    batch::answer(&arguments.file, out, |line, out| {
        match Line::read(line).and_then(|line| lines.answer(line)) {
            Ok((document, is_faulty)) => {
                write_line(out, &document)?;
                Ok(is_faulty || arguments.strict && !document.notes.is_empty())
            }
            Err(BadLine { id, error }) => batch::bad(out, id, error),
        }
    })
}

/// How many combinations of dialects and tools are kept compiled, and how many combinations of dialects.
const KEPT: usize = 256;

/// Lines that share dialects and tools share a program, lines that share dialects its rules.
struct Batch<'a> {
    arguments: &'a ParseArguments,
    /// The tools of lines that name none.
    toolbox: Option<Arc<Toolbox>>,
    compiled: HashMap<(String, String), Compiled>,
    /// By the names of the dialects, in order.
    rules: HashMap<Vec<String>, Arc<Program>>,
}

#[derive(Clone)]
struct Compiled {
    program: Arc<Program>,
    dialects: Arc<[Dialect]>,
    toolbox: Option<Arc<Toolbox>>,
    others: Arc<OtherPrograms>,
}

impl Batch<'_> {
    fn new(arguments: &ParseArguments) -> Result<Batch<'_>, Failure> {
        let toolbox = toolboxes::known(arguments.reading.tools.as_deref())?;
        Ok(Batch {
            arguments,
            toolbox: toolbox.map(Arc::new),
            compiled: HashMap::new(),
            rules: HashMap::new(),
        })
    }

    fn answer(&mut self, line: Line) -> Result<(Document, bool), BadLine> {
        self.try_answer(&line)
            .map(|(document, is_faulty)| {
                (
                    Document {
                        id: line.id.clone(),
                        ..document
                    },
                    is_faulty,
                )
            })
            .map_err(|failure| BadLine {
                id: line.id,
                error: failure.told(),
            })
    }

    fn try_answer(&mut self, line: &Line) -> Result<(Document, bool), Failure> {
        let compiled = self.compiled(line)?;
        let program = Arc::clone(&compiled.program);
        let mut reader = self.arguments.reading.reader(program);
        reader.reasoning_open |= line.reasoning_open;
        reader.prompt_suffix.clone_from(&line.prompt_suffix);
        if let Some(why) = &line.finish {
            reader.finish = finish(why)?;
        }
        let mut reading = reader.read(line.input.as_bytes());
        let choice = &line.tool_choice;
        choice.apply(&mut reading.trace.message, compiled.toolbox.as_deref());
        let spans = ArgumentSpans::new(&reader, &reading.text);
        let context = DigestContext {
            dialects: &compiled.dialects,
            toolbox: compiled.toolbox.as_deref(),
            normalize: self.arguments.normalize,
            spans: Some(&spans),
        };
        let mut digest = Digest::new(reading.trace.message.clone(), context);
        let context = LookalikeContext {
            dialects: &compiled.dialects,
            toolbox: compiled.toolbox.as_deref(),
            reader: &reader,
            others: &compiled.others,
        };
        digest.add_lookalikes(lookalike_notes(context, &reading));
        Ok((digest.document, digest.is_faulty))
    }

    fn compiled(&mut self, line: &Line) -> Result<Compiled, Failure> {
        let list = line
            .dialect
            .as_deref()
            .unwrap_or(&self.arguments.reading.dialect);
        let key = (
            list.to_owned(),
            line.tools
                .as_ref()
                .map(Value::to_string)
                .unwrap_or_default(),
        );
        if let Some(compiled) = self.compiled.get(&key) {
            return Ok(compiled.clone());
        }
        let toolbox = match &line.tools {
            Some(tools) => toolboxes::known_of_value(tools)?.map(Arc::new),
            None => self.toolbox.clone(),
        };
        let dialects = match &line.dialect {
            Some(list) => dialects_named(list, toolbox.as_deref())?,
            None => select::dialects(list, toolbox.as_deref())?,
        };
        let compiled = Compiled {
            program: self.program(&dialects, toolbox.as_deref())?,
            dialects: dialects.into(),
            toolbox,
            others: Arc::default(),
        };
        if self.compiled.len() == KEPT {
            self.compiled.clear();
        }
        self.compiled.insert(key, compiled.clone());
        Ok(compiled)
    }

    fn program(
        &mut self,
        dialects: &[Dialect],
        toolbox: Option<&Toolbox>,
    ) -> Result<Arc<Program>, Failure> {
        let names: Vec<String> = dialects.iter().map(|one| one.name().to_owned()).collect();
        if let Some(program) = self.rules.get(&names) {
            return Ok(Arc::new(program.for_tools(&tool_set(dialects, toolbox))));
        }
        let program = compile(dialects, toolbox)?;
        if self.rules.len() == KEPT {
            self.rules.clear();
        }
        self.rules.insert(names, Arc::clone(&program));
        Ok(program)
    }
}

fn finish(why: &str) -> Result<Finish, Failure> {
    match why {
        "stop" => Ok(Finish::Stop),
        "length" => Ok(Finish::Length),
        "unknown" => Ok(Finish::Unknown),
        other => Err(Failure::UnknownFinish(other.to_owned())),
    }
}
