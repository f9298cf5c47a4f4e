//! How much a model is told of one result.

/// The most, in bytes. Twice what a builtin tool returns and what is kept of what a program prints, so that what tells how to go
/// on is told as well.
pub(crate) const MOST: usize = 512 << 10;

/// A text for a model: where it is longer than that, its beginning and its end, with a line between that says how much was cut.
pub(crate) fn told(text: String) -> String {
    toolglot_exec::cut(text, MOST)
}
