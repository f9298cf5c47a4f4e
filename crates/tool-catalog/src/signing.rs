//! Signs a file in place.

use std::fs;

use toolglot_tool_files::SourceLocation;
use toolglot_tool_registry::ToolSource;
use toolglot_tool_signature::{Generation, Header, PrivateKey, body, digest, sign};
use toolglot_tool_trust::{Space, Trust};

use crate::CatalogError;

/// The result of signing a file.
#[derive(Clone, Debug)]
pub enum FileSigning {
    /// It is signed.
    Signed {
        /// The file after signing.
        file: ToolSource,
        /// Its version.
        version: String,
        /// Whether the file was written: an unchanged file keeps its line.
        is_changed: bool,
    },
    /// It is not signed, for this reason.
    Refused(String),
}

/// Signs a file with a key at `time` (`2026-02-23T05:24:41Z`), in the form of a generation: version 2 or, for any
/// other, version 1. A file that breaks a rule is not signed.
///
/// # Errors
/// If the file cannot be written.
pub fn sign_file(
    found: &ToolSource,
    (key, time): (&PrivateKey, &str),
    generation: Generation,
    trust: &Trust,
) -> Result<FileSigning, CatalogError> {
    let (Some(path), false) = (&found.path, found.space == Space::System) else {
        return Ok(FileSigning::Refused(
            "tools of the system cannot be signed anew".to_owned(),
        ));
    };
    let tool = found.checked();
    if let Some(error) = tool.worst() {
        let place = SourceLocation::of(found.text(), error.span.start);
        let n = tool.errors().count();
        let plural = if n == 1 { "" } else { "s" };
        return Ok(FileSigning::Refused(format!(
            "{}:{}: {} ({n} error{plural} in all: `toolglot tools check {}`)",
            place.line, place.column, error.message, found.id
        )));
    }
    let version = tool.metadata.version.clone().unwrap_or_default();
    let style = found.language.signature_style();
    let sha = digest(body(found.text(), style));
    // A new time alone does not change a file.
    let is_same = Header::find(found.text(), style).is_some_and(|header| {
        header.generation == generation
            && header.key == key.public().fingerprint()
            && header.hash == sha
            && header
                .binding
                .is_none_or(|(id, bound)| id == found.id.as_str() && bound == version)
    });
    let mut signed = found.clone();
    if !is_same || trust.standing(found, Some(&version)).is_err() {
        let binding =
            (generation == Generation::V2).then_some((found.id.as_str(), version.as_str()));
        signed = signed.with_text(sign(found.text(), style, key, time, binding));
        // The file that a link inside the tools leads to.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        replace(&path, signed.text().as_bytes())?;
    }
    Ok(FileSigning::Signed {
        is_changed: signed.text() != found.text(),
        file: signed,
        version,
    })
}

/// Replaces a file whole or not at all, and keeps its mode.
fn replace(path: &std::path::Path, bytes: &[u8]) -> Result<(), CatalogError> {
    let failed = |source| CatalogError::Write {
        path: path.to_owned(),
        source,
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let permissions = fs::metadata(path).map_err(failed)?.permissions();
    let done = fs::write(&temporary, bytes)
        .and_then(|()| fs::set_permissions(&temporary, permissions))
        .and_then(|()| fs::rename(&temporary, path));
    done.map_err(|source| {
        let _ = fs::remove_file(&temporary);
        failed(source)
    })
}
