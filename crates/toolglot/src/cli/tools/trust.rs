//! `toolglot tools trust`.

use std::fmt::Write as _;
use std::io::Write;

use toolglot_tool_catalog::line_changes;
use toolglot_tool_registry::ToolSource;
use toolglot_tool_trust::{LedgerRecord, Space, Trust};
use toolglot_value::{Value, json};

use super::project::{self, answer};
use crate::cli::args::ToolsProject;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;

/// A file to trust, and the record of the file that was trusted before.
struct Asked {
    found: ToolSource,
    version: String,
    /// Why the file is refused.
    why: Option<String>,
    before: Option<LedgerRecord>,
    /// `None` where nothing was trusted before.
    changes: Option<Vec<String>>,
}

pub(super) fn trust(
    words: &[String],
    dry_run: bool,
    common: &ToolsProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut catalog = project::open(&common.root)?;
    let found = catalog.named(words)?;
    let asked: Vec<Asked> = found
        .into_iter()
        .map(|found| Asked::of(found, &catalog.trust))
        .collect();
    let fit: Vec<(&ToolSource, &str)> = asked
        .iter()
        .filter(|asked| asked.why.is_none())
        .map(|asked| (&asked.found, asked.version.as_str()))
        .collect();
    if !dry_run && !fit.is_empty() {
        catalog.trust.trust(&fit)?;
    }
    let (mut text, mut rows) = (String::new(), Vec::new());
    for asked in &asked {
        rows.push(asked.tell(&catalog.trust, dry_run, &mut text));
    }
    answer(common, out, &json!({"tools": Value::Array(rows)}), &text)?;
    Ok(Outcome::faulty_if(asked.len() > fit.len()))
}

impl Asked {
    fn of(found: ToolSource, trust: &Trust) -> Asked {
        let tool = found.checked();
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
        let before = trust.record(&found);
        let text = before
            .as_ref()
            .and_then(|before| trust.trusted_text(before));
        Asked {
            version: tool.metadata.version.unwrap_or_else(|| "0.0.0".to_owned()),
            changes: text.map(|text| line_changes(&text, found.text())),
            found,
            why,
            before,
        }
    }

    /// Reports the result, as text for people and as a row.
    fn tell(&self, trust: &Trust, dry_run: bool, text: &mut String) -> Value {
        let Asked { found, version, .. } = self;
        let status = match (&self.why, dry_run) {
            (Some(_), _) => "refused",
            (None, true) => "shown",
            (None, false) => "trusted",
        };
        let _ = write!(text, "{}  {version}  {status}", found.id);
        match (&self.why, &self.changes) {
            (Some(why), _) => {
                let _ = writeln!(text, ": {why}");
            }
            (None, None) => {
                let n = found.text().lines().count();
                let _ = writeln!(text, ", for the first time ({n} lines)");
            }
            (None, Some(changes)) if changes.is_empty() => {
                let _ = writeln!(text, ", unchanged since it was trusted");
            }
            (None, Some(changes)) => {
                let since = self.before.as_ref();
                let since = since.map_or("", |record| record.version.as_str());
                let _ = writeln!(text, ", changed since {since}:");
                for line in changes {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
        let server = trust.server_of(found).filter(|_| self.why.is_none());
        if let Some((server, is_taken)) = &server {
            // Only the file was read: nobody has seen the server's current description.
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
        json!({
            "id": found.id.as_str(),
            "version": version,
            "status": status,
            "digest": found.whole_digest(),
            "why": self.why,
            "before": self.before.as_ref().map(|record| json!({"version": record.version, "digest": record.trusted_digest()})),
            "changes": self.changes,
            "server": server.map(|(server, is_taken)| json!({"name": server, "is_taken": is_taken})),
        })
    }
}
