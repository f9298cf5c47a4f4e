//! Why a call did not happen. What happened and failed is a result.

use thiserror::Error;
use toolglot_schema::{SchemaError, Violation};
use toolglot_tool_files::IdError;
use toolglot_tool_registry::{FindError, LinkError};
use toolglot_tool_trust::TrustRefusal;

/// Why a tool was not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The name is no id.
    #[error(transparent)]
    BadId(#[from] IdError),
    /// There is no such tool, or its file cannot be read.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The tool has no such action.
    #[error("`{id}` has no action `{action}`; it has {}", .known.join(", "))]
    UnknownAction {
        /// The tool.
        id: String,
        /// What was asked for.
        action: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A file has the name of another's action: which of the two was meant, nobody knows.
    #[error(
        "`{name}` is a file, and the action `{action}` of `{id}`: call `{id}` with `\"action\": \"{action}\"`, or give the file another name"
    )]
    TwoTools {
        /// What was called.
        name: String,
        /// The tool that has the action.
        id: String,
        /// The action.
        action: String,
    },
    /// The name and the arguments say two actions.
    #[error(
        "`{id}.{action}` is called, and `action` among the arguments is {other}: leave that out, or call `{id}` with it"
    )]
    TwoActions {
        /// The tool.
        id: String,
        /// The action of the name.
        action: String,
        /// What the arguments say, as JSON.
        other: String,
    },
    /// The file breaks rules.
    #[error(
        "`{id}` breaks rules of tool files ({first}); `toolglot tools check {id}` shows all {n}"
    )]
    Faulty {
        /// The tool.
        id: String,
        /// The first breach.
        first: String,
        /// How many.
        n: usize,
    },
    /// It may not run: its signature, or what it depends on.
    #[error(transparent)]
    Refused(#[from] TrustRefusal),
    /// It is no tool.
    #[error("`{id}` is {} {kind}, which other tools use and which is not called itself", if kind.starts_with(['a', 'e', 'i', 'o', 'u']) || kind.starts_with("mcp") { "an" } else { "a" })]
    NotCallable {
        /// The file.
        id: String,
        /// Its type.
        kind: String,
    },
    /// The schema of the tool cannot be used.
    #[error("the schema of `{id}` cannot be used: {source}")]
    Schema {
        /// The tool.
        id: String,
        /// Why.
        #[source]
        source: SchemaError,
    },
    /// The arguments do not fit.
    #[error("{}", .violations.iter().map(|violation| violation.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Arguments {
        /// The tool.
        id: String,
        /// In which ways.
        violations: Vec<Violation>,
    },
    /// A chain comes back to where it was.
    #[error("the executors of `{tool}` go round in a circle: {}", .path.join(" -> "))]
    Circular {
        /// The tool.
        tool: String,
        /// The links, the last of which stands there before.
        path: Vec<String>,
    },
    /// A chain does not end.
    #[error("the chain of executors of `{tool}` is too deep (more than {max}): {}", .path.join(" -> "))]
    TooDeep {
        /// The tool.
        tool: String,
        /// The most.
        max: usize,
        /// The links.
        path: Vec<String>,
    },
    /// A link is missing.
    #[error("`{from}` is run by `{executor}`, and there is no such executor{}", .nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default())]
    NoExecutor {
        /// Who names it.
        from: String,
        /// The name.
        executor: String,
        /// The one that was probably meant.
        nearest: Option<String>,
    },
    /// A tool of a server names something else as its server.
    #[error(
        "`{id}` is not a server: its `tool_type` is `{kind}`, and that of a server is `mcp_server`"
    )]
    NoServer {
        /// What it names.
        id: String,
        /// Its type.
        kind: String,
    },
    /// A tool of an MCP server, in a build without them.
    #[error(
        "`{id}` belongs to an MCP server, and this build has none: the cargo feature `mcp` was left out"
    )]
    LeftOut {
        /// The tool.
        id: String,
    },
    /// A file names no executor.
    #[error("`{id}` names no executor, so nothing can run it")]
    NoExecutorNamed {
        /// The file.
        id: String,
    },
    /// The end of a chain is no primitive.
    #[error(
        "the chain of `{tool}` ends with the unknown primitive `{id}`: write subprocess, http_client or filesystem"
    )]
    UnknownPrimitive {
        /// The tool.
        tool: String,
        /// The end.
        id: String,
    },
    /// Two links do not fit.
    #[error(transparent)]
    BadLink(#[from] LinkError),
    /// The tool needs what is not granted.
    #[error("`{id}` needs {}, which is not granted", .missing.join(", "))]
    NotGranted {
        /// The tool.
        id: String,
        /// The capabilities.
        missing: Vec<String>,
    },
    /// It would cost too much.
    #[error("`{id}` is estimated at {estimate:.4} {currency}; {spent:.4} of {cap:.4} are spent")]
    TooExpensive {
        /// The tool.
        id: String,
        /// What it would cost.
        estimate: f64,
        /// What was spent before.
        spent: f64,
        /// The most.
        cap: f64,
        /// Of which money.
        currency: String,
    },
    /// It was to be ended before it started.
    #[error("`{id}` was cancelled before it started")]
    Cancelled {
        /// The tool.
        id: String,
    },
    /// There is nothing to run it with.
    #[error(
        "`{id}` is run by {program}, and none is found along PATH (directories of the project do not count)"
    )]
    NoInterpreter {
        /// The tool.
        id: String,
        /// The interpreter.
        program: &'static str,
    },
    /// The configuration of the tool or its runtime cannot be used.
    #[error("`{id}` cannot be run as it is configured: {why}")]
    Config {
        /// The file.
        id: String,
        /// Why.
        why: String,
    },
    /// A configuration names a variable that is not set, and no default.
    #[error(
        "`{id}` was not run: `${{{name}}}` in `{file}` has no value; set the variable {name}, or write a default, `${{{name}:-..}}`"
    )]
    UnsetVariable {
        /// The tool.
        id: String,
        /// The variable.
        name: String,
        /// The file that names it.
        file: String,
    },
    /// A configuration names a variable that the policy does not list.
    #[error(
        "`{id}` was not run: programs do not get the variable `${{{name}}}` of `{file}`; list it in `env` of the policy's `[sandbox]`"
    )]
    UnlistedVariable {
        /// The tool.
        id: String,
        /// The variable.
        name: String,
        /// The file that names it.
        file: String,
    },
    /// It reads a parameter as a variable, which that cannot be.
    #[error(
        "`{id}` reads `{name}` as the variable `TOOLGLOT_PARAM_{name}`, and it cannot be one: {why}; a tool that reads standard input finds it there, as JSON"
    )]
    NoVariable {
        /// The tool.
        id: String,
        /// The parameter.
        name: String,
        /// Why.
        why: String,
    },
    /// A layer of the sandbox is missing, or the program is.
    #[error(transparent)]
    Sandbox(#[from] toolglot_sandbox::SandboxError),
    /// What was found after a call that failed.
    #[error("{source}\n{}", .remarks.trim_end())]
    Remarked {
        /// Why it failed.
        #[source]
        source: Box<CallError>,
        /// A line for each remark.
        remarks: String,
    },
    /// What it may not see or change is not known.
    #[error("`{id}` was not run: {source}")]
    NotKept {
        /// The tool.
        id: String,
        /// Why.
        #[source]
        source: toolglot_builtins::Failure,
    },
    /// A server does not say what it said before.
    #[error(
        "the definition of `{id}` by the server `{server}` is not the approved one; `toolglot mcp approve {server}` shows what changed and approves it"
    )]
    ServerChanged {
        /// The tool.
        id: String,
        /// The server.
        server: String,
    },
    /// The policy wants it approved, and it is not.
    #[error(
        "the policy asks tools of the server `{server}` only as they were approved, and `{id}` was not: `toolglot mcp approve {server}`"
    )]
    NotPinned {
        /// The tool.
        id: String,
        /// The server.
        server: String,
    },
    /// A server does not say what it offers.
    #[error("`{id}` does not say what it offers: {why}")]
    NoOffer {
        /// The server.
        id: String,
        /// Why.
        why: String,
    },
    /// A server was approved, and has no such tool.
    #[error(
        "the server `{server}` was approved without a tool `{tool}`; it has {}; `toolglot mcp approve {server}` shows what it offers now", .known.join(", ")
    )]
    NoServerTool {
        /// The server.
        server: String,
        /// What was asked for.
        tool: String,
        /// What was approved.
        known: Vec<String>,
    },
    /// The policy keeps it from being asked.
    #[error("`{id}`: {why}")]
    ServerRuled {
        /// The tool.
        id: String,
        /// Why.
        why: String,
    },
    /// Whoever called does not want it any more.
    #[error("`{id}` was stopped")]
    Stopped {
        /// The tool.
        id: String,
    },
}

