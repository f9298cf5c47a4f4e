//! `toolglot mcp`: the registry's tools for MCP clients, over standard input and output or over HTTP; and the servers whose
//! tools are called here.
//!
//! ```text
//!  client ── lines | streamable HTTP ──▶ session ──▶ Served (list, call) ──▶ workers ──▶ the way of `toolglot call`
//! ```
//!
//! Source: <https://modelcontextprotocol.io/specification/2025-11-25>, read 2026-11.

mod approve;
mod complete;
mod list;
mod login;
mod prompts;
mod result;
mod served;
mod sources;
mod stdio;
mod under_way;
mod web;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use toolglot_session::Grants;

use crate::Outcome;
use crate::args::PolicyArguments;
use crate::call::SandboxArguments;
use crate::failure::Failure;
use crate::interrupt;
use served::{Served, Setup};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArguments {
    #[command(subcommand)]
    command: Option<McpCommand>,
    #[command(flatten)]
    serving: Serving,
}

#[derive(Debug, Args)]
pub(crate) struct Serving {
    /// Serve over HTTP at this address, as in 127.0.0.1:8642, instead of standard input and output
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,
    /// A host that requests may name, besides those of this machine; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// A file with a token that clients have to show; an address that is not this machine's needs one
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// The project: the directory that holds .ai
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    #[command(flatten)]
    policy: PolicyArguments,
    /// A log to which is appended what is decided and done; also by the variable `TOOLGLOT_AUDIT`
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Put the arguments themselves into the log, secrets masked, and not only their sizes
    #[arg(long)]
    audit_values: bool,
    /// Serve the texts of the tools as resources: whoever approves a call can read first what would run
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the servers that are known here, approved or not
    Servers {
        #[command(flatten)]
        common: Common,
    },
    /// Show what a server offers, and approve it as it is
    Approve {
        /// The server's name, or the id of its file
        server: String,
        /// Show it and approve nothing
        #[arg(long)]
        dry_run: bool,
        /// Variables of yours that its definition names and that it may be given, by commas
        #[arg(long, value_name = "NAMES", default_value = "")]
        give: String,
        /// What the server may do: net, write, or capabilities, by commas
        #[arg(long, value_name = "GRANTS", default_value = "")]
        allow: Grants,
        #[command(flatten)]
        sandbox: SandboxArguments,
        #[command(flatten)]
        common: Common,
    },
    /// Log in to a server over HTTP that wants a token: prints the address to visit, and waits for the browser to come back
    Login {
        /// The server's name, or the id of its file
        server: String,
        #[command(flatten)]
        login: LoginArguments,
        #[command(flatten)]
        common: Common,
    },
    /// Forget the token of a server
    Logout {
        /// The server's name, or the id of its file
        server: String,
        #[command(flatten)]
        common: Common,
    },
    /// Take an approval back
    Disapprove {
        /// The server's name, or the id of its file
        server: String,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Debug, Args)]
pub(crate) struct LoginArguments {
    /// Scopes to ask for besides those that the server wants, by blanks; asks anew even if a token is there
    #[arg(long, value_name = "SCOPES")]
    scope: Option<String>,
    /// The port of this machine that the browser comes back to, where the client was registered with one; 0 is any
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Open the address in a browser
    #[arg(long)]
    open: bool,
    /// How long to wait for the browser to come back, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    wait: u64,
    /// Variables of yours that the definition names and that the server may be given, by commas
    #[arg(long, value_name = "NAMES", default_value = "")]
    give: String,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The project: the directory that holds .ai and .mcp.json
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// One JSON document
    Json,
}

pub(crate) fn mcp(arguments: &McpArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    match &arguments.command {
        None => serve(&arguments.serving, out),
        Some(McpCommand::Servers { common }) => approve::servers(common, out),
        Some(McpCommand::Approve {
            server,
            dry_run,
            give,
            allow,
            sandbox,
            common,
        }) => approve::approve((server, give), (allow, sandbox), *dry_run, common, out),
        Some(McpCommand::Login {
            server,
            login,
            common,
        }) => login::login(server, login, common, out),
        Some(McpCommand::Logout { server, common }) => login::logout(server, common, out),
        Some(McpCommand::Disapprove { server, common }) => approve::disapprove(server, common, out),
    }
}

fn serve(serving: &Serving, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let setup = Setup::new(serving)?;
    let served = Arc::new(Served::new(setup));
    let cancel = interrupt::cancel().map_err(Failure::Signals)?;
    let outcome = match &serving.http {
        None => stdio::serve(&served, &cancel, out),
        Some(address) => web::serve(serving, address, (&served, &cancel), out),
    };
    served.end();
    outcome
}
