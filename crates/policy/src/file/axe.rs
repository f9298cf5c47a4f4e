//! AXE's `axe.yaml`, with the meaning that its document gives it: a command has to be allowed.

use super::Policy;
use super::rule::Rule;
use super::written::{DecisionWord, Token, Written};
use crate::Decision;
use crate::file::{MessageLimits, PathRules, SandboxTable, TrustRules};

/// What an `axe.yaml` says about tools and directories, of both generations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxeFile {
    /// `tools.whitelist`, of the first: what may be run. `None` where the key is missing.
    pub whitelist: Option<Vec<String>>,
    /// `tools.blacklist`, of the second: what may not.
    pub blacklist: Vec<String>,
    /// `directories.readonly`.
    pub readonly: Vec<String>,
    /// `directories.forbidden` and `directories.blacklist`.
    pub forbidden: Vec<String>,
}

impl AxeFile {
    /// What the file would let happen and toolglot does not, in words for the user.
    pub fn report(&self) -> Option<String> {
        self.whitelist.is_none().then(|| {
            "this axe.yaml allows every command that it does not list; here a command has to be allowed: add `tools.whitelist`, or grant programs with `--allow exec:PROGRAM`".to_owned()
        })
    }
}

impl Policy {
    /// The policy that an `axe.yaml` means. Commands of the whitelist are allowed, those of the blacklist refused wherever they
    /// hide, all others asked about; no word of a command leads out of the root. Files inside the root are read and written, but for the directories that are forbidden or
    /// only to be read.
    pub fn of_axe(file: &AxeFile) -> Policy {
        let mut rules = Vec::new();
        let mut push = |written: Written| {
            // A name that makes no pattern refuses everything, as a broken file does.
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
            Written::new("axe-commands-are-asked-about", DecisionWord::Ask)
                .capabilities(&["exec", "shell"])
        };
        let mut all =
            vec![Written::new("axe-files", DecisionWord::Allow).capabilities(&["read", "write"])];
        match &file.whitelist {
            Some(names) if !names.is_empty() => {
                let mut allowed = Written::new("axe-whitelist", DecisionWord::Allow);
                allowed.argv = Some(argv(names));
                all.push(allowed);
            }
            Some(_) => {}
            None => all.push(commands()),
        }
        if !file.blacklist.is_empty() {
            let mut refused = Written::new("axe-blacklist", DecisionWord::Deny);
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
                let mut refused = Written::new(id, DecisionWord::Deny).capabilities(capabilities);
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

/// Whether a directory is one of the root: it is written without `/` or `~` before it.
fn is_inside(place: &str) -> bool {
    !place.starts_with(['/', '~'])
        && !place.split('/').any(|name| name == "..")
        && !place.is_empty()
}
