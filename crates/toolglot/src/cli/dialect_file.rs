//! Dialect files of the user's own.

use std::borrow::Cow;
use std::path::Path;

use toolglot_engine::Dialect;

use crate::cli::dialect_fault::DialectFault;
use crate::cli::failure::Failure;
use crate::cli::{import, source};

/// The name of the dialect file of a folder.
pub(crate) const IN_FOLDER: &str = "dialect";

/// The file of dialects at a path: the path, or the file `dialect` of a folder.
pub(crate) fn of(path: &Path) -> Cow<'_, Path> {
    if path.is_dir() {
        Cow::Owned(path.join(IN_FOLDER))
    } else {
        Cow::Borrowed(path)
    }
}

/// The text of a file of dialects.
///
/// # Errors
/// The file cannot be read, or is a chat template.
pub(crate) fn notation(path: &Path) -> Result<String, Failure> {
    let text = source::document(path)?;
    let start = text.trim_start();
    // A dialect file never starts with a brace. A chat template does, and so does a checkpoint's declaration in JSON.
    if ["{%", "{{", "{#"].iter().any(|tag| start.starts_with(tag)) {
        return Err(Failure::ChatTemplate(source::name(path)));
    }
    Ok(text)
}

/// The dialects of a file, or of the file `dialect` of a folder. Each dialect compiles.
///
/// # Errors
/// The outer error: the file cannot be read. The inner error: the file is not a valid dialect file.
pub(crate) fn read(path: &Path) -> Result<Result<Vec<Dialect>, Box<DialectFault>>, Failure> {
    let path = &*of(path);
    let text = notation(path)?;
    let text = if text.trim_start().starts_with('{') {
        import::imported(&text, path, "imported")?
    } else {
        text
    };
    Ok(toolglot_dialects::parse(&text).map_err(|mut error| {
        if error.replacement.is_some() && path != Path::new("-") {
            // With the path of the file, the user can copy the command.
            let path = path.display();
            error.help = Some(format!(
                "`toolglot dialects check --fix {path}` rewrites the file"
            ));
        }
        Box::new(DialectFault {
            error,
            text,
            name: source::name(path),
        })
    }))
}
