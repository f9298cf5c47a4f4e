//! The places that policy files deny to tools that do not name them: a search, a command.

use std::path::Path;

use crate::file::{Asked, Item, Policy, Rule};
use crate::{Authority, Decision};

/// The places that policy files deny, for tools that touch more places than their arguments name.
///
/// `search_files` at the root reads every file, and a command may open files that its words do not show. Both check
/// each place here. Only rules that deny count, not rules that ask.
#[derive(Clone, Debug, Default)]
pub struct Refusals {
    rules: Vec<Rule>,
    /// Whether a file with more than one name is refused.
    pub shared: bool,
}

impl Authority {
    /// The places that the policy files deny.
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

    /// Whether `tool` may not read the file at `path`, which is relative to the root and resolved.
    pub fn hides(&self, tool: &str, path: &Path) -> bool {
        // The words of a command do not show what it does with a file: a rule that denies commands a place hides the
        // place.
        let is_command = tool == "execute_command"
            && (self.fits(tool, "exec", path) || self.fits(tool, "shell", path));
        is_command || self.fits(tool, "read", path)
    }

    /// Whether a program that a call of `tool` starts may not read `path`. The words of a program do not show what it
    /// does with a file. So a rule that denies commands a place hides the place from all programs.
    pub fn hides_from_program(&self, tool: &str, path: &Path) -> bool {
        let is_refused = |capability| self.fits(tool, capability, path);
        is_refused("exec") || is_refused("shell") || is_refused("read")
    }

    /// Whether `tool` may not change the file at `path`.
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Authority, Policy, Scope};

    /// The accesses to a place that a policy file denies, as words.
    fn refused(rule: &str, path: &str) -> String {
        let text = format!("version = 1\n[[rule]]\nid = 'r'\ndecision = 'deny'\n{rule}");
        let authority = Authority {
            project: Some(Policy::parse(&text, Scope::Project).expect(rule)),
            ..Authority::default()
        };
        let refusals = authority.refusals();
        let path = Path::new(path);
        let answers = [
            ("read", refusals.hides("read_file", path)),
            ("run", refusals.hides("execute_command", path)),
            ("program", refusals.hides_from_program("tool", path)),
            ("write", refusals.keeps("write_file", path)),
        ];
        let words = answers.iter().filter(|(_, is_refused)| *is_refused);
        words.map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_place_is_refused_for_what_the_rule_names() {
        for (capabilities, expected) in [
            ("", "read run program write"),
            ("capabilities = ['read']", "read run program"),
            ("capabilities = ['exec']", "run program"),
            ("capabilities = ['shell']", "run program"),
            ("capabilities = ['write']", "write"),
            ("capabilities = ['delete']", "write"),
            ("tools = ['read_file']", "read"),
            ("tools = ['execute_command']", "run"),
            ("tools = ['tool']", "program"),
            ("tools = ['write_file']", "write"),
        ] {
            let rule = format!("paths = ['private/**']\n{capabilities}");
            assert_eq!(refused(&rule, "private/a"), expected, "{rule}");
            assert_eq!(refused(&rule, "public/a"), "", "{rule}");
        }
    }

    #[test]
    fn only_refusals_of_places_count() {
        let of = |text: &str| {
            let policy = Policy::parse(&format!("version = 1\n{text}"), Scope::User);
            Authority {
                user: Some(policy.expect(text)),
                ..Authority::default()
            }
            .refusals()
        };
        let rule = |decision: &str, what: &str| {
            format!("[[rule]]\nid = 'r'\ndecision = '{decision}'\n{what}")
        };
        for (text, is_empty, shared) in [
            (rule("deny", "paths = ['a']"), false, false),
            (rule("ask", "paths = ['a']"), true, false),
            (rule("deny", "tools = ['a']"), true, false),
            (rule("allow", "paths = ['a']"), true, false),
            ("[paths]\ndeny_hardlinks = true".to_owned(), true, true),
            ("[paths]\nno_dotdot = true".to_owned(), true, false),
        ] {
            let refusals = of(&text);
            assert_eq!(refusals.is_empty(), is_empty, "{text}");
            assert_eq!(refusals.shared, shared, "{text}");
        }
    }
}
