//! Unified diffs of one file.

use super::lines::Hunk;
use crate::Failure;

/// Reads the hunks of a diff. A header that names another file than `path` is refused: the policy decided on `path`
/// only.
pub(super) fn read(text: &str, path: &str) -> Result<Vec<Hunk>, Failure> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut n_headers = 0;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let bad = |problem: String| Failure::BadEdit {
            problem: format!("line {} of the diff: {problem}", index + 1),
        };
        let next_is_header = lines
            .peek()
            .is_some_and(|(_, next)| next.starts_with("+++ "));
        if line.starts_with("--- ") && (hunks.is_empty() || next_is_header) {
            n_headers += 1;
            if n_headers > 1 {
                return Err(bad("the diff is of more than one file".to_owned()));
            }
            check_name(line, path).map_err(bad)?;
        } else if line.starts_with("+++ ") && hunks.is_empty() {
            check_name(line, path).map_err(bad)?;
        } else if line.starts_with("@@") {
            hunks.push(Hunk {
                old: Vec::new(),
                new: Vec::new(),
                line: first_line(line),
                ends_open: None,
            });
        } else if let Some(hunk) = hunks.last_mut() {
            match line.chars().next() {
                Some(' ') => {
                    hunk.old.push(line[1..].to_owned());
                    hunk.new.push(line[1..].to_owned());
                    hunk.ends_open = None;
                }
                // Editors and models drop the blank of an empty context line.
                None => {
                    if lines.peek().is_some() {
                        hunk.old.push(String::new());
                        hunk.new.push(String::new());
                    }
                }
                Some('-') => hunk.old.push(line[1..].to_owned()),
                Some('+') => {
                    hunk.new.push(line[1..].to_owned());
                    hunk.ends_open = Some(false);
                }
                Some('\\') => hunk.ends_open = Some(hunk.ends_open.is_some()),
                _ => {
                    return Err(bad(
                        "a line of a hunk starts with a blank, `-`, `+` or `\\`".to_owned(),
                    ));
                }
            }
        } else if !is_preamble(line) {
            return Err(bad(
                "expected a hunk that starts with `@@`, or a SEARCH/REPLACE block".to_owned(),
            ));
        }
    }
    if hunks.is_empty()
        || hunks
            .iter()
            .any(|hunk| hunk.old.is_empty() && hunk.new.is_empty())
    {
        return Err(Failure::BadEdit { problem: "the diff changes nothing: write SEARCH/REPLACE blocks, or a unified diff with `@@` lines".to_owned() });
    }
    Ok(hunks)
}

fn is_preamble(line: &str) -> bool {
    line.trim().is_empty()
        || ["diff ", "index ", "```", "old mode", "new mode"]
            .iter()
            .any(|start| line.starts_with(start))
}

/// Checks that a header names this file, or `/dev/null`.
fn check_name(header: &str, path: &str) -> Result<(), String> {
    let name = header[4..].split('\t').next().unwrap_or_default().trim();
    if name == "/dev/null" {
        return Ok(());
    }
    let plain = |name: &str| name.strip_prefix("./").unwrap_or(name).to_owned();
    let bare = name
        .strip_prefix("a/")
        .or_else(|| name.strip_prefix("b/"))
        .unwrap_or(name);
    if plain(bare) == plain(path) || plain(name) == plain(path) {
        Ok(())
    } else {
        Err(format!(
            "the header names {name:?}, and the call is about {path:?}"
        ))
    }
}

/// The first old line of `@@ -12,3 +12,4 @@`. An insertion names the line before it, so one is added.
fn first_line(header: &str) -> Option<usize> {
    let range = header
        .trim_start_matches('@')
        .trim_start()
        .strip_prefix('-')?;
    let range = range.split_whitespace().next()?;
    let (line, n) = range.split_once(',').unwrap_or((range, "1"));
    let line: usize = line.parse().ok()?;
    Some(if n == "0" { line + 1 } else { line })
}
