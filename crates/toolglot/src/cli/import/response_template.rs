//! A checkpoint's response template, as a dialect.

use std::path::Path;

use toolglot_import::ImportError;

use crate::cli::failure::Failure;
use crate::cli::source;

/// The dialect that a `response_template` declares, as text.
///
/// # Errors
/// The text is not JSON, or declares what the notation cannot express.
pub(crate) fn imported(text: &str, path: &Path, name: &str) -> Result<String, Failure> {
    let config = toolglot_value::from_str(text).map_err(|source| Failure::Json {
        origin: source::name(path),
        source,
    })?;
    toolglot_import::from_response_template(&config, name).map_err(|error| refused(error, path))
}

/// Why the template in `path` was refused.
pub(super) fn refused(error: ImportError, path: &Path) -> Failure {
    let origin = source::name(path);
    match error {
        ImportError::ChatTemplate { line, column, what } => Failure::Template {
            origin,
            line,
            column,
            what,
        },
        error @ ImportError::NoDraft { .. } => Failure::Draft { origin, error },
        error => Failure::Import { origin, error },
    }
}
