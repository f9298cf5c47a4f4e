//! What holds for the repair of any text, under each preset.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::PRESETS;

/// Whether `text` is one JSON value.
pub(crate) fn is_json(text: &str) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // Some rows nest some hundred levels; what is deeper is looked at in `depth_costs_no_stack`.
    deserializer.disable_recursion_limit();
    IgnoredAny::deserialize(&mut deserializer).is_ok() && deserializer.end().is_ok()
}

/// Everything that must hold for a text.
pub(crate) fn check(text: &str) {
    for &(preset, repair) in PRESETS {
        let Some(repaired) = repair(text) else {
            assert_ne!(preset, "llm", "refused: {text:?}");
            continue;
        };
        assert!(
            is_json(text) || !repaired.edits.is_empty(),
            "{preset} says nothing of {text:?}: {}",
            repaired.text
        );
        assert!(
            is_json(&repaired.text),
            "{preset} makes no JSON of {text:?}: {}",
            repaired.text
        );
        for edit in &repaired.edits {
            assert!(
                edit.start <= edit.end && edit.end <= text.len(),
                "{preset}: {edit:?} in {text:?}"
            );
            if preset == "llm" {
                assert!(
                    text.is_char_boundary(edit.start) && text.is_char_boundary(edit.end),
                    "{edit:?} in {text:?}"
                );
            }
        }
        if repaired.edits.is_empty() && preset == "llm" {
            assert_eq!(repaired.text.trim(), text.trim(), "changed without a note");
        }
        if preset == "llm" {
            let again = repair(&repaired.text).expect("refuses nothing");
            assert_eq!(again.text, repaired.text, "again, of {text:?}");
            assert!(again.edits.is_empty());
        }
        let bound = most_work(text.len());
        assert!(
            repaired.work <= bound,
            "{preset}: {} for {} bytes",
            repaired.work,
            text.len()
        );
    }
}

/// The work that a text of this length may cause.
pub(crate) fn most_work(length: usize) -> u64 {
    200 * length as u64 + 100_000
}
