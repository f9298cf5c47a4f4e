//! What is wrong with a dialect file.

use toolglot_engine::GrammarError;

use crate::cli::human::snippet;

/// What is wrong with a dialect file, and where.
#[derive(Debug)]
pub(crate) struct DialectFault {
    pub(crate) error: GrammarError,
    /// The file's text, which the error points into.
    pub(crate) text: String,
    /// The file's name.
    pub(crate) name: String,
}

impl DialectFault {
    /// The error under the text that it points into.
    pub(crate) fn report(&self, is_colored: bool) -> String {
        snippet::grammar(&self.error, &self.text, &self.name, is_colored)
    }
}
