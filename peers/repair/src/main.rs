//! JSON repair compared with other crates: correctness first, then speed. Prints the table of `docs/compare.md`.
//!
//! Each cell is MB/s of input, the fastest of some runs, on one thread. If a repairer does not restore the value, its
//! cell names the fault. Inputs are generated here, from a seed; broken ones are valid ones with one kind of damage
//! throughout.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolglot_json::Shape;

/// A row: the function from a text to JSON text, `None` if the text is refused.
type Repairer = (&'static str, fn(&str) -> Option<String>);

const REPAIRERS: &[Repairer] = &[
    ("toolglot, `llm`", |text| Some(toolglot_json::repair(text, &Shape::Any).text)),
    ("toolglot, `jsonrepair`", |text| toolglot_json_compat::jsonrepair(text).ok().map(|repaired| repaired.text)),
    ("toolglot, `json_repair`", |text| {
        toolglot_json_compat::json_repair(text, &Shape::Any).ok().map(|repaired| repaired.text)
    }),
    ("jsonrepair-rs 0.2.6", |text| jsonrepair_rs::jsonrepair(text).ok()),
    ("jsonrepair 0.1.0", |text| {
        jsonrepair::repair_to_string(text, &jsonrepair::Options::default()).ok()
    }),
    ("llm_json 1.0.3", |text| {
        llm_json::repair_json(text, &llm_json::RepairOptions::default()).ok()
    }),
];

/// Parsers that repair nothing: text to values and back.
const PARSERS: &[Repairer] = &[
    ("serde_json, values and back", |text| {
        serde_json::from_str::<Value>(text).ok().map(|value| value.to_string())
    }),
    ("sonic-rs, values and back", |text| {
        let value: sonic_rs::Value = sonic_rs::from_str(text).ok()?;
        sonic_rs::to_string(&value).ok()
    }),
    ("simd-json, values and back", |text| {
        let mut bytes = text.as_bytes().to_vec();
        let value = simd_json::to_owned_value(&mut bytes).ok()?;
        simd_json::to_string(&value).ok()
    }),
];

/// A list of calls with code in them, of at least `bytes` bytes as text.
fn document(bytes: usize) -> Value {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let words = ["let", "value", "match", "path", "self", "return", "error", "index", "config", "naïve"];
    let mut calls = Vec::new();
    let mut length = 0;
    while length < bytes {
        let mut content = String::new();
        for _ in 0..4 + random(8) {
            for _ in 0..3 + random(6) {
                content.push_str(words[random(10) as usize]);
                content.push(' ');
            }
            content.push('\n');
        }
        let call = json!({
            "name": "write_file",
            "arguments": {
                "path": format!("src/{}.rs", words[random(9) as usize]),
                "content": content,
                "line": random(10_000),
                "ratio": random(1000) as f64 / 8.0,
                "force": random(2) == 0,
                "tags": [words[random(9) as usize], words[random(9) as usize]],
            },
        });
        length += call.to_string().len() + 2;
        calls.push(call);
    }
    Value::Array(calls)
}

/// The name of the damage, its function on the pretty text, and whether the whole value can be restored.
type Damage = (&'static str, fn(&str) -> String, bool);

const DAMAGE: &[Damage] = &[
    ("valid", str::to_owned, true),
    ("trailing commas", |text| text.replace("\n  }", ",\n  }"), true),
    ("no commas", |text| text.replace("\",\n", "\"\n"), true),
    ("bare keys", |text| {
        let mut out = text.to_owned();
        for key in ["name", "arguments", "path", "content", "line", "ratio", "force", "tags"] {
            out = out.replace(&format!("\"{key}\":"), &format!("{key}:"));
        }
        out
    }, true),
    ("raw line breaks", |text| text.replace("\\n", "\n"), true),
    ("Python", |text| text.replace("true", "True").replace("false", "False").replace('"', "'"), true),
    ("cut off", |text| {
        let mut end = text.len() - 40;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text[..end].to_owned()
    }, false),
    ("fence and prose", |text| format!("Here it is:\n```json\n{text}\n```\nDone."), true),
    ("marks inside", |text| text.replace("match value", "match \"value\""), false),
];

fn main() {
    let mut out = String::new();
    for (title, bytes) in [("1 KB", 1_000), ("100 KB", 100_000), ("1 MB", 1_000_000), ("10 MB", 10_000_000)] {
        let value = document(bytes);
        let pretty = serde_json::to_string_pretty(&value).expect("it is a value");
        let _ = writeln!(out, "\n{title}\n\n| | {} |", DAMAGE.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(" | "));
        let _ = writeln!(out, "|---|{}", "--:|".repeat(DAMAGE.len()));
        for (name, repairer) in REPAIRERS.iter().chain(PARSERS) {
            let _ = write!(out, "| {name} |");
            for (damage, do_damage, is_whole) in DAMAGE {
                if *damage != "valid" && PARSERS.iter().any(|(parser, _)| parser == name) {
                    let _ = write!(out, " |");
                    continue;
                }
                let text = do_damage(&pretty);
                let _ = write!(out, " {} |", cell(*repairer, &text, &value, damage, *is_whole));
            }
            out.push('\n');
            eprint!(".");
        }
    }
    println!("{out}");
}

/// The speed, or the fault of the answer.
fn cell(repairer: fn(&str) -> Option<String>, text: &str, value: &Value, damage: &str, is_whole: bool) -> String {
    let start = Instant::now();
    let Some(answer) = repairer(text) else {
        return "refused".into();
    };
    let first = start.elapsed();
    let Ok(got) = serde_json::from_str::<Value>(&answer) else {
        return "no JSON".into();
    };
    let want = if damage == "marks inside" {
        serde_json::from_str(&value.to_string().replace("match value", "match \\\"value\\\"")).expect("it is JSON")
    } else {
        value.clone()
    };
    if is_whole || damage == "marks inside" {
        if got != want {
            return "wrong".into();
        }
    } else if !is_begin(&got, &want) {
        return "wrong".into();
    }
    if first > Duration::from_secs(5) {
        return format!("{:.1}", rate(text, first));
    }
    let mut best = first;
    let until = Instant::now() + Duration::from_millis(250);
    let mut n_runs = 0;
    while n_runs < 3 || Instant::now() < until && n_runs < 2000 {
        let start = Instant::now();
        black_box(repairer(black_box(text)));
        best = best.min(start.elapsed());
        n_runs += 1;
    }
    format!("{:.0}", rate(text, best))
}

/// Whether all calls but the last are restored, and the name of the last one.
fn is_begin(got: &Value, want: &Value) -> bool {
    let (Some(got), Some(want)) = (got.as_array(), want.as_array()) else {
        return false;
    };
    got.len() == want.len() && got[..got.len() - 1] == want[..want.len() - 1] && got[got.len() - 1]["name"] == want[want.len() - 1]["name"]
}

fn rate(text: &str, time: Duration) -> f64 {
    text.len() as f64 / time.as_secs_f64() / 1e6
}
