//! Reads the lines of a batch, each with its own dialects and tools.

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

/// Loads the tools of a line from its `tools` value.
pub type ToolLoader = dyn Fn(&Value) -> Result<Toolbox, LineError> + Send + Sync;

/// Reads the lines of a batch. Lines with equal dialects and tools share a program; lines with equal dialects share its
/// rules. Threads may share one reader.
pub struct LineReader {
    /// The settings for all texts; each line replaces the program.
    reader: Reader,
    /// Whether tools and parameters get their canonical names.
    normalize: bool,
    /// The dialects of lines without a `dialect`.
    dialects: DialectChoice,
    /// The tools of lines without `tools`.
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
    /// A reader of lines with the settings of `reader`, and with these dialects and tools for lines that name none.
    ///
    /// # Errors
    /// If the dialects cannot be compiled for the tools.
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

    /// Like `self`, with canonical names of tools and parameters if `normalize`.
    #[must_use]
    pub fn normalize(self, normalize: bool) -> LineReader {
        LineReader { normalize, ..self }
    }

    /// Like `self`, with another function that loads tools from the `tools` value; the default is [`tool_list`].
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

    /// The compiled form of these dialects and tools, with the defaults of the batch.
    ///
    /// # Errors
    /// Unknown dialects, and tools that are not a list.
    pub fn compiled(
        &self,
        dialects: Option<&str>,
        tools: Option<&Value>,
    ) -> Result<CompiledDialects, LineError> {
        // No dialect list equals this key, and no JSON text is empty.
        let list = dialects.unwrap_or("\0");
        let text = tools.map(Value::to_string).unwrap_or_default();
        self.programs.get(list, &text, || {
            let toolbox = match tools {
                Some(tools) => Some((self.load)(tools)?)
                    // An empty list has no name that a call could mismatch.
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
    /// As [`LineReader::compiled`], and an unknown `finish`.
    pub fn read(&self, line: &Line) -> Result<Digest, LineError> {
        let compiled = self.compiled(line.dialect.as_deref(), line.tools.as_ref())?;
        self.read_compiled(&compiled, line)
    }

    /// Like [`LineReader::read`], with the compiled dialects and tools of the line, which several lines may share.
    ///
    /// # Errors
    /// If `finish` is unknown.
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

    /// Sends the events of a line to `sink`. Look-alikes are not searched for.
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

    /// A reader with these dialects.
    pub fn reader_of(&self, compiled: &CompiledDialects) -> Reader {
        Reader {
            program: Arc::clone(&compiled.program),
            ..self.reader.clone()
        }
    }

    /// Like [`LineReader::reader_of`], with the line's own start and finish reason.
    ///
    /// # Errors
    /// If `finish` is unknown.
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

/// The tools in a value: any form of a tool file, or a string that names a builtin set.
///
/// # Errors
/// Unknown sets, and entries that are not tools.
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
