//! What a shell would make of a text: its commands, as far as the text alone tells.
//!
//! One reader of the grammar that `bash` and the shells of POSIX share: words with every kind of quoting, assignments,
//! redirections wherever they stand, here-documents, substitutions, functions, compound commands. It keeps a stack of its own,
//! so that no text makes it recurse, and reads each letter once.
//!
//! It does not run anything and does not expand anything: what only the shell knows is [`UNKNOWN`] in a word. Where the text
//! does not tell what runs, or where shells differ in how they read it, there is a doubt: its reading is a guess, and
//! whoever has to be sure refuses.

mod arithmetic;
mod dollar;
mod escape;
mod list;
mod meaning;
mod reader;
mod word;

use std::collections::BTreeSet;

pub(super) use reader::{read, read_data};

/// Stands in a word for letters that only the shell knows: an expansion, a pattern, a brace. No argument can hold it.
pub(crate) const UNKNOWN: char = '\0';

/// Doubts that are kept: one is enough to refuse, a few to explain.
const MOST_DOUBTS: usize = 8;

/// What stands in a text for a shell.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Commands in order of appearance, those in substitutions too.
    pub(super) commands: Vec<Simple>,
    /// Where redirections lead.
    pub(super) targets: Vec<String>,
    /// Scripts inside of it that have to be read on their own: those between backticks.
    pub(super) scripts: Vec<String>,
    /// Texts in which only substitutions count: here-documents.
    pub(super) data: Vec<String>,
    /// Why it is not known what runs.
    pub(super) doubts: Vec<String>,
    /// Whether it holds more than one command's words.
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

/// What is known of variables: a name in arithmetic stands for an expression, and that can run commands
/// (`x='a[$(rm y)]'; echo $((x))`).
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Names that stand in arithmetic.
    pub(super) counted: BTreeSet<String>,
    /// Names that get what is no number.
    pub(super) texts: BTreeSet<String>,
    /// Whether names get values that the text does not tell.
    pub(super) any: bool,
}

impl Variables {
    pub(super) fn merge(&mut self, other: Variables) {
        self.counted.extend(other.counted);
        self.texts.extend(other.texts);
        self.any |= other.any;
    }

    /// Whether arithmetic is done with what is no number for sure.
    pub(super) fn is_doubtful(&self) -> bool {
        (self.any && !self.counted.is_empty()) || !self.counted.is_disjoint(&self.texts)
    }
}

/// A command without the words around it that are not one of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Variables that are set for it, or for all that follows if there are no words.
    pub(super) assignments: Vec<(String, String)>,
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// What it reads.
    pub(super) input: Input,
}

/// What a command reads on its standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Input {
    /// Nothing that the text tells of.
    #[default]
    Inherited,
    /// This.
    Text(String),
    /// The body of a here-document, by its number, until that was read.
    Document(usize),
    /// Something that the text does not tell: a file, another command's output.
    Unknown,
}

/// Whether only the shell knows all of a word.
pub(crate) fn is_unknown(word: &str) -> bool {
    word.contains(UNKNOWN)
}

/// A word for people.
pub(crate) fn shown(word: &str) -> String {
    word.replace(UNKNOWN, "…")
}
