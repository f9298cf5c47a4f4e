//! Facts about a program's code, for the rules.

use std::collections::BTreeMap;
use std::ops::Range;

/// Facts about code, found without running it.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// The function that a runtime calls: `execute` in Python, the default export in JavaScript.
    pub(crate) entry: Option<Entry>,
    /// Whether the file can start as a program: `if __name__ == "__main__"`.
    pub(crate) has_main_block: bool,
    /// Whether the entry is `async`.
    pub(crate) is_async: bool,
    /// Where the main block calls an `async` entry without waiting for it.
    pub(crate) forgets_to_wait: Option<Range<usize>>,
    /// Whether running the file only defines names.
    pub(crate) only_defines: bool,
    /// Whether a statement of the file calls something for its effect, as a script does: `main()`.
    pub(crate) starts: bool,
    /// String literals that are absolute paths.
    pub(crate) absolute_paths: Vec<Range<usize>>,
    /// Whether a path of the parameters is compared with the project's path before it is opened.
    pub(crate) checks_paths: bool,
    /// Where a path of the parameters is first used.
    pub(crate) uses_paths: Option<Range<usize>>,
    /// Resources beside files that the code works on, each with its first place.
    pub(crate) works_on: BTreeMap<WorksOn, Range<usize>>,
    /// The names by which the entry receives the parameters.
    pub(super) given: Vec<String>,
    /// The first command of a script that continues after a failed command.
    pub(crate) goes_on: Option<Range<usize>>,
}

/// Resources whose use can fail.
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
    /// All its return values.
    pub(crate) returns: Vec<Return>,
    /// Whether it can be called with the parameters and the project.
    pub(crate) takes_two: bool,
    /// Whether an entry that returns nothing may end otherwise: it raises, loops forever, or ends the program.
    pub(crate) may_leave: bool,
    /// Where it certainly runs off its end, beside what it returns elsewhere.
    pub(crate) falls: Option<Range<usize>>,
}

/// One `return` and its value.
#[derive(Debug)]
pub(crate) struct Return {
    pub(crate) span: Range<usize>,
    pub(crate) gives: Gives,
}

#[derive(Debug)]
pub(crate) enum Gives {
    /// A map literal with its keys, and the kind of its `success`.
    Map {
        keys: Vec<String>,
        /// Whether it also holds computed entries, as `**other` does.
        open: bool,
        success: Success,
    },
    /// A literal that is not a map, or no value, by its name in messages.
    Other(&'static str),
    /// The value of a call or a variable: known only at run time.
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

/// Directories that occur in absolute paths of one machine.
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
