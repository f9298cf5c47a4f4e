//! The recorded cases of three repairers, under the matching preset.
//!
//! `TOOLGLOT_SHOW=jr/llm` lists the rows of a corpus (`jr`, `pj`, `js`) that differ under a preset.

use std::io::{self, Write};

use toolglot_json::Shape;
use toolglot_value::Value;

use crate::recorded;

/// Corpus, preset, and how many rows at least are as recorded.
const FLOORS: &[(&str, &str, usize)] = &[
    ("jsonrepair", "jsonrepair", 430),
    ("jsonrepair", "llm", 380),
    ("jsonrepair", "json_repair", 246),
    ("json_repair", "json_repair", 325),
    ("json_repair", "jsonrepair", 160),
    ("json_repair", "llm", 225),
    ("jsonish", "llm", 100),
    ("jsonish", "jsonrepair", 84),
    ("jsonish", "json_repair", 85),
];

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn recorded_cases_reach_their_floors() {
    let mut missed = Vec::new();
    for &(corpus, preset, floor) in FLOORS {
        let text = recorded::text(&format!("cases/repair/{corpus}.jsonl"));
        let rows: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("a row"))
            .filter(|row: &Value| corpus != "json_repair" || row["group"] == "plain")
            .collect();
        let n_right = rows.iter().filter(|row| is_right(row, preset)).count();
        let _ = writeln!(
            io::stderr(),
            "{corpus} under {preset}: {n_right} of {}",
            rows.len()
        );
        if n_right < floor {
            missed.push(format!("{corpus} under {preset}: {n_right}, not {floor}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

fn is_right(row: &Value, preset: &str) -> bool {
    let input = row["input"].as_str().expect("an input");
    let got = match preset {
        "llm" => Ok(toolglot_json::repair(input, &Shape::Any)),
        "jsonrepair" => toolglot_json_compat::jsonrepair(input),
        _ => toolglot_json_compat::json_repair(input, &Shape::Any),
    };
    let text = match &got {
        Ok(repaired) => repaired.text.clone(),
        Err(error) => error.to_string(),
    };
    let value = got
        .ok()
        .and_then(|repaired| toolglot_value::from_str(&repaired.text).ok());
    let is_empty = row["empty"] == true;
    let right = if row["expect_error"] == true {
        value.is_none()
    } else if is_empty {
        value.as_ref().is_none_or(|v| v.is_null() || *v == "")
    } else if row["target"] == "string" {
        // A target that is a string takes the text as it is: nothing is repaired in it.
        row["value"] == input
    } else {
        value
            .as_ref()
            .is_some_and(|value| same(value, &row["value"]))
    };
    let id = row["id"].as_str().expect("an id");
    let shown = std::env::var("TOOLGLOT_SHOW");
    let corpus = id.split('-').next().unwrap_or_default();
    if !right && shown.is_ok_and(|show| show == format!("{corpus}/{preset}")) {
        let want = if row["expect_error"] == true {
            "an error".into()
        } else {
            row["value"].to_string()
        };
        let short = |s: &str| s.chars().take(300).collect::<String>();
        let _ = writeln!(
            io::stderr(),
            "{id} {:?}\n   got  {}\n   want {}",
            short(input),
            short(&text),
            short(&want)
        );
    }
    right
}

/// Equality by value: key order is free, numbers count as numbers.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
