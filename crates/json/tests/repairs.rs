//! What the preset `llm` makes of damage as models do it: `data/repairs.jsonl`, a row for a repair. What each preset makes of
//! the same text: `data/presets.jsonl`.

use toolglot_json::{HeldDocument, Options, Shape, repair};
use toolglot_value::Value;

#[test]
fn damage_of_each_class_is_repaired() {
    let mut wrong = Vec::new();
    let mut n_rows = 0;
    for line in include_str!("data/repairs.jsonl").lines() {
        let row: Value = toolglot_value::from_str(line).expect("a row");
        let input = row["input"].as_str().expect("an input");
        let repaired = repair(input, &Options::LLM, &Shape::Any).expect("it refuses nothing");
        let value: Value = toolglot_value::from_str(&repaired.text).expect("it is JSON");
        if value != row["value"] {
            wrong.push(format!("{}: {input}\n   {}", row["class"], repaired.text));
        }
        if repaired.text != input {
            assert!(!repaired.edits.is_empty(), "silently: {input}");
        }
        let mut held = HeldDocument::default();
        for c in input.chars() {
            held.push(c.encode_utf8(&mut [0; 4]));
        }
        assert_eq!(held.finish(&Options::LLM, &Shape::Any), Ok(repaired));
        n_rows += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_rows > 100, "only {n_rows} rows");
}

/// A row has a value for each preset; those that refuse the text are in `refused_by`.
#[test]
fn each_preset_repairs_by_its_own_rules() {
    let presets = [
        ("llm", Options::LLM),
        ("jsonrepair", Options::JSONREPAIR),
        ("json_repair", Options::JSON_REPAIR),
    ];
    let mut wrong = Vec::new();
    let mut n_values = 0;
    for line in include_str!("data/presets.jsonl").lines() {
        let row: Value = toolglot_value::from_str(line).expect("a row");
        let input = row["input"].as_str().expect("an input");
        let refused_by: Vec<&str> = row["refused_by"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (preset, options) in &presets {
            let is_refused = refused_by.contains(preset);
            let Some(value) = row.get(*preset).or(is_refused.then_some(&Value::Null)) else {
                continue;
            };
            n_values += 1;
            let is_right = match repair(input, options, &Shape::Any) {
                Ok(repaired) => {
                    !is_refused
                        && toolglot_value::from_str(&repaired.text).ok().as_ref() == Some(value)
                }
                Err(_) => is_refused,
            };
            if !is_right {
                wrong.push(format!("{preset}: {input}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_values > 140, "only {n_values} values");
}
