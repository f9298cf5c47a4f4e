//! What a command line asks for.
//!
//! [`CommandLine::read`] takes a line only if it is literal words joined by `&&`, `||`, `;`, `|` and line breaks: then what
//! was judged can be run, word by word, and no shell ever reads it, so that no shell can read it otherwise.
//! [`Survey::of`] looks at any text that a shell might run and finds the commands in it, also those that stand in
//! substitutions, after wrappers such as `env` and `xargs`, and inside `find -exec` and `sh -c`. Where the text does not tell
//! what runs it says so, and a rule that refuses commands refuses that too. It is for refusing and explaining: what it misses
//! must not be allowed because of it.

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
    /// Its words, if it needs no shell.
    pub line: Result<CommandLine, NotLiteral>,
    /// Every command in it, however deep.
    pub survey: Survey,
    /// Where those of its words lead that may be paths.
    pub places: Vec<PathFact>,
    /// Whether it has more words than were looked up: of the others nobody knows where they lead.
    pub has_more_places: bool,
    /// Where those lead that lead out of the root: absolute, with their links followed.
    pub outside: Vec<String>,
    /// The first of its words that leads out of the root by an absolute path or by `..`: what AXE's boundary is about.
    pub beyond: Option<String>,
    /// What `~` stands for.
    pub home: Option<String>,
}

impl CommandFact {
    /// Reads a command. The places of its words are for those to add who hold the file system.
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

    /// Reads a command whose arguments may be patterns of file names, and judges it by the names: see [`CommandLine::expand`].
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

    /// Every command that would be run, however deep: as it is run where that is sure, and as it was found by looking.
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

    /// The command's name, if it is one command that only changes the shell it would run in: `cd`, `export`, `source`.
    pub fn only_shell_state(&self) -> Option<&str> {
        let line = self.line.as_ref().ok()?;
        let mut commands = line.commands();
        let name = commands.next()?.first()?.as_str();
        (commands.next().is_none() && command_line::is_about_the_shell(name)).then_some(name)
    }

    /// Every word that could be a path: of all commands, and where redirections lead; also what follows the letter of an
    /// option, a `=`, a `:` or an `@`.
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

    /// The paths in its words and redirections that are absolute or climb, as AXE's boundary counts them: not `/dev/null`, not
    /// a program's own path, and no pattern of `grep` or `sed`.
    pub fn away(&self) -> Vec<AwayPath> {
        boundary::paths(self.line.as_ref().ok(), &self.survey)
    }

    /// Why AXE's boundary refuses it, if it does.
    pub(crate) fn beyond_boundary(&self) -> Option<String> {
        let path = self.beyond.as_deref()?;
        Some(format!(
            "`{}` leads out of the project, and AXE's commands name no path outside of it: write one that is inside, such as `notes.txt`",
            shown(path)
        ))
    }

    /// Every place on this machine that its words lead to, without `.` and `..`; those outside of the root as far as whoever
    /// holds the file system has followed them.
    pub(crate) fn everywhere(&self) -> impl Iterator<Item = String> {
        let words = self.words().into_iter().map(|word| self.absolute(word));
        words.chain(self.outside.iter().cloned())
    }

    /// A path with its home, and without `.` and `..`.
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

/// Why a longer one is not read.
const TOO_LONG: &str = "a text that is longer than any command can be";

impl Survey {
    /// Looks at a text. Complexity: its length, and that of the texts in it. One that is longer than any command can be is one
    /// unknown word.
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

/// Signs of one word after which a path is looked for.
const MOST_PARTS: usize = 8;

/// What of a word could be a path.
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
