//! The table of repairs: each example needs its repair, and becomes the JSON of its row.

use toolglot_json::{Output, Repair, Root, Transducer};
use toolglot_repair::{Preset, SchemaTarget, repair};
use toolglot_value::json;

/// What the arguments of a Python call are read as, with their repairs.
fn arguments(text: &str) -> (String, Vec<Repair>) {
    let names = ["path".to_owned()];
    let mut machine = Transducer::new(Root::Keywords).with_positions(names.into());
    let mut output = Output::default();
    let (used, _) = machine.feed(text, 0, &mut output);
    machine.finish(true, used as u64, &mut output);
    let repairs = output.repairs.iter().map(|span| span.repair);
    // The caller writes the first brace.
    (format!("{{{}", output.text), repairs.collect())
}

#[test]
fn each_example_is_repaired_as_its_row_says() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "default": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
            "options": {
                "type": "object",
                "properties": {"mode": {"const": "r"}},
                "required": ["mode"],
            },
        },
    });
    let target = SchemaTarget::new(schema).expect("the schema is right");
    let mut wrong = Vec::new();
    for &kind in Repair::ALL {
        let (text, want) = kind.example();
        let mut found = Vec::new();
        for preset in [Preset::Llm, Preset::Jsonrepair, Preset::JsonRepair] {
            for target in [None, Some(&target)] {
                if let Ok(document) = repair(text, preset, target) {
                    let is_own = |message: &str| message.starts_with(kind.what());
                    let is_made = document.notes.iter().any(|note| is_own(&note.message));
                    found.push((is_made, document.text));
                }
            }
        }
        let (read, repairs) = arguments(text);
        found.push((repairs.contains(&kind), read));
        if !found.contains(&(true, want.to_owned())) {
            wrong.push((kind, text, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
