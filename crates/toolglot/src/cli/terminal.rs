//! Asks the user on the terminal for approval, and shows exactly what would be done.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};

use toolglot_policy::is_hidden;
use toolglot_session::{Approval, ApprovalRequest, Approver, CallSummary, Nobody};

use crate::cli::human::screen::{ColorScreen, Screen};
use crate::cli::human::{self, snippet};

/// The user, on the terminal that standard error is.
#[derive(Debug)]
pub(crate) struct Terminal {
    /// The name of the message in the notes on it.
    pub(crate) name: String,
    pub(crate) is_colored: bool,
}

impl Terminal {
    /// Whether there is a terminal.
    pub(crate) fn is_there() -> bool {
        io::stderr().is_terminal() && terminal().is_ok()
    }

    /// The notes about a call, for the person who approves the call.
    fn notes(&self, request: &ApprovalRequest<'_>) -> String {
        let Some(message) = request.message() else {
            return String::new();
        };
        let page = snippet::Page {
            text: message.text,
            name: &self.name,
            is_colored: self.is_colored,
            width: human::width(&io::stderr()),
            calls: message.calls,
        };
        let notes = snippet::grouped(request.notes()).into_iter();
        let shown = notes.map(|(note, others)| page.note(note, &others, None));
        shown.fold(String::new(), |all, note| all + "\n" + &note + "\n")
    }
}

impl Approver for Terminal {
    fn ask(&self, request: &ApprovalRequest<'_>) -> Approval {
        let Ok(terminal) = terminal() else {
            return Approval::Nobody;
        };
        let Ok(out) = terminal.try_clone() else {
            return Approval::Nobody;
        };
        let notes = self.notes(request);
        let written = ColorScreen(Screen::new(&out)).write_all(notes.as_bytes());
        if written.and_then(|()| forget_typed(&terminal)).is_err() {
            return Approval::Nobody;
        }
        let because = &request.verdict().because;
        let call = request.call();
        ask(call, because, &mut BufReader::new(terminal), &mut &out)
    }
}

/// The user, if there is a terminal, or nobody.
#[derive(Debug)]
pub(crate) enum Here {
    Terminal(Terminal),
    Nobody(Nobody),
}

impl Here {
    /// The user if there is a terminal. Notes on the message show `name`.
    pub(crate) fn of(name: &str, is_colored: bool) -> Here {
        if Terminal::is_there() {
            Here::Terminal(Terminal {
                name: name.to_owned(),
                is_colored,
            })
        } else {
            Here::Nobody(Nobody)
        }
    }
}

impl Approver for Here {
    fn ask(&self, request: &ApprovalRequest<'_>) -> Approval {
        match self {
            Here::Terminal(terminal) => terminal.ask(request),
            Here::Nobody(nobody) => nobody.ask(request),
        }
    }

    fn is_present(&self) -> bool {
        matches!(self, Here::Terminal(_))
    }
}

fn terminal() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

/// Discards input that was typed or pasted before the question is shown.
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
fn ask(
    call: &CallSummary<'_>,
    because: &str,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Approval {
    let mut line = String::new();
    let asked = write!(
        out,
        "\n{}\nThis would be done (sha256 {}):\n  {}\n{}  {}\nDo it? [y/N] ",
        visible(because),
        &call.digest()[..16],
        visible(&call.canonical()),
        call.diff()
            .map(|text| visible_lines(&text))
            .unwrap_or_default(),
        visible(&short(call))
    )
    .and_then(|()| out.flush())
    .and_then(|()| input.read_line(&mut line));
    if asked.is_err() || !matches!(line.trim(), "y" | "Y" | "yes") {
        return Approval::No;
    }
    Approval::Yes
}

/// The most characters of an argument in the line before the question.
const SHORT: usize = 80;

/// The tool with its arguments, each cut short. The line is directly before the question, however long the rest is.
fn short(call: &CallSummary<'_>) -> String {
    let mut names: Vec<&String> = call.arguments().keys().collect();
    names.sort();
    let mut text = call.tool().to_owned();
    for name in names {
        let value = call.arguments()[name].to_string();
        let cut: String = value.chars().take(SHORT).collect();
        let dots = if cut.len() < value.len() { ".." } else { "" };
        text = format!("{text} {name}={cut}{dots}");
    }
    text.chars().take(16 * SHORT).collect()
}

/// The text with escapes for everything that a terminal would interpret or hide, including line breaks.
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

    use toolglot_builtins::Root;
    use toolglot_session::{Approval, CallSummary};
    use toolglot_value::json;

    use super::ask;

    #[test]
    fn only_a_yes_is_one_and_what_hides_is_shown() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = Root::open(directory.path()).expect("opened");
        std::fs::write(directory.path().join("a"), "one\ntwo\n").expect("written");
        let arguments = json!({"path": "a", "content": "one\n\u{202e}2\n"});
        let arguments = arguments.as_object().expect("an object");
        let call = CallSummary::new(&root, "write_file", arguments);
        for (typed, answer) in [
            ("y\n", Approval::Yes),
            ("yes\n", Approval::Yes),
            ("\n", Approval::No),
            ("", Approval::No),
            ("n\n", Approval::No),
            ("yy\n", Approval::No),
        ] {
            let mut out = Vec::new();
            assert_eq!(
                ask(&call, "it writes", &mut Cursor::new(typed), &mut out),
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
        let arguments = arguments.as_object().expect("an object");
        let call = CallSummary::new(&root, "write_file", arguments);
        let mut out = Vec::new();
        ask(&call, "it writes", &mut Cursor::new("n\n"), &mut out);
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
}
