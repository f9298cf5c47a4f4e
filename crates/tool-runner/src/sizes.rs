//! How much of what a tool says is taken.

use crate::runner::ToolRunner;

/// What is taken of an answer, in bytes.
pub(crate) const ANSWER_BYTES: usize = 64 << 20;
/// What is kept of a tool's own prints, in bytes.
pub(crate) const PRINTED_BYTES: usize = 256 << 10;

/// What is taken of an answer here.
pub(crate) fn answer(runner: &ToolRunner) -> usize {
    runner.sandbox.settings.tool_output(ANSWER_BYTES)
}

/// What is kept of a tool's own prints here.
pub(crate) fn printed(runner: &ToolRunner) -> usize {
    runner.sandbox.settings.tool_output(PRINTED_BYTES)
}
