//! The question and the answer.

use std::borrow::Cow;

use toolglot_engine::End;

use crate::{BadUrl, CommandFact, Effect, HostPort, PathFact};

/// What a call is about to do.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The canonical name of the tool.
    pub tool: &'a str,
    /// What else rules may call it: with its action, with the place it comes from.
    pub names: &'a [String],
    /// What the tool does.
    pub effect: Effect,
    /// How sure the end of the call is.
    pub end: End,
    /// Every path among its arguments.
    pub paths: &'a [PathFact],
    /// What comes to stand at new places with the directory that it moves.
    pub below: &'a [PathFact],
    /// The command among its arguments.
    pub command: Option<&'a CommandFact>,
    /// Where the URL among its arguments leads.
    pub host: Option<&'a Result<HostPort, BadUrl>>,
    /// What else it needs, as its own description declares.
    pub capabilities: &'a [String],
    /// Whether no word of its command may lead out of the root: AXE's own rule.
    pub is_bounded: bool,
    /// Whether an equal call stands before it in the same message.
    pub is_repeat: bool,
    /// How many calls of the message came before it.
    pub n_before: usize,
    /// What it costs, in the unit of the policy.
    pub cost: f64,
}

impl<'a> Request<'a> {
    /// A request for the first call of a message, about nothing but paths.
    pub fn new(tool: &'a str, effect: Effect, end: End, paths: &'a [PathFact]) -> Request<'a> {
        Request {
            tool,
            names: &[],
            effect,
            end,
            paths,
            below: &[],
            command: None,
            host: None,
            capabilities: &[],
            is_bounded: false,
            is_repeat: false,
            n_before: 0,
            cost: 0.0,
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

impl Decision {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }
}

/// A decision with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Verdict {
    /// What may become of the call.
    pub decision: Decision,
    /// The rule that decided. Stable: scripts and audits may rely on it.
    pub rule: Cow<'static, str>,
    /// Why, and what would help; one line, lower case, no full stop.
    pub because: String,
}
