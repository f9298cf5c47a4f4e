//! Parses a text as a shell does: its commands, as far as the text alone shows them.
//!
//! One parser for the grammar that `bash` and the POSIX shells share. The grammar has words with every kind of quoting,
//! assignments, redirections in any position, here-documents, substitutions, functions, compound commands. The parser
//! has its own stack, so that no text makes it recurse, and reads each letter once.
//!
//! The parser runs nothing and expands nothing: a part that only the shell knows is [`UNKNOWN`] in a word. Where the
//! text does not show what runs, or where shells differ, the parser records a doubt. The commands are then a guess, and
//! a caller that must be sure refuses the text.

mod arithmetic;
mod dollar;
mod escape;
mod list;
mod meaning;
mod reader;
mod word;

use std::collections::BTreeSet;

pub(super) use reader::{read, read_data};

/// Replaces letters of a word that only the shell knows: an expansion, a pattern, a brace. No argument can contain it.
pub(crate) const UNKNOWN: char = '\0';

/// The maximum number of doubts: one is enough to refuse, a few to explain.
const MOST_DOUBTS: usize = 8;

/// The contents of a text for a shell.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Commands in order of appearance, those in substitutions too.
    pub(super) commands: Vec<Simple>,
    /// The targets of redirections.
    pub(super) targets: Vec<String>,
    /// Scripts inside of the text that are read separately: those between backticks.
    pub(super) scripts: Vec<String>,
    /// Texts in which only substitutions count: here-documents.
    pub(super) data: Vec<String>,
    /// Why it is unknown what runs.
    pub(super) doubts: Vec<String>,
    /// Whether the text holds more than one command's words.
    pub(super) needs_shell: bool,
    pub(super) variables: Variables,
}

impl Script {
    pub(super) fn doubt(&mut self, why: impl Into<String>) {
        if self.doubts.len() < MOST_DOUBTS {
            self.doubts.push(why.into());
        }
    }
}

/// Facts about variables. A name in arithmetic is evaluated as an expression, which can run commands:
/// `x='a[$(rm y)]'; echo $((x))`.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Names in arithmetic.
    pub(super) counted: BTreeSet<String>,
    /// Names with a value that is not a number.
    pub(super) texts: BTreeSet<String>,
    /// Whether names get values that the text does not show.
    pub(super) any: bool,
}

impl Variables {
    pub(super) fn merge(&mut self, other: Variables) {
        self.counted.extend(other.counted);
        self.texts.extend(other.texts);
        self.any |= other.any;
    }

    /// Whether arithmetic may use a value that is not a number.
    pub(super) fn is_doubtful(&self) -> bool {
        (self.any && !self.counted.is_empty()) || !self.counted.is_disjoint(&self.texts)
    }
}

/// A simple command, without the keywords around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Variables that are set for the command, or for all that follows if there are no words.
    pub(super) assignments: Vec<(String, String)>,
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The standard input of the command.
    pub(super) input: Input,
}

/// The standard input of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Input {
    /// The text states no input.
    #[default]
    Inherited,
    /// This text.
    Text(String),
    /// The body of a here-document, by its number, until the body is read.
    Document(usize),
    /// An input that the text does not show: a file, another command's output.
    Unknown,
}

/// Whether a word has a part that only the shell knows.
pub(crate) fn is_unknown(word: &str) -> bool {
    word.contains(UNKNOWN)
}

/// A word for people, with `…` for the unknown parts.
pub(crate) fn shown(word: &str) -> String {
    word.replace(UNKNOWN, "…")
}
