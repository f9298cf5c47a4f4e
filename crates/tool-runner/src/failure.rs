//! The errors of calls that did not run. A tool that ran and failed is a result.

use thiserror::Error;
use toolglot_schema::{SchemaError, Violation};
use toolglot_tool_files::IdError;
use toolglot_tool_registry::{FindError, LinkError};
use toolglot_tool_trust::TrustRefusal;

/// Why a tool did not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The name is not an id.
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
        /// The requested name.
        action: String,
        /// The tool's actions.
        known: Vec<String>,
    },
    /// The name is ambiguous: it names a file and an action of another file.
    #[error(
        "`{name}` is a file, and the action `{action}` of `{id}`: call `{id}` with `\"action\": \"{action}\"`, or give the file another name"
    )]
    TwoTools {
        /// The called name.
        name: String,
        /// The tool that has the action.
        id: String,
        /// The action.
        action: String,
    },
    /// The name and the arguments name different actions.
    #[error(
        "`{id}.{action}` is called, and `action` among the arguments is {other}: leave that out, or call `{id}` with it"
    )]
    TwoActions {
        /// The tool.
        id: String,
        /// The action of the name.
        action: String,
        /// The action in the arguments, as JSON.
        other: String,
    },
    /// The file violates rules of tool files.
    #[error(
        "`{id}` breaks rules of tool files ({first}); `toolglot tools check {id}` shows all {n}"
    )]
    Faulty {
        /// The tool.
        id: String,
        /// The first violation.
        first: String,
        /// The number of violations.
        n: usize,
    },
    /// The tool is not trusted: its signature, or a file that it depends on.
    #[error(transparent)]
    Refused(#[from] TrustRefusal),
    /// The file is not a callable tool.
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
    /// The arguments violate the schema.
    #[error("{}", .violations.iter().map(|violation| violation.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Arguments {
        /// The tool.
        id: String,
        /// The violations.
        violations: Vec<Violation>,
    },
    /// The chain of executors is circular.
    #[error("the executors of `{tool}` go round in a circle: {}", .path.join(" -> "))]
    Circular {
        /// The tool.
        tool: String,
        /// The links; the last one occurs earlier, too.
        path: Vec<String>,
    },
    /// The chain of executors is too long.
    #[error("the chain of executors of `{tool}` is too deep (more than {max}): {}", .path.join(" -> "))]
    TooDeep {
        /// The tool.
        tool: String,
        /// The limit.
        max: usize,
        /// The links.
        path: Vec<String>,
    },
    /// A link is missing.
    #[error("`{from}` is run by `{executor}`, and there is no such executor{}", .nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default())]
    NoExecutor {
        /// The file that names the executor.
        from: String,
        /// The name.
        executor: String,
        /// The most similar executor.
        nearest: Option<String>,
    },
    /// A tool of a server names a file that is not a server.
    #[error(
        "`{id}` is not a server: its `tool_type` is `{kind}`, and that of a server is `mcp_server`"
    )]
    NoServer {
        /// The named file.
        id: String,
        /// Its type.
        kind: String,
    },
    /// A tool of an MCP server, in a build without MCP.
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
    /// The end of the chain is not a primitive.
    #[error(
        "the chain of `{tool}` ends with the unknown primitive `{id}`: write subprocess, http_client or filesystem"
    )]
    UnknownPrimitive {
        /// The tool.
        tool: String,
        /// The last link.
        id: String,
    },
    /// Two links do not fit together.
    #[error(transparent)]
    BadLink(#[from] LinkError),
    /// The tool needs capabilities that are not granted.
    #[error("`{id}` needs {}, which is not granted", .missing.join(", "))]
    NotGranted {
        /// The tool.
        id: String,
        /// The capabilities.
        missing: Vec<String>,
    },
    /// The estimate exceeds the budget.
    #[error("`{id}` is estimated at {estimate:.4} {currency}; {spent:.4} of {cap:.4} are spent")]
    TooExpensive {
        /// The tool.
        id: String,
        /// The tool's estimated cost.
        estimate: f64,
        /// The amount spent so far.
        spent: f64,
        /// The limit.
        cap: f64,
        /// The currency.
        currency: String,
    },
    /// The call was cancelled before it started.
    #[error("`{id}` was cancelled before it started")]
    Cancelled {
        /// The tool.
        id: String,
    },
    /// The tool's interpreter is missing.
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
    /// The tool reads a parameter as a variable, and the parameter cannot be one.
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
    /// A failed call with remarks from the inspection after it.
    #[error("{source}\n{}", .remarks.trim_end())]
    Remarked {
        /// The failure.
        #[source]
        source: Box<CallError>,
        /// A line for each remark.
        remarks: String,
    },
    /// The search for protected paths failed.
    #[error("`{id}` was not run: {source}")]
    NotKept {
        /// The tool.
        id: String,
        /// Why.
        #[source]
        source: toolglot_builtins::Failure,
    },
    /// The server's definition of the tool differs from the approved one.
    #[error(
        "the definition of `{id}` by the server `{server}` is not the approved one; `toolglot mcp approve {server}` shows what changed and approves it"
    )]
    ServerChanged {
        /// The tool.
        id: String,
        /// The server.
        server: String,
    },
    /// The policy requires approval of the server's tools, and this tool is not approved.
    #[error(
        "the policy asks tools of the server `{server}` only as they were approved, and `{id}` was not: `toolglot mcp approve {server}`"
    )]
    NotPinned {
        /// The tool.
        id: String,
        /// The server.
        server: String,
    },
    /// The server does not list its tools.
    #[error("`{id}` does not say what it offers: {why}")]
    NoOffer {
        /// The server.
        id: String,
        /// Why.
        why: String,
    },
    /// The server was approved without this tool.
    #[error(
        "the server `{server}` was approved without a tool `{tool}`; it has {}; `toolglot mcp approve {server}` shows what it offers now", .known.join(", ")
    )]
    NoServerTool {
        /// The server.
        server: String,
        /// The requested name.
        tool: String,
        /// The approved tools.
        known: Vec<String>,
    },
    /// The policy forbids a request to the server.
    #[error("`{id}`: {why}")]
    ServerRuled {
        /// The tool.
        id: String,
        /// Why.
        why: String,
    },
    /// The caller stopped the call.
    #[error("`{id}` was stopped")]
    Stopped {
        /// The tool.
        id: String,
    },
}

impl CallError {
    /// The failure without the remarks.
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
