//! What the rules of policy files keep from whoever only passes by: a search, a command.

use std::path::Path;

use crate::file::{Asked, Item, Policy, Rule};
use crate::{Authority, Decision};

/// The places that policy files refuse, for tools that touch more of them than their arguments name.
///
/// `search_files` at the root reads every file, and a command may open what its words do not show. Both ask here about each
/// place. Only refusals count, not questions.
#[derive(Clone, Debug, Default)]
pub struct Refusals {
    rules: Vec<Rule>,
    /// Whether a file with more than one name is refused.
    pub shared: bool,
}

impl Authority {
    /// What the policy files refuse of places.
    pub fn refusals(&self) -> Refusals {
        let files = || self.user.iter().chain(&self.project);
        let refusing = |rule: &&Rule| rule.decision == Decision::Deny && rule.has_places();
        Refusals {
            rules: files()
                .flat_map(|policy: &Policy| policy.rules.iter().filter(refusing).cloned())
                .collect(),
            shared: files().any(|policy| policy.paths.deny_hardlinks),
        }
    }
}

impl Refusals {
    /// Whether no place is refused.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether `tool` may not read what stands at `path`, which is relative to the root and resolved.
    pub fn hides(&self, tool: &str, path: &Path) -> bool {
        // What commands do with a file is not told by their words: a rule that refuses them a place hides it.
        let is_command = tool == "execute_command"
            && (self.fits(tool, "exec", path) || self.fits(tool, "shell", path));
        is_command || self.fits(tool, "read", path)
    }

    /// Whether a program that a call of `tool` starts may not read it. What programs do with a file their words do not tell: a
    /// rule that refuses commands a place hides it from all of them.
    pub fn hides_from_program(&self, tool: &str, path: &Path) -> bool {
        let is_refused = |capability| self.fits(tool, capability, path);
        is_refused("exec") || is_refused("shell") || is_refused("read")
    }

    /// Whether `tool` may not change it.
    pub fn keeps(&self, tool: &str, path: &Path) -> bool {
        self.fits(tool, "write", path) || self.fits(tool, "delete", path)
    }

    fn fits(&self, tool: &str, capability: &str, path: &Path) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let item = Item::Path(path.to_string_lossy().into_owned());
        self.rules
            .iter()
            .any(|rule| rule.fits(Asked::new(tool, capability), &item))
    }
}
