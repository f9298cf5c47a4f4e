//! `toolglot tools list`.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::{Value, json};
use toolglot_toolfiles::{Found, ToolFile};

use super::args::Common;
use super::{House, answer, view};
use crate::Outcome;
use crate::failure::Failure;

pub(super) fn list(
    search: Option<&str>,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let house = House::open(&common.root)?;
    let (entries, mut problems) = house.registry.list();
    let words: Vec<String> = search
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let mut rows = Vec::new();
    for entry in &entries {
        let found = match house.registry.read(entry) {
            Ok(found) => found,
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        let tool = found.tool();
        let Some(rank) = rank(&words, &found, &tool) else {
            continue;
        };
        let standing = house
            .trust
            .standing(&found, tool.metadata.version.as_deref());
        rows.push((rank, view::brief(&found, &tool, &standing)));
    }
    // The order of ids stays among those that fit equally well.
    rows.sort_by_key(|(rank, _)| *rank);
    let rows: Vec<Value> = rows
        .into_iter()
        .map(|(_, row)| Value::Object(row))
        .collect();
    let mut text = String::new();
    let width = rows
        .iter()
        .filter_map(|row| row["id"].as_str())
        .map(str::len)
        .max()
        .unwrap_or(0)
        .min(48);
    for row in &rows {
        let field = |name: &str| row[name].as_str().unwrap_or("-");
        let status = row["standing"]["status"].as_str().unwrap_or("-");
        let mut about = field("description")
            .lines()
            .next()
            .unwrap_or("-")
            .to_owned();
        if row["deprecated"] == json!(true) {
            about.push_str(" (deprecated)");
        }
        if row["errors"] != json!(0) {
            let _ = write!(
                about,
                " ({} errors: `toolglot tools check {}`)",
                row["errors"],
                field("id")
            );
        }
        let _ = writeln!(
            text,
            "{:width$}  {:7}  {:10}  {:6}  {about}",
            field("id"),
            field("space"),
            status,
            field("version"),
        );
    }
    if rows.is_empty() {
        text.push_str("no tools\n");
    }
    for problem in &problems {
        let _ = writeln!(text, "not listed: {problem}");
    }
    answer(
        common,
        out,
        &json!({"tools": rows, "problems": problems}),
        &text,
    )?;
    Ok(Outcome::Fine)
}

/// How well a tool fits the words, the less the better; `None` if it lacks one of them.
fn rank(words: &[String], found: &Found, tool: &ToolFile) -> Option<usize> {
    if words.is_empty() {
        return Some(0);
    }
    let name = found.id.as_str().to_lowercase();
    let tags = tool.metadata.tags.join(" ").to_lowercase();
    let description = tool
        .metadata
        .description
        .clone()
        .unwrap_or_default()
        .to_lowercase();
    let mut sum = 0;
    let mut text = None;
    for word in words {
        sum += if name.contains(word) {
            0
        } else if tags.contains(word) {
            1
        } else if description.contains(word) {
            2
        } else {
            let text = text.get_or_insert_with(|| found.text.to_lowercase());
            if !text.contains(word) {
                return None;
            }
            3
        };
    }
    Some(sum)
}
