//! The commands in a command line.
//!
//! [`CommandLine::read`] accepts a line only if it is literal words joined by `&&`, `||`, `;`, `|` and line breaks. The
//! checked words are then run one by one, and no shell reads the line, so that no shell can read it differently.
//! [`Survey::of`] finds the commands in any text for a shell: also in substitutions, after wrappers such as `env` and
//! `xargs`, and inside `find -exec` and `sh -c`. Where the text does not show what runs, the survey has a doubt, and a
//! rule that denies commands denies the text. A survey serves to deny and to explain: a command that it misses must not
//! be allowed because of it.

mod boundary;
mod builtins;
mod command_line;
mod inner;
mod shell;
mod survey;
mod wrappers;

use crate::PathFact;

pub use boundary::AwayPath;
pub use command_line::{CommandLine, FilePattern, Join, NotLiteral, Pipeline, Stream, Streams};
pub(crate) use shell::{UNKNOWN, is_unknown, shown};
pub use survey::Survey;

/// What was found out about a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFact {
    /// The line as the model wrote it.
    pub text: String,
    /// The words of the line, if it needs no shell.
    pub line: Result<CommandLine, NotLiteral>,
    /// Every command in the text, at any depth.
    pub survey: Survey,
    /// The places of those words that may be paths.
    pub places: Vec<PathFact>,
    /// Whether the command has more words than were looked up: the places of the other words are unknown.
    pub has_more_places: bool,
    /// The places outside of the root that words lead to: absolute, with links resolved.
    pub outside: Vec<String>,
    /// The first word that leads out of the root by an absolute path or by `..`, as AXE's boundary counts.
    pub beyond: Option<String>,
    /// The directory that `~` means.
    pub home: Option<String>,
}

impl CommandFact {
    /// Reads a command. The caller, which has the file system, adds the places of its words.
    pub fn of(text: &str) -> CommandFact {
        CommandFact {
            text: text.to_owned(),
            line: CommandLine::read(text),
            survey: Survey::of(text),
            places: Vec::new(),
            has_more_places: false,
            outside: Vec::new(),
            beyond: None,
            home: None,
        }
    }

    /// Reads a command whose arguments may be patterns of file names, and expands them: see [`CommandLine::expand`].
    pub fn expanded(
        text: &str,
        names: impl FnMut(&[String], &str) -> Result<Vec<String>, &'static str>,
    ) -> CommandFact {
        let mut fact = CommandFact::of(text);
        let Ok(mut line) = CommandLine::read_patterns(text) else {
            return fact;
        };
        if line.patterns().next().is_none() {
            return fact;
        }
        match line.expand(names) {
            Ok(()) => {
                let needs_shell = fact.survey.needs_shell;
                fact.survey = Survey::of(&line.quoted());
                fact.survey.needs_shell = needs_shell;
                fact.line = Ok(line);
            }
            Err(error) => fact.line = Err(error),
        }
        fact
    }

