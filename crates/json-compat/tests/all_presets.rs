//! The presets of `toolglot repair`, by name.

use toolglot_json::{RepairedText, Shape};

/// A name, and the repair function: `None` if the text is refused.
pub(crate) type Preset = (&'static str, fn(&str) -> Option<RepairedText>);

pub(crate) const PRESETS: &[Preset] = &[
    ("llm", |text| Some(toolglot_json::repair(text, &Shape::Any))),
    ("jsonrepair", |text| {
        toolglot_json_compat::jsonrepair(text).ok()
    }),
    ("json_repair", |text| {
        toolglot_json_compat::json_repair(text, &Shape::Any).ok()
    }),
];
