//! What a command line asks for.
//!
//! [`CommandLine::read`] takes a line only if it is literal words joined by `&&`, `||`, `;`, `|` and line breaks: then what
//! was judged can be run, word by word, and no shell ever reads it, so that no shell can read it otherwise.
//! [`Survey::of`] looks at any text that a shell might run and finds the commands in it, also those that stand in
//! substitutions, behind wrappers such as `env` and `xargs`, and inside `find -exec` and `sh -c`. It is for refusing and
//! explaining: what it misses must not be allowed because of it.

mod survey;
mod words;
mod wrappers;

use crate::PathFact;

pub use survey::Survey;
pub use words::{CommandLine, Join, NotLiteral, Pipeline};

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
}

impl CommandFact {
    /// Reads a command. The places of its words are for those to add who hold the file system.
    pub fn of(text: &str) -> CommandFact {
        CommandFact {
            text: text.to_owned(),
            line: CommandLine::read(text),
            survey: Survey::of(text),
            places: Vec::new(),
        }
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
        (commands.next().is_none() && words::is_about_the_shell(name)).then_some(name)
    }

    /// Every word that could be a path: of all commands, behind a `=` as well, and where redirections lead.
    pub fn words(&self) -> Vec<&str> {
        let arguments = self
            .survey
            .commands
            .iter()
            .flat_map(|command| command.iter().skip(1));
        let mut words: Vec<&str> = Vec::new();
        for word in arguments.chain(&self.survey.targets) {
            words.push(word);
            if let Some((_, value)) = word.split_once('=') {
                words.push(value);
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }
}
