//! The input and the output of a policy decision.

use std::borrow::Cow;

use toolglot_engine::End;

use crate::{BadUrl, CommandFact, Effect, HostPort, PathFact};

/// What a call is about to do.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The canonical name of the tool.
    pub tool: &'a str,
    /// Other names of the tool that rules may use: with its action, with the place where the tool is defined.
    pub names: &'a [String],
    /// What the tool does.
    pub effect: Effect,
    /// How the call ended in the model's text.
    pub end: End,
    /// Every path among its arguments.
    pub paths: &'a [PathFact],
    /// The new paths of files in a directory that the call moves.
    pub below: &'a [PathFact],
    /// The command among its arguments.
    pub command: Option<&'a CommandFact>,
    /// Where the URL among its arguments leads.
    pub host: Option<&'a Result<HostPort, BadUrl>>,
    /// Other capabilities that the tool needs, as its description declares.
    pub capabilities: &'a [String],
    /// Whether no word of the command may lead out of the root: AXE's own rule.
    pub is_bounded: bool,
    /// Whether an equal call comes before this one in the same message.
    pub is_repeat: bool,
    /// How many calls of the message come before this one.
    pub n_before: usize,
    /// The cost of the call, in the unit of the policy.
    pub cost: f64,
}

impl<'a> Request<'a> {
    /// A request for the first call of a message, with paths only.
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

/// The decision about a call, ordered from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// The call may run.
    Allow,
    /// The call may run if the user approves it. With nobody to ask this is `Deny`.
    Ask,
    /// The call never runs.
    Deny,
}

impl Decision {
    /// The name of the decision in lower case.
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
    /// What is decided about the call.
    pub decision: Decision,
    /// The rule that decided. Stable: scripts and audits may rely on it.
    pub rule: Cow<'static, str>,
    /// The reason and a remedy: one line, lower case, no full stop.
    pub because: String,
}
