//! `search_files`: lines that fit a regular expression.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::time::Instant;

use cap_std::fs::{Dir, OpenOptions};
use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Value, json};
use toolglot_policy::is_secret;

use crate::glob::Glob;
use crate::place::{Kind, OpenError, open_regular, split};
use crate::read::SNIFFED;
use crate::shown::{counted, plain, shown};
use crate::walk::{Entry, Skipped, walk};
use crate::{Failure, Limits, Outcome, Root};

/// What to look for.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    regex: Regex,
    files: Option<Glob>,
    n_context: usize,
}

impl Query {
    pub(crate) fn new(
        pattern: &str,
        files: Option<Glob>,
        n_context: u64,
        limits: &Limits,
    ) -> Result<Query, Failure> {
        let regex = RegexBuilder::new(pattern)
            .size_limit(limits.regex_bytes)
            .build()
            .map_err(|source| Failure::Regex {
                source: Box::new(source),
            })?;
        Ok(Query {
            regex,
            files,
            n_context: n_context.min(limits.context_lines) as usize,
        })
    }
}

pub(crate) fn search(root: &Root, path: &Path, query: &Query) -> Result<Outcome, Failure> {
    let fail = |error: OpenError| root.explain("searched", path, error);
    let mut found = Found::new(query, &root.limits);
    let mut skipped = Skipped::default();
    if root.kind(path).map_err(|error| fail(error.into()))? == Kind::Directory {
        let mut visit = |entry: Entry<'_>| {
            let below = entry.path.strip_prefix(path).unwrap_or(entry.path);
            let is_wanted = query
                .files
                .as_ref()
                .is_none_or(|files| files.is_match(below));
            // A file that cannot be read is no reason to give up the others: it is counted.
            if entry.kind == Kind::File
                && is_wanted
                && found.look_into(entry.dir, entry.name, entry.path).is_err()
            {
                found.n_unread += 1;
            }
            if found.is_full {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        skipped = walk(root, path, true, &mut visit).map_err(|error| fail(error.into()))?;
    } else if let Some((parent, name)) = split(path) {
        let dir = root.directory(parent).map_err(|error| fail(error.into()))?;
        found.look_into(&dir, name, path).map_err(fail)?;
    }
    Ok(found.answer(path, skipped))
}

/// What was found so far.
struct Found<'a> {
    query: &'a Query,
    limits: &'a Limits,
    begun: Instant,
    matches: Vec<Value>,
    text: String,
    /// Bytes of lines in `matches`.
    n_shown: usize,
    n_files: u64,
    n_scanned: u64,
    /// Files left out because they are binary, too large, secret, or cannot be read.
    n_binary: u64,
    n_large: u64,
    n_secret: u64,
    n_unread: u64,
    /// Lines of which only the beginning was searched.
    n_long: u64,
    /// Whether a limit ended the search.
    is_full: bool,
}

