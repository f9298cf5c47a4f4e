//! The tests of the JSON reader through its public API, one module per subject.

use toolglot_json::{RepairedText, Shape};

mod any_text;
mod cuts;
mod document;
mod faults;
mod finished;
mod promises;
mod repairs;
mod size;
mod texts;

/// A name, and what repairs a text: `None` where it is refused.
type Preset = (&'static str, fn(&str) -> Option<RepairedText>);

/// What the modules that `toolglot-json-compat` shares are tried on.
const PRESETS: &[Preset] = &[("llm", |text| Some(toolglot_json::repair(text, &Shape::Any)))];
