//! The command line, as data.

mod call;
#[cfg(feature = "conform")]
mod conform;
mod corpus;
mod dialects;
mod doctor;
#[cfg(feature = "serve")]
mod gateway;
#[cfg(not(all(feature = "conform", feature = "mcp", feature = "serve")))]
mod left_out;
#[cfg(feature = "mcp")]
mod mcp;
mod message;
mod policy;
mod reading;
mod run;
mod sandbox;
mod tools;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use call::{CallArguments, CallFormat};
#[cfg(feature = "conform")]
pub(crate) use conform::{ConformArguments, ConformFormat};
pub(crate) use corpus::{
    CompressionWord, CorpusArguments, CorpusCommand, ProgressWord, RowsWord, StatsFormat,
};
pub(crate) use dialects::DialectsCommand;
pub(crate) use doctor::DoctorArguments;
#[cfg(feature = "serve")]
pub(crate) use gateway::GatewayArguments;
#[cfg(not(all(feature = "conform", feature = "mcp", feature = "serve")))]
pub(crate) use left_out::LeftOutArguments;
#[cfg(feature = "mcp")]
pub(crate) use mcp::{
    LoginArguments, McpArguments, McpCommand, McpFormat, McpProject, ServeArguments,
};
pub(crate) use message::{
    ConvertArguments, GrammarArguments, GrammarFormat, GrammarReasoning, ParseArguments,
    ParseFormat, PromptArguments, RenderArguments, RepairArguments,
};
pub(crate) use policy::{AuditCommand, PolicyArguments, PolicyCommand};
pub(crate) use reading::{ReadingArguments, is_file};
pub(crate) use run::{RunArguments, RunFormat};
pub(crate) use sandbox::{SandboxArguments, SandboxWord};
pub(crate) use tools::{KeysCommand, ToolsCommand, ToolsFormat, ToolsProject};

/// Reads the tool calls in a model's text, shows them, runs them, and teaches models to write them.
///
/// Data goes to standard output, everything else to standard error.
/// Exit code 0: every call is closed and valid, or there is no call.
/// Exit code 1: a call is truncated, unknown, invalid, denied or failed.
/// Exit code 2: an error of usage, or of reading or writing.
#[derive(Debug, Parser)]
#[command(name = "toolglot", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read the calls in a message
    Parse(ParseArguments),
    /// Repair a text that should be JSON
    Repair(RepairArguments),
    /// Write calls or results in a dialect
    Render(RenderArguments),
    /// Convert conversations from one dialect to another
    Convert(ConvertArguments),
    /// Check, repair, convert and count data sets of any size
    Corpus {
        #[command(subcommand)]
        command: CorpusCommand,
    },
    /// Write the instructions that teach a model to call tools
    Prompt(PromptArguments),
    /// Write a grammar under which a model can write only calls that fit
    Grammar(GrammarArguments),
    /// Check another parser of tool calls by what it promises
    #[cfg(feature = "conform")]
    Conform(ConformArguments),
    #[cfg(not(feature = "conform"))]
    #[command(hide = true, disable_help_flag = true)]
    Conform(LeftOutArguments),
    /// Run the calls in a message and write the answer
    Run(RunArguments),
    /// List, show, check and create dialects
    Dialects {
        #[command(subcommand)]
        command: DialectsCommand,
    },
    /// Call a tool that is a file
    Call(CallArguments),
    /// Serve the tools that may run here to an MCP client, over standard input and output
    #[cfg(feature = "mcp")]
    Mcp(McpArguments),
    #[cfg(not(feature = "mcp"))]
    #[command(hide = true, disable_help_flag = true)]
    Mcp(LeftOutArguments),
    /// Serve chat APIs with working tool calls on top of any model server
    #[cfg(feature = "serve")]
    Serve(GatewayArguments),
    #[cfg(not(feature = "serve"))]
    #[command(hide = true, disable_help_flag = true)]
    Serve(LeftOutArguments),
    /// Tools that are files: list, show, check, create, sign and trust them
    Tools {
        #[command(subcommand)]
        command: ToolsCommand,
    },
    /// Explain the code of a note
    Explain {
        /// A code, as a number or by name: N012, 12, trailing-comma
        code: String,
    },
    /// Explain what a policy decides
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Show or verify the log of decisions and effects
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Report what the sandbox can use on this system, or how a model server handles tools
    Doctor(DoctorArguments),
    /// Write completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
