//! `toolglot tools list`.

use std::fmt::Write as _;
use std::io::Write;

use toolglot_session::Policies;
use toolglot_tool_catalog::{Listing, Row, RowCache};
use toolglot_tool_registry::Entry;
use toolglot_value::Value;

use super::project;
use crate::cli::args::{ToolsFormat, ToolsProject};
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;

pub(super) fn list(
    search: Option<&str>,
    common: &ToolsProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let catalog = project::open(&common.root)?;
    let (entries, problems) = catalog.registry.stamped();
    let cache = RowCache::open(&catalog, &Policies::places(&common.root, None), &entries);
    let listing = Listing::of(&catalog, (entries, problems), &cache);
    let found = listing.search(&catalog, search.unwrap_or_default());
    let text = match common.format {
        ToolsFormat::Json => json(&found, &listing.problems),
        ToolsFormat::Human => human(&found, &listing.problems),
    };
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

fn json(found: &[(&Entry, &Row<'_>)], problems: &[String]) -> String {
    let mut text = String::from("{\"tools\":[");
    for (index, (_, row)) in found.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(row.json());
    }
    let problems = Value::from(problems.to_vec());
    let _ = writeln!(text, "],\"problems\":{problems}}}");
    text
}

fn human(found: &[(&Entry, &Row<'_>)], problems: &[String]) -> String {
    /// The most blanks after a column.
    const BLANKS: &str = "                                                  ";
    let mut text = String::with_capacity(160 * found.len());
    let widths = found.iter().map(|(entry, _)| entry.id.as_str().len());
    let width = widths.max().unwrap_or(0).min(48);
    for (entry, row) in found {
        let [space, status, version, about] = row.fields();
        let columns = [
            (entry.id.as_str(), width),
            (space, 7),
            (status, 10),
            (version, 6),
        ];
        for (word, width) in columns {
            text.push_str(word);
            let n_letters = if word.is_ascii() {
                word.len()
            } else {
                word.chars().count()
            };
            text.push_str(&BLANKS[..width.saturating_sub(n_letters) + 2]);
        }
        text.push_str(about);
        text.push('\n');
    }
    if found.is_empty() {
        text.push_str("no tools\n");
    }
    for problem in problems {
        let _ = writeln!(text, "note: {problem}");
    }
    text
}
