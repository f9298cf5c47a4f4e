//! `git_status` and `git_commit`: git itself, behind the walls, with what a repository could make it run switched off.
//!
//! Paths go as words of their own behind `--`, messages as one word: no shell reads any of them. Behind walls git may start no
//! other program, so that filters, hooks and monitors do not run, whatever settings name them.

use std::path::Path;

use serde_json::{Value, json};
use toolglot_policy::is_secret;
use toolglot_sandbox::{Exit, Isolation, Start};

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
    let text = git(
        root,
        false,
        &[
            "status",
            "--porcelain=v1",
            "--branch",
            "-z",
            "--untracked-files=normal",
        ],
    )?;
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

/// Commits `files`, or all that changed if there are none.
pub(crate) fn commit(root: &Root, message: &str, files: &[&Path]) -> Result<Outcome, Failure> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut add: Vec<String> = ["add", "--all", "--"].map(str::to_owned).to_vec();
    if files.is_empty() {
        let status = git(
            root,
            false,
            &[
                "status",
                "--porcelain=v1",
                "--branch",
                "-z",
                "--untracked-files=all",
            ],
        )?;
        add.push(".".to_owned());
        // What holds secrets is not committed because it happens to be there.
        let secret = entries(&status)
            .1
            .into_iter()
            .filter(|entry| is_secret(Path::new(entry.path)));
        add.extend(secret.map(|entry| format!(":(exclude,literal){}", entry.path)));
    } else {
        add.extend(files.iter().map(|path| format!(":(literal){}", text(path))));
    }
    let add: Vec<&str> = add.iter().map(String::as_str).collect();
    git(root, true, &add)?;
    let mut arguments = vec![
        "commit",
        "--no-verify",
        "--no-gpg-sign",
        "--message",
        message,
    ];
    let limited: Vec<String> = files
        .iter()
        .map(|path| format!(":(literal){}", text(path)))
        .collect();
    if !limited.is_empty() {
        arguments.push("--");
        arguments.extend(limited.iter().map(String::as_str));
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
    let output = json!({"success": true, "hash": hash.trim(), "message": message, "files": names, "output": told.trim_end()});
    Ok(Outcome::success(output, told.trim_end().to_owned()))
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

/// Runs git in the root. What it wrote, if it succeeded.
fn git(root: &Root, may_write: bool, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = root.walls.command(root.path(), Path::new(""), false);
    command.argv = std::iter::once("git")
        .chain(arguments.iter().copied())
        .map(Into::into)
        .collect();
    // It has to see what is committed; its output names files and shows none of them.
    command.mask.clear();
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
