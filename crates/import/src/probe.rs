//! A call to test dialects with: a template writes it, and a dialect reads it.

use toolglot_value::{Value, json};

/// The tool, unless a template fixes another.
pub(crate) const TOOL: &str = "look_up_probe";
/// Its argument `text`.
pub(crate) const TEXT: &str = "one two";
/// Its argument `number`.
pub(crate) const NUMBER: u32 = 31;
/// The call's id.
pub(crate) const CALL_ID: &str = "call12345";
/// The text of an assistant beside a call, or without one.
pub(crate) const SAID: &str = "Quite so.";

/// All arguments of the call.
pub(crate) fn arguments() -> Value {
    json!({"text": TEXT, "number": NUMBER})
}
