//! The command that checks other people's parsers.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, ValueEnum};
use toolglot_conform::Promise;

#[derive(Debug, Args)]
pub(crate) struct ConformArguments {
    /// The program; its arguments follow after `--`
    #[arg(
        long = "cmd",
        value_name = "PROGRAM",
        required_unless_present = "list",
        conflicts_with = "list"
    )]
    pub(crate) program: Option<OsString>,
    /// The arguments of the program
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
    /// Dialects by name, separated by commas, or a path to a dialect file; without it all dialects
    #[arg(long, value_name = "NAME[,NAME]")]
    pub(crate) dialect: Option<String>,
    /// Promises to check, separated by commas; without it all: calls, hostile, text, cuts, arguments, time
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub(crate) promise: Vec<Promise>,
    /// In how many places each message is cut in two, or `all`
    #[arg(long, value_name = "N", default_value = "16", value_parser = n_cuts)]
    pub(crate) cuts: usize,
    /// How long an answer may take, in seconds; the first after a start may take six times as long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// How to report
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: ConformFormat,
    /// Write the cases with what is expected, one per line, and ask no program
    #[arg(long)]
    pub(crate) list: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds| *seconds > 0.0 && *seconds <= 3600.0);
    let seconds = seconds.ok_or("write a number of seconds up to 3600, as in `0.5`")?;
    Ok(Duration::from_secs_f32(seconds))
}

fn n_cuts(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        _ => text
            .parse()
            .map_err(|_| "write a number, or `all`".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConformFormat {
    /// A table, and each broken promise
    #[default]
    Text,
    /// One JSON document
    Json,
    /// The XML of JUnit
    Junit,
}
