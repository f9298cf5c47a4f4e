//! The recorded cases of other projects' tests, in a folder next to the repository.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::forms::{SPELLINGS, form};
use crate::probes::caught;
use crate::pushes::Pushes;
use crate::readers::{First, Names, Ours, Reader, Second, Smg, read_pushed, read_whole};
use crate::reading::{Reading, same};
use crate::table::share;
use crate::tools::Tool;

const FILES: &[&str] = &["models", "rust-peers"];

/// The columns: toolglot with one dialect, toolglot with all dialects, the other parsers.
const PARSERS: &[&str] = &[
    "toolglot",
    "toolglot, all",
    "tool-parser",
    "dynamo-parsers",
    "dynamo-parsers-v2",
];

/// The score of a parser on some rows: their number, the correct ones whole, and the correct ones in pieces of one
/// character.
#[derive(Clone, Copy, Default)]
struct Score {
    rows: usize,
    whole: usize,
    pushed: usize,
}

/// Scores all rows and writes the tables.
pub fn run() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    if !folder.exists() {
        return format!(
            "SKIPPED: no recorded case was read, {} is not there.\n",
            folder.display()
        );
    }
    let mut out = String::from(
        "Calls equal by value; rows of dialects that at least one of the other parsers has, without `harmony` and without rows that forbid tools. A row's dialect is named to all but *toolglot, all*. Where a row has no tools, `tool-parser` is told the names of the expected ones in pushes, since it drops the others.\n",
    );
    for file in FILES {
        let text =
            fs::read_to_string(folder.join(format!("{file}.jsonl"))).expect("a file of cases");
        out.push_str(&score(file, &text));
    }
    out
}

fn score(file: &str, text: &str) -> String {
    let mut by_dialect: BTreeMap<String, Vec<Score>> = BTreeMap::new();
    // For each other parser: its score, toolglot's score on the same rows, and the score with all dialects.
    let mut duels = vec![[Score::default(); 3]; PARSERS.len()];
    let mut compiled: BTreeMap<String, Ours> = BTreeMap::new();
    let all = Ours::all(&[]);
    for line in text.lines() {
        // One row has a number that JSON does not allow.
        let row: Value =
            serde_json::from_str(&line.replace(": Infinity", ": null")).expect("a row");
        let dialect = row["dialect"].as_str().unwrap_or_default();
        let Some(names) = names(dialect).filter(|_| row["tool_choice"] != "none") else {
            continue;
        };
        let canonical = toolglot_dialects::canonical(dialect);
        let one = compiled
            .entry(canonical.to_owned())
            .or_insert_with(|| Ours::one(canonical, &[]));
        let results = read(&row, names, one, &all);
        let scores = by_dialect
            .entry(dialect.to_owned())
            .or_insert_with(|| vec![Score::default(); PARSERS.len()]);
        for (score, result) in scores.iter_mut().zip(&results) {
            score.add(*result);
        }
        for (duel, result) in duels.iter_mut().zip(&results).skip(2) {
            if result.is_some() {
                duel[0].add(*result);
                duel[1].add(results[0]);
                duel[2].add(results[1]);
            }
        }
        if std::env::var("MISSES").is_ok_and(|wanted| wanted == dialect || wanted == "all")
            && results[0] != Some((true, true))
        {
            eprintln!("{} {:?}", row["id"], results);
        }
    }
    let mut out = format!("\n**{file}**, on the rows that each parser has a dialect for:\n\n");
    out.push_str("| | rows | whole | a character a push | toolglot, whole | toolglot, a character a push | toolglot, all, whole |\n|---|--:|--:|--:|--:|--:|--:|\n");
    for (name, [its, ours, all]) in PARSERS.iter().zip(&duels).skip(2) {
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {} | {} |",
            its.rows,
            share(its.whole, its.rows),
            share(its.pushed, its.rows),
            share(ours.whole, ours.rows),
            share(ours.pushed, ours.rows),
            share(all.whole, all.rows)
        );
    }
    let _ = writeln!(
        out,
        "\n| {file}: right, whole / a character a push | rows | {} |\n|---|--:|{}",
        PARSERS.join(" | "),
        "--:|".repeat(PARSERS.len())
    );
    for (dialect, scores) in &by_dialect {
        let cells: Vec<String> = scores
            .iter()
            .map(|score| match score.rows {
                0 => "–".to_owned(),
                _ => format!("{} / {}", score.whole, score.pushed),
            })
            .collect();
        let _ = writeln!(
            out,
            "| `{dialect}` | {} | {} |",
            scores[0].rows,
            cells.join(" | ")
        );
    }
    out
}

