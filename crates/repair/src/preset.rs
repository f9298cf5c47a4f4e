//! The rules that repair a document.

/// A set of rules that repairs a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// The rules for the arguments of calls, as language models write them. Nothing is refused, no value is dropped,
    /// and correct escapes keep their meaning.
    #[default]
    Llm,
    /// The rules of the JavaScript library `jsonrepair` 3.14.
    Jsonrepair,
    /// The rules of the Python library `json_repair` 0.64.
    JsonRepair,
}