    /// Every command that would run, at any depth: the literal commands of the line, and those that the survey found.
    pub fn all_commands(&self) -> Vec<Vec<&str>> {
        let literal = self.line.iter().flat_map(CommandLine::commands);
        let mut commands: Vec<Vec<&str>> = Vec::new();
        for words in literal.chain(self.survey.commands.iter().map(Vec::as_slice)) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if !commands.contains(&words) {
                commands.push(words);
            }
        }
        commands
    }

    /// The command's name, if the line is one command that only changes its own shell: `cd`, `export`, `source`.
    pub fn only_shell_state(&self) -> Option<&str> {
        let line = self.line.as_ref().ok()?;
        let mut commands = line.commands();
        let name = commands.next()?.first()?.as_str();
        (commands.next().is_none() && command_line::is_about_the_shell(name)).then_some(name)
    }

    /// Every word that could be a path: arguments of all commands, and targets of redirections. The part after the
    /// letter of an option, a `=`, a `:` or an `@` counts too.
    pub fn words(&self) -> Vec<&str> {
        let arguments = self
            .survey
            .commands
            .iter()
            .flat_map(|command| command.iter().skip(1));
        let mut words: Vec<&str> = Vec::new();
        for word in arguments.chain(&self.survey.targets) {
            candidates(word, &mut words);
        }
        words.retain(|word| !word.is_empty());
        words
    }

    /// The paths in words and redirections that are absolute or contain `..`. AXE's boundary leaves out `/dev/null`, a
    /// program's own path, and patterns of `grep` or `sed`.
    pub fn away(&self) -> Vec<AwayPath> {
        boundary::paths(self.line.as_ref().ok(), &self.survey)
    }

    /// Why AXE's boundary refuses the command, if it does.
    pub(crate) fn beyond_boundary(&self) -> Option<String> {
        let path = self.beyond.as_deref()?;
        Some(format!(
            "`{}` leads out of the project, and AXE's commands name no path outside of it: write one that is inside, such as `notes.txt`",
            shown(path)
        ))
    }

    /// Every place on this machine that the words lead to, without `.` and `..`. Places outside of the root are
    /// included as far as the caller followed them.
    pub(crate) fn everywhere(&self) -> impl Iterator<Item = String> {
        let words = self.words().into_iter().map(|word| self.absolute(word));
        words.chain(self.outside.iter().cloned())
    }

    /// A path with `~` expanded, and without `.` and `..`.
    pub(crate) fn absolute(&self, path: &str) -> String {
        let path = match (&self.home, path.strip_prefix('~')) {
            (Some(home), Some(rest)) if rest.is_empty() || rest.starts_with('/') => {
                format!("{home}{rest}")
            }
            _ => path.to_owned(),
        };
        let mut names: Vec<&str> = Vec::new();
        for name in path.split('/') {
            match name {
                "" | "." => {}
                ".." if names.last().is_some_and(|last| *last != "..") => {
                    names.pop();
                }
                ".." if path.starts_with('/') => {}
                name => names.push(name),
            }
        }
        let start = if path.starts_with('/') { "/" } else { "" };
        format!("{start}{}", names.join("/"))
    }
}

/// The longest text that is read, in bytes: the system starts no program with so much.
const MOST_BYTES: usize = 2 << 20;

/// Why a longer text is not read.
const TOO_LONG: &str = "a text that is longer than any command can be";

impl Survey {
    /// Finds the commands in a text. Complexity: the length of the text and of the texts in it. A text that is too long
    /// for any command is one unknown word.
    pub fn of(text: &str) -> Survey {
        if text.len() <= MOST_BYTES {
            return Survey::read(text);
        }
        Survey {
            commands: vec![vec![UNKNOWN.into()]],
            needs_shell: true,
            doubts: vec![TOO_LONG.to_owned()],
            ..Survey::default()
        }
    }
}

/// The maximum number of signs in a word after which a path is looked for.
const MOST_PARTS: usize = 8;

/// Adds the parts of a word that could be a path.
fn candidates<'a>(word: &'a str, found: &mut Vec<&'a str>) {
    found.push(word);
    if word.contains(' ') && !word.starts_with('-') {
        return;
    }
    if word.starts_with('-') {
        // The value of an option of one letter, or of the last of several.
        found.extend(word.strip_prefix('-').and_then(|word| word.get(1..)));
        found.extend(word.find(['/', '~', '.']).map(|at| &word[at..]));
    }
    let is_url = word.contains("://");
    let signs = word
        .char_indices()
        .filter(|(_, c)| *c == '=' || *c == '@' || (*c == ':' && !is_url));
    found.extend(signs.take(MOST_PARTS).map(|(at, _)| &word[at + 1..]));
}

#[cfg(test)]
mod tests {
    use super::CommandFact;

    #[test]
    fn a_path_is_told_with_its_home_and_without_dots() {
        let mut fact = CommandFact::of("ls");
        for (path, without, with) in [
            ("a/./b", "a/b", "a/b"),
            ("a/../b", "b", "b"),
            ("../../a", "../../a", "../../a"),
            ("a/../../b", "../b", "../b"),
            ("/a/../../b", "/b", "/b"),
            ("/", "/", "/"),
            ("", "", ""),
            ("~", "~", "/home/ann"),
            ("~/a", "~/a", "/home/ann/a"),
            ("~/../b", "b", "/home/b"),
            ("~bob/a", "~bob/a", "~bob/a"),
        ] {
            fact.home = None;
            assert_eq!(fact.absolute(path), without, "{path}");
            fact.home = Some("/home/ann".to_owned());
            assert_eq!(fact.absolute(path), with, "{path}");
        }
    }
}
