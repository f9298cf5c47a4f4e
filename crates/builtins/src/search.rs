//! `search_files`: finds lines that match a regular expression.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use cap_std::fs::{Dir, Metadata, OpenOptions};
use regex::bytes::{Regex, RegexBuilder};
use toolglot_policy::{Refusals, is_secret};
use toolglot_value::{Value, json};

use crate::glob::Glob;
use crate::lines::{Line, Lines, excerpt};
use crate::place::{Kind, OpenError, open_regular, split};
use crate::read::SNIFFED;
use crate::shown::{counted, plain, shown};
use crate::walk::{Entry, Skipped, walk};
use crate::{Failure, Limits, Outcome, Root};

/// The options of a search.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    regex: Regex,
    files: Option<Glob>,
    /// Excluded paths, with everything below them.
    excluded: Vec<Glob>,
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
            excluded: Vec::new(),
            n_context: n_context.min(limits.context_lines) as usize,
        })
    }

    /// The same query without files and directories that one of `excluded` matches.
    pub(crate) fn without(self, excluded: Vec<Glob>) -> Query {
        Query { excluded, ..self }
    }

    /// Whether the query includes the file at `path`, relative to the searched directory.
    fn wants(&self, path: &Path) -> bool {
        let is_excluded = |above: &Path| self.excluded.iter().any(|glob| glob.is_match(above));
        self.files.as_ref().is_none_or(|files| files.is_match(path))
            && !path.ancestors().any(is_excluded)
    }
}

pub(crate) fn search(root: &Root, path: &Path, query: &Query) -> Result<Outcome, Failure> {
    let fail = |error: OpenError| root.explain("searched", path, error);
    let mut found = Found::new(query, root);
    let mut skipped = Skipped::default();
    if root.kind(path).map_err(|error| fail(error.into()))? == Kind::Directory {
        let mut visit = |entry: Entry<'_>| {
            let below = entry.path.strip_prefix(path).unwrap_or(entry.path);
            let is_wanted = query.wants(below);
            // An unreadable file is counted, and the search continues.
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

/// The state and the results of a search.
struct Found<'a> {
    query: &'a Query,
    limits: &'a Limits,
    refused: &'a Refusals,
    begun: Instant,
    matches: Vec<Value>,
    text: String,
    /// Bytes of lines in `matches`, each with the name of its file.
    n_shown: usize,
    n_files: u64,
    n_scanned: u64,
    /// Files left out because they are binary, too large, secret, or cannot be read.
    n_binary: u64,
    n_large: u64,
    n_secret: u64,
    n_unread: u64,
    /// Files that a policy refuses.
    n_refused: u64,
    /// Long lines whose start alone was searched.
    n_long: u64,
    /// Whether a limit ended the search.
    is_full: bool,
}

impl<'a> Found<'a> {
    fn new(query: &'a Query, root: &'a Root) -> Found<'a> {
        Found {
            query,
            limits: &root.limits,
            refused: &root.sandbox.refused,
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
            n_refused: 0,
            n_long: 0,
            is_full: false,
        }
    }

    fn look_into(&mut self, dir: &Dir, name: &OsStr, path: &Path) -> Result<(), OpenError> {
        if is_secret(path) {
            self.n_secret += 1;
            return Ok(());
        }
        if ["search_files", "read_file"]
            .iter()
            .any(|tool| self.refused.hides(tool, path))
        {
            self.n_refused += 1;
            return Ok(());
        }
        let (file, metadata) = open_regular(dir, name, OpenOptions::new().read(true))?;
        if self.refused.shared && has_other_names(&metadata) {
            self.n_refused += 1;
            return Ok(());
        }
        let limit = self
            .limits
            .file_bytes
            .min(self.limits.scan_bytes.saturating_sub(self.n_scanned));
        if metadata.len() > self.limits.file_bytes {
            self.n_large += 1;
            return Ok(());
        }
        let mut bytes = Vec::new();
        // One byte more shows that a file grew, or that it is in `/proc`, where sizes are not known.
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

    fn look_at(&mut self, text: &[u8], path: &Path) {
        let hits = self.hits(text);
        let (name, n_bytes) = (shown(path), self.limits.shown_line_bytes);
        // The first line that is not shown so far.
        let mut next = 0;
        for hit in &hits {
            if self.matches.len() == self.limits.matches || self.n_shown >= self.limits.output_bytes
            {
                self.is_full = true;
                return;
            }
            let after: Vec<Line> = Lines::after(text, hit.line)
                .take(self.query.n_context)
                .collect();
            let first = hit
                .before
                .first()
                .map_or(hit.line.number, |line| line.number);
            if self.query.n_context > 0 && (next == 0 || first > next) && !self.text.is_empty() {
                self.text.push_str("--\n");
            }
            let mut show = |line: &Line, at: usize| {
                let excerpt = excerpt(line.of(text), at, n_bytes);
                self.n_shown += name.len() + excerpt.len();
                if line.number >= next {
                    let is_hit = hits
                        .binary_search_by_key(&line.number, |hit| hit.line.number)
                        .is_ok();
                    let sign = if is_hit { ':' } else { '-' };
                    let _ = writeln!(self.text, "{name}{sign}{}{sign}{excerpt}", line.number);
                    next = line.number + 1;
                }
                excerpt
            };
            let before: Vec<String> = hit.before.iter().map(|line| show(line, 0)).collect();
            let text = show(&hit.line, hit.at);
            let after: Vec<String> = after.iter().map(|line| show(line, 0)).collect();

            let mut record = json!({"path": plain(path), "line": hit.line.number, "text": text});
            if self.query.n_context > 0 {
                record["before"] = json!(before);
                record["after"] = json!(after);
            }
            self.matches.push(record);
        }
    }

    /// The matching lines: as many as there is room for, and one more that shows the cut.
    fn hits(&mut self, text: &[u8]) -> Vec<Hit> {
        let room = self.limits.matches - self.matches.len();
        let mut hits = Vec::new();
        let mut before = VecDeque::new();
        for line in Lines::of(text) {
            // The clock is read every 64 lines; one line is always searched whole.
            if line.number % 64 == 1 && self.begun.elapsed() > self.limits.search_time {
                self.is_full = true;
                break;
            }
            let content = line.of(text);
            let searched = &content[..content.len().min(self.limits.line_bytes)];
            self.n_long += u64::from(searched.len() < content.len());
            if let Some(found) = self.query.regex.find(searched) {
                hits.push(Hit {
                    line,
                    at: found.start(),
                    before: before.iter().copied().collect(),
                });
                if hits.len() > room {
                    break;
                }
            }
            before.push_back(line);
            if before.len() > self.query.n_context {
                before.pop_front();
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
            (self.n_refused, "refused file"),
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
            "files_left_out": self.n_binary + self.n_large + self.n_secret + self.n_unread + self.n_refused,
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

/// Whether a file has several hard links, which may be outside the root.
#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// A matching line.
struct Hit {
    line: Line,
    /// Where in the line the first match starts.
    at: usize,
    /// The lines of context before it.
    before: Vec<Line>,
}
