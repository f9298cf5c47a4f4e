//! What is in a directory, and in those below it: in order, bounded, without following a link.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::place::{Kind, open_regular};
use crate::{Limits, Root};

/// Bytes of a `.gitignore` that are read.
const IGNORE_BYTES: u64 = 256 << 10;

/// One thing in a directory.
pub(crate) struct Entry<'a> {
    /// The directory.
    pub(crate) dir: &'a Dir,
    pub(crate) name: &'a OsStr,
    /// Relative to the root.
    pub(crate) path: &'a Path,
    pub(crate) kind: Kind,
}

/// What a walk left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skipped {
    /// Entries that a `.gitignore` names, and `.git`.
    pub(crate) n_ignored: u64,
    /// Directories that could not be opened, or lie too deep.
    pub(crate) n_closed: u64,
    /// Whether the walk ended because it had visited enough.
    pub(crate) is_cut: bool,
}

/// Visits what is in the directory at `path`, and what is below it if `is_deep`.
///
/// Names are in order, a directory stands before its content. A deep walk keeps out what a `.gitignore`
/// inside the root names, and `.git`; where it begins is never kept out.
pub(crate) fn walk(
    root: &Root,
    path: &Path,
    is_deep: bool,
    visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
) -> io::Result<Skipped> {
    let mut skipped = Skipped::default();
    let mut budget = root.limits.visits;
    let mut rules = Rules::default();
    if is_deep {
        for above in path
            .ancestors()
            .skip(1)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
        {
            rules.enter(&root.directory(above)?, above);
        }
    }
    let first = Level::open(
        root.directory(path)?,
        path.to_path_buf(),
        &mut budget,
        &mut skipped,
    )?;
    rules.enter(&first.dir, path);
    let mut levels = vec![first];
    while let Some(level) = levels.last_mut() {
        let Some((name, kind)) = level.entries.next() else {
            levels.pop();
            rules.leave();
            continue;
        };
        let path = level.path.join(&name);
        if is_deep && (name == ".git" || rules.keep_out(&path, kind)) {
            skipped.n_ignored += 1;
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
            skipped.is_cut = true;
            break;
        }
        if is_deep && kind == Kind::Directory {
            match level.down(&name, path, &mut budget, &mut skipped) {
                Some(below) if levels.len() < root.limits.depth => {
                    rules.enter(&below.dir, &below.path);
                    levels.push(below);
                }
                _ => skipped.n_closed += 1,
            }
        }
    }
    Ok(skipped)
}

/// One directory on the way down.
struct Level {
    dir: Dir,
    /// Relative to the root.
    path: PathBuf,
    entries: std::vec::IntoIter<(OsString, Kind)>,
}

impl Level {
    fn open(
        dir: Dir,
        path: PathBuf,
        budget: &mut usize,
        skipped: &mut Skipped,
    ) -> io::Result<Level> {
        let mut entries = Vec::new();
        for entry in dir.entries()? {
            if *budget == 0 {
                skipped.is_cut = true;
                break;
            }
            *budget -= 1;
            let entry = entry?;
            entries.push((entry.file_name(), entry.file_type()?.into()));
        }
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Level {
            dir,
            path,
            entries: entries.into_iter(),
        })
    }

    fn down(
        &self,
        name: &OsStr,
        path: PathBuf,
        budget: &mut usize,
        skipped: &mut Skipped,
    ) -> Option<Level> {
        let dir = self.dir.open_dir_nofollow(name).ok()?;
        Level::open(dir, path, budget, skipped).ok()
    }
}

/// The `.gitignore` files of the directories that the walk stands in, outermost first.
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

    /// The innermost file that says something about the entry decides.
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

/// The rules in `dir`; `None` if there are none. A line that is no rule is passed over, as git does.
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

impl Skipped {
    /// What was left out, in words, each with a line of its own.
    pub(crate) fn remarks(self, limits: &Limits) -> Vec<String> {
        use crate::shown::counted;
        let mut remarks = Vec::new();
        if self.n_ignored > 0 {
            remarks.push(format!(
                "[{} left out by .gitignore]",
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
