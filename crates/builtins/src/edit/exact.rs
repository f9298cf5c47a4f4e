//! Exact pieces of text.

use std::ops::Range;

use regex::RegexBuilder;
use toolglot_value::Value;

use super::lines::around;
use crate::Failure;

/// A piece of text and its replacement.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    search: String,
    replace: String,
    /// How often the piece has to occur.
    n: u64,
    /// Selects the line where the piece starts, if it occurs several times. With `end_line` it is the first line of a
    /// range.
    start_line: Option<u64>,
    /// The last line of that range.
    end_line: Option<u64>,
    /// The compiled `search` with `use_regex` or `ignore_case`; all its matches are replaced.
    regex: Option<Box<regex::Regex>>,
}

impl Edit {
    /// `{"search","replace","start_line"?,"end_line"?,"use_regex"?,"ignore_case"?}`
    pub(super) fn of(value: &Value) -> Result<Edit, Failure> {
        let bad = |problem: &str| Failure::BadEdit {
            problem: problem.to_owned(),
        };
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
        let (Some(search), Some(replace)) = (text("search"), text("replace")) else {
            return Err(bad(
                "each edit is an object with the texts `search` and `replace`",
            ));
        };
        let mut edit = Edit::counted(search, replace, 1)?;
        let line = |key: &str| {
            value
                .get(key)
                .and_then(Value::as_u64)
                .filter(|line| *line > 0)
        };
        edit.start_line = line("start_line");
        edit.end_line = line("end_line");
        if flag("use_regex") || flag("ignore_case") {
            let pattern = if flag("use_regex") {
                search.to_owned()
            } else {
                regex::escape(search)
            };
            let built = RegexBuilder::new(&pattern)
                .case_insensitive(flag("ignore_case"))
                .multi_line(true)
                .size_limit(1 << 22)
                .build();
            edit.regex = Some(Box::new(built.map_err(|source| Failure::Regex {
                source: Box::new(source),
            })?));
        }
        Ok(edit)
    }

    /// A piece that has to occur `n` times.
    pub(super) fn counted(search: &str, replace: &str, n: u64) -> Result<Edit, Failure> {
        if search.is_empty() {
            return Err(Failure::BadEdit {
                problem: "the text to search for is empty: write the present text".to_owned(),
            });
        }
        Ok(Edit {
            search: search.to_owned(),
            replace: replace.to_owned(),
            n: n.max(1),
            start_line: None,
            end_line: None,
            regex: None,
        })
    }

    /// The byte range of the lines that the expression is searched in.
    fn lines(&self, text: &str) -> Range<usize> {
        let start_of = |line: u64| {
            let before = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
            let lines = text.split_inclusive('\n').take(before);
            lines.map(str::len).sum::<usize>()
        };
        let start = start_of(self.start_line.unwrap_or(1));
        let end = self
            .end_line
            .map_or(text.len(), |line| start_of(line.saturating_add(1)));
        start..end.max(start)
    }

    /// The text with the piece replaced, or an error that describes the present text.
    pub(super) fn apply(&self, text: &str) -> Result<String, String> {
        if let Some(regex) = &self.regex {
            let at = self.lines(text);
            let inside = &text[at.clone()];
            if !regex.is_match(inside) {
                return Err("nothing in the file matches it".to_owned());
            }
            let inside = regex.replace_all(inside, self.replace.as_str());
            return Ok([&text[..at.start], &inside, &text[at.end..]].concat());
        }
        let mut places = found(text, &self.search);
        let mut replace = self.replace.clone();
        let mut length = self.search.len();
        if places.is_empty() && text.contains("\r\n") && !self.search.contains('\r') {
            // The file uses other line endings than the model.
            let search = self.search.replace('\n', "\r\n");
            places = found(text, &search);
            length = search.len();
        }
        if !replace.contains('\r') && has_only_long_endings(text) {
            replace = replace.replace('\n', "\r\n");
        }
        if places.len() > 1
            && let Some(line) = self.start_line
        {
            let on_line: Vec<usize> = places
                .iter()
                .copied()
                .filter(|at| (line..=self.end_line.unwrap_or(line)).contains(&line_of(text, *at)))
                .collect();
            if on_line.len() == 1 {
                places = on_line;
            }
        }
        match places.len() as u64 {
            0 => Err(format!(
                "the text to search for is not in the file{}",
                around(text, &self.search)
            )),
            n if n == self.n => {
                let mut out = String::with_capacity(text.len() + replace.len());
                let mut end = 0;
                for at in places {
                    out.push_str(&text[end..at]);
                    out.push_str(&replace);
                    end = at + length;
                }
                out.push_str(&text[end..]);
                Ok(out)
            }
            n => {
                let lines: Vec<String> = places
                    .iter()
                    .take(10)
                    .map(|at| line_of(text, *at).to_string())
                    .collect();
                let wanted = if self.n == 1 {
                    "once".to_owned()
                } else {
                    format!("{} times", self.n)
                };
                Err(format!(
                    "search text appears {n} times, not {wanted}, starting on the lines {}: search for more of the text around it",
                    lines.join(", ")
                ))
            }
        }
    }
}

/// Whether a text has line breaks, and all of them are `\r\n`.
pub(super) fn has_only_long_endings(text: &str) -> bool {
    let mut breaks = text.match_indices('\n').peekable();
    breaks.peek().is_some() && breaks.all(|(at, _)| text[..at].ends_with('\r'))
}

fn line_of(text: &str, at: usize) -> u64 {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() as u64 + 1
}

fn found(text: &str, search: &str) -> Vec<usize> {
    text.match_indices(search).map(|(at, _)| at).collect()
}
