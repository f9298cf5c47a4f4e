//! Whose rules repair a document.

/// A set of rules that repairs a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// What language models write: nothing is refused, nothing that was escaped correctly is read otherwise, no value is
    /// dropped. The rules by which arguments of calls are read.
    #[default]
    Llm,
    /// As the JavaScript library `jsonrepair` 3.14 does.
    Jsonrepair,
    /// As the Python library `json_repair` 0.64 does.
    JsonRepair,
}
