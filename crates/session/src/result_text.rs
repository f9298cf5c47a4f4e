//! How much a model is told of one result.

/// The most, in bytes. Twice what a builtin tool returns and what is kept of what a program prints, so that what tells how to go
/// on is told as well.
pub const RESULT_BYTES: usize = 512 << 10;

/// A text for a model: where it is longer than [`RESULT_BYTES`], its beginning and its end, with a line between that says how
/// much was cut.
pub fn cut_result(text: String) -> String {
    toolglot_builtins::cut(text, RESULT_BYTES)
}
