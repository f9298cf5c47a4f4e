//! `toolglot tools new`.

use std::fs;
use std::io::{self, Write};

use serde_json::json;
use toolglot_toolfiles::{EXTENSIONS, ItemId, Language, new_tool};

use super::answer;
use super::args::Common;
use crate::Outcome;
use crate::failure::Failure;

pub(super) fn new(
    id: &str,
    word: &str,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let id = ItemId::new(id).map_err(Failure::BadId)?;
    let language = Language::named(word).ok_or_else(|| Failure::NoLanguage(word.to_owned()))?;
    // Who names an extension wants that one.
    let extension = EXTENSIONS
        .iter()
        .map(|(extension, _)| *extension)
        .find(|extension| *extension == word.trim_start_matches('.'))
        .unwrap_or(language.extension());
    let file = format!(".ai/tools/{id}.{extension}");
    let path = common.root.join(&file);
    // Of two files with one id only the first of the extensions is ever used.
    let other = EXTENSIONS
        .iter()
        .map(|(other, _)| format!(".ai/tools/{id}.{other}"))
        .find(|other| *other != file && common.root.join(other).exists());
    if let Some(other) = other {
        return Err(Failure::TakenId {
            id: id.to_string(),
            other,
        });
    }
    let failed = |source: io::Error| Failure::Write {
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
            io::ErrorKind::AlreadyExists => Failure::Taken(file.clone()),
            _ => failed(error),
        })?;
    let json =
        json!({"id": id.as_str(), "path": path.display().to_string(), "language": language.name()});
    answer(common, out, &json, &format!("{file}\n"))?;
    Ok(Outcome::Fine)
}
