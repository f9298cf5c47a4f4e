//! The size limits of tool results.

use crate::runner::ToolRunner;

/// The most bytes of an answer.
pub(crate) const ANSWER_BYTES: usize = 64 << 20;
/// The most bytes of a tool's printed output.
pub(crate) const PRINTED_BYTES: usize = 256 << 10;

/// The limit of an answer under the policy.
pub(crate) fn answer(runner: &ToolRunner) -> usize {
    runner.sandbox.settings.tool_output(ANSWER_BYTES)
}

/// The limit of printed output under the policy.
pub(crate) fn printed(runner: &ToolRunner) -> usize {
    runner.sandbox.settings.tool_output(PRINTED_BYTES)
}
