//! `toolglot mcp`: the registry's tools for MCP clients, over standard input and output or over HTTP, and the commands
//! for MCP servers whose tools are called here.
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
mod running_calls;
mod sources;
mod stdio;
mod tool_server;
mod web;

use std::io::Write;
use std::sync::Arc;

use crate::cli::args::{McpArguments, McpCommand, ServeArguments};
use crate::cli::failure::Failure;
use crate::cli::interrupt;
use crate::cli::outcome::Outcome;
use tool_server::{Served, Setup};

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

fn serve(serving: &ServeArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
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
