//! Shell blocks: all lines are decided before any line runs.

use toolglot_builtins::plan;
use toolglot_engine::{Call, Calls};
use toolglot_policy::{Decision, Request};
use toolglot_toolset::Canonical;

use crate::message_session::{MessageSession, fill_defaults};
use crate::request::{effect as effect_of, request};
use crate::step::Step;

/// A line of a shell block that the policy refuses.
pub(crate) struct RefusedLine {
    pub(crate) call: usize,
    pub(crate) because: String,
}

impl MessageSession<'_> {
    /// The first line that the policy refuses in the shell block at the head of `rest`, if the block has more than one
    /// line. All lines are decided before any line runs, so that a block never runs by half.
    pub(crate) fn refused_line(
        &self,
        rest: &[Canonical],
        message: &Calls,
        before: &[Step],
    ) -> Option<RefusedLine> {
        let span = message.calls[rest.first()?.call].span;
        let block: Vec<&Canonical> = rest
            .iter()
            .take_while(|line| message.calls[line.call].span == span)
            .collect();
        let first = block.first()?.call;
        if block.iter().all(|line| line.call == first) {
            return None;
        }
        block.into_iter().enumerate().find_map(|(n, line)| {
            let mut line = line.clone();
            if let Some(spec) = self.vocabulary.get(&line.tool) {
                fill_defaults(spec, &mut line);
            }
            let plan = plan(self.gate.root, &line.tool, &line.arguments);
            let call = &message.calls[line.call];
            let request = Request {
                n_before: before.len() + n,
                ..request(
                    &line.tool,
                    effect_of(self.vocabulary.get(&line.tool)),
                    self.trusted_end(call),
                    plan.as_ref().ok(),
                )
            };
            let verdict = self.gate.authority.judge(&request).verdict;
            let is_refused = match verdict.decision {
                Decision::Allow => false,
                Decision::Ask => !self.gate.question.is_answerable() && !self.gate.dry_run,
                Decision::Deny => true,
            };
            is_refused.then_some(RefusedLine {
                call: line.call,
                because: verdict.because,
            })
        })
    }
}

/// Whether two calls are lines of one shell block: both have the span of the block.
pub(crate) fn is_line_of(one: &Call, other: &Call) -> bool {
    one.id != other.id && one.span == other.span
}
