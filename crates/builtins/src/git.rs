//! `git_status` and `git_commit`: they run git in the sandbox and switch off the programs that a repository could make
//! it run.
//!
//! Paths are separate arguments after `--`, and a message is one argument: no shell reads them. In a sandbox git may
//! start no other program, so filters, hooks and monitors do not run, whatever settings name them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use toolglot_policy::is_secret;
use toolglot_sandbox::{Exit, Isolation, Start};
use toolglot_value::{Value, json};

use crate::{Failure, Outcome, Root};

/// The status of one path.
#[derive(Debug, PartialEq, Eq)]
struct Entry<'a> {
    /// The staged state against the last commit.
    index: char,
    /// The working tree against the staged state.
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
    let shown = if lines.is_empty() {
        "nothing to commit, the working tree is clean".to_owned()
    } else {
        lines.join("\n")
    };
    let output =
        json!({"branch": branch, "modified": modified, "untracked": untracked, "staged": staged});
    Ok(Outcome::success(
        output,
        format!("on branch {branch}\n{shown}"),
    ))
}

/// The branch and the changed paths in git's machine-readable form.
fn changes(root: &Root, untracked: &str) -> Result<String, Failure> {
    let words = ["status", "--porcelain=v1", "--branch", "-z", untracked];
    git(root, false, &words)
}

/// Commits `files`, or all changes if `files` is empty. Paths that usually hold secrets, and paths that the policy
/// protects, are left out, even if staged or below a directory of `files`.
pub(crate) fn commit(root: &Root, message: &str, files: &[&Path]) -> Result<Outcome, Failure> {
    let status = changes(root, "--untracked-files=all")?;
    let entries = entries(&status).1;
    let hides = |path: &str| {
        let path = Path::new(path);
        is_secret(path) || root.sandbox.refused.hides("git_commit", path)
    };
    let skip: Vec<&Entry<'_>> = entries.iter().filter(|entry| hides(entry.path)).collect();
    // git refuses a path whose entries are all excluded.
    let is_left_out = |path: &Path| {
        let mut below = entries
            .iter()
            .filter(|entry| Path::new(entry.path).starts_with(path))
            .peekable();
        below.peek().is_some() && below.all(|entry| hides(entry.path))
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
    let is_partial = !places.is_empty() || skip.iter().any(|entry| is_staged(&entry));
    if places.is_empty() {
        places.push(".".to_owned());
    }
    places.extend(
        skip.iter()
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
    // Without paths git would commit everything that is staged.
    if is_partial {
        arguments.push("--");
        arguments.extend(&places);
    }
    let shown = git(root, true, &arguments)?;
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
    let left_out: Vec<&str> = skip.iter().map(|entry| entry.path).collect();
    let mut text = shown.trim_end().to_owned();
    if !left_out.is_empty() {
        let _ = write!(
            text,
            "\n[left out, as it usually holds secrets or the policy keeps it: {}]",
            left_out.join(", ").escape_debug()
        );
    }
    let output = json!({"success": true, "hash": hash.trim(), "message": message, "files": names, "leftOut": left_out, "output": shown.trim_end()});
    Ok(Outcome::success(output, text))
}

/// The branch and the entries of a status. Paths are not quoted, even with a line break.
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
            // Skips the old name of a renamed path.
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

/// The paths that are hidden from git where it runs as a command.
///
/// git's objects already contain a tracked, unchanged file. Under a mask git would fail on the file, or commit the
/// mask. So only changed and untracked files of the protected paths stay masked.
#[derive(Debug, Default)]
pub(crate) struct Masks {
    pub(crate) paths: Vec<PathBuf>,
    /// Tracked files that changed: git cannot read them.
    pub(crate) changed: Vec<String>,
}

/// Reduces the masked paths of a git command in the directory `cwd` to those that git does not track or that changed.
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
    let Ok(listed) = git_in(root, top, false, &arguments) else {
        return masks;
    };
    let known: Vec<(char, &Path)> = listed
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

/// The most paths in one `git ls-files`.
const MOST_MASKS: usize = 500;

/// Runs git in the root. Returns its output if it succeeded.
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
    // git has to see the files that it commits; its output names files but does not show their content.
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
