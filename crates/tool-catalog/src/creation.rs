//! New tools.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toolglot_tool_files::{Diagnostic, EXTENSIONS, ItemId, Language, ToolFile, new_tool};

use crate::CatalogError;

/// A tool that was written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CreatedTool {
    /// The id that it is called by.
    pub id: ItemId,
    /// Its language.
    pub language: Language,
    /// Its file, relative to the project.
    pub file: String,
    /// The path of its file.
    pub path: PathBuf,
    /// The rules that its name breaks: its text breaks none.
    pub diagnostics: Vec<Diagnostic>,
}

/// Writes a new tool into the project at `root`. `word` is a language, or an extension of one.
///
/// # Errors
/// If the id or the word is invalid, the id is taken, or the file cannot be written. Nothing is overwritten.
pub fn create_tool(root: &Path, id: &str, word: &str) -> Result<CreatedTool, CatalogError> {
    let id = ItemId::new(id)?;
    let language =
        Language::named(word).ok_or_else(|| CatalogError::NoLanguage(word.to_owned()))?;
    // An extension as `word` is used as it is.
    let extension = EXTENSIONS
        .iter()
        .map(|(extension, _)| *extension)
        .find(|extension| extension.eq_ignore_ascii_case(word.trim_start_matches('.')))
        .unwrap_or(language.extension());
    let file = format!(".ai/tools/{id}.{extension}");
    let path = root.join(&file);
    // Of two files with one id, only the one with the earlier extension is ever used.
    let other = EXTENSIONS
        .iter()
        .map(|(other, _)| format!(".ai/tools/{id}.{other}"))
        .find(|other| *other != file && root.join(other).exists());
    if let Some(other) = other {
        return Err(CatalogError::TakenId {
            id: id.to_string(),
            other,
        });
    }
    let failed = |source: io::Error| CatalogError::Write {
        path: path.clone(),
        source,
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut text = new_tool(&id, language);
    if extension == "cjs" {
        text = text
            .replace("export const ", "exports.")
            .replace("export default function", "exports.default = function");
    }
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CatalogError::Taken(file.clone()),
            _ => failed(error),
        })?;
    let diagnostics = ToolFile::read(&id, language, &text).checked().diagnostics;
    Ok(CreatedTool {
        id,
        language,
        file,
        path,
        diagnostics,
    })
}
