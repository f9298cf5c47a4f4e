//! Which dialects a text is read with: names, and dialect files of the user.

use std::path::Path;
use std::sync::Arc;

use toolglot_chat::{DialectChoice, LineReader, dialect_named};
use toolglot_engine::Dialect;
use toolglot_toolset::Toolbox;

use crate::cli::args::{ReadingArguments, is_file};
use crate::cli::failure::Failure;
use crate::cli::{dialect_file, toolboxes};

/// The dialects of `list`: names or paths of dialect files, separated by commas, or `auto`.
pub(crate) fn dialects(list: &str, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, Failure> {
    Ok(choice(list)?.dialects(toolbox)?)
}

/// The dialects of `list`, before the tools are known.
pub(crate) fn choice(list: &str) -> Result<DialectChoice, Failure> {
    DialectChoice::new(list, |name| {
        if is_file(name) {
            dialect_file::read(Path::new(name))?.map_err(Failure::DialectFile)
        } else if toolglot_dialects::get(name).is_none() && Path::new(name).is_file() {
            Err(Failure::BareFile(name.to_owned()))
        } else {
            Ok(vec![dialect_named(name)?.clone()])
        }
    })
}

/// A reader of the lines of a batch. Entries of a line's tools that no text can call are reported on standard error.
pub(crate) fn line_reader(arguments: &ReadingArguments) -> Result<LineReader, Failure> {
    let toolbox = toolboxes::known(arguments.tools.as_deref())?;
    let dialects = choice(&arguments.dialect)?;
    // Each line has a program of its own.
    let reader = arguments.reader(Arc::clone(toolglot_dialects::auto()));
    let lines = LineReader::new(reader, dialects, toolbox)?;
    Ok(lines.load_tools(|tools| {
        let toolbox = toolglot_chat::tool_list(tools)?;
        toolboxes::report_left_out(&toolbox, "tools");
        Ok(toolbox)
    }))
}

/// The one dialect of that name, embedded or in a file.
pub(crate) fn one(name: &str) -> Result<Dialect, Failure> {
    let mut dialects = dialects(name, None)?;
    match dialects.len() {
        1 => Ok(dialects.remove(0)),
        _ => Err(Failure::NotOneDialect(name.to_owned())),
    }
}
