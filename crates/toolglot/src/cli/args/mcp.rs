//! `toolglot mcp`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use toolglot_session::Grants;

use super::policy::PolicyArguments;
use super::sandbox::SandboxArguments;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArguments {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    #[command(flatten)]
    pub(crate) serving: ServeArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Serve over HTTP at this address, as in 127.0.0.1:8642, instead of standard input and output
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// A host that requests may name, besides those of this machine; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// A file with a token that clients have to show; an address that is not this machine's needs one
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// The project: the directory that holds .ai
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
    /// Append every decision and effect to this log; the variable `TOOLGLOT_AUDIT` names one too
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Log the arguments themselves, with secrets masked, and not only their sizes
    #[arg(long)]
    pub(crate) audit_values: bool,
    /// Serve the texts of the tools as resources: a person who approves a call can read first what would run
    #[arg(long)]
    pub(crate) sources: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the servers that are known here, approved or not
    Servers {
        #[command(flatten)]
        common: McpProject,
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
        common: McpProject,
    },
    /// Log in to a server over HTTP that wants a token: prints the address to visit, and waits for the browser to come back
    Login {
        /// The server's name, or the id of its file
        server: String,
        #[command(flatten)]
        login: LoginArguments,
        #[command(flatten)]
        common: McpProject,
    },
    /// Delete the token of a server
    Logout {
        /// The server's name, or the id of its file
        server: String,
        #[command(flatten)]
        common: McpProject,
    },
    /// Revoke the approval of a server
    Disapprove {
        /// The server's name, or the id of its file
        server: String,
        #[command(flatten)]
        common: McpProject,
    },
}

#[derive(Debug, Args)]
pub(crate) struct LoginArguments {
    /// Scopes to ask for besides those that the server wants, by blanks; asks anew even if a token is there
    #[arg(long, value_name = "SCOPES")]
    pub(crate) scope: Option<String>,
    /// The port of this machine that the browser comes back to, where the client was registered with one; 0 is any
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Open the address in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// How long to wait for the browser to come back, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) wait: u64,
    /// Variables of yours that the definition names and that the server may be given, by commas
    #[arg(long, value_name = "NAMES", default_value = "")]
    pub(crate) give: String,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArguments,
}

#[derive(Debug, Args)]
pub(crate) struct McpProject {
    /// The project: the directory that holds .ai and .mcp.json
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: McpFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpFormat {
    /// For people
    #[default]
    Human,
    /// One JSON document
    Json,
}
