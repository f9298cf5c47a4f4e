//! A list of commands that is being read.

use super::word::Word;
use super::{Input, Simple};

/// A list of commands that is being read: the text itself, or what stands in parentheses.
#[derive(Debug)]
pub(super) struct List {
    pub(super) kind: Kind,
    pub(super) command: Simple,
    /// The place of the command among all, from its first letter on.
    pub(super) slot: Option<usize>,
    pub(super) word: Option<Word>,
    pub(super) next: Next,
    /// Whether a redirection stood before the command: after it no word is one of the grammar.
    pub(super) is_redirected: bool,
    /// Whether the command's name may become other words.
    pub(super) is_split: bool,
    pub(super) is_coproc: bool,
    /// What the next command of a pipeline reads.
    pub(super) piped: bool,
    /// `case` commands that are open.
    pub(super) cases: Vec<Case>,
    /// The variable of a loop.
    pub(super) variable: String,
    /// What stands in `[[ .. ]]`.
    pub(super) test: Option<Vec<String>>,
}

/// Where a list ends, and what it was.
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
    /// Where a redirection leads; whether it is the input.
    Target {
        is_input: bool,
    },
    /// What is read as the input.
    HereString,
    /// The end of a here-document, without its tabs.
    Delimiter {
        strips: bool,
    },
    /// The variable of `for` or `select`.
    Variable,
    /// `in` or `do` after it.
    In,
    /// What a loop goes through.
    Items,
    /// What `case` looks at.
    Subject,
    /// `in` after it.
    CaseIn,
    /// The name of a function.
    Function,
}

/// Where a `case` stands.
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

    /// Whether the next word may be one of the grammar, or start a command.
    pub(super) fn is_fresh(&self) -> bool {
        self.command.words.is_empty() && self.command.assignments.is_empty() && !self.is_redirected
    }

    /// Whether patterns of a `case` are expected.
    pub(super) fn is_in_patterns(&self) -> bool {
        self.cases.last() == Some(&Case::Patterns)
    }

    /// Takes the command out, and makes ready for the next.
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
