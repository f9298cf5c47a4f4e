//! Asking the user on the terminal: what exactly would be done, and whether it may.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use toolglot_exec::audit::hex;
use toolglot_exec::{Root, change};
use toolglot_policy::{Decision, Verdict, is_hidden};

use crate::human::screen::{ColorScreen, Screen};

/// Whom to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approver<'a> {
    /// The user, on the terminal that standard error is.
    Terminal {
        /// What is to be known of the call before the question.
        notes: &'a str,
    },
    /// Nobody: what would be asked is refused.
    Nobody,
}

/// What is shown and approved, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) root: &'a Root,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Map<String, Value>,
}

/// What the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// Yes, but to something that is no longer so.
    Changed,
    Nobody,
}

/// Whether the user was asked what this verdict says.
pub(crate) fn was_asked(verdict: &Verdict) -> bool {
    ["approved", "not-approved", "changed-since-approval"].contains(&&*verdict.rule)
}

impl Answer {
    /// The verdict that follows from it.
    pub(crate) fn verdict(self, asked: Verdict) -> Verdict {
        let (decision, rule, because) = match self {
            Answer::Yes => (Decision::Allow, "approved", "the user approved it".to_owned()),
            Answer::No => (Decision::Deny, "not-approved", "the user did not approve it".to_owned()),
            Answer::Changed => (
                Decision::Deny,
                "changed-since-approval",
                "the file changed while the user was looking at it, so the approval is for something else".to_owned(),
            ),
            Answer::Nobody => return asked,
        };
        Verdict {
            decision,
            rule: rule.into(),
            because,
        }
    }
}

impl<'a> Approver<'a> {
    /// The user, if there is a terminal.
    pub(crate) fn here() -> Approver<'a> {
        if io::stderr().is_terminal() && terminal().is_ok() {
            Approver::Terminal { notes: "" }
        } else {
            Approver::Nobody
        }
    }

    /// The same, who reads these notes before a question.
    pub(crate) fn with(self, notes: &'a str) -> Approver<'a> {
        match self {
            Approver::Terminal { .. } => Approver::Terminal { notes },
            Approver::Nobody => self,
        }
    }

    /// Shows the call, asks, and makes sure that what was approved is still what would be done.
    pub(crate) fn ask(self, shown: &Shown<'_>, verdict: &Verdict) -> Answer {
        match (self, terminal()) {
            (Approver::Terminal { notes }, Ok(terminal)) => {
                let Ok(out) = terminal.try_clone() else {
                    return Answer::Nobody;
                };
                let written = ColorScreen(Screen::new(&out)).write_all(notes.as_bytes());
                if written.and_then(|()| forget_typed(&terminal)).is_err() {
                    return Answer::Nobody;
                }
                ask(shown, verdict, &mut BufReader::new(terminal), &mut &out)
            }
            _ => Answer::Nobody,
        }
    }

    /// Asks about each of several that are done together: one that is not approved ends it. What was approved first is looked
    /// at once more after the last answer.
    pub(crate) fn ask_all(self, shown: &[Shown<'_>], verdict: &Verdict) -> Answer {
        let before: Vec<String> = shown.iter().map(Shown::hash).collect();
        let answers = shown.iter().enumerate().map(|(n, one)| {
            let approver = if n == 0 { self } else { self.with("") };
            approver.ask(one, verdict)
        });
        let worst = answers
            .into_iter()
            .find(|answer| *answer != Answer::Yes)
            .unwrap_or(Answer::Yes);
        let is_same = || shown.iter().map(Shown::hash).eq(before.iter().cloned());
        if worst == Answer::Yes && !is_same() {
            return Answer::Changed;
        }
        worst
    }
}

fn terminal() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

/// What was typed, or pasted, before the question is shown answers none.
#[cfg(unix)]
fn forget_typed(terminal: &File) -> io::Result<()> {
    use rustix::termios::{QueueSelector, tcflush};
    tcflush(terminal, QueueSelector::IFlush).map_err(io::Error::from)
}

#[cfg(not(unix))]
fn forget_typed(_: &File) -> io::Result<()> {
    Ok(())
}

/// Asks through any two streams.
pub(crate) fn ask(
    shown: &Shown<'_>,
    verdict: &Verdict,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Answer {
    let before = shown.hash();
    let mut line = String::new();
    let asked = write!(
        out,
        "\n{}\nThis would be done (sha256 {}):\n  {}\n{}  {}\nDo it? [y/N] ",
        visible(&verdict.because),
        &before[..16],
        visible(&shown.canonical()),
        shown
            .change()
            .map(|text| visible_lines(&text))
            .unwrap_or_default(),
        visible(&shown.short())
    )
    .and_then(|()| out.flush())
    .and_then(|()| input.read_line(&mut line));
    if asked.is_err() || !matches!(line.trim(), "y" | "Y" | "yes") {
        return Answer::No;
    }
    if shown.hash() == before {
        Answer::Yes
    } else {
        Answer::Changed
    }
}

/// So much of an argument stands before the question, in characters.
const SHORT: usize = 80;

impl Shown<'_> {
    /// The call as it will be run, keys in order.
    pub(crate) fn canonical(&self) -> String {
        let mut keys: Vec<&String> = self.arguments.keys().collect();
        keys.sort();
        let sorted: Map<String, Value> = keys
            .into_iter()
            .map(|key| (key.clone(), self.arguments[key].clone()))
            .collect();
        let root = self.root.path().to_string_lossy();
        serde_json::json!({"tool": self.tool, "arguments": sorted, "root": root}).to_string()
    }

    /// The tool with its arguments, each cut short: what stands right before the question, however long the rest is.
    fn short(&self) -> String {
        let mut names: Vec<&String> = self.arguments.keys().collect();
        names.sort();
        let mut text = self.tool.to_owned();
        for name in names {
            let value = self.arguments[name].to_string();
            let cut: String = value.chars().take(SHORT).collect();
            let dots = if cut.len() < value.len() { ".." } else { "" };
            text = format!("{text} {name}={cut}{dots}");
        }
        text.chars().take(16 * SHORT).collect()
    }

    /// What an edit would change, as a diff.
    fn change(&self) -> Option<String> {
        change(self.root, self.tool, self.arguments).map(|change| change.diff())
    }

    /// The hash of the call and of the file that it would change.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"toolglot-approval-v1\0");
        hash.update(self.canonical());
        hash.update([0]);
        if let Some(change) = change(self.root, self.tool, self.arguments) {
            hash.update(change.old.unwrap_or_default());
        }
        hex(&hash.finalize())
    }
}

