//! The earlier calls of a message.

use crate::call_history::CallHistory;
use crate::shell_block::RefusedLine;
use crate::step::Step;

/// The steps and calls before a call of the same message.
#[derive(Clone, Copy)]
pub(crate) struct EarlierCalls<'a> {
    pub(crate) steps: &'a [Step],
    pub(crate) history: &'a CallHistory,
    /// The refused line of the shell block that contains the call.
    pub(crate) refused: Option<&'a RefusedLine>,
}
