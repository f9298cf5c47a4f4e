//! Policy files.

mod access_lists;
mod capability;
mod mcp;
mod options;
mod pattern;
mod rule;
mod rule_text;
mod sandbox;
mod subcommand;
mod trust;

use serde::Deserialize;
use thiserror::Error;

pub use access_lists::AccessLists;
pub(crate) use mcp::ServerTable;
pub use mcp::{Pin, ServerRules};
pub use rule::Item;
pub(crate) use rule::{Asked, Rule};
pub(crate) use rule_text::{DecisionWord, RuleText};
pub use sandbox::{Level, Reach, Sandbox, SandboxSettings, SandboxTable};
pub use trust::TrustRules;

use crate::Decision;
use pattern::Word;

/// A policy file, read and checked.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The decision where no rule matches.
    pub(crate) default: Decision,
    pub(crate) rules: Vec<Rule>,
    /// The limits of a message.
    pub limits: MessageLimits,
    /// Restrictions on how paths are written.
    pub paths: PathRules,
    /// The sandbox of programs, as far as the file states it.
    pub sandbox: SandboxTable,
    /// Which MCP servers may be called.
    pub(crate) mcp: ServerTable,
    /// Whose tools may run.
    pub trust: TrustRules,
    /// Places outside of the root that no word of a command may name, nor anything below them.
    pub(crate) forbidden_words: Vec<String>,
    /// Whether words of commands must stay inside the root: AXE's own rule.
    pub(crate) is_bounded: bool,
    /// Why the file could not be read: then everything is denied.
    pub(crate) broken: Option<PolicyError>,
}

/// The limits of a message, and of a run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MessageLimits {
    /// How many calls of one message are run.
    pub calls_per_message: Option<usize>,
    /// What a call may cost, in the unit of the tools' descriptions.
    pub cost_per_call: Option<f64>,
    /// What all calls of a run may cost together, attempts that failed included.
    pub cost_per_run: Option<f64>,
}

/// Restrictions on paths, besides staying inside the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PathRules {
    /// Whether a path with `..` in it is refused even where it stays inside the root.
    pub no_dotdot: bool,
    /// Whether a file with more than one name is refused: one of the names may be outside.
    pub deny_hardlinks: bool,
}

/// The owner of a policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's file: where no rule matches it denies, unless the file states another default.
    User,
    /// The project's file, which can only narrow: where no rule matches it decides nothing.
    Project,
}

/// Why a policy file is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("it cannot be read: {why}")]
    Unreadable {
        /// Why.
        why: String,
    },
    /// The file is not valid TOML, or has unknown keys.
    #[error("{0}")]
    Syntax(String),
    /// An unknown version.
    #[error("unsupported `version = {0}`: write `version = 1`")]
    Version(u32),
    /// Two rules with one name.
    #[error("duplicate rule `{rule}`")]
    Double {
        /// The name.
        rule: String,
    },
    /// An empty list.
    #[error(
        "rule `{rule}`: `{what}` is empty, so the rule applies to nothing: name something, or leave `{what}` out"
    )]
    Empty {
        /// The rule.
        rule: String,
        /// The setting.
        what: &'static str,
    },
    /// A pattern that is invalid.
    #[error("rule `{rule}`: `{pattern}` in `{what}` cannot be used: {problem}")]
    Pattern {
        /// The rule.
        rule: String,
        /// The setting.
        what: &'static str,
        /// The pattern.
        pattern: String,
        /// What is wrong.
        problem: String,
    },
    /// A setting that has no effect alone.
    #[error("rule `{rule}`: `{what}` does nothing without `{with}`")]
    Alone {
        /// The rule.
        rule: String,
        /// The setting.
        what: &'static str,
        /// The other setting, which is missing.
        with: &'static str,
    },
    /// Selectors that no call can match together.
    #[error("rule `{rule}`: no call fits `{what}` with {with}")]
    Unfit {
        /// The rule.
        rule: String,
        /// The setting.
        what: &'static str,
        /// The setting that excludes the first one.
        with: &'static str,
    },
    /// A rule that allows but selects nothing.
    #[error(
        "rule `{rule}` allows every call, as it selects none: name `tools`, `capabilities`, `paths`, `argv` or `hosts`, or write `all = true`"
    )]
    Boundless {
        /// The rule.
        rule: String,
    },
    /// A limit that is not a valid amount.
    #[error("invalid amount `{what}`: write a number from 0")]
    Limit {
        /// The setting.
        what: &'static str,
    },
    /// A setting of a project's file that only the user's file may have.
    #[error("`{what}` is allowed in the user's policy file only")]
    UsersOnly {
        /// The setting.
        what: &'static str,
    },
    /// A setting of the sandbox that the file's own level cannot enforce.
    #[error(
        "`level = \"plain\"` of `[sandbox]` cannot hold `{key}`: leave one of them out, or write `level = \"landlock\"`"
    )]
    Unenforced {
        /// The setting.
        key: &'static str,
    },
    /// An example that contradicts its rule.
    #[error("rule `{rule}` {} its example `{example}`", if *.expected { "does not match" } else { "matches" })]
    Example {
        /// The rule.
        rule: String,
        /// The example.
        example: String,
        /// Whether the example should match.
        expected: bool,
    },
}

