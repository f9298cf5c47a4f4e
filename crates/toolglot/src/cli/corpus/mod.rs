//! `toolglot corpus`: data sets of any size.

mod progress;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;
use toolglot_chat::LineReader;
use toolglot_corpus::{
    Check, CheckTally, Columns, Compression, Convert, ConvertTally, CorpusError, Count, Folder,
    Input, Repair, RepairTally, ReportedRows, RowReader, Runner, Stats, Streams, Summary, Tally,
    Target, Task,
};
use toolglot_value::{Value, json};

use crate::cli::args::{
    CompressionWord, CorpusArguments, CorpusCommand, ReadingArguments, RowsWord, StatsFormat,
};
use crate::cli::failure::Failure;
use crate::cli::human::screen::{harmless, stderr};
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{select, source, toolboxes};
use progress::ProgressLine;

/// Runs one of the subcommands.
pub(crate) fn corpus(command: &CorpusCommand, out: &mut dyn Write) -> Result<Outcome, Failure> {
    match command {
        CorpusCommand::Check {
            corpus,
            reading,
            only,
            strict,
        } => {
            let task = Check {
                reader: row_reader(corpus, reading)?,
                rows: match only {
                    RowsWord::All => ReportedRows::All,
                    RowsWord::Noted => ReportedRows::Noted,
                    RowsWord::Faulty => ReportedRows::Faulty,
                },
                is_strict: *strict,
                settings: reading_settings(corpus, reading)?,
            };
            let summary = run(&task, corpus, None, out)?;
            report(&summary, &check_line(&summary.tally))
        }
        CorpusCommand::Repair {
            corpus,
            reading,
            report: file,
        } => {
            let task = Repair {
                reader: row_reader(corpus, reading)?,
                settings: reading_settings(corpus, reading)?,
            };
            let summary = run(&task, corpus, file.as_deref(), out)?;
            report(&summary, &repair_line(&summary.tally))
        }
        CorpusCommand::Convert {
            corpus,
            from,
            to,
            tools,
            check,
            report: file,
        } => {
            let task = convert(corpus, (from, to), tools.as_deref(), *check)?;
            let summary = run(&task, corpus, file.as_deref(), out)?;
            report(&summary, &convert_line(&summary.tally, *check))
        }
        CorpusCommand::Stats {
            corpus,
            reading,
            format,
            html,
        } => {
            let task = Count {
                reader: row_reader(corpus, reading)?,
                settings: reading_settings(corpus, reading)?,
            };
            let summary = run(&task, corpus, None, out)?;
            show(&summary.tally, corpus, *format, html.as_deref(), out)?;
            report(&summary, "")
        }
    }
}

/// The reader of rows that the arguments describe.
fn row_reader(corpus: &CorpusArguments, reading: &ReadingArguments) -> Result<RowReader, Failure> {
    // There may be many rows with the same tool list, so entries that no text can call are not reported for each row.
    let lines = select::line_reader(reading)?.load_tools(toolglot_chat::tool_list);
    Ok(RowReader::new(lines, columns(corpus)))
}

fn columns(corpus: &CorpusArguments) -> Columns {
    Columns {
        content: corpus.column.clone(),
        tools: corpus.tools_column.clone(),
    }
}

/// The settings that decide how rows are read: the arguments, and the contents of the files that they name.
fn reading_settings(
    corpus: &CorpusArguments,
    reading: &ReadingArguments,
) -> Result<Value, Failure> {
    let mut settings = json!({
        "in_code": format!("{:?}", reading.in_code),
        "in_reasoning": format!("{:?}", reading.in_reasoning),
        "reasoning_open": reading.reasoning_open,
        "finish": reading.finish.map(|finish| format!("{finish:?}")),
    });
    named_settings(
        corpus,
        &reading.dialect,
        reading.tools.as_deref(),
        &mut settings,
    )?;
    Ok(settings)
}

fn named_settings(
    corpus: &CorpusArguments,
    dialect: &str,
    tools: Option<&str>,
    settings: &mut Value,
) -> Result<(), Failure> {
    let dialects = select::dialects(dialect, None)?;
    let sources: Vec<&str> = dialects
        .iter()
        .map(toolglot_engine::Dialect::source)
        .collect();
    let toolbox = toolboxes::known(tools)?;
    let specs = toolbox.iter().flat_map(toolglot_toolset::Toolbox::iter);
    let specs: Vec<Value> = specs
        .map(|spec| json!({"name": spec.name, "parameters": spec.parameters}))
        .collect();
    settings["dialect"] = json!(dialect);
    // The manifest records the version of toolglot, which determines the embedded dialects.
    if dialect
        .split(',')
        .map(str::trim)
        .any(crate::cli::args::is_file)
    {
        settings["dialect_files"] = json!(sources);
    }
    settings["tools"] = json!(specs);
    settings["column"] = json!(corpus.column);
    settings["tools_column"] = json!(corpus.tools_column);
    settings["max_row_bytes"] = json!(corpus.max_row_bytes);
    Ok(())
}

