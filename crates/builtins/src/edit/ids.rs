//! Replaces lines that are named by ids; the origin's `read` prints these ids.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use toolglot_value::Value;

use super::ranges::{self, Lines, Range};
use crate::Failure;
use crate::audit::hex;
use crate::unified_diff::unified_diff;

/// The id of a line: six digits of the hash of its number and its text. A line that changes or moves gets another id.
pub fn line_id(number: u64, line: &str) -> String {
    let mut id = hex(&Sha256::digest(format!("{number}:{line}")));
    id.truncate(6);
    id
}

/// A replacement of the lines from `first` to `last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    first: String,
    last: String,
    content: String,
}

/// Reads a list of `{"line_id", "new_content"}` and `{"start_line_id", "end_line_id", "new_content"}`. `None` where the
/// changes name lines by numbers.
pub(super) fn read(changes: &[Value]) -> Option<Result<Vec<Change>, Failure>> {
    let text = |change: &Value, name: &str| change.get(name)?.as_str().map(str::to_owned);
    let has_id = |change: &Value| {
        ["line_id", "start_line_id"]
            .iter()
            .any(|name| change.get(*name).is_some())
    };
    changes.iter().any(has_id).then(|| {
        let read = |change: &Value| {
            let one = text(change, "line_id");
            let first = one.clone().or_else(|| text(change, "start_line_id"))?;
            let last = one.or_else(|| text(change, "end_line_id"))?;
            let content = text(change, "new_content").unwrap_or_default();
            Some(Change {
                first,
                last,
                content,
            })
        };
        let read: Option<Vec<Change>> = changes.iter().map(read).collect();
        read.ok_or_else(|| Failure::BadEdit {
            problem:
                "a change has `line_id`, or `start_line_id` and `end_line_id`, and `new_content`"
                    .to_owned(),
        })
    })
}

/// The changes by line numbers, or the index of the change that cannot be made and why.
pub(super) fn ranges(changes: &[Change], text: &str) -> Result<Vec<Range>, (usize, String)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut numbers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        numbers
            .entry(line_id(index as u64 + 1, line))
            .or_default()
            .push(index + 1);
    }
    let number = |id: &str| match numbers.get(id).map(Vec::as_slice) {
        Some([one]) => Ok(*one),
        Some(_) => Err(format!(
            "several lines have the id `{id}`: name a range by the lines around them"
        )),
        None => Err(format!(
            "no line has the id `{id}`: read the file again, as it changed or was not read"
        )),
    };
    let mut ranges = Vec::with_capacity(changes.len());
    for (index, change) in changes.iter().enumerate() {
        let start = number(&change.first).map_err(|why| (index, why))?;
        let end = number(&change.last).map_err(|why| (index, why))?;
        let mut content = change.content.clone();
        // The file's last line keeps its ending.
        if !content.is_empty() && !content.ends_with('\n') && lines[end - 1].ends_with('\n') {
            content.push('\n');
        }
        ranges.push(Range {
            lines: Lines::Numbered { start, end },
            content,
        });
    }
    Ok(ranges::sorted(ranges))
}

/// How many lines the changes touch: the larger of old and new, as the origin counts.
pub(super) fn n_lines(ranges: &[Range]) -> usize {
    let n = |range: &Range| range.lines.count().max(range.content.lines().count());
    ranges.iter().map(n).sum()
}

/// The difference as a unified diff.
pub(super) fn diff(path: &str, old: &str, new: &str) -> String {
    let names = (format!("a/{path}"), format!("b/{path}"));
    unified_diff((&names.0, old), (&names.1, new), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, changes: &Value) -> Result<String, String> {
        let changes = read(changes.as_array().expect("a list"))
            .expect("ids")
            .map_err(|error| error.to_string())?;
        let ranges = ranges(&changes, text).map_err(|(_, why)| why)?;
        ranges::apply(&ranges, text).map_err(|(_, why)| why)
    }

    #[test]
    fn lines_are_found_by_their_ids() {
        // The ids that the origin's code gives to these lines.
        assert_eq!(line_id(1, "one"), "ba8ac3");
        assert_eq!(line_id(3, ""), "d94a69");
        let text = "one\ntwo\r\nthree\n";
        let [one, two, three] = [line_id(1, "one"), line_id(2, "two"), line_id(3, "three")];
        for (changes, expected) in [
            (
                toolglot_value::json!([{"line_id": two, "new_content": "2\n2b"}]),
                Ok("one\n2\n2b\nthree\n"),
            ),
            (
                toolglot_value::json!([{"line_id": three, "new_content": "3"}, {"line_id": one, "new_content": ""}]),
                Ok("two\r\n3\n"),
            ),
            (
                toolglot_value::json!([{"start_line_id": one, "end_line_id": three, "new_content": "all"}]),
                Ok("all\n"),
            ),
            (
                toolglot_value::json!([{"line_id": "zzzzzz", "new_content": ""}]),
                Err("no line has the id"),
            ),
            (
                toolglot_value::json!([{"start_line_id": three, "end_line_id": one, "new_content": ""}]),
                Err("cannot be replaced"),
            ),
            (
                toolglot_value::json!([{"start_line_id": one, "new_content": ""}]),
                Err("a change has"),
            ),
        ] {
            match (edited(text, &changes), expected) {
                (Ok(text), Ok(expected)) => assert_eq!(text, expected, "{changes}"),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
                (found, _) => panic!("{changes}: {found:?}"),
            }
        }
    }
}
