//! `toolglot tools new`.

use std::fs;
use std::io::{self, Write};

use serde_json::json;
use toolglot_toolfiles::{ItemId, Language, new_tool};

use super::answer;
use super::args::Common;
use crate::Outcome;
use crate::failure::Failure;

pub(super) fn new(
    id: &str,
    language: &str,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let id = ItemId::new(id).map_err(Failure::BadId)?;
    let language =
        Language::named(language).ok_or_else(|| Failure::NoLanguage(language.to_owned()))?;
    let file = format!(".ai/tools/{id}.{}", language.extension());
    let path = common.root.join(&file);
    let failed = |source: io::Error| Failure::Write {
        path: path.clone(),
        source,
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| file.write_all(new_tool(&id, language).as_bytes()))
        .map_err(failed)?;
    let json =
        json!({"id": id.as_str(), "path": path.display().to_string(), "language": language.name()});
    answer(common, out, &json, &format!("{file}\n"))?;
    Ok(Outcome::Fine)
}