impl CallError {
    /// Why it failed, without what was found afterwards.
    pub fn cause(&self) -> &CallError {
        match self {
            CallError::Remarked { source, .. } => source.cause(),
            error => error,
        }
    }

    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            CallError::BadId(_) => "bad-id",
            CallError::Remarked { source, .. } => source.code(),
            CallError::Find(FindError::NotFound { .. }) | CallError::NoServerTool { .. } => {
                "unknown-tool"
            }
            CallError::NoOffer { .. } => "no-offer",
            CallError::Find(_) => "unreadable-tool",
            CallError::UnknownAction { .. } => "unknown-action",
            CallError::TwoActions { .. } => "two-actions",
            CallError::TwoTools { .. } => "two-tools",
            CallError::Faulty { .. } | CallError::Schema { .. } => "faulty-tool",
            CallError::Refused(refusal) => refusal.code(),
            CallError::NotCallable { .. } => "not-callable",
            CallError::Arguments { .. } => "invalid-arguments",
            CallError::Circular { .. } => "circular-chain",
            CallError::TooDeep { .. } => "chain-too-deep",
            CallError::NoExecutor { .. } | CallError::NoExecutorNamed { .. } => "no-executor",
            CallError::UnknownPrimitive { .. } => "unknown-primitive",
            CallError::BadLink(_) => "bad-link",
            CallError::NoServer { .. } => "no-server",
            CallError::LeftOut { .. } => "left-out",
            CallError::NotGranted { .. } => "not-granted",
            CallError::TooExpensive { .. } => "too-expensive",
            CallError::Cancelled { .. } => "cancelled",
            CallError::NoInterpreter { .. } => "no-interpreter",
            CallError::Config { .. } => "bad-config",
            CallError::UnsetVariable { .. } => "unset-variable",
            CallError::UnlistedVariable { .. } => "unlisted-variable",
            CallError::NoVariable { .. } => "no-variable",
            CallError::Sandbox(_) => "no-sandbox",
            CallError::NotKept { source, .. } => source.code(),
            CallError::ServerChanged { .. } => "server-changed",
            CallError::NotPinned { .. } => "not-pinned",
            CallError::ServerRuled { .. } => "server-ruled",
            CallError::Stopped { .. } => "stopped",
        }
    }
}
