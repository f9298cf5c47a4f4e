//! `toolglot tools trust`.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::{Value, json};
use toolglot_toolfiles::Space;

use super::args::Common;
use super::{House, answer, change};
use crate::Outcome;
use crate::failure::Failure;

pub(super) fn trust(
    words: &[String],
    dry_run: bool,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut house = House::open(&common.root)?;
    let (mut text, mut rows, mut is_faulty) = (String::new(), Vec::new(), false);
    for found in house.named(words)? {
        let tool = found.checked();
        let version = tool
            .metadata
            .version
            .clone()
            .unwrap_or_else(|| "0.0.0".to_owned());
        let record = house.trust.record(&found);
        let before = record
            .as_ref()
            .and_then(|record| house.trust.trusted_text(record));
        let changes = before
            .as_ref()
            .map(|before| change::lines(before, found.text()));
        let why = if found.space == Space::System {
            Some("tools of the system are trusted already".to_owned())
        } else if tool.errors().next().is_some() {
            Some(format!(
                "it breaks rules: `toolglot tools check {}`",
                found.id
            ))
        } else {
            None
        };
        let status = match (&why, dry_run) {
            (Some(_), _) => "refused",
            (None, true) => "shown",
            (None, false) => {
                house.trust.trust(&found, &version)?;
                "trusted"
            }
        };
        is_faulty |= why.is_some();
        let _ = write!(text, "{}  {version}  {status}", found.id);
        match (&why, &changes) {
            (Some(why), _) => {
                let _ = writeln!(text, ": {why}");
            }
            (None, None) => {
                let _ = writeln!(
                    text,
                    ", for the first time ({} lines)",
                    found.text().lines().count()
                );
            }
            (None, Some(changes)) if changes.is_empty() => {
                let _ = writeln!(text, ", unchanged since it was trusted");
            }
            (None, Some(changes)) => {
                let since = record.as_ref().map_or("", |record| record.version.as_str());
                let _ = writeln!(text, ", changed since {since}:");
                for line in changes {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
        let server = house.trust.server_of(&found).filter(|_| why.is_none());
        if let Some((server, is_taken)) = &server {
            // Only the file was read: nobody has seen what the server says now.
            let _ = match is_taken {
                true => writeln!(
                    text,
                    "  what its server says of it counts as it was taken; `toolglot mcp approve {server}` shows what changed and approves that"
                ),
                false => writeln!(
                    text,
                    "  what its server says of it is taken by its first call; `toolglot mcp approve {server}` shows it and approves it"
                ),
            };
        }
        rows.push(json!({
            "id": found.id.as_str(),
            "version": version,
            "status": status,
            "digest": found.whole_digest(),
            "why": why,
            "before": record.map(|record| json!({"version": record.version, "digest": record.trusted_digest()})),
            "changes": changes,
            "server": server.map(|(server, is_taken)| json!({"name": server, "is_taken": is_taken})),
        }));
    }
    answer(common, out, &json!({"tools": Value::Array(rows)}), &text)?;
    Ok(Outcome::faulty_if(is_faulty))
}
