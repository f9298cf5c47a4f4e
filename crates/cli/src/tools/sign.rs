//! `toolglot tools sign`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;

use serde_json::{Value, json};
use toolglot_exec::clock;
use toolglot_toolfiles::{
    Found, Generation, Header, Place, PrivateKey, Space, Style, Trust, body, digest, sign_text,
};

use super::args::Common;
use super::{House, answer};
use crate::Outcome;
use crate::failure::Failure;
use crate::human::screen;

pub(super) fn sign(
    words: &[String],
    v2: bool,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut house = House::open(&common.root)?;
    let key = house.trust.private_key()?;
    let found = house.named(words)?;
    let mut signed = Vec::new();
    let told = all(&found, v2, &key, &house.trust, &mut signed);
    // Where one of them could not be written, those before it are signed all the same.
    let noted: Vec<(&Found, &str)> = signed
        .iter()
        .map(|(found, version)| (found, version.as_str()))
        .collect();
    house.trust.signed(&noted)?;
    let (text, rows) = told?;
    let is_faulty = rows.iter().any(|row| row["status"] == "refused");
    answer(common, out, &json!({"tools": Value::Array(rows)}), &text)?;
    Ok(Outcome::faulty_if(is_faulty))
}

/// Signs what can be signed, which is added to `signed` with its version. What is told of it, for people and as rows.
fn all(
    found: &[Found],
    v2: bool,
    key: &PrivateKey,
    trust: &Trust,
    signed: &mut Vec<(Found, String)>,
) -> Result<(String, Vec<Value>), Failure> {
    let (mut text, mut rows) = (String::new(), Vec::new());
    for found in found {
        let has_shebang = found.language.signature_style() == Style::Slashes
            && found
                .text()
                .trim_start_matches('\u{feff}')
                .starts_with("#!");
        let row = match one(found, v2, key, trust)? {
            Ok((now, version)) => {
                let is_changed = now.text() != found.text();
                if is_changed && has_shebang {
                    let _ = writeln!(
                        screen::stderr(),
                        "note: the signature of `{}` stands above its `#!`: toolglot runs it, and `node` alone does not any more",
                        found.id
                    );
                }
                signed.push((now, version));
                let status = if is_changed { "signed" } else { "unchanged" };
                json!({"id": found.id.as_str(), "status": status})
            }
            Err(why) => json!({"id": found.id.as_str(), "status": "refused", "why": why}),
        };
        let why = row["why"].as_str().map(|why| format!(": {why}"));
        let _ = writeln!(
            text,
            "{}  {}{}",
            found.id,
            row["status"].as_str().unwrap_or_default(),
            why.unwrap_or_default()
        );
        rows.push(row);
    }
    Ok((text, rows))
}

/// The file as it is signed now and its version, or why it is not.
fn one(
    found: &Found,
    v2: bool,
    key: &PrivateKey,
    trust: &Trust,
) -> Result<Result<(Found, String), String>, Failure> {
    let (Some(path), false) = (&found.path, found.space == Space::System) else {
        return Ok(Err("tools of the system cannot be signed anew".to_owned()));
    };
    let tool = found.checked();
    if let Some(error) = tool.worst() {
        let place = Place::of(found.text(), error.span.start);
        let n = tool.errors().count();
        let plural = if n == 1 { "" } else { "s" };
        return Ok(Err(format!(
            "{}:{}: {} ({n} error{plural} in all: `toolglot tools check {}`)",
            place.line, place.column, error.message, found.id
        )));
    }
    let version = tool.metadata.version.clone().unwrap_or_default();
    let style = found.language.signature_style();
    let sha = digest(body(found.text(), style));
    // A new time alone is no reason to change a file.
    let wanted = if v2 { Generation::V2 } else { Generation::V1 };
    let is_same = Header::find(found.text(), style).is_some_and(|header| {
        header.generation == wanted
            && header.key == key.public().fingerprint()
            && header.hash == sha
            && header
                .binding
                .is_none_or(|(id, bound)| id == found.id.as_str() && bound == version)
    });
    let mut signed = found.clone();
    if !is_same || trust.standing(found, Some(&version)).is_err() {
        let binding = v2.then_some((found.id.as_str(), version.as_str()));
        signed = signed.with_text(sign_text(found.text(), style, key, &clock::now(), binding));
        // The file itself, where a link inside the tools leads to it.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        replace(&path, signed.text().as_bytes())?;
    }
    Ok(Ok((signed, version)))
}

/// Replaces a file whole or not at all, and keeps its mode.
fn replace(path: &std::path::Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |source| Failure::Write {
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
