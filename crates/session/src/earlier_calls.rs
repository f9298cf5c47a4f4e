//! The calls of a message before the one whose turn it is.

use crate::call_history::CallHistory;
use crate::shell_block::RefusedLine;
use crate::step::Step;

/// What came before a call of the same message.
#[derive(Clone, Copy)]
pub(crate) struct EarlierCalls<'a> {
    pub(crate) steps: &'a [Step],
    pub(crate) history: &'a CallHistory,
    /// Of the shell block that the call is a line of.
    pub(crate) refused: Option<&'a RefusedLine>,
}
