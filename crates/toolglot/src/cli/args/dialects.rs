//! `toolglot dialects`.

use std::path::PathBuf;

use clap::Subcommand;

use crate::cli::human::Color;

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
        /// The file, or a folder with a file `dialect`; `-` is standard input
        file: PathBuf,
        /// Write the words of the notation into the file where it has other ones for them
        #[arg(long)]
        fix: bool,
        /// When to use colour
        #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
        color: Color,
    },
    /// Run the cases of a folder: Markdown files with inputs and expected events
    Test {
        /// A folder with Markdown files; its file `dialect` is what they are parsed with
        folder: PathBuf,
        /// Write the events that were found in place of those that were expected
        #[arg(long)]
        bless: bool,
    },
    /// Write the dialect that a checkpoint's `response_template` declares
    Import {
        /// A `tokenizer_config.json`, or a response template alone; `-` is standard input
        file: PathBuf,
        /// The new dialect's name
        #[arg(long, default_value = "imported")]
        name: String,
    },
    /// Detect which dialects a chat template teaches, and show the evidence
    Detect {
        /// The template, as Jinja or in a `tokenizer_config.json`; `-` is standard input
        #[arg(long, value_name = "FILE")]
        template: PathBuf,
        /// Say instead whether this dialect parses the call that the template writes: a name, or the path of a file
        #[arg(long, value_name = "DIALECT")]
        dialect: Option<String>,
    },
    /// Write a dialect file to start from
    New {
        /// The new dialect's name
        name: String,
        /// Draft the rule from the call that this chat template writes; `-` is standard input
        #[arg(long, value_name = "FILE")]
        template: Option<PathBuf>,
    },
}
