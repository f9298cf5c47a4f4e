//! Raw answers of forty models, with the tools they were given and without a dialect's name, through the built binary.
//!
//! The answers lie beside the repository and are no part of it; without them this test says so and passes.
//! Readable: at least one call. Right: what the questions accept, compared as the leaderboard they come from compares.
//! The figures are pinned; what is read otherwise is argued in `docs/compare.md`.
//! `TOOLGLOT_MISSES=python_list,hermes_tool_call_json` prints the rows of these syntaxes that are not right,
//! `TOOLGLOT_MISSES=lost` those that their own decoder read right, `TOOLGLOT_MISSES=unread` those without a call:
//!
//! ```console
//! TOOLGLOT_MISSES=lost cargo test -p toolglot-cli --test answers -- --nocapture
//! ```

mod recorded;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

/// What is pinned: rows of the four Python categories.
const READABLE: usize = 2560;
const RIGHT: usize = 2188;
/// Rows that the decoder of their own model reads right, and this does not: at most.
const LOST: usize = 13;

#[test]
fn answers_of_unknown_models_are_read() {
    let Some(file) = recorded::place("bfcl-dev.jsonl") else {
        return;
    };
    let text = fs::read_to_string(file).expect("a file of answers");
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row is JSON"))
        .collect();
    let documents = parsed(&rows);
    let mut score = Score::default();
    let mut invented = Vec::new();
    let wanted = std::env::var("TOOLGLOT_MISSES").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').collect();
    for (row, document) in rows.iter().zip(&documents) {
        let calls = document["calls"].as_array().expect("a list of calls");
        let raw = word(&row["raw"]);
        // What is told as a call stands in the text: its name, and its place.
        for call in calls {
            let name = word(&call["name"]);
            if !raw.replace('\\', "").contains(name) {
                invented.push(format!("{}: {name}", row["id"]));
            }
        }
        if !["simple", "multiple", "parallel", "parallel_multiple"]
            .contains(&word(&row["category"]))
        {
            continue;
        }
        let is_right = is_right(row, calls);
        let is_lost = row["official_correct"] == true && !is_right;
        score.add(word(&row["syntax"]), !calls.is_empty(), is_right, is_lost);
        let syntax = word(&row["syntax"]);
        let asked = wanted.contains(&syntax) && !is_right
            || wanted.contains(&"lost") && is_lost
            || wanted.contains(&"unread") && calls.is_empty();
        if asked {
            let _ = writeln!(
                io::stderr(),
                "{} ({syntax})\n  raw      {}\n  accepted {}\n  read     {}",
                row["id"],
                row["raw"],
                row["possible_answer"],
                document["calls"]
            );
        }
    }
    let _ = write!(io::stderr(), "{}", score.report());
    assert!(invented.is_empty(), "{}", invented.join("\n"));
    let all = score.all();
    assert!(
        all.readable >= READABLE,
        "{} readable, {READABLE} were",
        all.readable
    );
    assert!(all.right >= RIGHT, "{} right, {RIGHT} were", all.right);
    assert!(all.lost <= LOST, "{} lost, {LOST} were", all.lost);
}

#[derive(Clone, Copy, Default)]
struct Count {
    rows: usize,
    readable: usize,
    right: usize,
    lost: usize,
}

/// Counts by the label of a row's syntax.
#[derive(Default)]
struct Score(BTreeMap<String, Count>);

impl Score {
    fn add(&mut self, syntax: &str, readable: bool, right: bool, lost: bool) {
        let count = self.0.entry(syntax.to_owned()).or_default();
        count.rows += 1;
        count.readable += usize::from(readable);
        count.right += usize::from(right);
        count.lost += usize::from(lost);
    }

    fn all(&self) -> Count {
        self.0.values().fold(Count::default(), |all, one| Count {
            rows: all.rows + one.rows,
            readable: all.readable + one.readable,
            right: all.right + one.right,
            lost: all.lost + one.lost,
        })
    }

