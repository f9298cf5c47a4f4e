//! The errors of builtin tools.

use std::io;

use thiserror::Error;
use toolglot_policy::Escape;

/// Why a builtin tool failed. The messages are for the model: they name the error and what to write instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// No builtin tool has this name.
    #[error("unknown builtin tool {tool:?}: there are {}", crate::tools::TOOLS.join(", "))]
    UnknownTool {
        /// The name.
        tool: String,
    },
    /// Edits that cannot be read.
    #[error("the edits cannot be read: {problem}")]
    BadEdit {
        /// The error, and what to write instead.
        problem: String,
    },
    /// An edit that does not fit the present file.
    #[error("edit {number} of `{path}` was not made, and neither were the others: {problem}")]
    StaleEdit {
        /// The path.
        path: String,
        /// The edit's number, from 1.
        number: usize,
        /// What the file contains instead.
        problem: String,
    },
    /// A file to edit that is not text.
    #[error(
        "`{path}` is not text in UTF-8, UTF-16 or Latin-1 and cannot be edited: write all of it with `write_file`, or convert it with a command"
    )]
    NotText {
        /// The path.
        path: String,
    },
    /// A letter that the encoding of a file does not have.
    #[error(
        "`{path}` is {encoding}, which has no {letter:?}: write another letter, or the whole file with `write_file`, which makes it UTF-8"
    )]
    NoSuchLetter {
        /// The path.
        path: String,
        /// The encoding.
        encoding: &'static str,
        /// The letter.
        letter: char,
    },
    /// `delete_file` on a directory.
    #[error("`{path}` is a directory, and only single files are deleted")]
    DeletesDirectory {
        /// The path.
        path: String,
    },
    /// The target of a move exists.
    #[error("`{path}` is there already, and moving replaces nothing")]
    Exists {
        /// The path.
        path: String,
    },
    /// A directory moved into itself.
    #[error("`{path}` cannot be moved into itself")]
    IntoItself {
        /// The path.
        path: String,
    },
    /// A directory to move that contains a protected path: the move would remove its protection.
    #[error("`{path}` holds `{held}`, which may not be moved: move what is allowed one by one")]
    HoldsRefused {
        /// The directory.
        path: String,
        /// The protected path in it.
        held: String,
    },
    /// An HTTP request that was not sent.
    #[error("{problem}")]
    Http {
        /// Why.
        problem: String,
    },
    /// An HTTP request without a response: a retry may help.
    #[error("`{host}` gave no answer: {problem}")]
    Unanswered {
        /// The host.
        host: String,
        /// The error.
        problem: String,
    },
    /// git failed.
    #[error("git says: {said}")]
    Git {
        /// What git wrote.
        said: String,
    },
    /// A command that would change only the shell's state.
    #[error("`{name}` changes nothing but the shell it runs in, and every command runs on its own: {}", state_help(.name))]
    ShellState {
        /// The command.
        name: String,
    },
    /// The root has too many files to search them for protected paths.
    #[error(
        "no command runs here: the directory holds more than {n} files, too many to check for protected paths; work in a smaller one"
    )]
    TooMany {
        /// The limit.
        n: usize,
    },
    /// A directory nested too deep for a path, so that nothing in it can be hidden from commands.
    #[error(
        "no command runs here: a directory is nested too deep to be hidden from commands; remove it"
    )]
    TooDeep,
    /// The sandbox that a program needs cannot be set up, or the program cannot be started.
    #[error(transparent)]
    Sandbox(#[from] toolglot_sandbox::SandboxError),
    /// A required parameter is missing.
    #[error("`{tool}` needs the parameter `{parameter}`: {expected}")]
    MissingParameter {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// A parameter holds another kind of value.
    #[error("parameter `{parameter}` has to be {expected}, not {found}")]
    WrongType {
        /// The parameter.
        parameter: &'static str,
        /// The expected value.
        expected: &'static str,
        /// The kind of the value.
        found: String,
    },
    /// The path does not lead to a place inside the root.
    #[error("path {written:?}: {escape}")]
    Path {
        /// The path as written.
        written: String,
        /// Where it would lead.
        #[source]
        escape: Escape,
    },
    /// Nothing is there.
    #[error(
        "`{path}` does not exist, but the directory `{nearest}` does: look into it with `list_files`"
    )]
    NotFound {
        /// The path.
        path: String,
        /// The nearest directory above it that exists.
        nearest: String,
    },
    /// A directory where a file is needed.
    #[error(
        "`{path}` is a directory, and this tool works on one file: see what is in it with `list_files`"
    )]
    IsDirectory {
        /// The path.
        path: String,
    },
    /// Something else where a directory is needed.
    #[error("`{path}` is not a directory")]
    NotDirectory {
        /// The path.
        path: String,
    },
    /// A pipe, a socket, a device.
    #[error(
        "`{path}` is neither a file nor a directory but a pipe, a socket or a device, which no tool opens"
    )]
    NotRegular {
        /// The path.
        path: String,
    },
    /// A file name with a slash after it, or a slash and a dot.
    #[error(
        "path {path:?} ends in `/` or `/.`, which names a directory: write the name of the file"
    )]
    EndsInSlash {
        /// The path as written.
        path: String,
    },
    /// The path changed after the call was planned.
    #[error("`{path}` was replaced by a symbolic link while the call was running")]
    Changed {
        /// The path.
        path: String,
    },
    /// A binary file.
    #[error(
        "`{path}` is a binary file of {size} bytes (it holds a zero byte), not text: use a command such as `file` or `xxd`"
    )]
    Binary {
        /// The path.
        path: String,
        /// Its size in bytes.
        size: u64,
    },
    /// More bytes than a tool accepts.
    #[error(
        "{what} of `{path}` is {size} bytes, over the limit of {limit}: write it in parts, or name a smaller file"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The path.
        path: String,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A read-only file.
    #[error("`{path}` is read-only, so it was left as it is")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// Line numbers that fit no file.
    #[error(
        "invalid range of lines {start} to {end}: lines count from 1, both ends are included, and `start_line` comes first"
    )]
    NoRange {
        /// The first line.
        start: u64,
        /// The last line.
        end: u64,
    },
    /// Line numbers after the end of this file.
    #[error("`{path}` has {}, so there is no line {start}", crate::shown::counted(*.lines, "line"))]
    BehindEnd {
        /// The path.
        path: String,
        /// The requested first line.
        start: u64,
        /// The lines there are.
        lines: u64,
    },
    /// A regular expression that does not compile.
    #[error(
        "invalid regular expression in `pattern` (syntax of Rust's `regex`: no look-around, no back-references): {source}"
    )]
    Regex {
        /// Why.
        #[source]
        source: Box<regex::Error>,
    },
    /// A glob that does not compile.
    #[error("invalid glob in `{parameter}` (examples: `*.rs`, `src/**/*.{{ts,tsx}}`): {source}")]
    Glob {
        /// The parameter.
        parameter: &'static str,
        /// Why.
        #[source]
        source: globset::Error,
    },
    /// The system returned an error.
    #[error("`{path}` cannot be {action}: {source}")]
    Io {
        /// The attempted action, as in `read`.
        action: &'static str,
        /// The path.
        path: String,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}

