//! The commands that read and write messages, and run nothing.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::reading::ReadingArguments;
use crate::cli::human::Color;

#[derive(Debug, Args)]
pub(crate) struct ParseArguments {
    /// The message, or with --jsonl one document per line; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// Read {"id","input","chunks"?,"dialect"?,"tools"?,..} per line and write one JSON document per line
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Replace the names of tools and parameters by their canonical names
    #[arg(long)]
    pub(crate) normalize: bool,
    /// How to show what was read; `human` without it, and `json` with --jsonl, which takes `events` too
    #[arg(long, value_enum)]
    pub(crate) format: Option<ParseFormat>,
    /// Exit with 1 if there is any note
    #[arg(long)]
    pub(crate) strict: bool,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

#[derive(Debug, Args)]
pub(crate) struct RepairArguments {
    /// The document, or with --jsonl one document per line; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// Read {"id","input","schema"?} per line and write {"id","output","text","notes"} or {"id","error"} per line
    #[arg(long, conflicts_with = "explain")]
    pub(crate) jsonl: bool,
    /// Whose rules to follow where repairers disagree
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

impl From<Preset> for toolglot_repair::Preset {
    fn from(preset: Preset) -> toolglot_repair::Preset {
        match preset {
            Preset::Llm => toolglot_repair::Preset::Llm,
            Preset::Jsonrepair => toolglot_repair::Preset::Jsonrepair,
            Preset::JsonRepair => toolglot_repair::Preset::JsonRepair,
        }
    }
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
pub(crate) struct GrammarArguments {
    /// The dialect; without it `tool_call`
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// The tools; without it those that models of the dialect know
    #[arg(long, value_name = "T")]
    pub(crate) tools: Option<String>,
    /// The language of the grammar
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: GrammarFormat,
    /// `auto`, `required`, `none`, or the name of the tool that has to be called
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    pub(crate) tool_choice: String,
    /// Whether a message may have several calls
    #[arg(long, value_name = "YES", default_value = "yes", action = ArgAction::Set, value_parser = yes_or_no)]
    pub(crate) parallel: bool,
    /// The reasoning before the answer
    #[arg(long, value_name = "WHEN", default_value = "none")]
    pub(crate) reasoning: GrammarReasoning,
    /// A marker that is one token of the model, such as `<|tool_call|>`: Lark names it as one
    #[arg(long = "token", value_name = "TEXT")]
    pub(crate) tokens: Vec<String>,
    /// Refuse a schema that the grammar can say only in part
    #[arg(long)]
    pub(crate) strict: bool,
    /// Report the size of the grammar on standard error
    #[arg(long)]
    pub(crate) explain: bool,
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("write `yes` or `no`".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrammarFormat {
    /// GBNF: llama.cpp
    Gbnf,
    /// Lark: llguidance
    Lark,
    /// A structural tag: xgrammar, vLLM, SGLang
    StructuralTag,
    /// A structural tag in its older form, where calls hold JSON
    LegacyStructuralTag,
    /// A JSON Schema of one call, where calls are JSON and nothing else
    JsonSchema,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrammarReasoning {
    /// Nothing
    None,
    /// Reasoning that the prompt has opened
    Open,
    /// Reasoning that the model may open
    Optional,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ParseFormat {
    /// The text with its calls, and the notes under it
    #[default]
    Human,
    /// One JSON document
    Json,
    /// One line of JSON per event, as they happen; with --jsonl one document per line with its `events`
    Events,
}
