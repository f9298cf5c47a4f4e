//! `toolglot serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolglot_gateway::Mode;

use super::policy::PolicyArguments;
use super::sandbox::SandboxArguments;

#[derive(Debug, Args)]
#[command(
    mut_group("PolicyArguments", |group| group.requires("execute")),
    mut_group("SandboxArguments", |group| group.requires("execute"))
)]
pub(crate) struct GatewayArguments {
    /// The model server, as in http://127.0.0.1:8000
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: String,
    /// The address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// A TOML file with the mode and the dialect of each model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mode", "dialect", "reasoning_open"])]
    pub(crate) config: Option<PathBuf>,
    /// How tools reach all models; without it, the first of raw, recover and emulate that works
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeWord>,
    /// The dialect of all models; without it, all are read
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// The prompt of all models opens their reasoning
    #[arg(long)]
    pub(crate) reasoning_open: bool,
    /// A file with the keys that clients may show, one in each line; also by the variable `TOOLGLOT_API_KEY`
    #[arg(long, value_name = "FILE")]
    pub(crate) api_key_file: Option<PathBuf>,
    /// A file with the key of the upstream; also by the variable `TOOLGLOT_UPSTREAM_KEY`
    #[arg(long, value_name = "FILE")]
    pub(crate) upstream_key_file: Option<PathBuf>,
    /// A host that requests may name, besides localhost and addresses; may be repeated
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_host: Vec<String>,
    /// A directory for the messages that are read, with their calls, as lines for `parse --jsonl`
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    /// The most that the directory of messages may hold, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, requires = "record", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) record_max: u32,
    /// Append each request, answer and call to this file as a line of JSON, with the attributes of OpenTelemetry's conventions for generative AI
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Run tools of the registry under the policy, for clients that cannot; needs an API key
    #[arg(long)]
    pub(crate) execute: bool,
    /// The ids of the tools to run, `*` for any text; may be repeated. Without it, all that may run
    #[arg(long, value_name = "PATTERN", requires = "execute")]
    pub(crate) execute_tool: Vec<String>,
    /// The directory that no tool leaves
    #[arg(long, value_name = "DIR", default_value = ".", requires = "execute")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
    /// A log to which is appended what is decided and done; also by the variable `TOOLGLOT_AUDIT`
    #[arg(long, value_name = "FILE", requires = "execute")]
    pub(crate) audit: Option<PathBuf>,
    /// Put the arguments themselves into the log, secrets masked, and not only their sizes
    #[arg(long, requires = "execute")]
    pub(crate) audit_values: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArguments,
    /// The most requests at a time
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_requests: u32,
    /// The longest body of a request, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) max_body: u32,
    /// How long the upstream may stay silent, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) upstream_timeout: u32,
}

/// A mode, as it is written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeWord {
    /// The upstream's template writes the tools, and its text comes back unparsed
    Raw,
    /// The upstream parses calls, and those that it leaves in its text are read all the same
    Recover,
    /// Instructions teach the model a dialect, and the history is text
    Emulate,
    /// Nothing is changed or read
    Passthrough,
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Raw => Mode::Raw,
            ModeWord::Recover => Mode::Recover,
            ModeWord::Emulate => Mode::Emulate,
            ModeWord::Passthrough => Mode::Passthrough,
        }
    }
}
