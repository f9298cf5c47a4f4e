//! Every prefix of every recorded row is repaired to JSON.

#[path = "../../../json-compat/tests/all_presets.rs"]
mod all_presets;
#[path = "../../../json/tests/promises.rs"]
mod promises;

use all_presets::PRESETS;
use toolglot_value::Value;

use crate::recorded;

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn every_prefix_of_every_recorded_row_becomes_json() {
    for file in ["jsonrepair", "json_repair", "jsonish"] {
        let text = recorded::text(&format!("cases/repair/{file}.jsonl"));
        for line in text.lines() {
            let row: Value = toolglot_value::from_str(line).expect("a row");
            let input = row["input"].as_str().expect("an input");
            // Long rows repeat themselves: their start, and then a place here and there.
            let stride = (input.len() / 400).max(1);
            for (n, (at, _)) in input.char_indices().enumerate() {
                if n < 400 || n % stride == 0 {
                    promises::check(&input[..at]);
                }
            }
            promises::check(input);
        }
    }
}
