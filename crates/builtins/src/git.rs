//! `git_status` and `git_commit`: git itself, in the sandbox, with what a repository could make it run switched off.
//!
//! Paths go as words of their own after `--`, messages as one word: no shell reads any of them. In a sandbox git may start no
//! other program, so that filters, hooks and monitors do not run, whatever settings name them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use toolglot_policy::is_secret;
use toolglot_sandbox::{Exit, Isolation, Start};
use toolglot_value::{Value, json};

use crate::{Failure, Outcome, Root};

/// What a status says of one path.
#[derive(Debug, PartialEq, Eq)]
struct Entry<'a> {
    /// Against the last commit.
    index: char,
    /// Against what is staged.
    tree: char,
    path: &'a str,
}

pub(crate) fn status(root: &Root) -> Result<Outcome, Failure> {
    let text = changes(root, "--untracked-files=normal")?;
    let (branch, entries) = entries(&text);
    let of = |is: fn(&Entry<'_>) -> bool| -> Vec<&str> {
        entries
            .iter()
            .filter(|entry| is(entry))
            .map(|entry| entry.path)
            .collect()
    };
    let untracked = of(|entry| entry.index == '?');
    let staged = of(|entry| !matches!(entry.index, ' ' | '?' | '!'));
    let modified = of(|entry| !matches!(entry.tree, ' ' | '?' | '!'));
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            format!(
                "{}{} {}",
                entry.index,
                entry.tree,
                entry.path.escape_debug()
            )
        })
        .collect();
    let told = if lines.is_empty() {
        "nothing to commit, the working tree is clean".to_owned()
    } else {
        lines.join("\n")
    };
    let output =
        json!({"branch": branch, "modified": modified, "untracked": untracked, "staged": staged});
    Ok(Outcome::success(
        output,
        format!("on branch {branch}\n{told}"),
    ))
}

/// What git says of the branch and of what changed, for programs to read.
fn changes(root: &Root, untracked: &str) -> Result<String, Failure> {
    let words = ["status", "--porcelain=v1", "--branch", "-z", untracked];
    git(root, false, &words)
}

/// Commits `files`, or all that changed if there are none. What usually holds secrets, and what the policy keeps from being
/// read, is left out, whether it is in a directory among `files` or was staged before.
pub(crate) fn commit(root: &Root, message: &str, files: &[&Path]) -> Result<Outcome, Failure> {
    let status = changes(root, "--untracked-files=all")?;
    let entries = entries(&status).1;
    let is_kept = |path: &str| {
        let path = Path::new(path);
        is_secret(path) || root.sandbox.refused.hides("git_commit", path)
    };
    let kept: Vec<&Entry<'_>> = entries.iter().filter(|entry| is_kept(entry.path)).collect();
    // git takes no place in which nothing is left.
    let is_left_out = |path: &Path| {
        let mut below = entries
            .iter()
            .filter(|entry| Path::new(entry.path).starts_with(path))
            .peekable();
        below.peek().is_some() && below.all(|entry| is_kept(entry.path))
    };
    if !files.is_empty() && files.iter().all(|path| is_left_out(path)) {
        return Err(Failure::Git {
            said:
                "nothing to commit: each file usually holds secrets or is protected by the policy"
                    .to_owned(),
        });
    }
    let mut places: Vec<String> = files
        .iter()
        .filter(|path| !is_left_out(path))
        .map(|path| match path.to_string_lossy() {
            path if path.is_empty() => ".".to_owned(),
            path => format!(":(literal){path}"),
        })
        .collect();
    let is_staged = |entry: &&&Entry<'_>| !matches!(entry.index, ' ' | '?' | '!');
    let is_partial = !places.is_empty() || kept.iter().any(|entry| is_staged(&entry));
    if places.is_empty() {
        places.push(".".to_owned());
    }
    places.extend(
        kept.iter()
            .map(|entry| format!(":(exclude,literal){}", entry.path)),
    );
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    git(
        root,
        true,
        &[&["add", "--all", "--"], places.as_slice()].concat(),
    )?;
    let mut arguments = vec![
        "commit",
        "--no-verify",
        "--no-gpg-sign",
        "--message",
        message,
    ];
    // Without places all that is staged would go with it.
    if is_partial {
        arguments.push("--");
        arguments.extend(&places);
    }
    let told = git(root, true, &arguments)?;
    let hash = git(root, false, &["rev-parse", "--short=7", "HEAD"])?;
    let names = git(
        root,
        false,
        &[
            "diff-tree",
            "--no-commit-id",
            "--name-only",
            "-r",
            "-z",
            "--root",
            "--no-ext-diff",
            "HEAD",
        ],
    )?;
    let names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    let left_out: Vec<&str> = kept.iter().map(|entry| entry.path).collect();
    let mut text = told.trim_end().to_owned();
    if !left_out.is_empty() {
        let _ = write!(
            text,
            "\n[left out, as it usually holds secrets or the policy keeps it: {}]",
            left_out.join(", ").escape_debug()
        );
    }
    let output = json!({"success": true, "hash": hash.trim(), "message": message, "files": names, "leftOut": left_out, "output": told.trim_end()});
    Ok(Outcome::success(output, text))
}

