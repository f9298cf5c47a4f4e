//! What a conversion counts, and tells at its end.

use std::fmt::Write as _;

/// What was carried and what was not.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) conversations: usize,
    pub(super) calls: usize,
    pub(super) results: usize,
    /// Why something stayed as it was.
    pub(super) left: Vec<String>,
    /// Those of them that would be read otherwise.
    pub(super) differ: usize,
    /// Calls that were carried and whose values are in doubt.
    pub(super) doubtful: Vec<String>,
}

impl Tally {
    pub(super) fn is_faulty(&self) -> bool {
        !self.left.is_empty()
    }

    /// Lines for a person.
    pub(super) fn report(&self, checked: bool) -> String {
        let Tally {
            conversations,
            calls,
            results,
            left,
            differ,
            doubtful,
        } = self;
        let mut out = format!(
            "{conversations} conversations: {calls} calls and {results} results carried, {} messages not carried",
            left.len()
        );
        if checked {
            let _ = write!(out, ", {differ} of them since they would be read otherwise");
        }
        out.push('\n');
        for line in left.iter().chain(doubtful).take(20) {
            let _ = writeln!(out, "  {line}");
        }
        out
    }
}
