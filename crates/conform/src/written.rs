//! Cases written by hand: test cases of the dialects that any parser of the dialect should read.
//!
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot-conform` makes `data/written.jsonl` from
//! `crates/dialects/dialects/*/cases`: the sections without a note, without reasoning, and with closed calls only.

use toolglot_value::{Map, Value, from_str, json};

use crate::case::{Case, ExpectedCall};

const WRITTEN: &str = include_str!("../data/written.jsonl");

/// The cases of the dialect of that name.
pub(crate) fn cases(dialect: &str) -> Vec<Case> {
    let rows = WRITTEN.lines().map(|line| {
        let row = from_str(line).expect("a line of cases is JSON");
        let text = |field: &str| row[field].as_str().expect("a text").to_owned();
        let calls: Vec<ExpectedCall> = row["calls"]
            .as_array()
            .expect("calls")
            .iter()
            .map(|call| ExpectedCall {
                name: call["name"].as_str().expect("a name").to_owned(),
                arguments: call["arguments"].clone(),
            })
            .collect();
        Case {
            id: format!("{}/{}", text("dialect"), text("name")),
            dialect: text("dialect"),
            tools: match &row["tools"] {
                Value::Null => tools_of(&calls),
                tools => tools.clone(),
            },
            input: text("input"),
            content: text("content"),
            calls,
            is_hostile: false,
        }
    });
    rows.filter(|case| case.dialect == dialect).collect()
}

/// Tools that these calls fit, for a case without tools: a request always has some.
fn tools_of(calls: &[ExpectedCall]) -> Value {
    let mut tools: Map<String, Value> = Map::new();
    for call in calls {
        let mut properties = Map::new();
        for (key, value) in call.arguments.as_object().into_iter().flatten() {
            let kind = match value {
                Value::Null => continue,
                Value::Bool(_) => "boolean",
                Value::Number(number) if number.is_i64() => "integer",
                Value::Number(_) => "number",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
            };
            properties.insert(key.clone(), json!({"type": kind}));
        }
        match tools.get_mut(&call.name) {
            Some(known) => {
                let known = known.as_object_mut().expect("properties");
                for (key, schema) in properties {
                    // A parameter with two types gets no type.
                    match known.get(&key) {
                        Some(other) if *other != schema => {
                            known.insert(key, json!({}));
                        }
                        _ => {
                            known.insert(key, schema);
                        }
                    }
                }
            }
            None => {
                tools.insert(call.name.clone(), Value::Object(properties));
            }
        }
    }
    if tools.is_empty() {
        tools.insert(
            "get_weather".to_owned(),
            json!({"city": {"type": "string"}}),
        );
    }
    let tools = tools.into_iter().map(|(name, properties)| {
        json!({"type": "function", "function": {"name": name, "parameters": {
            "type": "object",
            "properties": properties,
        }}})
    });
    Value::Array(tools.collect())
}
