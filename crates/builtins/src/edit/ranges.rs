//! Replaces lines by number; the numbers count the lines before any change.

use toolglot_value::Value;

use super::exact::has_only_long_endings;
use crate::Failure;

/// Lines and what replaces them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(super) lines: Lines,
    pub(super) content: String,
}

/// Which lines are replaced, ordered as in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lines {
    /// The lines `start` to `end`, numbered from 1; no line if `end` is `start - 1`.
    Numbered { start: usize, end: usize },
    /// No line: the content goes after the last line.
    AtEnd,
}

impl Lines {
    /// How many lines are replaced.
    pub(super) fn count(self) -> usize {
        match self {
            Lines::Numbered { start, end } => (end + 1).saturating_sub(start),
            Lines::AtEnd => 0,
        }
    }

    /// The numbers of the first and the last line, in a text of `n_lines` lines.
    fn within(self, n_lines: usize) -> (usize, usize) {
        match self {
            Lines::Numbered { start, end } => (start, end),
            Lines::AtEnd => (n_lines + 1, n_lines),
        }
    }
}

/// Reads a list of `{"start_line", "end_line", "content"}`; the result is in the order of the file.
pub(super) fn read(changes: &[Value]) -> Result<Vec<Range>, Failure> {
    let mut ranges = Vec::with_capacity(changes.len());
    for change in changes {
        let at = |name: &str| usize::try_from(change.get(name)?.as_u64()?).ok();
        let content = change.get("content").and_then(Value::as_str);
        let (Some(start @ 1..), Some(end), Some(content)) =
            (at("start_line"), at("end_line"), content)
        else {
            return Err(Failure::BadEdit {
                problem: "a change has `start_line`, from 1, `end_line` and `content`".to_owned(),
            });
        };
        ranges.push(Range {
            lines: Lines::Numbered { start, end },
            content: content.to_owned(),
        });
    }
    Ok(sorted(ranges))
}

/// The ranges in the order of the file.
pub(super) fn sorted(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| range.lines);
    ranges
}

/// Reads a list of `{"start_line" or "line", "content"}`: insertions before that line, or at the end where the number
/// is 0.
pub(super) fn insertions(edits: &[Value]) -> Result<Vec<Range>, Failure> {
    let mut ranges = Vec::with_capacity(edits.len());
    for edit in edits {
        let at = |name: &str| usize::try_from(edit.get(name)?.as_u64()?).ok();
        let content = edit.get("content").and_then(Value::as_str);
        let (Some(line), Some(content), None) = (
            at("line").or_else(|| at("start_line")),
            content,
            edit.get("search"),
        ) else {
            return Err(Failure::BadEdit {
                problem: "an insertion has the line (`line`, or `start_line` in a list) and `content`, and no `search`".to_owned(),
            });
        };
        let lines = match line {
            0 => Lines::AtEnd,
            start => Lines::Numbered {
                start,
                end: start - 1,
            },
        };
        ranges.push(Range {
            lines,
            content: format!("{content}\n"),
        });
    }
    Ok(sorted(ranges))
}

/// Makes all insertions, with the file's own line endings.
pub(super) fn insert(ranges: &[Range], text: &str) -> Result<String, (usize, String)> {
    let is_long = has_only_long_endings(text);
    let ending = |range: &Range| {
        let content = &range.content;
        if is_long && !content.contains('\r') {
            content.replace('\n', "\r\n")
        } else {
            content.clone()
        }
    };
    let ranges: Vec<Range> = ranges
        .iter()
        .map(|range| Range {
            content: ending(range),
            ..range.clone()
        })
        .collect();
    apply(&ranges, text)
}

/// Makes all replacements, or returns the index of the one that cannot be made and why.
pub(super) fn apply(ranges: &[Range], text: &str) -> Result<String, (usize, String)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut out, mut next) = (String::with_capacity(text.len()), 1);
    for (index, range) in ranges.iter().enumerate() {
        let (start, end) = range.lines.within(lines.len());
        let content = &range.content;
        if start < next || end < start - 1 || end > lines.len() || start > lines.len() + 1 {
            let problem = format!(
                "lines {start} to {end} cannot be replaced: there are {} lines, and changes do not overlap",
                lines.len()
            );
            return Err((index, problem));
        }
        out.push_str(&lines[next - 1..start - 1].concat());
        if !content.is_empty() && !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(content);
        if !content.is_empty() && !content.ends_with('\n') && end < lines.len() {
            out.push('\n');
        }
        next = end + 1;
    }
    out.push_str(&lines[next - 1..].concat());
    Ok(out)
}
