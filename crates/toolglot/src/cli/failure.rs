//! Why a command fails: usage, input and output.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use toolglot_chat::{ChatError, LineError};
use toolglot_engine::GrammarError;
use toolglot_toolset::ToolError;

use crate::cli::dialect_fault::DialectFault;
use crate::cli::human::screen::harmless;
use crate::cli::human::snippet;
use crate::cli::input_name::input_name;

/// Why a command could not be carried out; the exit code is 2.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("cannot read {}", input_name(path))]
    Input {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Find(#[from] toolglot_tool_registry::FindError),
    #[error(transparent)]
    Trust(#[from] toolglot_tool_trust::TrustError),
    #[error(transparent)]
    Open(#[from] toolglot_tool_runner::OpenError),
    #[error(transparent)]
    Session(toolglot_session::SessionError),
    #[error(transparent)]
    BadId(toolglot_tool_files::IdError),
    #[error(transparent)]
    Catalog(#[from] toolglot_tool_catalog::CatalogError),
    #[error("there is no file {}", .0.display())]
    NoFile(PathBuf),
    #[error("`--args` is not a JSON object: write one, as in '{{\"name\": \"value\"}}'")]
    Args(#[source] toolglot_value::Error),
    #[cfg(feature = "mcp")]
    #[error("`{address}` cannot be served: {why}")]
    Serving { address: String, why: String },
    #[cfg(feature = "serve")]
    #[error("cannot listen on {address}")]
    Listen {
        address: std::net::SocketAddr,
        #[source]
        source: io::Error,
    },
    #[cfg(feature = "serve")]
    #[error("{origin}:{line}:{column}: {why}")]
    GatewayFile {
        origin: String,
        line: usize,
        column: usize,
        why: String,
    },
    #[cfg(feature = "serve")]
    #[error(transparent)]
    Gateway(#[from] toolglot_gateway::GatewayError),
    #[error("cannot listen to signals")]
    Signals(#[source] io::Error),
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
    #[error("cannot write {}", input_name(.0))]
    OutputFile(PathBuf, #[source] io::Error),
    #[error("unknown dialect `{name}`{}", suggestion(*nearest))]
    UnknownDialect {
        name: String,
        nearest: Option<&'static str>,
    },
    #[error("unknown dialect `{0}`; to name the file, write `./{0}`")]
    BareFile(String),
    #[error("`--dialect` needs the name of a dialect")]
    NoDialect,
    #[error("`--jsonl` only supports `--format json` and `--format events`")]
    NotOfLines,
    #[error(transparent)]
    Chat(ChatError),
    #[error(transparent)]
    Constrained(#[from] toolglot_constrain::GrammarError),
    #[error("`{0}` is more than one dialect; name one")]
    NotOneDialect(String),
    #[error("unknown builtin tool set `{0}`; write {list}", list = toolglot_toolset::Toolbox::BUILTIN.join(", "))]
    UnknownToolbox(String),
    #[error("{origin}: not a tool list: {error}")]
    Tools { origin: String, error: ToolError },
    #[error("{origin} is not JSON")]
    Json {
        origin: String,
        #[source]
        source: toolglot_value::Error,
    },
    #[error(transparent)]
    Line(LineError),
    #[error(transparent)]
    Corpus(toolglot_corpus::CorpusError),
    #[error("{0}")]
    Inputs(String),
    #[error("{origin}: {error}")]
    Cases {
        origin: String,
        error: toolglot_dialect_check::CaseError,
    },
    #[error(
        "{} has no cases: write Markdown files in it, with blocks `input` and `events`", input_name(.0)
    )]
    NoCases(PathBuf),
    #[error("a dialect file has a fault")]
    DialectFile(Box<DialectFault>),
    #[error("the dialects cannot be compiled: {}", .0.message)]
    Program(Box<GrammarError>),
    #[error(transparent)]
    Repair(#[from] toolglot_repair::RepairError),
    #[cfg(feature = "mcp")]
    #[error("unknown server `{0}`; `toolglot mcp servers` lists them")]
    UnknownServer(String),
    #[error("unknown note code `{0}`; codes run from N001 to N{last:03}", last = toolglot_engine::Code::ALL.last().map_or(0, |code| code.number()))]
    UnknownCode(String),
    #[error(
        "{0} is a chat template: `toolglot dialects detect --template {0}` says which dialect it teaches"
    )]
    ChatTemplate(String),
    #[cfg(feature = "import")]
    #[error("{origin}:{line}:{column}: {what}")]
    Template {
        origin: String,
        line: usize,
        column: usize,
        what: String,
    },
    #[cfg(feature = "import")]
    #[error("{origin} declares a format that the notation cannot express: {error}")]
    Import {
        origin: String,
        error: toolglot_import::ImportError,
    },
    #[cfg(feature = "import")]
    #[error("{origin}: {error}")]
    Draft {
        origin: String,
        error: toolglot_import::ImportError,
    },
    #[cfg_attr(
        all(
            feature = "conform",
            feature = "import",
            feature = "mcp",
            feature = "serve"
        ),
        expect(dead_code, reason = "this build has all commands")
    )]
    #[error(
        "`toolglot {command}` was left out of this build; `cargo install toolglot --features {feature}` has it"
    )]
    LeftOut {
        command: &'static str,
        feature: &'static str,
    },
    #[error("invalid dialect name `{0}`: write lower-case letters, digits and `_`")]
    NoDialectName(String),
    #[error(transparent)]
    Message(#[from] toolglot_wire::WireError),
    #[error("no conversation: {0}")]
    Conversation(String),
}

impl From<toolglot_session::SessionError> for Failure {
    fn from(error: toolglot_session::SessionError) -> Failure {
        use toolglot_session::SessionError;
        match error {
            SessionError::Root { path, source } => Failure::Input { path, source },
            SessionError::Cancel(error) => Failure::Signals(error),
            SessionError::Chat(error) => error.into(),
            error => Failure::Session(error),
        }
    }
}

/// The text of a call that the dialect cannot carry, with a heading for the text.
fn shown_text<'t>(
    text: Option<&'t str>,
    start: Option<&'t str>,
) -> Option<(&'static str, &'t str)> {
    let start = start.filter(|start| !start.trim().is_empty());
    let whole = text.map(|text| ("the text that it would write:", text));
    whole.or(start.map(|start| ("the text that it writes up to there:", start)))
}

/// The most lines of a refused text that a report shows, and the most characters of each line.
const SHOWN_LINES: usize = 20;
const SHOWN_CHARS: usize = 200;

impl Failure {
    /// The report for a [`ColorScreen`], in the style of rustc if the failure points into a text.
    ///
    /// [`ColorScreen`]: crate::cli::human::screen::ColorScreen
    pub(crate) fn report(&self) -> String {
        if let Failure::DialectFile(fault) = self {
            return fault.report(snippet::is_colored_err());
        }
        let mut report = format!("error: {}", self.told());
        if let Failure::Chat(ChatError::Unrenderable { text, start, .. }) = self
            && let Some((heading, text)) = shown_text(text.as_deref(), start.as_deref())
        {
            report.push('\n');
            report.push_str(heading);
            for line in text.lines().take(SHOWN_LINES) {
                report.push_str("\n  | ");
                report.extend(line.chars().take(SHOWN_CHARS));
            }
        }
        harmless(&report).into_owned()
    }

    /// The failure and its sources on one line: the answer of a batch in place of a document.
    pub(crate) fn told(&self) -> String {
        Failure::with_sources(self)
    }

    /// An error and its sources, on one line.
    pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
        let mut line = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let why = error.to_string();
            // Some errors already end with the text of their source.
            if !line.ends_with(&why) {
                line.push_str(": ");
                line.push_str(&why);
            }
            source = error.source();
        }
        line
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Failure {
        match error {
            // The messages of the command line name the option and the command that lists all dialects.
            ChatError::UnknownDialect { name, nearest } => {
                Failure::UnknownDialect { name, nearest }
            }
            ChatError::NoDialect => Failure::NoDialect,
            other => Failure::Chat(other),
        }
    }
}

impl From<toolglot_corpus::CorpusError> for Failure {
    fn from(error: toolglot_corpus::CorpusError) -> Failure {
        match error {
            // The reader of standard output may have closed it.
            toolglot_corpus::CorpusError::Output(source) => Failure::Output(source),
            other => Failure::Corpus(other),
        }
    }
}

impl From<LineError> for Failure {
    fn from(error: LineError) -> Failure {
        match error {
            LineError::Chat(error) => error.into(),
            other => Failure::Line(other),
        }
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || "; `toolglot dialects list` lists them".to_owned(),
        |nearest| format!("; did you mean `{nearest}`?"),
    )
}
