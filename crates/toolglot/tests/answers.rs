//! Raw answers of forty models, with the tools they were given and without a dialect's name, through the built binary.
//!
//! `recorded` finds the answers; without them the test is ignored.
//! Readable: at least one call. Right: what the questions accept, compared by the rules of their leaderboard.
//! The figures are pinned; `docs/compare.md` explains the rows that are read differently.
//! `TOOLGLOT_MISSES=python_list,hermes_tool_call_json` prints the rows of these syntaxes that are not right,
//! `TOOLGLOT_MISSES=lost` the rows that their own decoder reads right, `TOOLGLOT_MISSES=unread` the rows without a
//! call:
//!
//! ```console
//! TOOLGLOT_MISSES=lost cargo test -p toolglot --test tests answers:: -- --nocapture
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use toolglot_value::{Map, Value, json};

use crate::recorded;

/// The pinned figures: rows of the four Python categories.
const READABLE: usize = 2579;
const RIGHT: usize = 2217;
/// The most rows that the decoder of their own model reads right and toolglot does not.
const LOST: usize = 2;

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn answers_of_unknown_models_are_read() {
    let text = recorded::text("cases/bfcl-dev.jsonl");
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row is JSON"))
        .collect();
    let documents = parsed(&rows);
    let mut score = Score::default();
    let mut invented = Vec::new();
    let mut json = Json::default();
    let wanted = std::env::var("TOOLGLOT_MISSES").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').collect();
    for (row, document) in rows.iter().zip(&documents) {
        let calls = document["calls"].as_array().expect("a list of calls");
        let raw = word(&row["raw"]);
        // The name and the values of a call occur in the text, at the place of the call.
        for call in calls {
            if let Some(what) = not_in_text(raw, call) {
                invented.push(format!("{}: {what} in {call}", row["id"]));
            }
        }
        json.add(word(&row["syntax"]), document);
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
    let _ = write!(io::stderr(), "{}{}", score.report(), json.report());
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

/// A name or a value of a call that does not occur at the call's place in the text.
///
/// Letters and digits are compared in order: punctuation, blanks and escapes may differ. Numbers are compared by value.
fn not_in_text(raw: &str, call: &Value) -> Option<String> {
    let place = |n: usize| {
        let at = call["span"][n].as_u64();
        at.and_then(|at| usize::try_from(at).ok())
    };
    let text = place(0)
        .zip(place(1))
        .and_then(|(from, to)| raw.get(from..to))
        .unwrap_or_default();
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let numbers: Vec<f64> = text
        .split(|c| !is_of_number(c))
        .filter_map(|word| word.parse().ok())
        .collect();
    let text = letters(&spelt_out(text));
    let mut values = vec![&call["name"], &call["arguments"]];
    while let Some(value) = values.pop() {
        let wanted = match value {
            Value::Array(items) => {
                values.extend(items);
                continue;
            }
            Value::Object(members) => {
                values.extend(members.values());
                continue;
            }
            // A null has no text.
            Value::Null => continue,
            Value::Number(number) if number.as_f64().is_some_and(|n| numbers.contains(&n)) => {
                continue;
            }
            Value::String(wanted) => wanted.clone(),
            other => other.to_string(),
        };
        if !text.contains(&letters(&wanted)) {
            return Some(wanted);
        }
    }
    None
}

/// Decodes escapes of JSON and Python, as far as letters need that.
fn spelt_out(text: &str) -> String {
    let mut out = text
        .replace("\\n", " ")
        .replace("\\t", " ")
        .replace("\\r", " ");
    while let Some(at) = out.find("\\u") {
        let code = out
            .get(at + 2..at + 6)
            .and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let (letter, length) = match code {
            Some(code) => (char::from_u32(code).unwrap_or(' '), 6),
            None => (' ', 2),
        };
        out.replace_range(at..at + length, &letter.to_string());
    }
    out
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Counts of answers that hold JSON, or Python's spelling of JSON: with repairs and without.
#[derive(Default)]
struct Json {
    rows: usize,
    readable: usize,
    valid: usize,
    readable_as_written: usize,
    valid_as_written: usize,
}

impl Json {
    fn add(&mut self, syntax: &str, document: &Value) {
        let holds_json = ["json", "pydict", "other_list"]
            .iter()
            .any(|part| syntax.contains(part));
        if !holds_json {
            return;
        }
        let notes: Vec<u64> = document["notes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|note| word(&note["code"]).trim_start_matches('N').parse().ok())
            .collect();
        // Faults against the tool: unknown name, missing parameter, arguments that do not fit.
        let is_valid = !notes.iter().any(|note| matches!(note, 3 | 8 | 63 | 64));
        let is_repaired = notes
            .iter()
            .any(|note| matches!(note, 12 | 13 | 17 | 18 | 30..=59));
        let is_readable = document["calls"]
            .as_array()
            .is_some_and(|calls| !calls.is_empty());
        self.rows += 1;
        self.readable += usize::from(is_readable);
        self.valid += usize::from(is_readable && is_valid);
        self.readable_as_written += usize::from(is_readable && !is_repaired);
        self.valid_as_written += usize::from(is_readable && is_valid && !is_repaired);
    }

    fn report(&self) -> String {
        format!(
            "with JSON: {} rows, {} readable and {} valid; as written {} and {}\n",
            self.rows, self.readable, self.valid, self.readable_as_written, self.valid_as_written
        )
    }
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

/// Whether there are as many calls as accepted ones, each accepted once, in any order.
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

/// Whether every argument is accepted and every missing argument is optional.
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

/// Strings are compared without letter case, blanks and some punctuation.
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