/// Text with everything escaped that a terminal would obey or hide, line breaks too.
fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if is_hidden(c) {
                c.escape_unicode().collect()
            } else {
                vec![c]
            }
        })
        .collect()
}

fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("  {}", visible(line)))
        .collect();
    [lines.join("\n"), String::new()].join("\n")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;
    use toolglot_exec::Root;
    use toolglot_policy::{Decision, Verdict};

    use super::{Answer, Shown, ask};

    fn asked() -> Verdict {
        Verdict {
            decision: Decision::Ask,
            rule: "write-needs-grant".into(),
            because: "it writes".into(),
        }
    }

    #[test]
    fn only_a_yes_is_one_and_what_hides_is_shown() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = Root::open(directory.path()).expect("opened");
        std::fs::write(directory.path().join("a"), "one\ntwo\n").expect("written");
        let arguments = json!({"path": "a", "content": "one\n\u{202e}2\n"});
        let shown = Shown {
            root: &root,
            tool: "write_file",
            arguments: arguments.as_object().expect("an object"),
        };
        for (typed, answer) in [
            ("y\n", Answer::Yes),
            ("yes\n", Answer::Yes),
            ("\n", Answer::No),
            ("", Answer::No),
            ("n\n", Answer::No),
            ("yy\n", Answer::No),
        ] {
            let mut out = Vec::new();
            assert_eq!(
                ask(&shown, &asked(), &mut Cursor::new(typed), &mut out),
                answer,
                "{typed:?}"
            );
            let out = String::from_utf8(out).expect("text");
            assert!(
                out.contains("-two") && out.contains("+\\u{202e}2") && !out.contains('\u{202e}'),
                "{out}"
            );
        }
    }

    #[test]
    fn what_is_asked_about_stands_right_before_the_question() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = Root::open(directory.path()).expect("opened");
        let arguments = json!({"path": "a.rs", "content": "line\n".repeat(9000)});
        let shown = Shown {
            root: &root,
            tool: "write_file",
            arguments: arguments.as_object().expect("an object"),
        };
        let mut out = Vec::new();
        ask(&shown, &asked(), &mut Cursor::new("n\n"), &mut out);
        let out = String::from_utf8(out).expect("text");
        let mut last = out.lines().rev();
        assert_eq!(last.next(), Some("Do it? [y/N] "));
        let before = last.next().expect("there is more");
        assert!(
            before.starts_with("  write_file content=\"line"),
            "{before}"
        );
        assert!(before.ends_with(".. path=\"a.rs\""), "{before}");
    }

    /// Answers, and changes the file while doing so.
    struct Sly(std::path::PathBuf, Cursor<&'static str>);
    impl std::io::Read for Sly {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1.read(buffer)
        }
    }
    impl std::io::BufRead for Sly {
        fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
            std::fs::write(&self.0, "other")?;
            self.1.fill_buf()
        }
        fn consume(&mut self, n: usize) {
            self.1.consume(n);
        }
    }

    #[test]
    fn a_file_that_changes_under_the_question_is_not_approved() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = Root::open(directory.path()).expect("opened");
        let file = directory.path().join("a");
        std::fs::write(&file, "old").expect("written");
        let arguments = json!({"path": "a", "content": "new"});
        let shown = Shown {
            root: &root,
            tool: "write_file",
            arguments: arguments.as_object().expect("an object"),
        };
        let answer = ask(
            &shown,
            &asked(),
            &mut Sly(file, Cursor::new("y\n")),
            &mut Vec::new(),
        );
        assert_eq!(answer, Answer::Changed);
        assert_eq!(answer.verdict(asked()).rule, "changed-since-approval");
    }
}
