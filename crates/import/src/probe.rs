//! A call that dialects are tried with: written by a template, and read as the dialect says.

use toolglot_value::{Value, json};

/// The tool, where nothing fixes another.
pub(crate) const TOOL: &str = "look_up_probe";
/// Its argument `text`.
pub(crate) const TEXT: &str = "one two";
/// Its argument `number`.
pub(crate) const NUMBER: u32 = 31;
/// The call's id.
pub(crate) const CALL_ID: &str = "call12345";
/// What an assistant says beside a call, or without one.
pub(crate) const SAID: &str = "Quite so.";

/// All that the tool is called with.
pub(crate) fn arguments() -> Value {
    json!({"text": TEXT, "number": NUMBER})
}
