//! A rule as it is written in a policy file, and the check that each of its settings can apply to a call.

use serde::Deserialize;

use super::PolicyError;
use super::capability::{is_kin, problem_of_capability};
use crate::Decision;

/// A rule as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleText {
    pub(super) id: String,
    pub(super) decision: DecisionWord,
    #[serde(default)]
    pub(super) because: Option<String>,
    /// Whether the rule explicitly applies to every call.
    #[serde(default)]
    pub(super) all: bool,
    /// Names of tools; `*` matches any letters. `None`: every tool.
    #[serde(default)]
    pub(super) tools: Option<Vec<String>>,
    #[serde(default)]
    pub(super) capabilities: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) paths: Option<Vec<String>>,
    #[serde(default)]
    pub(super) except: Vec<String>,
    #[serde(default)]
    pub(crate) argv: Option<Vec<Vec<Token>>>,
    #[serde(default)]
    pub(super) allow_args: Option<Vec<String>>,
    /// Options of `allow_args` whose value is the next word, whatever it is.
    #[serde(default)]
    pub(super) value_args: Vec<String>,
    #[serde(default)]
    pub(super) forbid_args: Vec<String>,
    /// Words that are options exactly as written, and not an abbreviation or a cluster of an option in `forbid_args`.
    #[serde(default)]
    pub(super) exact_args: Vec<String>,
    #[serde(default)]
    pub(super) hosts: Option<Vec<String>>,
    #[serde(default, rename = "match")]
    pub(super) matches: Vec<String>,
    #[serde(default)]
    pub(super) not_match: Vec<String>,
}

/// The builtin tool that runs commands.
const COMMANDS: &str = "execute_command";

impl RuleText {
    /// Refuses settings that would apply to nothing: their author meant something.
    pub(super) fn check(&self) -> Result<(), PolicyError> {
        let lists = [
            ("tools", self.tools.as_ref().map(Vec::len)),
            ("capabilities", self.capabilities.as_ref().map(Vec::len)),
            ("paths", self.paths.as_ref().map(Vec::len)),
            ("argv", self.argv.as_ref().map(Vec::len)),
            ("hosts", self.hosts.as_ref().map(Vec::len)),
        ];
        for (what, n) in lists {
            if n == Some(0) {
                let rule = self.id.clone();
                return Err(PolicyError::Empty { rule, what });
            }
        }
        let selector = lists.iter().find(|(_, n)| n.is_some());
        match (self.all, selector) {
            (true, Some(&(what, _))) => {
                return Err(PolicyError::Unfit {
                    rule: self.id.clone(),
                    what,
                    with: "`all`: write one of them",
                });
            }
            // Refusing too much is noticed; allowing too much is not.
            (false, None) if matches!(self.decision, DecisionWord::Allow) => {
                let rule = self.id.clone();
                return Err(PolicyError::Boundless { rule });
            }
            _ => {}
        }
        for name in self.capabilities.iter().flatten() {
            if let Some(problem) = problem_of_capability(name) {
                return Err(PolicyError::Pattern {
                    rule: self.id.clone(),
                    what: "capabilities",
                    pattern: name.clone(),
                    problem,
                });
            }
        }
        self.check_selectors()
    }

    /// Refuses selectors that no call can match together.
    fn check_selectors(&self) -> Result<(), PolicyError> {
        let unfit = |what, with| {
            let rule = self.id.clone();
            Err(PolicyError::Unfit { rule, what, with })
        };
        let has = |wanted: &[&str]| {
            self.capabilities.as_ref().is_none_or(|list| {
                list.iter()
                    .any(|name| wanted.iter().any(|wanted| is_kin(name, wanted)))
            })
        };
        let is_other_tool = |name: &String| {
            !name.contains(['/', '*', '.']) && !name.starts_with("re:") && name != COMMANDS
        };
        if self.argv.is_some() {
            if !has(&["exec"]) {
                return unfit("argv", "`capabilities` without `exec`");
            }
            let tools = self.tools.as_deref().unwrap_or_default();
            if !tools.is_empty() && tools.iter().all(is_other_tool) {
                return unfit("argv", "`tools` that run no commands");
            }
        }
        if self.hosts.is_some() && self.argv.is_none() && !has(&["network"]) {
            return unfit("hosts", "`capabilities` without `network`");
        }
        if matches!(self.decision, DecisionWord::Allow) && self.argv.is_none() {
            if self.paths.is_some() && self.hosts.is_some() {
                return unfit("paths", "`hosts`: no call has both");
            }
            if self.paths.is_some() && !has(&["read", "write", "delete"]) {
                return unfit(
                    "paths",
                    "these `capabilities`: say by `argv` which commands",
                );
            }
        }
        Ok(())
    }

    /// A rule with nothing but a name and a decision.
    pub(crate) fn new(id: &str, decision: DecisionWord) -> RuleText {
        RuleText {
            id: id.to_owned(),
            decision,
            because: None,
            all: false,
            tools: None,
            capabilities: None,
            paths: None,
            except: Vec::new(),
            argv: None,
            allow_args: None,
            value_args: Vec::new(),
            forbid_args: Vec::new(),
            exact_args: Vec::new(),
            hosts: None,
            matches: Vec::new(),
            not_match: Vec::new(),
        }
    }

    /// The same rule for one place, with special letters of a pattern escaped.
    pub(crate) fn place(mut self, path: &str) -> RuleText {
        self.paths = Some(vec![globset::escape(&path.replace('\\', "\\\\"))]);
        self
    }

    /// The same rule with a reason.
    pub(crate) fn because(mut self, why: &str) -> RuleText {
        self.because = Some(why.to_owned());
        self
    }

    /// The same rule for these capabilities.
    pub(crate) fn capabilities(mut self, names: &[&str]) -> RuleText {
        self.capabilities = Some(names.iter().map(ToString::to_string).collect());
        self
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DecisionWord {
    Allow,
    Ask,
    Deny,
}

impl From<DecisionWord> for Decision {
    fn from(word: DecisionWord) -> Decision {
        match word {
            DecisionWord::Allow => Decision::Allow,
            DecisionWord::Ask => Decision::Ask,
            DecisionWord::Deny => Decision::Deny,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Token {
    One(String),
    OneOf(Vec<String>),
}
