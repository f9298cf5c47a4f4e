//! Whole documents: the output is JSON and a fixed point, and costs work linear in the text.
//!
//! The first byte of the input chooses the preset.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toolglot_json::{Shape, coerce, repair};
use toolglot_json_compat::{json_repair, jsonrepair};

fuzz_target!(|data: &[u8]| {
    let [how, text @ ..] = data else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let repaired = match how % 3 {
        0 => Ok(repair(text, &Shape::Any)),
        1 => jsonrepair(text),
        _ => json_repair(text, &Shape::Any),
    };
    let Ok(repaired) = repaired else { return };
    assert!(repaired.work <= 200 * text.len() as u64 + 100_000, "work: {}", repaired.work);
    assert!(is_json(&repaired.text), "not JSON: {}", repaired.text);
    if how % 3 == 0 {
        let again = repair(&repaired.text, &Shape::Any);
        assert_eq!(again.text, repaired.text);
        assert_eq!(coerce(&repaired.text, &Shape::Any).text, repaired.text);
    }
});

fn is_json(text: &str) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    IgnoredAny::deserialize(&mut deserializer).is_ok() && deserializer.end().is_ok()
}
