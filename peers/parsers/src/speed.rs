//! One call with one long string, whole and in pieces: CPU time, memory, and whether the call is correct.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::clock::{median, now, timed};
use crate::forms::{FORMS, Form};
use crate::heap;
use crate::probes::{caught, readers, tools};
use crate::pushes::Pushes;
use crate::readers::{Ours, Reader};
use crate::reading::{Reading, Told};

/// The time budget of a run.
pub struct Effort {
    /// Approximate sizes of the texts, in bytes.
    pub sizes: &'static [usize],
    /// A reading that is expected to take longer is not started.
    pub patience: Duration,
    /// The measuring time of a cell, unless a single reading takes longer.
    pub cell: Duration,
    /// Only these dialects; all if empty.
    pub dialects: Vec<String>,
}

/// How a text is passed to a parser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Whole,
    Pushes(usize),
}

const MODES: [Mode; 4] = [
    Mode::Whole,
    Mode::Pushes(64),
    Mode::Pushes(16),
    Mode::Pushes(4),
];

/// One measurement.
#[derive(Clone)]
enum Cell {
    Read {
        bytes: usize,
        time: Duration,
        fault: Option<String>,
        /// Peak heap, and the percentage of the argument's bytes that were emitted before the argument ended.
        heap: u64,
        early: f64,
    },
    Skipped(Duration),
}

struct Row {
    dialect: &'static str,
    reader: String,
    mode: Mode,
    cells: Vec<Cell>,
}

/// A text to read.
struct Sample {
    text: String,
    /// The end of the long string in the text.
    end: usize,
    arguments: Value,
}

/// Measures all cells and writes the tables.
pub fn run(effort: &Effort) -> String {
    let all = Ours::all(&tools());
    let mut rows = Vec::new();
    let is_wanted = |form: &&Form| {
        effort.dialects.is_empty() || effort.dialects.iter().any(|name| name == form.dialect)
    };
    for form in FORMS.iter().filter(is_wanted) {
        let samples: Vec<Sample> = effort
            .sizes
            .iter()
            .map(|size| sample(form, *size))
            .collect();
        for mode in MODES {
            let pushes: Vec<Option<Pushes>> = samples
                .iter()
                .map(|sample| match mode {
                    Mode::Whole => None,
                    Mode::Pushes(size) => Some(Pushes::of_size(&sample.text, size, form.specials)),
                })
                .collect();
            for reader in readers(form, &all) {
                let mut cells: Vec<Cell> = Vec::new();
                for (sample, pushes) in samples.iter().zip(&pushes) {
                    cells.push(match too_long(&cells, sample.text.len(), effort) {
                        Some(expected) => Cell::Skipped(expected),
                        None => measure(&*reader, sample, pushes.as_ref(), effort),
                    });
                }
                rows.push(Row {
                    dialect: form.dialect,
                    reader: reader.name().to_owned(),
                    mode,
                    cells,
                });
            }
        }
        eprint!(".");
    }
    let mut out = String::new();
    for mode in MODES {
        out.push_str(&table(&rows, mode, effort));
    }
    out.push_str(&summary(&rows, effort));
    out.push_str(&behind(&rows, effort));
    out.push_str(&programs());
    out
}

/// The expected time of the next size, if it is too long: extrapolated from the last two times, or from the size.
fn too_long(cells: &[Cell], bytes: usize, effort: &Effort) -> Option<Duration> {
    let times: Vec<(usize, Duration)> = cells
        .iter()
        .map(|cell| match cell {
            Cell::Read { bytes, time, .. } => (*bytes, *time),
            Cell::Skipped(time) => (0, *time),
        })
        .collect();
    let [.., (before_bytes, before), (last_bytes, last)] = times[..] else {
        return None;
    };
    let expected = match (before_bytes, last_bytes) {
        (_, 0) => return Some(last * 100),
        (0, _) => last * 10,
        _ => {
            let steps = (bytes as f64 / last_bytes as f64).ln()
                / (last_bytes as f64 / before_bytes as f64).ln();
            let growth = last.as_secs_f64() / before.as_secs_f64().max(1e-9);
            last.mul_f64(growth.max(1.0).powf(steps))
        }
    };
    (expected > effort.patience).then_some(expected)
}

