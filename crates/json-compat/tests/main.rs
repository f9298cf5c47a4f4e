//! The tests of both libraries' rules. The tests for every repairer are shared with `toolglot-json`.

mod all_presets;
#[path = "../../json/tests/any_text.rs"]
mod any_text;
mod depth;
#[path = "../../json/tests/finished.rs"]
mod finished;
mod presets;
#[path = "../../json/tests/promises.rs"]
mod promises;
#[path = "../../json/tests/texts.rs"]
mod texts;

use all_presets::PRESETS;
