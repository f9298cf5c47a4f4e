//! A line of literal words, or why it is not one.

mod reader;
#[cfg(test)]
mod tests;

use thiserror::Error;

use super::{MOST_BYTES, TOO_LONG};
use crate::letters::{is_hidden, is_presentation};

pub(super) use reader::is_about_the_shell;

/// A line of commands, each of literal words, that can be run without a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLine {
    /// What is run, in order; never empty.
    pub pipelines: Vec<Pipeline>,
}

/// Commands that run at the same time: the output of each is the input of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pipeline {
    /// When the pipeline runs.
    pub join: Join,
    /// Program and arguments of each command; neither list is ever empty.
    pub commands: Vec<Vec<String>>,
    /// Where the output of each command goes.
    pub streams: Vec<Streams>,
    /// The words that are patterns of file names, in order.
    pub patterns: Vec<FilePattern>,
}

/// Where the output of a command goes: any other redirection needs a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Streams {
    /// Standard output.
    pub output: Stream,
    /// Standard error.
    pub error: Stream,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams {
            output: Stream::Output,
            error: Stream::Error,
        }
    }
}

/// Where something is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The standard output of the command.
    Output,
    /// The standard error of the command.
    Error,
    /// `/dev/null`.
    Null,
}

/// A word that is a pattern of file names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilePattern {
    /// The index of the command in its pipeline.
    pub command: usize,
    /// The index of the first name among the words of the command.
    pub word: usize,
    /// The number of names; one where the pattern is not expanded, or no name matches.
    pub n_words: usize,
    /// The pattern, with a backslash before each literal letter.
    pub pattern: String,
    /// The offset in the text, in bytes.
    pub at: usize,
}

/// When a pipeline runs, by the result of the pipeline before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Always: the pipeline is the first, or comes after `;` or a line break.
    Then,
    /// If the one before succeeded: `&&`.
    And,
    /// If the one before failed: `||`.
    Or,
}

/// Why a line is not made of literal words alone.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} at byte {at} needs a shell")]
#[non_exhaustive]
pub struct NotLiteral {
    /// The offset, in bytes.
    pub at: usize,
    /// The construct at that offset.
    pub what: &'static str,
    /// Whether a shell would not help: the text looks different from its contents, or is empty.
    pub is_hopeless: bool,
}

impl CommandLine {
    /// Reads a line without patterns of file names.
    ///
    /// # Errors
    /// If a shell would read any part of the line as more than itself.
    pub fn read(text: &str) -> Result<CommandLine, NotLiteral> {
        let line = CommandLine::read_patterns(text)?;
        let what = "a pattern for file names outside of quotes";
        let pattern = line.patterns().next().map(|pattern| not(pattern.at, what));
        pattern.map_or(Ok(line), Err)
    }

    /// Reads a line in which arguments may be patterns of file names.
    ///
    /// # Errors
    /// If a shell would read any other part of the line as more than itself.
    pub fn read_patterns(text: &str) -> Result<CommandLine, NotLiteral> {
        if let Some((at, _)) = text.char_indices().find(|&(_, c)| deceives(c)) {
            return Err(NotLiteral {
                at,
                what: "a character that is not visible or reverses the text",
                is_hopeless: true,
            });
        }
        if text.len() > MOST_BYTES {
            return Err(not(0, TOO_LONG));
        }
        let pipelines = reader::read(text)?;
        if pipelines.is_empty() {
            return Err(NotLiteral {
                at: 0,
                what: "an empty command",
                is_hopeless: true,
            });
        }
        Ok(CommandLine { pipelines })
    }

    /// The commands, in order.
    pub fn commands(&self) -> impl Iterator<Item = &[String]> {
        self.pipelines
            .iter()
            .flat_map(|pipeline| pipeline.commands.iter().map(Vec::as_slice))
    }

    /// The patterns, in order.
    pub fn patterns(&self) -> impl Iterator<Item = &FilePattern> {
        let pipelines = self.pipelines.iter();
        pipelines.flat_map(|pipeline| &pipeline.patterns)
    }

    /// Replaces each pattern by the matching names of files, in order. A pattern without a match stays, as in a shell.
    /// `names` gets the changes of directory before the pattern, and the pattern.
    ///
    /// # Errors
    /// If the names cannot be known before the line runs.
    pub fn expand(
        &mut self,
        mut names: impl FnMut(&[String], &str) -> Result<Vec<String>, &'static str>,
    ) -> Result<(), NotLiteral> {
        let mut moves: Vec<String> = Vec::new();
        // Whether the commands after a `cd` surely run in its directory: those joined by `&&` do.
        let mut is_sure = true;
        for pipeline in &mut self.pipelines {
            let is_move = matches!(pipeline.commands.as_slice(), [words] if words[0] == "cd");
            is_sure &= moves.is_empty() || pipeline.join == Join::And;
            if let Some(pattern) = pipeline.patterns.first().filter(|_| is_move || !is_sure) {
                let what = "a pattern for file names where the directory is not known";
                return Err(not(pattern.at, what));
            }
            if is_move {
                is_sure &= pipeline.join != Join::Or;
                moves.extend(pipeline.commands[0].get(1).cloned());
            }
            let mut grown = (0, 0);
            for pattern in &mut pipeline.patterns {
                if grown.0 != pattern.command {
                    grown = (pattern.command, 0);
                }
                pattern.word += grown.1;
                let found =
                    names(&moves, &pattern.pattern).map_err(|what| not(pattern.at, what))?;
                if found.is_empty() {
                    continue;
                }
                pattern.n_words = found.len();
                grown.1 += found.len() - 1;
                let words = &mut pipeline.commands[pattern.command];
                words.splice(pattern.word..=pattern.word, found);
            }
        }
        Ok(())
    }

    /// The line as a text that every shell reads as exactly these words.
    pub(crate) fn quoted(&self) -> String {
        let mut text = String::new();
        for pipeline in &self.pipelines {
            text.push_str(match pipeline.join {
                Join::Then => "\n",
                Join::And => " && ",
                Join::Or => " || ",
            });
            for (index, words) in pipeline.commands.iter().enumerate() {
                if index > 0 {
                    text.push_str(" | ");
                }
                for word in words {
                    text.push('\'');
                    text.push_str(&word.replace('\'', "'\\''"));
                    text.push_str("' ");
                }
            }
        }
        text.trim_start().to_owned()
    }
}

/// Whether a character is hidden in a command or changes how the command looks.
fn deceives(c: char) -> bool {
    is_hidden(c) && !is_presentation(c) && !matches!(c, '\n' | '\t')
}

fn not(at: usize, what: &'static str) -> NotLiteral {
    NotLiteral {
        at,
        what,
        is_hopeless: false,
    }
}
