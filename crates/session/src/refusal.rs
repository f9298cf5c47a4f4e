//! Refusals of tools that are files, with the grant that would allow the call.

use toolglot_policy::{Decision, Verdict};
use toolglot_tool_runner::CallError;

use crate::step::State;

/// Adds to a verdict how to grant what is missing.
pub(crate) fn with_grant(mut verdict: Verdict) -> Verdict {
    if verdict.rule == "not-granted" {
        verdict.because.push_str("; `--allow` grants it");
    }
    verdict
}

/// The refusal of a call that cannot run for this reason.
pub(crate) fn refused(error: &CallError) -> (Verdict, State) {
    let mut because = error.to_string();
    if let CallError::NotGranted { missing, .. } = error {
        because.push_str("; `--allow ");
        because.push_str(&missing.join(","));
        because.push_str("` grants it");
    }
    let verdict = Verdict {
        decision: Decision::Deny,
        rule: error.code().into(),
        because,
    };
    (verdict, State::Refused)
}

/// The refusal of a tool whose file may not be read.
pub(crate) fn hidden(id: &str) -> (Verdict, State) {
    let verdict = Verdict {
        decision: Decision::Deny,
        rule: "refused-to-read".into(),
        because: format!("a rule of the policy refuses to read the file of `{id}`"),
    };
    (verdict, State::Refused)
}
