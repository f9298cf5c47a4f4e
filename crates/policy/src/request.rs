//! The question and the answer.

use toolglot::End;

use crate::{Effect, PathFact};

/// What a call is about to do.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The canonical name of the tool.
    pub tool: &'a str,
    /// What the tool does.
    pub effect: Effect,
    /// How sure the end of the call is.
    pub end: End,
    /// Every path among its arguments.
    pub paths: &'a [PathFact],
    /// Whether an equal call stands before it in the same message.
    pub is_repeat: bool,
}

impl<'a> Request<'a> {
    /// A request for a call that repeats no other.
    pub fn new(tool: &'a str, effect: Effect, end: End, paths: &'a [PathFact]) -> Request<'a> {
        Request {
            tool,
            effect,
            end,
            paths,
            is_repeat: false,
        }
    }
}

/// What may become of a call, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// It may run.
    Allow,
    /// It may run if the user says so. With nobody to ask this is `Deny`.
    Ask,
    /// It never runs.
    Deny,
}

/// A decision with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Verdict {
    /// What may become of the call.
    pub decision: Decision,
    /// The rule that decided. Stable: scripts and audits may rely on it.
    pub rule: &'static str,
    /// Why, and what would help; one line, lower case, no full stop.
    pub because: String,
}
