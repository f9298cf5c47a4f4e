//! `toolglot tools sign`.

use std::fmt::Write as _;
use std::io::Write;

use toolglot_builtins::clock;
use toolglot_tool_catalog::{FileSigning, sign_file};
use toolglot_tool_registry::ToolSource;
use toolglot_tool_signature::{Generation, PrivateKey, Style};
use toolglot_tool_trust::Trust;
use toolglot_value::{Value, json};

use super::project::{self, answer};
use crate::cli::args::ToolsProject;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;

pub(super) fn sign(
    words: &[String],
    v2: bool,
    common: &ToolsProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut catalog = project::open(&common.root)?;
    let key = catalog.trust.private_key()?;
    let found = catalog.named(words)?;
    let mut signed = Vec::new();
    let generation = if v2 { Generation::V2 } else { Generation::V1 };
    let report = all(&found, generation, &key, &catalog.trust, &mut signed);
    // If a file cannot be written, the files before it are still signed.
    let noted: Vec<(&ToolSource, &str)> = signed
        .iter()
        .map(|(found, version)| (found, version.as_str()))
        .collect();
    catalog.trust.signed(&noted)?;
    let (text, rows) = report?;
    let is_faulty = rows.iter().any(|row| row["status"] == "refused");
    answer(common, out, &json!({"tools": Value::Array(rows)}), &text)?;
    Ok(Outcome::faulty_if(is_faulty))
}

/// Signs what can be signed, and adds it to `signed` with its version. Returns the report, as text and as rows.
fn all(
    found: &[ToolSource],
    generation: Generation,
    key: &PrivateKey,
    trust: &Trust,
    signed: &mut Vec<(ToolSource, String)>,
) -> Result<(String, Vec<Value>), Failure> {
    let (mut text, mut rows) = (String::new(), Vec::new());
    for found in found {
        let has_shebang = found.language.signature_style() == Style::Slashes
            && found
                .text()
                .trim_start_matches('\u{feff}')
                .starts_with("#!");
        let row = match sign_file(found, (key, &clock::now()), generation, trust)? {
            FileSigning::Signed {
                file,
                version,
                is_changed,
            } => {
                if is_changed && has_shebang {
                    let _ = writeln!(
                        screen::stderr(),
                        "note: the signature of `{}` is above its `#!`: toolglot runs it, and `node` alone no longer does",
                        found.id
                    );
                }
                signed.push((file, version));
                let status = if is_changed { "signed" } else { "unchanged" };
                json!({"id": found.id.as_str(), "status": status})
            }
            FileSigning::Refused(why) => {
                json!({"id": found.id.as_str(), "status": "refused", "why": why})
            }
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
