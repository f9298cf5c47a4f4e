//! `list_files`: the entries of a directory.

use std::ops::ControlFlow;
use std::path::Path;

use toolglot_value::json;

use crate::glob::Glob;
use crate::place::Kind;
use crate::shown::{counted, plain, shown};
use crate::walk::{Entry, walk};
use crate::{Failure, Outcome, Root};

/// The options of `list_files`.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) is_deep: bool,
    pub(crate) pattern: Option<Glob>,
}

pub(crate) fn list(root: &Root, path: &Path, listing: &Listing) -> Result<Outcome, Failure> {
    let fail = |error: std::io::Error| root.explain("listed", path, error.into());
    if root.kind(path).map_err(fail)? != Kind::Directory {
        return Err(Failure::NotDirectory { path: shown(path) });
    }
    let (mut files, mut directories, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let (mut lines, mut n_bytes) = (Vec::new(), 0);
    let mut visit = |entry: Entry<'_>| {
        let below = entry.path.strip_prefix(path).unwrap_or(entry.path);
        if listing
            .pattern
            .as_ref()
            .is_some_and(|pattern| !pattern.is_match(below))
        {
            return ControlFlow::Continue(());
        }
        if lines.len() == root.limits.entries || n_bytes >= root.limits.output_bytes {
            return ControlFlow::Break(());
        }
        let name = below.to_string_lossy().into_owned();
        let suffix = match entry.kind {
            Kind::File => {
                files.push(name);
                ""
            }
            Kind::Directory => {
                directories.push(name);
                "/"
            }
            Kind::Link => {
                others.push(name);
                " (symbolic link)"
            }
            Kind::Special => {
                others.push(name);
                " (neither file nor directory)"
            }
        };
        let line = format!("{}{suffix}", shown(below));
        n_bytes += line.len();
        lines.push(line);
        ControlFlow::Continue(())
    };
    let skipped = walk(root, path, listing.is_deep, &mut visit).map_err(fail)?;

    let total = lines.len();
    let remarks = skipped.remarks(&root.limits);
    if total == 0 {
        let none = if listing.pattern.is_some() {
            "nothing here fits the pattern"
        } else {
            "the directory is empty"
        };
        lines.push(format!("[{none}]"));
    }
    if skipped.is_cut {
        lines.push(format!(
            "[cut after {}: list a directory below, or give a pattern]",
            counted(total as u64, "entry")
        ));
    }
    lines.extend(remarks);
    let output = json!({
        "directory": plain(path),
        "files": files,
        "directories": directories,
        "others": others,
        "total": total,
        "ignored": skipped.n_ignored,
        "truncated": skipped.is_cut,
    });
    Ok(Outcome::success(output, lines.join("\n") + "\n"))
}
