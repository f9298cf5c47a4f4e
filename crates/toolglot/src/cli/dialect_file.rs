//! Dialect files of the user's own.

use std::path::Path;

use toolglot_engine::Dialect;
use toolglot_import::ImportError;

use crate::dialect_fault::DialectFault;
use crate::failure::Failure;
use crate::source;

/// The dialects of a file, each of which makes a program.
///
/// # Errors
/// Outside, if the file cannot be read; inside, what is wrong with it.
pub(crate) fn read(path: &Path) -> Result<Result<Vec<Dialect>, Box<DialectFault>>, Failure> {
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
        Box::new(DialectFault {
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
