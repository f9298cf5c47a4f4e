//! SEARCH/REPLACE blocks, as the prompt of Roo's `apply_diff` describes them.

use super::lines::Hunk;
use crate::Failure;

/// The part of a block that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Outside,
    Head,
    Search,
    Replace,
}

/// Reads all blocks of a text. A marker that is content is written with `\` before it.
pub(super) fn read(text: &str) -> Result<Vec<Hunk>, Failure> {
    let mut hunks = Vec::new();
    let mut part = Part::Outside;
    let mut hunk = empty();
    for (index, line) in text.lines().enumerate() {
        let bad = |problem: &str| Failure::BadEdit {
            problem: format!("line {} of the diff: {problem}", index + 1),
        };
        let bare = line.trim_end();
        match part {
            Part::Outside => {
                if is_opener(bare) {
                    part = Part::Head;
                    hunk = empty();
                } else if !bare.trim().is_empty() && !bare.starts_with("```") {
                    return Err(bad("expected a block that starts with `<<<<<<< SEARCH`"));
                }
            }
            Part::Head if bare.starts_with(":start_line:") || bare.starts_with(":end_line:") => {
                if let Some(number) = bare.strip_prefix(":start_line:") {
                    let number: usize = number
                        .trim()
                        .parse()
                        .map_err(|_| bad("`:start_line:` is followed by a number"))?;
                    hunk.line = Some(number).filter(|number| *number > 0);
                }
            }
            Part::Head if bare == "-------" => part = Part::Search,
            Part::Head | Part::Search => {
                if bare == "=======" {
                    part = Part::Replace;
                } else if is_opener(bare) || is_closer(bare) {
                    return Err(bad("`=======` is missing before this line"));
                } else {
                    part = Part::Search;
                    hunk.old.push(content(line));
                }
            }
            Part::Replace => {
                if is_closer(bare) {
                    part = Part::Outside;
                    hunks.push(std::mem::replace(&mut hunk, empty()));
                } else if is_opener(bare) || bare == "=======" {
                    return Err(bad("`>>>>>>> REPLACE` is missing before this line"));
                } else {
                    hunk.new.push(content(line));
                }
            }
        }
    }
    if part != Part::Outside || hunks.is_empty() {
        return Err(Failure::BadEdit { problem: "unclosed block: write `<<<<<<< SEARCH`, the present text, `=======`, the new text, `>>>>>>> REPLACE`, each marker on a line of its own".to_owned() });
    }
    Ok(hunks)
}

fn empty() -> Hunk {
    Hunk {
        old: Vec::new(),
        new: Vec::new(),
        line: None,
        ends_open: None,
    }
}

fn is_opener(line: &str) -> bool {
    line.strip_prefix("<<<<<<<")
        .is_some_and(|rest| rest.trim().trim_end_matches('>') == "SEARCH")
}

fn is_closer(line: &str) -> bool {
    line.strip_prefix(">>>>>>>")
        .is_some_and(|rest| rest.trim() == "REPLACE")
}

/// A line of content, without the `\` that escapes a marker.
fn content(line: &str) -> String {
    let rest = line.strip_prefix('\\').filter(|rest| {
        [
            "<<<<<<<",
            "=======",
            ">>>>>>>",
            "-------",
            ":start_line:",
            ":end_line:",
        ]
        .iter()
        .any(|marker| rest.starts_with(marker))
    });
    rest.unwrap_or(line).to_owned()
}
