//! Who may say what becomes of a call, and how their answers become one.

mod by_file;

use crate::file::{DecisionWord, Item, Rule, RuleText};
use crate::rules::RULES;
use crate::{Decision, Grants, Level, Policy, Request, SandboxSettings, TrustRules, Verdict};
use by_file::by_file;

/// Everyone who has a say. The strictest of them wins.
#[derive(Clone, Debug, Default)]
pub struct Authority {
    /// What the user allowed beforehand. It answers what would be asked; it lifts no refusal.
    pub grants: Grants,
    /// The user's policy file, in place of the usual rules.
    pub user: Option<Policy>,
    /// The project's policy file. It can refuse what the user's allows, and nothing else.
    pub project: Option<Policy>,
}

/// Whose rule it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// It holds whatever anyone says.
    Floor,
    /// It holds where the user has no policy file.
    Usual,
    /// The user's policy file.
    User,
    /// The project's policy file.
    Project,
}

impl Layer {
    /// The word for it.
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
    /// Whose it is.
    pub layer: Layer,
    /// What it says, with its name and why.
    pub verdict: Verdict,
    /// What it is about, if not about the call as a whole.
    pub item: Option<Item>,
    /// Whether it would ask, had the user not answered beforehand.
    pub is_granted: bool,
}

impl Reason {
    /// Whether no rule says it: it is what a policy says of what none of its rules is about.
    pub fn is_default(&self) -> bool {
        self.verdict.rule == DEFAULT
    }
}

/// A verdict, with all that led to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// What becomes of the call.
    pub verdict: Verdict,
    /// Every rule that applied, the strictest first.
    pub reasons: Vec<Reason>,
}

/// The name of what a policy says about what none of its rules is about.
const DEFAULT: &str = "policy-default";

/// Judges a request by what the user allowed beforehand: the strictest rule that applies decides, and without one the answer
/// is no.
pub fn judge(request: &Request<'_>, grants: &Grants) -> Verdict {
    let authority = Authority {
        grants: grants.clone(),
        ..Authority::default()
    };
    authority.judge(request).verdict
}

impl Authority {
    /// Keeps a place below the root from these capabilities, whatever anyone allows, by a rule with a reason.
    pub fn keep(&mut self, path: &str, capabilities: &[&str], (rule, because): (&str, &str)) {
        let written = RuleText::new(rule, DecisionWord::Deny)
            .capabilities(capabilities)
            .place(path)
            .because(because);
        // A project's file has no opinion but where it refuses.
        let policy = self
            .project
            .get_or_insert_with(|| Policy::empty(Decision::Allow));
        match Rule::new(written) {
            Ok(rule) => policy.rules.push(rule),
            Err(error) => policy.broken = Some(error),
        }
    }

    /// Judges a request. Complexity: items of the request times rules.
    pub fn judge(&self, request: &Request<'_>) -> Explanation {
        let mut reasons = Vec::new();
        self.by_table(request, &mut reasons);
        for (layer, policy) in [(Layer::User, &self.user), (Layer::Project, &self.project)] {
            if let Some(policy) = policy {
                by_file(policy, layer, request, &self.grants, &mut reasons);
            }
        }
        // Stable: of equally strict ones the first stays first. What a rule says tells more than what none says.
        reasons.sort_by_key(|reason: &Reason| {
            (
                std::cmp::Reverse(reason.verdict.decision),
                reason.is_default(),
            )
        });
        let allows = |layer: Layer| reasons.iter().any(|reason| reason.layer == layer);
        let is_judged = allows(Layer::Usual) || allows(Layer::User);
        let verdict = match reasons.first() {
            Some(strictest) if is_judged || strictest.verdict.decision != Decision::Allow => {
                // Among what allows, the user's own words say more than the floor's.
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

    /// The sandbox of every program that a call starts, with the level that the command line asks for.
    pub fn sandbox_settings(&self, level: Option<Level>) -> SandboxSettings {
        let [user, project] =
            [&self.user, &self.project].map(|policy| policy.as_ref().map(|policy| &policy.sandbox));
        SandboxSettings::new(user, project, level)
    }

    /// Which servers of tools are asked: as far as everyone says. A file that cannot be used denies the call anyway.
    pub fn server_rules(&self) -> crate::ServerRules {
        let all = [&self.user, &self.project];
        crate::ServerRules::of(all.into_iter().flatten().map(|policy| policy.mcp.clone()))
    }

    /// Whose tools are run: what the user says, narrowed by the project.
    pub fn trust(&self) -> TrustRules {
        let of = |policy: &Option<Policy>| {
            policy
                .as_ref()
                .map(|policy| policy.trust.clone())
                .unwrap_or_default()
        };
        of(&self.user).narrowed_by(&of(&self.project))
    }

    /// What the calls of a run may cost together: the least that anyone says.
    pub fn cost_per_run(&self) -> Option<f64> {
        [&self.user, &self.project]
            .into_iter()
            .flatten()
            .filter_map(|policy| policy.limits.cost_per_run)
            .min_by(f64::total_cmp)
    }

    /// Whether commands may change the root: where a policy file is, it says so with its sandbox; otherwise the grant does.
    pub fn commands_may_write(&self) -> bool {
        match &self.user {
            // Without the key it is the whole root.
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