fn measure(reader: &dyn Reader, sample: &Sample, pushes: Option<&Pushes>, effort: &Effort) -> Cell {
    let read = |out: crate::readers::Out<'_>| match pushes {
        None => reader.whole(&sample.text, out),
        Some(pushes) => reader.pushed(pushes, out),
    };
    let mut early = 0;
    let start = now();
    let reading = caught(|| {
        let mut reading = Reading::default();
        read(&mut |told| {
            if let (Told::Args { json, .. }, Some(pushes)) = (told, pushes)
                && pushes.given() <= sample.end
            {
                early += json.len();
            }
            reading.take(told);
        });
        reading
    });
    let first = now().saturating_sub(start);
    let sent = [("save_note".to_owned(), sample.arguments.clone())];
    let (fault, args) = match reading {
        None => (Some("panic".to_owned()), 0),
        Some(reading) => (
            reading
                .fault(&sent, "")
                .map(|fault| fault.chars().take(28).collect()),
            reading.calls.first().map_or(0, |call| call.args.len()),
        ),
    };
    let mut emitted = 0;
    let mut count = |event: Told<'_>| {
        emitted += match event {
            Told::Text(text) => text.len(),
            Told::Args { json, .. } => json.len(),
            _ => 1,
        };
    };
    let mut peak = 0;
    let mut times = Vec::new();
    if fault.as_deref() != Some("panic") {
        if first < effort.patience {
            peak = heap::peak(|| read(&mut count));
        }
        if first < effort.cell * 4 {
            let until = now() + effort.cell;
            while times.len() < 3 || now() < until && times.len() < 500 {
                times.push(timed(|| read(&mut count)));
            }
        }
    }
    black_box(emitted);
    if times.is_empty() {
        times.push(first);
    }
    let wrapping = pushes.map_or(Duration::ZERO, |pushes| {
        timed(|| reader.wrapping(pushes)).min(timed(|| reader.wrapping(pushes)))
    });
    Cell::Read {
        bytes: sample.text.len(),
        time: median(&mut times).saturating_sub(wrapping),
        fault,
        heap: peak,
        early: 100.0 * early as f64 / args.max(1) as f64,
    }
}

/// A call of `save_note` whose text is code, of about `size` bytes in the dialect's form.
fn sample(form: &Form, size: usize) -> Sample {
    let written = |bytes: usize| {
        let code = code(bytes);
        let arguments = json!({"tag": "code", "text": code});
        let map: &Map<String, Value> = arguments.as_object().expect("an object");
        let text = form.block(&[("save_note", map)]);
        (text, arguments)
    };
    let (probe, _) = written(10_000);
    let (text, arguments) = written(size * 10_000 / probe.len());
    // The last words of the string.
    let end = text.rfind(LAST).expect("the string is written as it is") + LAST.len();
    Sample {
        text,
        end,
        arguments,
    }
}

const LAST: &str = "// the end of the code";

/// Code with quotation marks, brackets, markup characters and non-ASCII letters, in lines of many lengths.
fn code(bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 200);
    let mut row = 0;
    while out.len() + LAST.len() < bytes {
        row += 1;
        let _ = writeln!(
            out,
            "/// Zeile {row}: größer als ½ — 表 {row}\nfn row_{row}(xs: &[&str]) -> Option<String> {{\n    let n = xs.iter().filter(|x| x.len() < {row} && !x.is_empty()).count();\n    if n > 1 {{ return Some(format!(\"<td class='c'>{{}}</td>\\n\", xs[0]; n)); }}\n    None // [{row}] isn't \"there\"\n}}\n"
        );
    }
    out.push_str(LAST);
    out
}

fn mode_name(mode: Mode) -> String {
    match mode {
        Mode::Whole => "whole".to_owned(),
        Mode::Pushes(size) => format!("{size}-byte pushes"),
    }
}

fn size_name(size: usize) -> String {
    match size {
        1_000_000.. => format!("{} MB", size / 1_000_000),
        _ => format!("{} KB", size / 1_000),
    }
}

fn table(rows: &[Row], mode: Mode, effort: &Effort) -> String {
    let sizes: Vec<String> = effort.sizes.iter().map(|size| size_name(*size)).collect();
    let is_whole = mode == Mode::Whole;
    let mut out = format!(
        "**{}**: MB/s of text, CPU time of the thread, median; ✗ = not the call that was sent; `>` = not begun, seconds expected. Growth is of the time at the last ×10, heap the peak of the last size, in times of the text{}.\n\n| dialect | | {} | growth | heap |{}\n|---|---|{}--:|--:|{}\n",
        mode_name(mode),
        if is_whole {
            ""
        } else {
            ", early the share of the argument handed out before it ended"
        },
        sizes.join(" | "),
        if is_whole { "" } else { " early |" },
        "--:|".repeat(sizes.len()),
        if is_whole { "" } else { "--:|" },
    );
    for row in rows.iter().filter(|row| row.mode == mode) {
        let cells: Vec<String> = row.cells.iter().map(shown).collect();
        let read: Vec<(usize, Duration, u64, f64)> = row
            .cells
            .iter()
            .filter_map(|cell| match cell {
                Cell::Read {
                    bytes,
                    time,
                    heap,
                    early,
                    ..
                } => Some((*bytes, *time, *heap, *early)),
                Cell::Skipped(_) => None,
            })
            .collect();
        let growth = match read[..] {
            [.., (_, before, ..), (_, last, ..)] => {
                format!(
                    "×{:.1}",
                    last.as_secs_f64() / before.as_secs_f64().max(1e-9)
                )
            }
            _ => String::new(),
        };
        let (bytes, _, heap, early) = read.last().copied().unwrap_or((1, Duration::ZERO, 0, 0.0));
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {growth} | {:.1}× |{}",
            row.dialect,
            row.reader,
            cells.join(" | "),
            heap as f64 / bytes as f64,
            if is_whole {
                String::new()
            } else {
                format!(" {early:.0} % |")
            },
        );
    }
    out.push('\n');
    out
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Skipped(time) => format!("> {:.0} s", time.as_secs_f64()),
        Cell::Read {
            bytes, time, fault, ..
        } => {
            let sign = if fault.is_some() { " ✗" } else { "" };
            format!("{}{sign}", rate(*bytes, *time))
        }
    }
}

