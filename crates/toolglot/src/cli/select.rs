//! Which dialects a text is read with: names, and files of one's own.

use std::path::Path;

use toolglot_chat::{dialect_named, dialects_from};
use toolglot_engine::Dialect;
use toolglot_toolset::Toolbox;

use crate::cli::args::is_file;
use crate::cli::dialect_file;
use crate::cli::failure::Failure;

/// The dialects of `list`: names or paths of dialect files, separated by commas, or `auto`.
pub(crate) fn dialects(list: &str, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, Failure> {
    dialects_from(list, toolbox, |name| {
        if is_file(name) {
            dialect_file::read(Path::new(name))?.map_err(Failure::DialectFile)
        } else if toolglot_dialects::get(name).is_none() && Path::new(name).is_file() {
            Err(Failure::BareFile(name.to_owned()))
        } else {
            Ok(vec![dialect_named(name)?.clone()])
        }
    })
}

/// The one dialect of that name, embedded or in a file.
pub(crate) fn one(name: &str) -> Result<Dialect, Failure> {
    let mut dialects = dialects(name, None)?;
    match dialects.len() {
        1 => Ok(dialects.remove(0)),
        _ => Err(Failure::NotOneDialect(name.to_owned())),
    }
}
