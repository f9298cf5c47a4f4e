//! The command line, as data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use toolglot::{Finish, InCode, InReasoning, Program};
use toolglot_chat::Reader;
use toolglot_session::Grants;

use crate::call::SandboxArguments;

/// Reads the tool calls in a model's text, shows them, runs them, and teaches models to write them.
///
/// Data goes to standard output, everything else to standard error. Exit code 0: every call is closed and valid, or there
/// is none; 1: a call is truncated, unknown, invalid, denied or failed; 2: usage or input and output.
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
    /// Make JSON of a text that should be JSON
    Repair(RepairArguments),
    /// Write calls or results in a dialect
    Render(RenderArguments),
    /// Carry conversations from one dialect into another
    Convert(ConvertArguments),
    /// Write the instructions that teach a model to call tools
    Prompt(PromptArguments),
    /// Run the calls in a message and write the answer
    Run(RunArguments),
    /// List, show, check and begin dialects
    Dialects {
        #[command(subcommand)]
        command: DialectsCommand,
    },
    /// Call a tool that is a file
    Call(crate::call::CallArguments),
    /// Serve the tools that may run here to an MCP client, over standard input and output
    Mcp(crate::mcp::McpArguments),
    /// Tools that are files: list, show, check, begin, sign and trust them
    Tools {
        #[command(subcommand)]
        command: crate::tools::args::ToolsCommand,
    },
    /// Say what a note's code means
    Explain {
        /// A code, as a number or by name: N012, 12, trailing-comma
        code: String,
    },
    /// Explain what a policy decides
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Show or check the log of what was decided and done
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Say what the sandbox has to work with here
    Doctor,
    /// Write completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ParseArguments {
    /// The message, or with --jsonl one document per line; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// Read {"id","input","dialect"?,"tools"?,..} per line and write one JSON document per line
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Give tools and parameters their canonical names
    #[arg(long)]
    pub(crate) normalize: bool,
    /// How to show what was read; `human` without it, and `json` with --jsonl, which takes no other
    #[arg(long, value_enum)]
    pub(crate) format: Option<ParseFormat>,
    /// Exit with 1 if there is any note
    #[arg(long)]
    pub(crate) strict: bool,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// How a text is read; `parse` and `run` share it.
#[derive(Debug, Args)]
pub(crate) struct ReadingArguments {
    /// Dialects by name, separated by commas, or a path to a dialect file
    #[arg(long, value_name = "NAME[,NAME]|auto", default_value = "auto")]
    pub(crate) dialect: String,
    /// Tools: a file (OpenAI array, MCP `tools/list`, {name: schema}), a directory of such files, or builtin:NAME
    #[arg(long, value_name = "T")]
    pub(crate) tools: Option<String>,
    /// What becomes of a call in quoted code
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) in_code: QuotedWord,
    /// What becomes of a call in reasoning
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) in_reasoning: Aside,
    /// The text begins inside reasoning
    #[arg(long)]
    pub(crate) reasoning_open: bool,
    /// Why the model stopped; without it `parse` takes `stop`, and `run` `unknown`
    #[arg(long, value_enum, value_name = "WHY")]
    pub(crate) finish: Option<FinishWord>,
    /// Push the text in pieces of this many bytes; a character is never split
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) chunk: u32,
}

impl ReadingArguments {
    /// The reader that is asked for.
    pub(crate) fn reader(&self, program: Arc<Program>) -> Reader {
        Reader {
            in_code: self.in_code.into(),
            in_reasoning: self.in_reasoning.into(),
            reasoning_open: self.reasoning_open,
            finish: self.finish.map_or(Finish::Stop, Finish::from),
            chunk_bytes: self.chunk as usize,
            ..Reader::new(program)
        }
    }

    /// The files and directories that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let tools = self.tools.as_deref();
        let tools = tools.filter(|tools| !tools.starts_with("builtin:"));
        let dialects = self.dialect.split(',').map(str::trim);
        let dialects = dialects.filter(|name| crate::select::is_file(name));
        tools.into_iter().chain(dialects).map(Path::new)
    }
}