impl Score {
    fn add(&mut self, result: Option<(bool, bool)>) {
        if let Some((whole, pushed)) = result {
            self.rows += 1;
            self.whole += usize::from(whole);
            self.pushed += usize::from(pushed);
        }
    }
}

/// The other parsers' names of a record's dialect; `None` if no parser has the dialect.
fn names(dialect: &str) -> Option<Names> {
    let own = SPELLINGS.iter().find(|(spelling, _)| *spelling == dialect);
    let names = match own {
        Some((_, names)) => *names,
        None => form(toolglot_dialects::canonical(dialect))?.names,
    };
    Some(names)
}

/// For each parser, whether the row is correct whole and in pieces; `None` if the parser does not have the dialect.
fn read(row: &Value, names: Names, one: &Ours, all: &Ours) -> [Option<(bool, bool)>; 5] {
    let mut tools = Tool::all_of(&row["tools"]);
    // A placeholder marks tools that were not recorded.
    if tools.iter().any(|tool| tool.name == "stub") {
        tools.clear();
    }
    let expected: Vec<(&str, &Value)> = row["expected"]["calls"]
        .as_array()
        .map(|calls| calls.as_slice())
        .unwrap_or_default()
        .iter()
        .map(|call| {
            (
                call["name"].as_str().unwrap_or_default(),
                &call["arguments"],
            )
        })
        .collect();
    let text = row["input"].as_str().unwrap_or_default();
    let judge = |whole: &dyn Reader, pushed: &dyn Reader| {
        let is_right = |reading: Option<Reading>| {
            reading.is_some_and(|reading| {
                reading.calls.len() == expected.len()
                    && reading
                        .calls
                        .iter()
                        .zip(&expected)
                        .all(|(found, (name, arguments))| {
                            found.name == *name
                                && found
                                    .value_so_far()
                                    .is_some_and(|value| same(&value, arguments))
                        })
            })
        };
        let pushes = Pushes::of_size(text, 1, &[]);
        Some((
            is_right(caught(|| read_whole(whole, text))),
            is_right(caught(|| read_pushed(pushed, &pushes))),
        ))
    };
    let ours = |ours: &Ours| {
        let mut ours = ours.with_tools(&tools);
        ours.reasoning_open = row["reasoning_open"] == true;
        ours.prompt_suffix = row["prompt_suffix"].as_str().map(str::to_owned);
        judge(&ours, &ours)
    };
    let smg = |name| {
        let whole = Smg::new(name, &tools);
        let mut known = tools.clone();
        if known.is_empty() {
            known.extend(expected.iter().map(|(name, _)| Tool {
                name: (*name).to_owned(),
                parameters: serde_json::json!({}),
            }));
        }
        judge(&whole, &Smg::new(name, &known))
    };
    let first = |name| {
        let reader = First::new(name, &tools);
        judge(&reader, &reader)
    };
    let second = |name| {
        let reader = Second::new(name, &tools);
        judge(&reader, &reader)
    };
    [
        ours(one),
        ours(all),
        names.smg.and_then(smg),
        names.first.and_then(first),
        names.second.and_then(second),
    ]
}