impl<'a> Found<'a> {
    fn new(query: &'a Query, limits: &'a Limits) -> Found<'a> {
        Found {
            query,
            limits,
            begun: Instant::now(),
            matches: Vec::new(),
            text: String::new(),
            n_shown: 0,
            n_files: 0,
            n_scanned: 0,
            n_binary: 0,
            n_large: 0,
            n_secret: 0,
            n_unread: 0,
            n_long: 0,
            is_full: false,
        }
    }

    fn look_into(&mut self, dir: &Dir, name: &OsStr, path: &Path) -> Result<(), OpenError> {
        if is_secret(path) {
            self.n_secret += 1;
            return Ok(());
        }
        let (file, metadata) = open_regular(dir, name, OpenOptions::new().read(true))?;
        let limit = self
            .limits
            .file_bytes
            .min(self.limits.scan_bytes.saturating_sub(self.n_scanned));
        if metadata.len() > self.limits.file_bytes {
            self.n_large += 1;
            return Ok(());
        }
        let mut bytes = Vec::new();
        // One byte more tells a file that grew, or one of `/proc`, which does not tell its size.
        file.take(limit + 1).read_to_end(&mut bytes)?;
        self.n_scanned += bytes.len() as u64;
        if bytes.len() as u64 > limit {
            self.is_full = true;
            return Ok(());
        }
        if bytes[..bytes.len().min(SNIFFED)].contains(&0) {
            self.n_binary += 1;
            return Ok(());
        }
        self.n_files += 1;
        self.look_at(&bytes, path);
        Ok(())
    }

    fn look_at(&mut self, bytes: &[u8], path: &Path) {
        let lines = lines(bytes);
        let hits = self.hits(bytes, &lines);
        // The first line that is not shown yet.
        let mut next = 0;
        for &(hit, at) in &hits {
            if self.matches.len() == self.limits.matches || self.n_shown >= self.limits.output_bytes
            {
                self.is_full = true;
                return;
            }
            let n = self.query.n_context;
            let around = hit.saturating_sub(n)..(hit + 1 + n).min(lines.len());
            let shown_lines: Vec<String> = around
                .clone()
                .map(|line| {
                    excerpt(
                        &bytes[lines[line].clone()],
                        if line == hit { at } else { 0 },
                        self.limits,
                    )
                })
                .collect();
            self.n_shown += shown_lines.iter().map(String::len).sum::<usize>();

            if n > 0 && (next == 0 || around.start > next) && !self.text.is_empty() {
                self.text.push_str("--\n");
            }
            for (line, text) in around
                .clone()
                .zip(&shown_lines)
                .filter(|(line, _)| *line >= next)
            {
                let mark = if hits.binary_search_by_key(&line, |(hit, _)| *hit).is_ok() {
                    ':'
                } else {
                    '-'
                };
                let _ = writeln!(self.text, "{}{mark}{}{mark}{text}", shown(path), line + 1);
            }
            next = around.end;
            self.matches
                .push(record(path, hit, around.start, &shown_lines));
        }
    }

    /// The lines that fit, as indices, each with where in it the first match begins.
    fn hits(&mut self, bytes: &[u8], lines: &[Range<usize>]) -> Vec<(usize, usize)> {
        let room = self.limits.matches - self.matches.len();
        let mut hits = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            // The clock is asked now and then; a line takes as long as it takes.
            if index % 64 == 0 && self.begun.elapsed() > self.limits.search_time {
                self.is_full = true;
                break;
            }
            let line = &bytes[line.clone()];
            let searched = &line[..line.len().min(self.limits.line_bytes)];
            self.n_long += u64::from(searched.len() < line.len());
            if let Some(found) = self.query.regex.find(searched) {
                hits.push((index, found.start()));
                // One more than there is room for tells that something was left out.
                if hits.len() > room {
                    break;
                }
            }
        }
        hits
    }

    fn answer(mut self, path: &Path, skipped: Skipped) -> Outcome {
        let total = self.matches.len() as u64;
        let is_cut = self.is_full || skipped.is_cut;
        if total == 0 {
            self.remark(&format!(
                "[no line fits in {}]",
                counted(self.n_files, "file")
            ));
        }
        if is_cut {
            let found = counted(total, "matching line");
            self.remark(&format!(
                "[cut after {found}: search a directory below, or a narrower pattern]"
            ));
        }
        let left_out = [
            (self.n_binary, "binary file"),
            (self.n_large, "too large file"),
            (self.n_secret, "secret file"),
            (self.n_unread, "unreadable file"),
        ];
        for (n, what) in left_out.into_iter().filter(|(n, _)| *n > 0) {
            self.remark(&format!("[left out: {}]", counted(n, what)));
        }
        if self.n_long > 0 {
            let what = format!("[of {} only the first", counted(self.n_long, "long line"));
            self.remark(&format!(
                "{what} {} bytes were searched]",
                self.limits.line_bytes
            ));
        }
        for remark in skipped.remarks(self.limits) {
            self.remark(&remark);
        }
        let output = json!({
            "path": plain(path),
            "pattern": self.query.regex.as_str(),
            "matches": self.matches,
            "total": total,
            "files_searched": self.n_files,
            "files_left_out": self.n_binary + self.n_large + self.n_secret + self.n_unread,
            "ignored": skipped.n_ignored,
            "truncated": is_cut,
        });
        Outcome::success(output, self.text)
    }

    fn remark(&mut self, remark: &str) {
        self.text.push_str(remark);
        self.text.push('\n');
    }
}

/// A match for programs; `first` is the line that `shown` begins with.
fn record(path: &Path, hit: usize, first: usize, shown: &[String]) -> Value {
    let mut record = json!({"path": plain(path), "line": hit + 1, "text": shown[hit - first]});
    if shown.len() > 1 {
        record["before"] = json!(shown[..hit - first]);
        record["after"] = json!(shown[hit - first + 1..]);
    }
    record
}

/// The lines of a text, without their ends.
fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
        let line = piece.strip_suffix(b"\n").unwrap_or(piece);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        lines.push(start..start + line.len());
        start += piece.len();
    }
    lines
}

/// A line as it is shown: of a long one the part around `at`.
fn excerpt(line: &[u8], at: usize, limits: &Limits) -> String {
    let n_bytes = limits.shown_line_bytes;
    if line.len() <= n_bytes {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = if at < n_bytes / 2 {
        0
    } else {
        at - n_bytes / 4
    };
    let end = (start + n_bytes).min(line.len());
    // Half a character at an end is no character of the line.
    let part = String::from_utf8_lossy(&line[start..end]);
    let part = part.trim_matches(char::REPLACEMENT_CHARACTER);
    format!(
        "{}{part}{}",
        if start > 0 { "\u{2026}" } else { "" },
        if end < line.len() { "\u{2026}" } else { "" }
    )
}