/// The branch and the entries of a status. A path stands as it is, also with a line break in it.
fn entries(text: &str) -> (String, Vec<Entry<'_>>) {
    let mut branch = String::new();
    let mut entries = Vec::new();
    let mut fields = text.split('\0');
    while let Some(field) = fields.next() {
        if let Some(head) = field.strip_prefix("## ") {
            let name = head.strip_prefix("No commits yet on ").unwrap_or(head);
            let name = if name.starts_with("HEAD (no branch)") {
                "HEAD"
            } else {
                name.split("...").next().unwrap_or(name)
            };
            name.clone_into(&mut branch);
            continue;
        }
        let mut chars = field.chars();
        let (Some(index), Some(tree), Some(' ')) = (chars.next(), chars.next(), chars.next())
        else {
            continue;
        };
        if matches!(index, 'R' | 'C') {
            // The old name of what was renamed.
            fields.next();
        }
        entries.push(Entry {
            index,
            tree,
            path: chars.as_str(),
        });
    }
    (branch, entries)
}

/// What is kept from git where it runs as a command.
///
/// What git tracks and what did not change since, its own objects hold already: in place of it git would see something else,
/// and die or commit that. So of these places only what changed, or is not tracked, is left.
#[derive(Debug, Default)]
pub(crate) struct Masks {
    pub(crate) paths: Vec<PathBuf>,
    /// Those that git tracks and that changed: git cannot read them.
    pub(crate) changed: Vec<String>,
}

/// Looks at what git knows of the places that are kept from a command in the directory `cwd`.
pub(crate) fn masks(root: &Root, cwd: &Path, paths: &[PathBuf]) -> Masks {
    let mut masks = Masks {
        paths: paths.to_vec(),
        changed: Vec::new(),
    };
    let Some(top) = cwd
        .ancestors()
        .find(|top| root.path().join(top).join(".git").exists())
    else {
        return masks;
    };
    let place = root.path().join(top);
    let inside: Vec<(&PathBuf, &Path)> = paths
        .iter()
        .filter_map(|path| Some((path, path.strip_prefix(&place).ok()?)))
        .filter(|(_, path)| !path.starts_with(".git"))
        .collect();
    if inside.is_empty() || inside.len() > MOST_MASKS {
        return masks;
    }
    let mut arguments = ["ls-files", "-z", "-t", "-c", "-o", "-m", "-d", "--"]
        .map(str::to_owned)
        .to_vec();
    arguments.extend(
        inside
            .iter()
            .map(|(_, path)| format!(":(literal){}", path.to_string_lossy())),
    );
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Ok(told) = git_in(root, top, false, &arguments) else {
        return masks;
    };
    let known: Vec<(char, &Path)> = told
        .split('\0')
        .filter_map(|entry| Some((entry.chars().next()?, Path::new(entry.get(2..)?))))
        .collect();
    for (path, relative) in inside {
        let own = || known.iter().filter(|(_, file)| file.starts_with(relative));
        if !own().any(|(tag, _)| *tag == 'H') {
            continue;
        }
        masks.paths.retain(|mask| mask != path);
        for (tag, file) in own().filter(|(tag, _)| *tag != 'H') {
            masks.paths.push(place.join(file));
            if *tag != '?' {
                masks
                    .changed
                    .push(top.join(file).to_string_lossy().into_owned());
            }
        }
    }
    masks
}

/// Places that git is asked about at once.
const MOST_MASKS: usize = 500;

/// Runs git in the root. What it wrote, if it succeeded.
fn git(root: &Root, may_write: bool, arguments: &[&str]) -> Result<String, Failure> {
    git_in(root, Path::new(""), may_write, arguments)
}

/// Runs git in a directory of the root.
fn git_in(root: &Root, cwd: &Path, may_write: bool, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = root.sandbox.command(root.path(), cwd, false)?;
    command.argv = std::iter::once("git")
        .chain(arguments.iter().copied())
        .map(Into::into)
        .collect();
    // It has to see what is committed; its output names files and shows none of them.
    command.mask.clear();
    command.hold.clear();
    command.write = if may_write {
        vec![root.path().to_path_buf()]
    } else {
        Vec::new()
    };
    if !may_write {
        command.protect.clear();
    }
    if command.isolation >= Isolation::Landlock {
        command.start = Start::Itself;
    }
    command.limits.output_bytes = root.limits.output_bytes.max(command.limits.output_bytes);
    command.env.push(("LC_ALL".into(), "C".into()));
    let outcome = command.run()?;
    if outcome.exit == Exit::Code(0) {
        return Ok(outcome.stdout.text());
    }
    let said = [outcome.stderr.text(), outcome.stdout.text()].concat();
    Err(Failure::Git {
        said: said.trim().to_owned(),
    })
}

/// The list of files among the arguments.
pub(crate) fn files(value: Option<&Value>) -> Vec<&str> {
    value
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Entry, entries};

    #[test]
    fn a_status_is_read_with_blanks_renames_and_line_breaks() {
        let text = "## main...origin/main [ahead 1]\0 M f\0M  g h\0MM i\0R  new\0old\0?? a\nb\0";
        let (branch, found) = entries(text);
        let entry = |index, tree, path| Entry { index, tree, path };
        assert_eq!(branch, "main");
        assert_eq!(
            found,
            [
                entry(' ', 'M', "f"),
                entry('M', ' ', "g h"),
                entry('M', 'M', "i"),
                entry('R', ' ', "new"),
                entry('?', '?', "a\nb")
            ]
        );
        assert_eq!(entries("## No commits yet on x\0").0, "x");
        assert_eq!(entries("## HEAD (no branch)\0").0, "HEAD");
    }
}