impl PolicyError {
    /// The error for a model or a reader of a log: it contains no letter of the file.
    pub fn told(&self) -> String {
        match self {
            PolicyError::Unreadable { why } => format!("it cannot be read: {why}"),
            PolicyError::Syntax(_) => "not a policy of a known form".to_owned(),
            PolicyError::Version(_) => "its version is not known".to_owned(),
            _ => "one of its settings cannot be used".to_owned(),
        }
    }
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    #[serde(default)]
    default: Option<DecisionWord>,
    #[serde(default)]
    rule: Vec<RuleText>,
    #[serde(default)]
    limits: MessageLimits,
    #[serde(default)]
    paths: PathRules,
    #[serde(default)]
    sandbox: SandboxTable,
    #[serde(default)]
    mcp: ServerTable,
    #[serde(default)]
    trust: TrustRules,
}

impl Policy {
    /// Reads a policy file and checks the examples of its rules.
    ///
    /// # Errors
    /// If the file has an unknown key or an unusable value, or an example contradicts its rule.
    pub fn parse(text: &str, scope: Scope) -> Result<Policy, PolicyError> {
        let file: File = toml::from_str(text).map_err(|error| {
            PolicyError::Syntax(error.to_string().trim_end().replace('\n', "; "))
        })?;
        if file.version != 1 {
            return Err(PolicyError::Version(file.version));
        }
        let mut rules: Vec<Rule> = Vec::new();
        for written in file.rule {
            let rule = Rule::new(written)?;
            if rules.iter().any(|other| other.id == rule.id) {
                return Err(PolicyError::Double { rule: rule.id });
            }
            rules.push(rule);
        }
        for (what, amount) in [
            ("cost_per_call", file.limits.cost_per_call),
            ("cost_per_run", file.limits.cost_per_run),
        ] {
            if amount.is_some_and(|amount| !(amount.is_finite() && amount >= 0.0)) {
                return Err(PolicyError::Limit { what });
            }
        }
        file.mcp.check()?;
        file.trust.check(scope)?;
        if scope == Scope::User {
            // The level of a project's file only strengthens, so `plain` has no effect there.
            file.sandbox.check()?;
        }
        let default = file.default.map_or(
            match scope {
                Scope::User => Decision::Deny,
                Scope::Project => Decision::Allow,
            },
            Decision::from,
        );
        Ok(Policy {
            default,
            rules,
            limits: file.limits,
            paths: file.paths,
            sandbox: file.sandbox,
            mcp: file.mcp,
            trust: file.trust,
            forbidden_words: Vec::new(),
            is_bounded: false,
            broken: None,
        })
    }

    /// A file without rules.
    pub(crate) fn empty(default: Decision) -> Policy {
        Policy {
            default,
            rules: Vec::new(),
            limits: MessageLimits::default(),
            paths: PathRules::default(),
            sandbox: SandboxTable::default(),
            mcp: ServerTable::default(),
            trust: TrustRules::default(),
            forbidden_words: Vec::new(),
            is_bounded: false,
            broken: None,
        }
    }

    /// The policy for a file that cannot be used: it denies everything.
    pub fn broken(error: PolicyError) -> Policy {
        Policy {
            broken: Some(error),
            ..Policy::empty(Decision::Deny)
        }
    }

    /// The patterns of tools in the rules.
    pub fn tool_patterns(&self) -> impl Iterator<Item = ToolPattern<'_>> {
        self.rules.iter().flat_map(|rule| {
            let words = rule.tool_patterns().iter();
            words.map(move |word| ToolPattern { rule, word })
        })
    }

    /// The patterns of places in the rules, each after the name of its rule.
    pub fn places(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rules.iter().flat_map(|rule| {
            rule.written_places()
                .map(move |place| (rule.id.as_str(), place))
        })
    }

    /// Why everything is denied, if the file could not be read.
    pub fn why_broken(&self) -> Option<&PolicyError> {
        self.broken.as_ref()
    }
}

/// A pattern of tools in a rule.
#[derive(Clone, Copy, Debug)]
pub struct ToolPattern<'a> {
    rule: &'a Rule,
    word: &'a Word,
}

impl<'a> ToolPattern<'a> {
    /// The rule.
    pub fn rule(&self) -> &'a str {
        &self.rule.id
    }

    /// The pattern as it is written.
    pub fn written(&self) -> String {
        self.word.written()
    }

    /// Whether the pattern matches a name.
    pub fn fits(&self, name: &str) -> bool {
        self.word.fits(name)
    }
}
