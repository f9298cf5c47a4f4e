//! The result of each preset for the same text: `data/presets.jsonl`.

use toolglot_value::Value;

use crate::PRESETS;

/// A row has a value for each preset; the presets that refuse the text are in `refused_by`.
#[test]
fn each_preset_repairs_by_its_own_rules() {
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
        for &(preset, repair) in PRESETS {
            let is_refused = refused_by.contains(&preset);
            let Some(value) = row.get(preset).or(is_refused.then_some(&Value::Null)) else {
                continue;
            };
            n_values += 1;
            let is_right = match repair(input) {
                Some(repaired) => {
                    !is_refused
                        && toolglot_value::from_str(&repaired.text).ok().as_ref() == Some(value)
                }
                None => is_refused,
            };
            if !is_right {
                wrong.push(format!("{preset}: {input}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_values > 140, "only {n_values} values");
}