fn convert(
    corpus: &CorpusArguments,
    (from, to): (&str, &str),
    tools: Option<&str>,
    is_checked: bool,
) -> Result<Convert, Failure> {
    let toolbox = toolboxes::known(tools)?;
    let is_structured = matches!(from, "openai" | "responses");
    let read = if is_structured { "auto" } else { from };
    let lines = LineReader::new(
        toolglot_chat::Reader::new(toolglot_dialects::auto().clone()),
        select::choice(read)?,
        toolbox,
    )?;
    let mut settings = json!({ "from": from });
    named_settings(corpus, read, tools, &mut settings)?;
    Ok(Convert {
        lines,
        is_structured,
        target: match to {
            "openai" => Target::Chat,
            "responses" => Target::Responses,
            name => Target::Text(Box::new(select::one(name)?)),
        },
        is_checked,
        columns: columns(corpus),
        settings,
    })
}

/// Runs a task to standard output, or into a folder.
fn run<T: Task>(
    task: &T,
    corpus: &CorpusArguments,
    report: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Summary<T::Tally>, Failure> {
    let inputs = Input::all(&corpus.files)?;
    let mut runner = Runner::new(corpus.threads.map(NonZeroUsize::get))?;
    runner.limits.row_bytes = corpus.max_row_bytes as usize;
    let mut line = ProgressLine::new(corpus.progress);
    let mut observer = |progress: &toolglot_corpus::Progress| {
        line.show(progress);
        ControlFlow::Continue(())
    };
    let summary = if let Some(path) = &corpus.out {
        let folder = Folder {
            path: path.clone(),
            shard_rows: corpus.shard_rows,
            compression: corpus.compress.map(|word| match word {
                CompressionWord::None => Compression::None,
                CompressionWord::Gzip => Compression::Gzip,
                CompressionWord::Zstd => Compression::Zstd,
            }),
        };
        runner.into_folder(task, &inputs, &folder, &mut observer)
    } else {
        let mut nowhere = io::sink();
        let mut file = report.map(create).transpose()?;
        let streams = Streams {
            data: out,
            report: match &mut file {
                Some(file) => file,
                None => &mut nowhere,
            },
        };
        runner.stream(task, &inputs, streams, &mut observer)
    };
    line.end();
    Ok(summary?)
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let file = File::create(path).map_err(|source| CorpusError::Write {
        path: path.to_owned(),
        source,
    })?;
    Ok(BufWriter::new(file))
}

/// Reports on standard error the result of a run, and what could not be read.
fn report<T: Tally>(summary: &Summary<T>, line: &str) -> Result<Outcome, Failure> {
    let mut err = stderr();
    // Nothing can be done where standard error is closed.
    let _ = write!(err, "{line}");
    let mut failures = summary.failures.iter().peekable();
    while let Some(failure) = failures.next() {
        let message = Failure::with_sources(failure);
        if failures.peek().is_none() {
            // The last failure is the error of the command itself.
            return Err(Failure::Inputs(message));
        }
        let _ = writeln!(err, "error: {}", harmless(&message));
    }
    Ok(Outcome::faulty_if(summary.tally.is_faulty()))
}

fn check_line(tally: &CheckTally) -> String {
    format!(
        "{} rows: {} faulty, {} with notes only, {} that cannot be read; {} calls\n",
        tally.rows, tally.faulty_rows, tally.noted_rows, tally.bad_rows, tally.calls
    )
}

fn repair_line(tally: &RepairTally) -> String {
    format!(
        "{} rows: {} calls repaired in {} rows, {} left as they were, {} of uncertain value; {} rows cannot be read\n",
        tally.rows, tally.repaired, tally.changed_rows, tally.left, tally.doubtful, tally.bad_rows
    )
}

fn convert_line(tally: &ConvertTally, is_checked: bool) -> String {
    let differ = if is_checked {
        format!(
            ", {} of them since they would be read otherwise",
            tally.differ
        )
    } else {
        String::new()
    };
    format!(
        "{} rows: {} calls and {} results carried, {} messages not carried{differ}; {} rows cannot be read\n",
        tally.rows, tally.calls, tally.results, tally.left, tally.bad_rows
    )
}

/// Shows counts, and writes their page.
fn show(
    stats: &Stats,
    corpus: &CorpusArguments,
    format: StatsFormat,
    html: Option<&Path>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let names: Vec<String> = corpus.files.iter().map(|file| source::name(file)).collect();
    let page = |path: &Path| Folder::write_file(path, stats.page(&names.join(", ")).as_bytes());
    if let Some(path) = html {
        page(path)?;
    }
    if let Some(folder) = &corpus.out {
        let mut text = Vec::new();
        write_line(&mut text, &StatsDocument { schema: 1, stats }).map_err(Failure::Output)?;
        Folder::write_file(&folder.join("stats.json"), &text)?;
        page(&folder.join("stats.html"))?;
    }
    match format {
        StatsFormat::Json => write_line(out, &StatsDocument { schema: 1, stats }),
        StatsFormat::Human => write!(out, "{}", harmless(&stats.to_string())),
    }
    .map_err(Failure::Output)
}

#[derive(Serialize)]
struct StatsDocument<'s> {
    /// The version of this shape.
    schema: u32,
    #[serde(flatten)]
    stats: &'s Stats,
}