/// What to do in place of a command that changes the shell's state.
fn state_help(name: &str) -> &'static str {
    if name == "cd" {
        "give the directory as `cwd`, or write `cd DIR && COMMAND` in one command"
    } else {
        "give the values as arguments of the command that needs them"
    }
}

impl Failure {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::UnknownTool { .. } => "unknown-tool",
            Failure::BadEdit { .. } => "bad-edit",
            Failure::StaleEdit { .. } => "stale-edit",
            Failure::NotText { .. } => "not-text",
            Failure::NoSuchLetter { .. } => "no-such-letter",
            Failure::DeletesDirectory { .. } => "deletes-directory",
            Failure::Exists { .. } => "exists",
            Failure::IntoItself { .. } => "into-itself",
            Failure::HoldsRefused { .. } => "holds-refused",
            Failure::Http { .. } => "http",
            Failure::Unanswered { .. } => "http",
            Failure::Git { .. } => "git",
            Failure::ShellState { .. } => "shell-state",
            Failure::Sandbox(refusal) => match refusal.cause() {
                toolglot_sandbox::SandboxError::NotFound { .. } => "no-such-program",
                toolglot_sandbox::SandboxError::ArgumentTooLong { .. } => "argument-too-long",
                _ => "no-sandbox",
            },
            Failure::TooMany { .. } | Failure::TooDeep => "not-looked-through",
            Failure::MissingParameter { .. } => "missing-parameter",
            Failure::WrongType { .. } => "wrong-type",
            Failure::Path { escape, .. } if escape.is_outside() => "outside-root",
            Failure::Path { .. } => "unusable-path",
            Failure::NotFound { .. } => "not-found",
            Failure::IsDirectory { .. } => "is-directory",
            Failure::NotDirectory { .. } => "not-directory",
            Failure::NotRegular { .. } => "not-regular",
            Failure::EndsInSlash { .. } => "ends-in-slash",
            Failure::Changed { .. } => "changed",
            Failure::Binary { .. } => "binary",
            Failure::TooLarge { .. } => "too-large",
            Failure::ReadOnly { .. } => "read-only",
            Failure::NoRange { .. } => "no-range",
            Failure::BehindEnd { .. } => "behind-end",
            Failure::Regex { .. } => "bad-regex",
            Failure::Glob { .. } => "bad-glob",
            Failure::Io { .. } => "io",
        }
    }
}
