//! What becomes of damage as models do it: `data/repairs.jsonl`, a row for a repair.

use toolglot_json::{HeldDocument, Shape, repair};
use toolglot_value::Value;

#[test]
fn damage_of_each_class_is_repaired() {
    let mut wrong = Vec::new();
    let mut n_rows = 0;
    for line in include_str!("data/repairs.jsonl").lines() {
        let row: Value = toolglot_value::from_str(line).expect("a row");
        let input = row["input"].as_str().expect("an input");
        let repaired = repair(input, &Shape::Any);
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
        assert_eq!(held.finish(&Shape::Any), repaired);
        n_rows += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_rows > 100, "only {n_rows} rows");
}