fn rate(bytes: usize, time: Duration) -> String {
    let rate = speed(bytes, time);
    match rate {
        10.0.. => format!("{rate:.0}"),
        0.1.. => format!("{rate:.1}"),
        _ => format!("{rate:.3}"),
    }
}

fn speed(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

/// For 1 MB (or the nearest size): the best of the other parsers, next to toolglot.
fn summary(rows: &[Row], effort: &Effort) -> String {
    let Some(at) = effort.sizes.iter().rposition(|size| *size <= 1_000_000) else {
        return String::new();
    };
    let mut out = format!(
        "**Summary, {}**: MB/s whole, milliseconds in pushes; *best* is the fastest of the other parsers that gives the call.\n\n| dialect | whole | all | best | 64-byte pushes | all | best | 16-byte pushes | all | best | 4-byte pushes | all | best |\n|---|{}\n",
        size_name(effort.sizes[at]),
        "--:|".repeat(12)
    );
    for form in FORMS {
        let mut cells = Vec::new();
        for mode in MODES {
            let of = |name: &str| {
                rows.iter()
                    .find(|row| {
                        row.dialect == form.dialect && row.mode == mode && row.reader == name
                    })
                    .and_then(|row| right(&row.cells[at]))
            };
            let show = |read: Option<(usize, Duration)>| match (read, mode) {
                (None, _) => "–".to_owned(),
                (Some((bytes, time)), Mode::Whole) => rate(bytes, time),
                (Some((_, time)), Mode::Pushes(_)) => format!("{:.1}", time.as_secs_f64() * 1e3),
            };
            let best = best(rows, form.dialect, mode, at);
            cells.push(show(of("toolglot")));
            cells.push(show(of("toolglot, all")));
            cells.push(show(best.map(|(_, read)| read)));
        }
        if rows.iter().any(|row| row.dialect == form.dialect) {
            let _ = writeln!(out, "| `{}` | {} |", form.dialect, cells.join(" | "));
        }
    }
    out.push('\n');
    out
}

fn right(cell: &Cell) -> Option<(usize, Duration)> {
    match cell {
        Cell::Read {
            bytes,
            time,
            fault: None,
            ..
        } => Some((*bytes, *time)),
        _ => None,
    }
}

/// The fastest of the other parsers that return the correct call.
fn best<'a>(
    rows: &'a [Row],
    dialect: &str,
    mode: Mode,
    at: usize,
) -> Option<(&'a str, (usize, Duration))> {
    rows.iter()
        .filter(|row| row.dialect == dialect && row.mode == mode)
        .filter(|row| !row.reader.starts_with("toolglot"))
        .filter_map(|row| Some((row.reader.as_str(), right(&row.cells[at])?)))
        .min_by_key(|(_, (_, time))| *time)
}

/// The cells in which another parser with the correct call is faster.
fn behind(rows: &[Row], effort: &Effort) -> String {
    let mut lines = String::new();
    let mut n_compared = 0;
    for row in rows.iter().filter(|row| row.reader.starts_with("toolglot")) {
        for (at, size) in effort.sizes.iter().enumerate() {
            let Some((peer, (bytes, its))) = best(rows, row.dialect, row.mode, at) else {
                continue;
            };
            n_compared += 1;
            let ours = match right(&row.cells[at]) {
                Some((_, time)) if time <= its => continue,
                Some((bytes, time)) => rate(bytes, time),
                None => "✗".to_owned(),
            };
            let _ = writeln!(
                lines,
                "| `{}` | {} | {} | {} | {ours} | {peer} {} |",
                row.dialect,
                row.reader,
                mode_name(row.mode),
                size_name(*size),
                rate(bytes, its)
            );
        }
    }
    let n_lines = lines.lines().count();
    format!(
        "**Behind**: {n_lines} of {n_compared} cells in which another parser gives the call faster, MB/s.\n\n| dialect | | | size | toolglot | the faster one |\n|---|---|---|--:|--:|--:|\n{lines}\n"
    )
}

/// The cost of compiling a program, which the tables leave out since messages share it.
fn programs() -> String {
    let once = |work: &mut dyn FnMut()| {
        let mut times: Vec<Duration> = (0..9).map(|_| timed(&mut *work)).collect();
        format!("{:.0} µs", median(&mut times).as_secs_f64() * 1e6)
    };
    let one = Ours::one("hermes", &tools());
    let all = Ours::all(&tools());
    format!(
        "**Programs**, which messages share and the tables leave out: one dialect is compiled in {}, all in {}; the same rules for another request's tools take {} and {}.\n",
        once(&mut || {
            black_box(Ours::one("hermes", &tools()));
        }),
        once(&mut || {
            black_box(Ours::all(&tools()));
        }),
        once(&mut || {
            black_box(one.with_tools(&tools()));
        }),
        once(&mut || {
            black_box(all.with_tools(&tools()));
        }),
    )
}
