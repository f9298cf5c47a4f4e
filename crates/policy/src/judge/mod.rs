//! The layers of rules that decide about a call, and how their decisions become one.

mod by_file;

use crate::file::{DecisionWord, Item, Rule, RuleText};
use crate::rules::RULES;
use crate::{Decision, Grants, Level, Policy, Request, SandboxSettings, TrustRules, Verdict};
use by_file::by_file;

/// All sources of decisions. The strictest of them wins.
#[derive(Clone, Debug, Default)]
pub struct Authority {
    /// What the user allowed before the call. A grant turns an ask into an allow; it lifts no deny.
    pub grants: Grants,
    /// The user's policy file, in place of the usual rules.
    pub user: Option<Policy>,
    /// The project's policy file, which can only narrow what the user's file allows.
    pub project: Option<Policy>,
}

/// The source of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A builtin rule that always applies.
    Floor,
    /// A builtin rule that applies where the user has no policy file.
    Usual,
    /// The user's policy file.
    User,
    /// The project's policy file.
    Project,
}

impl Layer {
    /// The name of the layer in lower case.
    pub fn word(self) -> &'static str {
        match self {
            Layer::Floor => "floor",
            Layer::Usual => "usual",
            Layer::User => "user",
            Layer::Project => "project",
        }
    }
}

/// A rule that applied.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reason {
    /// The source of the rule.
    pub layer: Layer,
    /// The decision of the rule, with its name and reason.
    pub verdict: Verdict,
    /// The item that the rule matched, if not the call as a whole.
    pub item: Option<Item>,
    /// Whether a grant turned an ask into an allow.
    pub is_granted: bool,
}

impl Reason {
    /// Whether the reason is the default of a policy, which decides where none of its rules matches.
    pub fn is_default(&self) -> bool {
        self.verdict.rule == DEFAULT
    }
}

/// A verdict with all of its reasons.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The decision about the call.
    pub verdict: Verdict,
    /// Every rule that applied, the strictest first.
    pub reasons: Vec<Reason>,
}

/// The rule name of a policy's default, which decides where none of its rules matches.
const DEFAULT: &str = "policy-default";

/// Decides a request by the builtin rules and the user's grants. The strictest rule that applies decides; without one
/// the decision is deny.
pub fn judge(request: &Request<'_>, grants: &Grants) -> Verdict {
    let authority = Authority {
        grants: grants.clone(),
        ..Authority::default()
    };
    authority.judge(request).verdict
}

impl Authority {
    /// Denies these capabilities at a place below the root, whatever other rules allow, by a rule with a reason.
    pub fn keep(&mut self, path: &str, capabilities: &[&str], (rule, because): (&str, &str)) {
        let written = RuleText::new(rule, DecisionWord::Deny)
            .capabilities(capabilities)
            .place(path)
            .because(because);
        // A project's file only narrows, so its default is to allow.
        let policy = self
            .project
            .get_or_insert_with(|| Policy::empty(Decision::Allow));
        match Rule::new(written) {
            Ok(rule) => policy.rules.push(rule),
            Err(error) => policy.broken = Some(error),
        }
    }

    /// Decides a request. Complexity: items of the request times rules.
    pub fn judge(&self, request: &Request<'_>) -> Explanation {
        let mut reasons = Vec::new();
        self.by_table(request, &mut reasons);
        for (layer, policy) in [(Layer::User, &self.user), (Layer::Project, &self.project)] {
            if let Some(policy) = policy {
                by_file(policy, layer, request, &self.grants, &mut reasons);
            }
        }
        // The sort is stable: among equally strict reasons the first stays first. A rule comes before a default.
        reasons.sort_by_key(|reason: &Reason| {
            (
                std::cmp::Reverse(reason.verdict.decision),
                reason.is_default(),
            )
        });
        let has_reason = |layer: Layer| reasons.iter().any(|reason| reason.layer == layer);
        let is_decided = has_reason(Layer::Usual) || has_reason(Layer::User);
        let verdict = match reasons.first() {
            Some(strictest) if is_decided || strictest.verdict.decision != Decision::Allow => {
                // The strictest reason decides. An allow of the project's file alone does not count.
                strictest.verdict.clone()
            }
            _ => Verdict {
                decision: Decision::Deny,
                rule: "nothing-allows-it".into(),
                because: format!("no rule allows `{}`", request.tool),
            },
        };
        Explanation { verdict, reasons }
    }

    /// The sandbox of every program that a call starts, with the level that the command line requests.
    pub fn sandbox_settings(&self, level: Option<Level>) -> SandboxSettings {
        let [user, project] =
            [&self.user, &self.project].map(|policy| policy.as_ref().map(|policy| &policy.sandbox));
        SandboxSettings::new(user, project, level)
    }

    /// The rules of both policy files about MCP servers. A file that cannot be used denies the call anyway.
    pub fn server_rules(&self) -> crate::ServerRules {
        let all = [&self.user, &self.project];
        crate::ServerRules::of(all.into_iter().flatten().map(|policy| policy.mcp.clone()))
    }

    /// Whose tools may run: the user's rules, narrowed by the project's.
    pub fn trust(&self) -> TrustRules {
        let of = |policy: &Option<Policy>| {
            policy
                .as_ref()
                .map(|policy| policy.trust.clone())
                .unwrap_or_default()
        };
        of(&self.user).narrowed_by(&of(&self.project))
    }

    /// What the calls of a run may cost together: the lowest limit of both files.
    pub fn cost_per_run(&self) -> Option<f64> {
        [&self.user, &self.project]
            .into_iter()
            .flatten()
            .filter_map(|policy| policy.limits.cost_per_run)
            .min_by(f64::total_cmp)
    }

    /// Whether commands may change the root. The sandbox of the user's policy file decides; without a file, the grant
    /// does.
    pub fn commands_may_write(&self) -> bool {
        match &self.user {
            // Without the key `write`, commands may change the whole root.
            Some(user) => user
                .sandbox
                .write
                .as_ref()
                .is_none_or(|list| !list.is_empty()),
            None => self.grants.write,
        }
    }

    fn by_table(&self, request: &Request<'_>, reasons: &mut Vec<Reason>) {
        for rule in RULES {
            if !rule.is_floor && self.user.is_some() {
                continue;
            }
            if let Some(because) = (rule.applies)(request, &self.grants) {
                let verdict = Verdict {
                    decision: rule.decision,
                    rule: rule.id.into(),
                    because,
                };
                let layer = if rule.is_floor {
                    Layer::Floor
                } else {
                    Layer::Usual
                };
                reasons.push(Reason {
                    layer,
                    verdict,
                    item: None,
                    is_granted: false,
                });
            }
        }
        if let Some(name) = request
            .command
            .and_then(|command| command.only_shell_state())
        {
            let because =
                format!("`{name}` only changes the shell it runs in, and no shell runs here");
            let verdict = Verdict {
                decision: Decision::Allow,
                rule: "changes-only-the-shell".into(),
                because,
            };
            reasons.push(Reason {
                layer: Layer::Usual,
                verdict,
                item: None,
                is_granted: false,
            });
        }
    }
}
