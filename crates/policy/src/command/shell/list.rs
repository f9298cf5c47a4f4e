//! A list of commands that is being read.

use super::word::Word;
use super::{Input, Simple};

/// A list of commands that is being read: the text itself, or the contents of parentheses.
#[derive(Debug)]
pub(super) struct List {
    pub(super) kind: Kind,
    pub(super) command: Simple,
    /// The index of the command among all commands, from its first letter on.
    pub(super) slot: Option<usize>,
    pub(super) word: Option<Word>,
    pub(super) next: Next,
    /// Whether a redirection came before the command: after a redirection no word is a keyword.
    pub(super) is_redirected: bool,
    /// Whether the command's name may expand to several words.
    pub(super) is_split: bool,
    pub(super) is_coproc: bool,
    /// Whether the next command reads the output of a pipeline.
    pub(super) piped: bool,
    /// Open `case` commands.
    pub(super) cases: Vec<Case>,
    /// The variable of a loop.
    pub(super) variable: String,
    /// The words in `[[ .. ]]`.
    pub(super) test: Option<Vec<String>>,
}

/// The kind of a list, which decides where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The whole text.
    Text,
    /// `( .. )`
    Subshell,
    /// `$( .. )`, `<( .. )`
    Substitution,
    /// `name=( .. )`
    Array,
}

/// What the next word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Word,
    /// The target of a redirection; `is_input` if it is the input.
    Target {
        is_input: bool,
    },
    /// The text of a here-string.
    HereString,
    /// The delimiter of a here-document; `strips` removes tabs at the start of lines.
    Delimiter {
        strips: bool,
    },
    /// The variable of `for` or `select`.
    Variable,
    /// `in` or `do` after the variable.
    In,
    /// The values of a loop.
    Items,
    /// The subject of `case`.
    Subject,
    /// `in` after the subject.
    CaseIn,
    /// The name of a function.
    Function,
}

/// The position inside a `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Patterns,
    Body,
}

impl List {
    pub(super) fn new(kind: Kind) -> List {
        List {
            kind,
            command: Simple::default(),
            slot: None,
            word: None,
            next: Next::Word,
            is_redirected: false,
            is_split: false,
            is_coproc: false,
            piped: false,
            cases: Vec::new(),
            variable: String::new(),
            test: None,
        }
    }

    /// The current word, which starts here if there is none.
    pub(super) fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    /// Whether the next word may be a keyword or start a command.
    pub(super) fn is_fresh(&self) -> bool {
        self.command.words.is_empty() && self.command.assignments.is_empty() && !self.is_redirected
    }

    /// Whether patterns of a `case` are expected.
    pub(super) fn is_in_patterns(&self) -> bool {
        self.cases.last() == Some(&Case::Patterns)
    }

    /// Takes the command out, and resets the list for the next.
    pub(super) fn take(&mut self) -> (Option<usize>, Simple, bool) {
        let mut command = std::mem::take(&mut self.command);
        if std::mem::take(&mut self.piped) && command.input == Input::Inherited {
            command.input = Input::Unknown;
        }
        self.is_redirected = false;
        self.is_coproc = false;
        let is_split = std::mem::take(&mut self.is_split);
        (self.slot.take(), command, is_split)
    }
}
