//! The recorded cases of other parsers, through the built binary: whole, in pieces of one byte, and as the union of all
//! dialects.
//!
//! `recorded` finds the cases; without them the test is ignored.
//! The number of rows that are read as recorded is pinned for each file; `docs/compare.md` explains the other rows.
//! `TOOLGLOT_MISSES=hermes,gemma4` prints the rows of these dialects that are read differently, `TOOLGLOT_MISSES=all`
//! the rows of all dialects:
//!
//! ```console
//! TOOLGLOT_MISSES=hermes cargo test -p toolglot --test tests models:: -- --nocapture
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use toolglot_value::{Value, json};

use crate::recorded;

/// The pinned figures of a file.
struct Floor {
    file: &'static str,
    /// Rows whose calls are as recorded, each read with its dialect.
    named: usize,
    /// The same figure, read with `auto`.
    auto: usize,
    /// Rows whose calls, content and reasoning are as recorded.
    speech: usize,
    /// The same for rows on which two parsers, or two modes of one parser, agree.
    agreed: usize,
}

/// Three rows of `harmony` record no call for text to `browser.search`, `container.exec` and `python`; these are calls.
const FLOORS: &[Floor] = &[
    Floor {
        file: "models",
        named: 1201,
        auto: 1198,
        speech: 1119,
        agreed: 125,
    },
    Floor {
        file: "rust-peers",
        named: 651,
        auto: 650,
        speech: 618,
        agreed: 466,
    },
];

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn rows_of_other_parsers_are_read_as_recorded() {
    let wanted = std::env::var("TOOLGLOT_MISSES").unwrap_or_default();
    let mut short = Vec::new();
    for floor in FLOORS {
        let text = recorded::text(&format!("cases/{}.jsonl", floor.file));
        let rows: Vec<Row> = text.lines().map(Row::read).collect();
        let whole = parsed(&rows, None, false);
        for (cut, whole) in parsed(&rows, Some("1"), false).iter().zip(&whole) {
            assert!(cut == whole, "{} in pieces of one byte", whole["id"]);
        }
        let auto = parsed(&rows, None, true);
        let score = Score::of(&rows, &whole);
        let union = Score::of(&rows, &auto);
        let _ = write!(io::stderr(), "{}", score.report(floor.file, &union));
        for (row, document) in rows.iter().zip(&whole) {
            let is_wanted = wanted == "all" || wanted.split(',').any(|name| name == row.dialect);
            if is_wanted && !row.calls_fit(document) {
                let _ = writeln!(io::stderr(), "{}", row.miss(document));
            }
        }
        for (what, found, at_least) in [
            ("named", score.calls, floor.named),
            ("auto", union.calls, floor.auto),
            ("with content and reasoning", score.speech, floor.speech),
            ("agreed on", score.agreed, floor.agreed),
        ] {
            if found < at_least {
                short.push(format!(
                    "{}, {what}: {found} rows are read as recorded, {at_least} were",
                    floor.file
                ));
            }
        }
    }
    assert!(short.is_empty(), "{}", short.join("\n"));
}

/// How many rows are read as recorded.
#[derive(Default)]
struct Score {
    calls: usize,
    speech: usize,
    /// Rows on which two agree and whose calls are as recorded; then those of them with the recorded content and
    /// reasoning.
    witnessed: usize,
    agreed: usize,
    /// By dialect: all rows, and rows whose calls are as recorded.
    dialects: BTreeMap<String, (usize, usize)>,
}

impl Score {
    fn of(rows: &[Row], documents: &[Value]) -> Score {
        let mut score = Score::default();
        for (row, document) in rows.iter().zip(documents) {
            let fits = row.calls_fit(document);
            score.calls += usize::from(fits);
            let has_text = fits && row.speech_fits(document);
            score.speech += usize::from(has_text);
            score.witnessed += usize::from(fits && row.is_agreed);
            score.agreed += usize::from(has_text && row.is_agreed);
            let (n_rows, n_fit) = score.dialects.entry(row.dialect.clone()).or_default();
            *n_rows += 1;
            *n_fit += usize::from(fits);
        }
        score
    }

