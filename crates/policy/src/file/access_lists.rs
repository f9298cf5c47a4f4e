//! Lists of commands and directories that an agent's settings file allows or denies, converted to a policy.
//!
//! AXE's `axe.yaml` has such lists. A command must be allowed, whatever else the file states.

use super::Policy;
use super::rule::Rule;
use super::rule_text::{DecisionWord, RuleText, Token};
use crate::Decision;
use crate::file::{MessageLimits, PathRules, SandboxTable, TrustRules};

/// The commands and directories that an `axe.yaml` of either generation lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessLists {
    /// The programs that may run: `tools.whitelist` of the first generation. `None` where the key is missing.
    pub whitelist: Option<Vec<String>>,
    /// The programs that may not run: `tools.blacklist` of the second generation.
    pub blacklist: Vec<String>,
    /// Directories that are never written: `directories.readonly`.
    pub readonly: Vec<String>,
    /// Directories that are neither read nor written: `directories.forbidden` and `directories.blacklist`.
    pub forbidden: Vec<String>,
}

impl AccessLists {
    /// Warns the user where toolglot is stricter than the program that wrote the lists.
    pub fn report(&self) -> Option<String> {
        self.whitelist.is_none().then(|| {
            "this axe.yaml allows every command that it does not list; here a command has to be allowed: add `tools.whitelist`, or grant programs with `--allow exec:PROGRAM`".to_owned()
        })
    }
}

impl Policy {
    /// The policy that the lists describe.
    ///
    /// Commands of the whitelist are allowed. Commands of the blacklist are refused, also inside other commands.
    /// All other commands need an approval, and no word of a command may lead out of the root.
    /// Files inside the root are read and written, except in directories that are forbidden or read-only.
    pub fn of_access_lists(file: &AccessLists) -> Policy {
        let mut rules = Vec::new();
        let mut push = |written: RuleText| {
            // A name that is not a valid pattern denies everything, as a broken file does.
            match Rule::new(written) {
                Ok(rule) => rules.push(rule),
                Err(error) => return Some(error),
            }
            None
        };
        let argv = |names: &[String]| -> Vec<Vec<Token>> {
            let name = |name: &String| {
                let name = name.rsplit('/').next().unwrap_or(name).to_owned();
                vec![Token::One(name), Token::One("...".to_owned())]
            };
            names.iter().map(name).collect()
        };
        let commands = || {
            RuleText::new("axe-commands-are-asked-about", DecisionWord::Ask)
                .capabilities(&["exec", "shell"])
        };
        let mut all =
            vec![RuleText::new("axe-files", DecisionWord::Allow).capabilities(&["read", "write"])];
        match &file.whitelist {
            Some(names) if !names.is_empty() => {
                let mut allowed = RuleText::new("axe-whitelist", DecisionWord::Allow);
                allowed.argv = Some(argv(names));
                all.push(allowed);
            }
            Some(_) => {}
            None => all.push(commands()),
        }
        if !file.blacklist.is_empty() {
            let mut refused = RuleText::new("axe-blacklist", DecisionWord::Deny);
            refused.argv = Some(argv(&file.blacklist));
            all.push(refused);
        }
        for (id, list, capabilities) in [
            (
                "axe-forbidden",
                &file.forbidden,
                &["read", "write", "delete"][..],
            ),
            ("axe-readonly", &file.readonly, &["write", "delete"][..]),
        ] {
            let inside: Vec<String> = list
                .iter()
                .filter(|place| is_inside(place))
                .map(|place| place.trim_end_matches('/').to_owned())
                .collect();
            if !inside.is_empty() {
                let mut refused = RuleText::new(id, DecisionWord::Deny).capabilities(capabilities);
                refused.paths = Some(inside);
                all.push(refused);
            }
        }
        let outside: Vec<String> = file
            .forbidden
            .iter()
            .filter(|place| !is_inside(place))
            .map(|place| place.trim_end_matches('/').to_owned())
            .collect();
        let broken = all.into_iter().find_map(&mut push);
        let mut policy = Policy {
            default: Decision::Deny,
            rules,
            limits: MessageLimits::default(),
            paths: PathRules::default(),
            sandbox: SandboxTable::default(),
            mcp: crate::file::ServerTable::default(),
            trust: TrustRules::default(),
            forbidden_words: outside,
            is_bounded: true,
            broken: None,
        };
        policy.broken = broken;
        policy
    }
}

/// Whether a directory is inside the root: its path has no `/` or `~` at the start and no `..`.
fn is_inside(place: &str) -> bool {
    !place.starts_with(['/', '~'])
        && !place.split('/').any(|name| name == "..")
        && !place.is_empty()
}
