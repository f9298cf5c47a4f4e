//! The lines of a batch, each read with its own dialects and tools.

use std::sync::Arc;

use toolglot_engine::{Finish, Sink};
use toolglot_toolset::Toolbox;
use toolglot_value::Value;
use toolglot_wire::Line;

use crate::dialect_choice::DialectChoice;
use crate::digest::Digest;
use crate::error::ChatError;
use crate::line_error::LineError;
use crate::program_cache::{CompiledDialects, ProgramCache};
use crate::reader::{Reader, Reading};
use crate::trace::Trace;

/// The tools of a line, from what stands under `tools`.
pub type ToolLoader = dyn Fn(&Value) -> Result<Toolbox, LineError> + Send + Sync;

/// Reads the lines of a batch. Lines that share dialects and tools share a program, lines that share dialects its rules.
/// Threads may share one reader.
pub struct LineReader {
    /// How texts are read; the program of each line takes the place of its own.
    reader: Reader,
    /// Whether tools and parameters get their canonical names.
    normalize: bool,
    /// The dialects of lines that name none.
    dialects: DialectChoice,
    /// The tools of lines that have none.
    toolbox: Option<Arc<Toolbox>>,
    load: Box<ToolLoader>,
    programs: ProgramCache,
}

impl std::fmt::Debug for LineReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineReader")
            .field("reader", &self.reader)
            .field("dialects", &self.dialects)
            .finish_non_exhaustive()
    }
}

impl LineReader {
    /// A reader of lines that are read as `reader` says, and with these dialects and tools where they name none.
    ///
    /// # Errors
    /// The dialects make no program for the tools.
    pub fn new(
        reader: Reader,
        dialects: DialectChoice,
        toolbox: Option<Toolbox>,
    ) -> Result<LineReader, ChatError> {
        let lines = LineReader {
            reader,
            normalize: false,
            dialects,
            toolbox: toolbox.filter(|toolbox| !toolbox.is_empty()).map(Arc::new),
            load: Box::new(tool_list),
            programs: ProgramCache::default(),
        };
        match lines.compiled(None, None) {
            Err(LineError::Chat(error)) => Err(error),
            _ => Ok(lines),
        }
    }

    /// The same with canonical names of tools and parameters, if `normalize`.
    #[must_use]
    pub fn normalize(self, normalize: bool) -> LineReader {
        LineReader { normalize, ..self }
    }

    /// The same with another way to make tools of what stands under `tools`; without it that is [`tool_list`].
    #[must_use]
    pub fn load_tools(
        self,
        load: impl Fn(&Value) -> Result<Toolbox, LineError> + Send + Sync + 'static,
    ) -> LineReader {
        LineReader {
            load: Box::new(load),
            ..self
        }
    }

    /// What a text is read with, for these dialects and tools, or for those of the batch.
    ///
    /// # Errors
    /// Dialects that are not known, and tools that are no list.
    pub fn compiled(
        &self,
        dialects: Option<&str>,
        tools: Option<&Value>,
    ) -> Result<CompiledDialects, LineError> {
        // No list of names has this one, and no JSON is empty.
        let list = dialects.unwrap_or("\0");
        let text = tools.map(Value::to_string).unwrap_or_default();
        self.programs.get(list, &text, || {
            let toolbox = match tools {
                Some(tools) => Some((self.load)(tools)?)
                    // A list without tools knows no name that a call could miss.
                    .filter(|toolbox| !toolbox.is_empty())
                    .map(Arc::new),
                None => self.toolbox.clone(),
            };
            let dialects = match dialects {
                Some(list) => crate::dialects_named(list, toolbox.as_deref())?,
                None => self.dialects.dialects(toolbox.as_deref())?,
            };
            Ok((dialects, toolbox))
        })
    }

    /// The calls of a line, verified.
    ///
    /// # Errors
    /// As [`LineReader::compiled`], and a `finish` that is not known.
    pub fn read(&self, line: &Line) -> Result<Digest, LineError> {
        let compiled = self.compiled(line.dialect.as_deref(), line.tools.as_ref())?;
        self.read_compiled(&compiled, line)
    }

    /// The same, with what was compiled for the line's dialects and tools: several lines may share them.
    ///
    /// # Errors
    /// A `finish` that is not known.
    pub fn read_compiled(
        &self,
        compiled: &CompiledDialects,
        line: &Line,
    ) -> Result<Digest, LineError> {
        let reader = self.reader_of_line(compiled, line)?;
        let mut reading = match &line.chunks {
            None => reader.read(line.input.as_bytes()),
            Some(chunks) => {
                let mut trace = Trace::default();
                reader.read_pieces(chunks.iter().map(String::as_str), &mut trace);
                let text = line.input.clone();
                Reading { text, trace }
            }
        };
        let mut digest = compiled.digest(&reader, &mut reading, &line.tool_choice, self.normalize);
        digest.document.id = line.id.clone();
        Ok(digest)
    }

    /// Sends the events of a line to `sink`. What only looks like a call is not searched for.
    ///
    /// # Errors
    /// As [`LineReader::read`].
    pub fn events(&self, line: &Line, sink: &mut dyn Sink) -> Result<(), LineError> {
        let compiled = self.compiled(line.dialect.as_deref(), line.tools.as_ref())?;
        let reader = self.reader_of_line(&compiled, line)?;
        let chunks = line
            .chunks
            .as_deref()
            .unwrap_or(std::slice::from_ref(&line.input));
        reader.read_pieces(chunks.iter().map(String::as_str), sink);
        Ok(())
    }

    /// A reader of texts that are read with these dialects.
    pub fn reader_of(&self, compiled: &CompiledDialects) -> Reader {
        Reader {
            program: Arc::clone(&compiled.program),
            ..self.reader.clone()
        }
    }

    /// The same for a line, which may say where its text starts and how it ended.
    ///
    /// # Errors
    /// A `finish` that is not known.
    pub fn reader_of_line(
        &self,
        compiled: &CompiledDialects,
        line: &Line,
    ) -> Result<Reader, LineError> {
        let mut reader = self.reader_of(compiled);
        reader.reasoning_open |= line.reasoning_open;
        reader.prompt_suffix.clone_from(&line.prompt_suffix);
        if let Some(why) = &line.finish {
            reader.finish = finish(why)?;
        }
        Ok(reader)
    }
}

/// The tools of a value: any shape that a tool file may have, or a string that names a builtin set.
///
/// # Errors
/// A set that is not known, and entries that are no tools.
pub fn tool_list(value: &Value) -> Result<Toolbox, LineError> {
    match value {
        Value::String(name) => {
            let name = name.strip_prefix("builtin:").unwrap_or(name);
            Toolbox::builtin(name).ok_or_else(|| LineError::UnknownToolbox(name.to_owned()))
        }
        value => Toolbox::from_json(value).map_err(LineError::Tools),
    }
}

fn finish(why: &str) -> Result<Finish, LineError> {
    match why {
        "stop" => Ok(Finish::Stop),
        "length" => Ok(Finish::Length),
        "unknown" => Ok(Finish::Unknown),
        other => Err(LineError::UnknownFinish(other.to_owned())),
    }
}
