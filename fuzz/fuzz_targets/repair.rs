//! Whole documents: what comes out is JSON, comes out again as it is, and costs work linear in the text.
//!
//! The first byte of the input chooses the preset.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toolglot_json::{Options, Shape, coerce, repair};

fuzz_target!(|data: &[u8]| {
    let [how, text @ ..] = data else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let presets = [Options::LLM, Options::JSONREPAIR, Options::JSON_REPAIR];
    let options = &presets[usize::from(*how) % 3];
    let Ok(repaired) = repair(text, options, &Shape::Any) else {
        assert_ne!(*options, Options::LLM, "refused");
        return;
    };
    assert!(repaired.work <= 200 * text.len() as u64 + 100_000, "work: {}", repaired.work);
    assert!(is_json(&repaired.text), "not JSON: {}", repaired.text);
    if *options == Options::LLM {
        let again = repair(&repaired.text, options, &Shape::Any).expect("it refuses nothing");
        assert_eq!(again.text, repaired.text);
        assert_eq!(coerce(&repaired.text, &Shape::Any).text, repaired.text);
    }
});

fn is_json(text: &str) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    IgnoredAny::deserialize(&mut deserializer).is_ok() && deserializer.end().is_ok()
}