#[derive(Debug, Args)]
pub(crate) struct RepairArguments {
    /// The document, or with --jsonl one document per line; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// Read {"id","input","schema"?} per line and write {"id","output","text","notes"} or {"id","error"} per line
    #[arg(long, conflicts_with = "explain")]
    pub(crate) jsonl: bool,
    /// Whose rules decide where repairers disagree
    #[arg(long, value_enum, value_name = "PRESET", default_value_t)]
    pub(crate) preset: Preset,
    /// A JSON Schema that the value should fit
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Show every repair, on standard error
    #[arg(long)]
    pub(crate) explain: bool,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// What models write; every text is repaired
    #[default]
    Llm,
    /// As the JavaScript library jsonrepair
    Jsonrepair,
    /// As the Python library json_repair
    #[value(name = "json_repair")]
    JsonRepair,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArguments {
    /// {"calls":[..],"content"?} or {"results":[..]}; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// The dialect
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: String,
    /// The tools that the reader will know
    #[arg(long, value_name = "T")]
    pub(crate) tools: Option<String>,
    /// Read one document per line and write {"id","text"} per line
    #[arg(long)]
    pub(crate) jsonl: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// A list of messages, or an object with `messages`; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// The dialect of the text; `auto` for any, `openai` for messages with `tool_calls` alone
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) from: String,
    /// The dialect to write; `openai` for messages with `tool_calls`, `responses` for items of the Responses API
    #[arg(long, value_name = "NAME")]
    pub(crate) to: String,
    /// The tools of the conversations
    #[arg(long, value_name = "T")]
    pub(crate) tools: Option<String>,
    /// Read back what was written, and compare
    #[arg(long)]
    pub(crate) check: bool,
    /// Read one conversation per line and write one per line
    #[arg(long)]
    pub(crate) jsonl: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PromptArguments {
    /// The dialect; without it `tool_call`
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// The tools; without it those that models of the dialect know
    #[arg(long, value_name = "T")]
    pub(crate) tools: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The message; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// The directory that no tool leaves
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
    /// What becomes of the commands of a shell block behind one that failed
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) after_failing_line: AfterFailure,
    /// A log to which is appended what is decided and done; also by the variable `TOOLGLOT_AUDIT`
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Put the arguments themselves into the log, secrets masked, and not only their sizes
    #[arg(long)]
    pub(crate) audit_values: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArguments,
    /// Run every call, also where the dialect's system runs one per message
    #[arg(long)]
    pub(crate) many: bool,
    /// Show what would be done and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take back what the latest run in this root wrote, edited, deleted and moved; no message is read
    #[arg(long)]
    pub(crate) undo: bool,
    /// What to write: the answer with a report on standard error, the whole record, or the answer alone
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: RunFormat,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// Who may say what is run.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// A policy file; without it that of the user, and without one the usual rules. The project's narrows it in any case
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// What is allowed beforehand: read, write, delete, recovered, shell, net, exec:PROGRAM, net:HOST, or capabilities of tools such as shell.execute, separated by commas
    #[arg(long, value_name = "GRANTS", default_value = "")]
    pub(crate) allow: Grants,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Write the log for people, a line for a line
    Show {
        /// The log
        file: PathBuf,
    },
    /// Check that nothing was changed, removed or inserted
    Verify {
        /// The log
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Explain what becomes of a call: which rules apply, and what would change it
    Check {
        /// {"name","arguments"}; `-` is standard input
        #[arg(long, value_name = "FILE")]
        call: PathBuf,
        /// The directory that no tool leaves
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
        #[command(flatten)]
        policy: PolicyArguments,
        /// Write one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AfterFailure {
    /// They run, as they would in a shell
    #[default]
    Run,
    /// They are skipped
    Skip,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DialectsCommand {
    /// List the dialects that are built in
    List,
    /// Show the rules of a dialect
    Show {
        /// Its name, or another spelling of it
        name: String,
    },
    /// Check a dialect file
    Check {
        /// The file; `-` is standard input
        file: PathBuf,
        /// When to use colour
        #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
        color: Color,
    },
    /// Write the dialect that a checkpoint's `response_template` declares
    Import {
        /// A `tokenizer_config.json`, or a response template alone; `-` is standard input
        file: PathBuf,
        /// The new dialect's name
        #[arg(long, default_value = "imported")]
        name: String,
    },
    /// Say which dialects a chat template teaches, and by what
    Detect {
        /// The template, as Jinja or in a `tokenizer_config.json`; `-` is standard input
        #[arg(long, value_name = "FILE")]
        template: PathBuf,
    },
    /// Write a dialect file to begin with
    New {
        /// The new dialect's name
        name: String,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ParseFormat {
    /// The text with its calls, and the notes under it
    #[default]
    Human,
    /// One JSON document
    Json,
    /// One line of JSON per event, as they happen
    Events,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// The answer, and a report on standard error
    #[default]
    Human,
    /// The whole record as one JSON document
    Json,
    /// The answer alone
    Text,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// In any case
    Always,
    /// In no case
    Never,
}

/// What becomes of a call in quoted code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuotedWord {
    /// In a fence without a language, or with one of data, it is a call if nothing but calls of known tools stands there;
    /// elsewhere a note tells of it
    #[default]
    Auto,
    /// It is no call; a note tells of it
    Ignore,
    /// It is a call
    Accept,
}

/// What becomes of a call in reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Aside {
    /// It is no call; a note tells of it
    #[default]
    Ignore,
    /// It is a call
    Accept,
}

impl From<QuotedWord> for InCode {
    fn from(word: QuotedWord) -> InCode {
        match word {
            QuotedWord::Auto => InCode::Auto,
            QuotedWord::Ignore => InCode::Ignore,
            QuotedWord::Accept => InCode::Accept,
        }
    }
}

impl From<Aside> for InReasoning {
    fn from(word: Aside) -> InReasoning {
        match word {
            Aside::Ignore => InReasoning::Ignore,
            Aside::Accept => InReasoning::Accept,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FinishWord {
    /// It was done
    Stop,
    /// It was cut off
    Length,
    /// Nobody said
    Unknown,
}

impl From<FinishWord> for Finish {
    fn from(word: FinishWord) -> Finish {
        match word {
            FinishWord::Stop => Finish::Stop,
            FinishWord::Length => Finish::Length,
            FinishWord::Unknown => Finish::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
