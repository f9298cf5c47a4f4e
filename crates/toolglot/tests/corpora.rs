//! The recorded repairs with a schema, through the built binary.
//!
//! `recorded` finds the cases; without them the test is ignored.
//! `TOOLGLOT_SHOW=1` lists the rows that differ.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use toolglot_value::{Value, json};

use crate::recorded;

/// Rows without a schema that a file could hold: a class of Python, or a schema beside an option that forbids it.
const NOT_SCORABLE: &[&str] = &["pj-0334", "pj-0359", "pj-0360", "pj-0369"];

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn recorded_repairs_with_a_schema_reach_their_floors() {
    let rows = |file: &str| -> Vec<Value> {
        recorded::text(&format!("cases/repair/{file}"))
            .lines()
            .map(|line| serde_json::from_str(line).expect("a row"))
            .collect()
    };
    let schema: Vec<Value> = rows("json_repair.jsonl")
        .into_iter()
        .filter(|row| row["group"] == "schema")
        .filter(|row| !NOT_SCORABLE.contains(&row["id"].as_str().unwrap_or_default()))
        .collect();
    let lines: Vec<Value> = schema
        .iter()
        .map(|row| json!({"id": row["id"], "input": row["input"], "schema": row["options"]["schema"]}))
        .collect();
    let n_right = score("json_repair", &schema, &repaired("json_repair", &lines));
    say(&format!(
        "json_repair's schema rows: {n_right} of {}",
        schema.len()
    ));
    assert!(n_right >= 100, "{n_right} schema rows are right");

    let jsonish = rows("jsonish.jsonl");
    let lines: Vec<Value> = jsonish
        .iter()
        .map(|row| json!({"id": row["id"], "input": row["input"], "schema": target(row)}))
        .collect();
    let n_right = score("llm", &jsonish, &repaired("llm", &lines));
    say(&format!("jsonish's rows: {n_right} of {}", jsonish.len()));
    assert!(n_right >= 100, "{n_right} jsonish rows are right");
}

/// The schema of a BAML target without its classes: a string, a number, a list of something, an object.
fn target(row: &Value) -> Value {
    let name = row["target"].as_str().unwrap_or_default();
    let of = |name: &str| match name {
        "string" => json!({"type": "string"}),
        "int" => json!({"type": "integer"}),
        "float" => json!({"type": "number"}),
        "bool" => json!({"type": "boolean"}),
        "null" => json!({"type": "null"}),
        _ if name.starts_with("map<") => json!({"type": "object"}),
        _ if name.starts_with(|c: char| c.is_ascii_uppercase()) && !row["value"].is_string() => {
            json!({"type": "object"})
        }
        _ => json!({}),
    };
    match name.strip_suffix("[]") {
        Some(item) => json!({"type": "array", "items": of(item)}),
        None => of(name),
    }
}

fn repaired(preset: &str, lines: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(["repair", "--jsonl", "--preset", preset])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let text = text.join("\n");
    let mut pipe = child.stdin.take().expect("it was asked for");
    let writer = std::thread::spawn(move || pipe.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it does not panic").expect("it reads");
    String::from_utf8(output.stdout)
        .expect("it writes text")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn score(preset: &str, rows: &[Value], answers: &[Value]) -> usize {
    assert_eq!(rows.len(), answers.len(), "an answer per line");
    let mut n_right = 0;
    for (row, answer) in rows.iter().zip(answers) {
        assert_eq!(row["id"], answer["id"], "in order");
        let is_refused = answer.get("error").is_some()
            || answer["notes"]
                .as_array()
                .is_some_and(|notes| notes.iter().any(|note| note["code"] == "N064"));
        let right = if row["expect_error"] == true {
            is_refused
        } else {
            let is_empty = row["empty"] == true
                && (is_refused || answer["output"].is_null() || answer["output"] == "");
            is_empty || answer.get("error").is_none() && same(&answer["output"], &row["value"])
        };
        if right {
            n_right += 1;
        } else if std::env::var_os("TOOLGLOT_SHOW").is_some() {
            say(&format!(
                "{preset} {} {}\n   schema {}\n   got  {}{}\n   want {} {}",
                row["id"],
                row["input"],
                row["options"],
                answer["output"],
                answer["error"],
                row["value"],
                row["expect_error"]
            ));
        }
    }
    n_right
}

fn say(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
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
