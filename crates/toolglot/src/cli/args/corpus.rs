//! `toolglot corpus`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::reading::ReadingArguments;

#[derive(Debug, Subcommand)]
pub(crate) enum CorpusCommand {
    /// Write one JSON document per row: its calls, and what is wrong with them
    Check {
        #[command(flatten)]
        corpus: CorpusArguments,
        #[command(flatten)]
        reading: ReadingArguments,
        /// Which rows to report
        #[arg(long, value_enum, value_name = "ROWS", default_value_t)]
        only: RowsWord,
        /// A row with any note is a fault
        #[arg(long)]
        strict: bool,
    },
    /// Write each row with its broken calls repaired
    Repair {
        #[command(flatten)]
        corpus: CorpusArguments,
        #[command(flatten)]
        reading: ReadingArguments,
        /// Write what was repaired, and what was not, to this file
        #[arg(long, value_name = "FILE", conflicts_with = "out")]
        report: Option<PathBuf>,
    },
    /// Write each row with its conversation in another dialect
    Convert {
        #[command(flatten)]
        corpus: CorpusArguments,
        /// The dialect of the texts; `auto` for any, `openai` for messages with `tool_calls` alone
        #[arg(long, value_name = "NAME", default_value = "auto")]
        from: String,
        /// The dialect to write; `openai` for messages with `tool_calls`, `responses` for items of the Responses API
        #[arg(long, value_name = "NAME")]
        to: String,
        /// The tools of rows that bring none
        #[arg(long, value_name = "T")]
        tools: Option<String>,
        /// Read back what was written, and compare
        #[arg(long)]
        check: bool,
        /// Write what was not carried, and why, to this file
        #[arg(long, value_name = "FILE", conflicts_with = "out")]
        report: Option<PathBuf>,
    },
    /// Count rows, calls, dialects, ends, notes, unknown tools and arguments against schemas
    Stats {
        #[command(flatten)]
        corpus: CorpusArguments,
        #[command(flatten)]
        reading: ReadingArguments,
        /// How to show the counts
        #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
        format: StatsFormat,
        /// Write a page with charts to this file
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
}

/// What is read, and how: all commands share it.
#[derive(Debug, Args)]
pub(crate) struct CorpusArguments {
    /// JSON lines (plain, gzip, Zstandard), Parquet, or folders of these; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<PathBuf>,
    /// The column of the conversation or text; without it `messages`, `conversations`, `text` or `input`
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,
    /// The column of the tools that a row brings
    #[arg(long, value_name = "NAME", default_value = "tools")]
    pub(crate) tools_column: String,
    /// Write shards to this folder; a run that was ended continues there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How many rows a shard has
    #[arg(long, value_name = "ROWS", default_value_t = 100_000, requires = "out", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) shard_rows: u64,
    /// How shards are compressed; without it as their input is, and a Parquet file's with `zstd`
    #[arg(long, value_enum, value_name = "HOW", requires = "out")]
    pub(crate) compress: Option<CompressionWord>,
    /// How many threads work; without it as many as there are cores
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// A longer row is an error in the report
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_row_bytes: u32,
    /// Show rows per second and the time left, on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) progress: ProgressWord,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowsWord {
    /// Every row
    #[default]
    All,
    /// Rows with a note or a fault
    Noted,
    /// Rows with a call that is truncated, unknown or invalid, and rows that cannot be read
    Faulty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompressionWord {
    /// Not at all
    None,
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressWord {
    /// If standard error is a terminal
    #[default]
    Auto,
    /// In any case
    Always,
    /// In no case
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsFormat {
    /// Lines
    #[default]
    Human,
    /// One JSON document
    Json,
}
