//! Walks a directory, and those below it, in order, within limits and without following a link.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::place::{Kind, open_regular};
use crate::shown::counted;
use crate::{Limits, Root};

/// The most bytes of a `.gitignore` that are read.
const IGNORE_BYTES: u64 = 256 << 10;

/// One entry of a directory.
pub(crate) struct Entry<'a> {
    /// The directory.
    pub(crate) dir: &'a Dir,
    pub(crate) name: &'a OsStr,
    /// Relative to the root.
    pub(crate) path: &'a Path,
    pub(crate) kind: Kind,
}

/// The entries that a walk left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skipped {
    /// Entries that a `.gitignore` names, and `.git`.
    pub(crate) n_ignored: u64,
    /// Directories that could not be opened, or are too deep.
    pub(crate) n_closed: u64,
    /// Whether a limit or the visitor ended the walk.
    pub(crate) is_cut: bool,
}

impl Skipped {
    /// Remarks on the left-out entries, one line each.
    pub(crate) fn remarks(self, limits: &Limits) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.n_ignored > 0 {
            remarks.push(format!(
                "[{} left out, as git does]",
                counted(self.n_ignored, "entry")
            ));
        }
        if self.n_closed > 0 {
            let what = counted(self.n_closed, "directory");
            remarks.push(format!(
                "[{what} not entered: no permission, or deeper than {} levels]",
                limits.depth
            ));
        }
        remarks
    }
}

/// Visits the entries of the directory at `path`, and everything below it if `is_deep`.
///
/// Names are sorted, and a directory precedes its content. A deep walk leaves out `.git` and entries that a
/// `.gitignore` inside the root names, but never its start directory.
pub(crate) fn walk(
    root: &Root,
    path: &Path,
    is_deep: bool,
    visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
) -> io::Result<Skipped> {
    let mut rules = Rules::default();
    if is_deep {
        let above: Vec<&Path> = path.ancestors().skip(1).collect();
        for above in above.into_iter().rev() {
            rules.enter(&root.directory(above)?, above);
        }
    }
    let mut walk = Walk {
        limits: &root.limits,
        rules,
        levels: Vec::new(),
        n_visits: 0,
        skipped: Skipped::default(),
    };
    walk.enter(root.directory(path)?, path.to_path_buf())?;
    while let Some(level) = walk.levels.last_mut() {
        let Some((name, kind)) = level.entries.next() else {
            walk.leave();
            continue;
        };
        let path = level.path.join(&name);
        if is_deep && (name == ".git" || walk.rules.keep_out(&path, kind)) {
            walk.skipped.n_ignored += 1;
            continue;
        }
        if visit(Entry {
            dir: &level.dir,
            name: &name,
            path: &path,
            kind,
        })
        .is_break()
        {
            walk.skipped.is_cut = true;
            break;
        }
        if is_deep && kind == Kind::Directory {
            let below = level.dir.open_dir_nofollow(&name);
            let is_near = walk.levels.len() < walk.limits.depth;
            if !is_near || below.and_then(|dir| walk.enter(dir, path)).is_err() {
                walk.skipped.n_closed += 1;
            }
        }
    }
    Ok(walk.skipped)
}

struct Walk<'a> {
    limits: &'a Limits,
    rules: Rules,
    /// The open directories of the walk, outermost first.
    levels: Vec<Level>,
    n_visits: usize,
    skipped: Skipped,
}

/// One open directory with its unvisited entries.
struct Level {
    dir: Dir,
    /// Relative to the root.
    path: PathBuf,
    entries: std::vec::IntoIter<(OsString, Kind)>,
}

impl Walk<'_> {
    fn enter(&mut self, dir: Dir, path: PathBuf) -> io::Result<()> {
        let mut entries = Vec::new();
        for entry in dir.entries()? {
            if self.n_visits == self.limits.visits {
                self.skipped.is_cut = true;
                break;
            }
            self.n_visits += 1;
            let entry = entry?;
            let kind = match Kind::from(entry.file_type()?) {
                // Some file systems do not store the kind in the directory entry.
                Kind::Special => Kind::from(entry.metadata()?.file_type()),
                kind => kind,
            };
            entries.push((entry.file_name(), kind));
        }
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        self.rules.enter(&dir, &path);
        self.levels.push(Level {
            dir,
            path,
            entries: entries.into_iter(),
        });
        Ok(())
    }

    fn leave(&mut self) {
        self.levels.pop();
        self.rules.leave();
    }
}

/// The `.gitignore` rules of the walk's open directories, outermost first.
#[derive(Default)]
struct Rules {
    levels: Vec<(PathBuf, Gitignore)>,
}

impl Rules {
    fn enter(&mut self, dir: &Dir, path: &Path) {
        self.levels.push((
            path.to_path_buf(),
            rules(dir).unwrap_or_else(Gitignore::empty),
        ));
    }

    fn leave(&mut self) {
        self.levels.pop();
    }

    /// The innermost `.gitignore` that matches the entry decides.
    fn keep_out(&self, path: &Path, kind: Kind) -> bool {
        for (base, rules) in self.levels.iter().rev() {
            let below = path.strip_prefix(base).unwrap_or(path);
            let verdict = rules.matched(below, kind == Kind::Directory);
            if !verdict.is_none() {
                return verdict.is_ignore();
            }
        }
        false
    }
}

/// The rules in `dir`; `None` if there are none. An invalid line is skipped, as in git.
fn rules(dir: &Dir) -> Option<Gitignore> {
    let (file, _) =
        open_regular(dir, OsStr::new(".gitignore"), OpenOptions::new().read(true)).ok()?;
    let mut text = Vec::new();
    file.take(IGNORE_BYTES).read_to_end(&mut text).ok()?;
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(&text).lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