    fn report(&self) -> String {
        let mut out = String::new();
        let rows = self
            .0
            .iter()
            .map(|(syntax, count)| (syntax.as_str(), *count));
        for (syntax, count) in rows.chain([("all", self.all())]) {
            let Count {
                rows,
                readable,
                right,
                lost,
            } = count;
            writeln!(
                out,
                "{syntax}: {rows} rows, {readable} readable, {right} right, {lost} lost"
            )
            .expect("writing to a string");
        }
        out
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// As many calls as are accepted, each accepted once, in any order.
fn is_right(row: &Value, calls: &[Value]) -> bool {
    let Some(accepted) = row["possible_answer"].as_object() else {
        return false;
    };
    let tools: Vec<String> = row["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| same_name(word(&tool["function"]["name"])))
        .collect();
    if accepted.len() != calls.len() {
        return false;
    }
    let mut left: Vec<&Value> = calls.iter().collect();
    accepted.iter().all(|(name, parameters)| {
        let name = same_name(name);
        let name = if tools.contains(&name) {
            &name
        } else {
            without_number(&name)
        };
        let found = left.iter().position(|call| {
            same_name(word(&call["name"])) == name && arguments_fit(&call["arguments"], parameters)
        });
        found.map(|at| left.remove(at)).is_some()
    })
}

/// A dot and an underscore are the same in names.
fn same_name(name: &str) -> String {
    name.replace('.', "_")
}

/// A name that is asked for several times ends in its number.
fn without_number(name: &str) -> &str {
    let short = name.trim_end_matches(|c: char| c.is_ascii_digit());
    short
        .strip_suffix(['_', ' '])
        .filter(|_| short.len() < name.len())
        .unwrap_or(name)
}

/// Every argument is accepted, and what is missing may be.
fn arguments_fit(arguments: &Value, parameters: &Value) -> bool {
    let (Some(arguments), Some(parameters)) = (arguments.as_object(), parameters.as_object())
    else {
        return false;
    };
    members_fit(arguments, parameters)
}

fn members_fit(found: &Map<String, Value>, accepted: &Map<String, Value>) -> bool {
    let any = |value: &Value, accepted: &Value| match accepted {
        Value::Array(all) => all.iter().any(|one| fits(value, one)),
        one => fits(value, one),
    };
    found.iter().all(|(key, value)| {
        accepted
            .get(key)
            .is_some_and(|accepted| any(value, accepted))
    }) && accepted.iter().all(|(key, accepted)| {
        let optional = accepted
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one == ""));
        found.contains_key(key) || optional
    })
}

fn fits(value: &Value, accepted: &Value) -> bool {
    match (value, accepted) {
        (Value::String(value), Value::String(accepted)) => plain(value) == plain(accepted),
        (Value::Number(value), Value::Number(accepted)) => value.as_f64() == accepted.as_f64(),
        (Value::Array(value), Value::Array(accepted)) => {
            value.len() == accepted.len()
                && value
                    .iter()
                    .zip(accepted)
                    .all(|(value, accepted)| fits(value, accepted))
        }
        (Value::Object(value), Value::Object(accepted)) => members_fit(value, accepted),
        _ => value == accepted,
    }
}

/// Strings are compared without letter case, blanks and some marks.
fn plain(text: &str) -> String {
    text.to_lowercase()
        .replace('\'', "\"")
        .replace([' ', ',', '.', '/', '-', '_', '*', '^'], "")
}

/// The documents of the rows, in order; half of the rows in each of two processes.
fn parsed(rows: &[Value]) -> Vec<Value> {
    let (one, other) = rows.split_at(rows.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| part(other));
        let mut all = part(one);
        all.extend(other.join().expect("it ends"));
        all
    })
}

fn part(rows: &[Value]) -> Vec<Value> {
    let line = |row: &Value| {
        json!({
            "id": row["id"],
            "input": row["raw"],
            "tools": row["tools"],
            "dialect": "auto",
        })
    };
    let lines: Vec<Value> = rows.iter().map(line).collect();
    recorded::parsed(&["--in-code", "accept"], &lines)
}
