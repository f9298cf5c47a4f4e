//! `toolglot parse --jsonl`: one document in, one document out.

use std::io::Write;
use std::sync::Arc;

use toolglot_chat::{CompiledDialects, ProgramCache, dialects_named};
use toolglot_engine::Finish;
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

/// Lines that share dialects and tools share a program, lines that share dialects its rules.
struct Batch<'a> {
    arguments: &'a ParseArguments,
    /// The tools of lines that name none.
    toolbox: Option<Arc<Toolbox>>,
    programs: ProgramCache,
}

impl Batch<'_> {
    fn new(arguments: &ParseArguments) -> Result<Batch<'_>, Failure> {
        let toolbox = toolboxes::known(arguments.reading.tools.as_deref())?;
        Ok(Batch {
            arguments,
            toolbox: toolbox.map(Arc::new),
            programs: ProgramCache::default(),
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
        let normalize = self.arguments.normalize;
        let digest = compiled.digest(&reader, &mut reading, &line.tool_choice, normalize);
        Ok((digest.document, digest.is_faulty))
    }

    fn compiled(&mut self, line: &Line) -> Result<CompiledDialects, Failure> {
        let list = line.dialect.as_ref();
        let tools = line.tools.as_ref().map(Value::to_string);
        let own = &self.arguments.reading.dialect;
        self.programs.get(
            list.unwrap_or(own),
            tools.as_deref().unwrap_or_default(),
            || {
                let toolbox = match &line.tools {
                    Some(tools) => toolboxes::known_of_value(tools)?.map(Arc::new),
                    None => self.toolbox.clone(),
                };
                let dialects = match list {
                    Some(list) => dialects_named(list, toolbox.as_deref())?,
                    None => select::dialects(own, toolbox.as_deref())?,
                };
                Ok((dialects, toolbox))
            },
        )
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
