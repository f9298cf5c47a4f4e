//! Dialect files of the user's own.

use std::path::Path;

use toolglot::{Dialect, GrammarError};
use toolglot_import::ImportError;

use crate::failure::Failure;
use crate::human::snippet;
use crate::source;

/// What is wrong with a dialect file, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    error: GrammarError,
    /// The file's text, which the error points into.
    text: String,
    /// The file's name.
    name: String,
}

impl Fault {
    /// The error under the text that it points into.
    pub(crate) fn report(&self, is_colored: bool) -> String {
        snippet::grammar(&self.error, &self.text, &self.name, is_colored)
    }
}

/// The dialects of a file, each of which makes a program.
///
/// # Errors
/// Outside, if the file cannot be read; inside, what is wrong with it.
pub(crate) fn read(path: &Path) -> Result<Result<Vec<Dialect>, Box<Fault>>, Failure> {
    let text = source::document(path)?;
    // No dialect file starts with a brace: a chat template does, and a checkpoint's own declaration, which is JSON.
    let start = text.trim_start();
    if ["{%", "{{", "{#"].iter().any(|tag| start.starts_with(tag)) {
        return Err(Failure::ChatTemplate(source::name(path)));
    }
    let text = if start.starts_with('{') {
        imported(&text, path, "imported")?
    } else {
        text
    };
    Ok(toolglot_import::dialects(&text).map_err(|error| {
        Box::new(Fault {
            error,
            text,
            name: source::name(path),
        })
    }))
}

/// The dialect that a `response_template` declares, as text.
///
/// # Errors
/// What of it the notation cannot say.
pub(crate) fn imported(text: &str, path: &Path, name: &str) -> Result<String, Failure> {
    let config = serde_json::from_str(text).map_err(|source| Failure::Json {
        origin: source::name(path),
        source,
    })?;
    toolglot_import::from_response_template(&config, name).map_err(|error| refused(error, path))
}

/// Why the template in `path` was refused.
pub(crate) fn refused(error: ImportError, path: &Path) -> Failure {
    let origin = source::name(path);
    match error {
        ImportError::ChatTemplate { line, column, what } => Failure::Template {
            origin,
            line,
            column,
            what,
        },
        error => Failure::Import { origin, error },
    }
}