    /// The figures of a file, and the dialects that have misses: named, in the union, of all.
    fn report(&self, file: &str, union: &Score) -> String {
        let n_rows: usize = self.dialects.values().map(|(n_rows, _)| n_rows).sum();
        let mut out = format!(
            "{file}: {} of {n_rows} rows have the recorded calls, {} the recorded text as well ({} of {} that two agree on); {} with `auto`\n",
            self.calls, self.speech, self.agreed, self.witnessed, union.calls
        );
        for (dialect, (n_rows, n_fit)) in &self.dialects {
            let in_union = union.dialects[dialect].1;
            if n_fit < n_rows || in_union < *n_rows {
                writeln!(
                    out,
                    "  {dialect}: {n_fit}, {in_union} with `auto`, of {n_rows}"
                )
                .expect("writing to a string");
            }
        }
        out
    }
}

/// One recorded case.
struct Row {
    dialect: String,
    /// The request to the binary.
    line: Value,
    expected: Value,
    /// Whether more than one parser, or more than one mode of one parser, gave this result.
    is_agreed: bool,
}

impl Row {
    fn read(line: &str) -> Row {
        // One row records a number that JSON does not have.
        let line = line.replace(": Infinity", ": null");
        let row: Value = toolglot_value::from_str(&line).expect("a row is JSON");
        let word = |key: &str| row[key].as_str().unwrap_or_default();
        let mut line = json!({
            "id": row["id"],
            "input": row["input"].as_str().unwrap_or_default(),
            "dialect": row["dialect"],
        });
        for key in ["tools", "reasoning_open", "prompt_suffix", "tool_choice"] {
            if !row[key].is_null() {
                line[key] = row[key].clone();
            }
        }
        // A placeholder replaces tools that were not recorded.
        let is_stub = |tool: &Value| tool["function"]["name"] == "stub" || tool["name"] == "stub";
        if row["tools"]
            .as_array()
            .is_some_and(|tools| tools.iter().any(is_stub))
        {
            line["tools"] = Value::Null;
        }
        let mut expected = row["expected"].clone();
        if row["tool_choice"] == "none" {
            expected["calls"] = json!([]);
        }
        Row {
            dialect: row["dialect"].as_str().unwrap_or_default().to_owned(),
            line,
            expected,
            is_agreed: is_agreed(word("id"), word("note")),
        }
    }

    fn calls_fit(&self, document: &Value) -> bool {
        let (Some(expected), Some(found)) = (
            self.expected["calls"].as_array(),
            document["calls"].as_array(),
        ) else {
            return false;
        };
        expected.len() == found.len()
            && expected.iter().zip(found).all(|(expected, found)| {
                expected["name"] == found["name"]
                    && same(&expected["arguments"], &found["arguments"])
            })
    }

    /// Whether content and reasoning are as recorded, blanks at both ends aside.
    fn speech_fits(&self, document: &Value) -> bool {
        let recorded = |key: &&&str| self.expected.get(**key).is_some();
        ["content", "reasoning"].iter().filter(recorded).all(|key| {
            let expected = self.expected[key].as_str().unwrap_or_default().trim();
            let found = document[key].as_str().unwrap_or_default().trim();
            // Some parsers include the text that the prompt started.
            let is_started = self.line["prompt_suffix"].is_string() && expected.ends_with(found);
            expected == found || is_started
        })
    }

    fn miss(&self, document: &Value) -> String {
        format!(
            "{}\n  input    {}\n  recorded {}\n  read     {} {}",
            self.line["id"],
            self.line["input"],
            self.expected,
            document["calls"],
            document["content"]
        )
    }
}

/// Whether a note reports two equal results: of both modes of a parser, or of a parser from another crate than the
/// crate in the row's id (`tp-hermes-001`; `peers: d1_whole same, tp_whole text differs`).
fn is_agreed(id: &str, note: &str) -> bool {
    let own = id.split('-').next().unwrap_or_default();
    let peers = note.split_once("peers: ").map_or("", |(_, peers)| peers);
    let others = peers
        .split([',', ';'])
        .filter_map(|peer| peer.trim().strip_suffix(" same"));
    note.contains("stream+whole") || others.into_iter().any(|peer| !peer.starts_with(own))
}

/// The documents of the rows, in order.
fn parsed(rows: &[Row], chunk: Option<&str>, is_auto: bool) -> Vec<Value> {
    let line = |row: &Row| {
        let mut line = row.line.clone();
        if is_auto {
            line["dialect"] = json!("auto");
        }
        line
    };
    let lines: Vec<Value> = rows.iter().map(line).collect();
    let cut = chunk.map(|chunk| ["--chunk", chunk]);
    recorded::parsed(cut.as_ref().map_or(&[], |cut| &cut[..]), &lines)
}

/// Equality of values: numbers by value, keys in any order.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one.to_string() == other.to_string() || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}
