//! What the rules want to know of a program's code.

use std::collections::BTreeMap;
use std::ops::Range;

/// Facts about code, found without running it.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// The function that a runtime calls: `execute` in Python, the default export in JavaScript.
    pub(crate) entry: Option<Entry>,
    /// Whether it can be started as a program: `if __name__ == "__main__"`.
    pub(crate) has_main_block: bool,
    /// Whether the entry is `async`.
    pub(crate) is_async: bool,
    /// Where that calls an `async` entry and does not wait for it.
    pub(crate) forgets_to_wait: Option<Range<usize>>,
    /// Whether running the file does nothing but give names to things.
    pub(crate) only_defines: bool,
    /// Whether a statement of the file calls something for what that does, as a script does: `main()`.
    pub(crate) starts: bool,
    /// String literals that are absolute paths.
    pub(crate) absolute_paths: Vec<Range<usize>>,
    /// Whether a path of the parameters is compared with the project's before it is opened.
    pub(crate) checks_paths: bool,
    /// Where a path of the parameters is used first.
    pub(crate) uses_paths: Option<Range<usize>>,
    /// What it works on beside files, and where it says so first.
    pub(crate) works_on: BTreeMap<WorksOn, Range<usize>>,
    /// The names by which the entry is given the parameters.
    pub(super) given: Vec<String>,
    /// Where a script continues although a command failed.
    pub(crate) goes_on: Option<Range<usize>>,
}

/// What code can fail at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WorksOn {
    Network,
    Programs,
}

/// The function that a runtime calls.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name and parameters.
    pub(crate) span: Range<usize>,
    /// Everything that it returns.
    pub(crate) returns: Vec<Return>,
    /// Whether it can be called with the parameters and the project.
    pub(crate) takes_two: bool,
    /// Whether what returns nothing may end otherwise: it raises, goes round, or ends the program.
    pub(crate) may_leave: bool,
    /// Where it certainly runs off its end, beside what it returns elsewhere.
    pub(crate) falls: Option<Range<usize>>,
}

/// What one `return` gives.
#[derive(Debug)]
pub(crate) struct Return {
    pub(crate) span: Range<usize>,
    pub(crate) gives: Gives,
}

#[derive(Debug)]
pub(crate) enum Gives {
    /// A map that is written down, with its keys; `success` if that is a literal.
    Map {
        keys: Vec<String>,
        /// Whether it also holds what is not written down, as `**other` is.
        open: bool,
        success: Success,
    },
    /// A literal that is not a map, or nothing; what it is.
    Other(&'static str),
    /// What a call or a variable gives: known only when it runs.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Success {
    Missing,
    True,
    False,
    /// A literal that is not a boolean.
    NoBoolean,
    Computed,
}

/// Directories whose names mean that a path was written for one machine.
const ROOTS: &[&str] = &[
    "home",
    "Users",
    "root",
    "tmp",
    "var",
    "etc",
    "opt",
    "usr",
    "srv",
    "mnt",
    "data",
    "workspace",
];

/// Whether a text is an absolute path of some machine.
pub(crate) fn is_absolute(text: &str) -> bool {
    if text.contains(char::is_whitespace) {
        return false;
    }
    let bytes = text.as_bytes();
    let drive = bytes.len() > 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    drive
        || text
            .strip_prefix('/')
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(root, _)| ROOTS.contains(&root))
}
