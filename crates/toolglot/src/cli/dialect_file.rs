//! Dialect files of the user's own.

use std::borrow::Cow;
use std::path::Path;

use toolglot_engine::Dialect;

use crate::cli::dialect_fault::DialectFault;
use crate::cli::failure::Failure;
use crate::cli::{import, source};

/// The name of the dialect file of a folder.
pub(crate) const IN_FOLDER: &str = "dialect";

/// The dialects of a file, or of the file `dialect` of a folder. Each makes a program.
///
/// # Errors
/// Outside, if the file cannot be read; inside, what is wrong with it.
pub(crate) fn read(path: &Path) -> Result<Result<Vec<Dialect>, Box<DialectFault>>, Failure> {
    let path = &*if path.is_dir() {
        Cow::Owned(path.join(IN_FOLDER))
    } else {
        Cow::Borrowed(path)
    };
    let text = source::document(path)?;
    // No dialect file starts with a brace: a chat template does, and a checkpoint's own declaration, which is JSON.
    let start = text.trim_start();
    if ["{%", "{{", "{#"].iter().any(|tag| start.starts_with(tag)) {
        return Err(Failure::ChatTemplate(source::name(path)));
    }
    let text = if start.starts_with('{') {
        import::imported(&text, path, "imported")?
    } else {
        text
    };
    Ok(toolglot_dialects::parse(&text).map_err(|error| {
        Box::new(DialectFault {
            error,
            text,
            name: source::name(path),
        })
    }))
}
