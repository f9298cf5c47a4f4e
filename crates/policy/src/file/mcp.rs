//! Which MCP servers may be called, and for which tools.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::PolicyError;
use super::pattern::Word;

/// The table `[mcp]`: which MCP servers may be called, and for which tools. The table only narrows earlier approvals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerTable {
    /// The decision about servers without a table: `allow` or `deny`. The default is `allow` if no server has a table,
    /// and `deny` otherwise.
    unlisted: Option<Unlisted>,
    /// The servers, by name.
    server: BTreeMap<String, Server>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unlisted {
    Allow,
    Deny,
}

/// One server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Server {
    /// `first-use`, `required`, or a digest `sha256:..` of its whole list of tools.
    pin: Option<String>,
    /// Patterns of tools that may be called; `None` allows all.
    allow: Option<Vec<String>>,
    /// Patterns of tools that may not be called.
    deny: Vec<String>,
}

/// How the tools of a server must be pinned. Without either field, the descriptions of the first call stay pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    /// Whether the user must approve a tool before its first call.
    pub is_approved: bool,
    /// Digests that the list of all tools of the server must have; no list has two.
    pub digests: BTreeSet<String>,
}

/// The rules of all policies about servers; the strictest wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerRules(Vec<ServerTable>);

impl ServerTable {
    /// Checks that every setting can be used.
    pub(super) fn check(&self) -> Result<(), PolicyError> {
        for (name, server) in &self.server {
            let bad = |what: &'static str, pattern: &str, problem: String| PolicyError::Pattern {
                rule: format!("mcp.server.{name}"),
                what,
                pattern: pattern.to_owned(),
                problem,
            };
            if let Some(pin) = &server.pin {
                read_pin(pin).map_err(|problem| bad("pin", pin, problem))?;
            }
            for (what, list) in [
                ("allow", server.allow.as_ref()),
                ("deny", Some(&server.deny)),
            ] {
                for pattern in list.into_iter().flatten() {
                    Word::new(pattern).map_err(|problem| bad(what, pattern, problem))?;
                }
            }
        }
        Ok(())
    }

    fn call(&self, server: &str, tool: &str) -> Result<(), String> {
        let Some(rules) = self.server.get(server) else {
            let is_denied = match self.unlisted {
                Some(unlisted) => unlisted == Unlisted::Deny,
                None => !self.server.is_empty(),
            };
            return if is_denied {
                Err(format!(
                    "the policy does not list the server `{server}`: add the table `[mcp.server.{server}]`"
                ))
            } else {
                Ok(())
            };
        };
        // A pattern that cannot be read was refused with its file.
        let fits = |list: &[String]| {
            list.iter()
                .any(|pattern| Word::new(pattern).is_ok_and(|word| word.fits(tool)))
        };
        if fits(&rules.deny) {
            return Err(format!(
                "the policy denies `{tool}` of the server `{server}`"
            ));
        }
        if rules.allow.as_ref().is_some_and(|allow| !fits(allow)) {
            return Err(format!(
                "the policy allows other tools of the server `{server}`, and not `{tool}`"
            ));
        }
        Ok(())
    }

    fn pin(&self, server: &str) -> Pin {
        let pin = self
            .server
            .get(server)
            .and_then(|rules| rules.pin.as_deref());
        // A pin that cannot be read was refused with its file.
        pin.and_then(|pin| read_pin(pin).ok()).unwrap_or_default()
    }
}

fn read_pin(pin: &str) -> Result<Pin, String> {
    let hex = pin.strip_prefix("sha256:");
    match (pin, hex) {
        ("first-use", _) => Ok(Pin::default()),
        ("required", _) => Ok(Pin {
            is_approved: true,
            ..Pin::default()
        }),
        (_, Some(hex)) if hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Ok(Pin {
                digests: BTreeSet::from([pin.to_ascii_lowercase()]),
                ..Pin::default()
            })
        }
        _ => Err("write `first-use`, `required` or `sha256:` and 64 hexadecimal digits".to_owned()),
    }
}

impl ServerRules {
    /// The rules of these tables together.
    pub(crate) fn of(tables: impl IntoIterator<Item = ServerTable>) -> ServerRules {
        ServerRules(tables.into_iter().collect())
    }

    /// Whether a tool of a server may be called.
    ///
    /// # Errors
    /// The reason why the tool may not be called.
    pub fn call(&self, server: &str, tool: &str) -> Result<(), String> {
        self.0.iter().try_for_each(|table| table.call(server, tool))
    }

    /// How the server's tools must be pinned: the pins of all tables apply.
    pub fn pin(&self, server: &str) -> Pin {
        let mut all = Pin::default();
        for pin in self.0.iter().map(|table| table.pin(server)) {
            all.is_approved |= pin.is_approved;
            all.digests.extend(pin.digests);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Authority, Policy, Scope};

    fn rules(user: &str, project: &str) -> ServerRules {
        let read = |text: &str, scope| {
            let text = format!("version = 1\n{text}");
            Some(Policy::parse(&text, scope).expect(&text))
        };
        let authority = Authority {
            user: read(user, Scope::User),
            project: read(project, Scope::Project),
            ..Authority::default()
        };
        authority.server_rules()
    }

    #[test]
    fn servers_are_asked_as_far_as_everyone_says() {
        let m = "[mcp.server.m]\nallow = ['get*', 'put']\ndeny = ['get_all']\n";
        for (user, project, server, tool, may) in [
            ("", "", "m", "x", true),
            (m, "", "m", "get_it", true),
            (m, "", "m", "get_all", false),
            (m, "", "m", "x", false),
            (m, "", "other", "x", false),
            (
                "[mcp]\nunlisted = 'allow'\n[mcp.server.m]\n",
                "",
                "other",
                "x",
                true,
            ),
            ("[mcp]\nunlisted = 'deny'\n", "", "m", "x", false),
            ("", m, "m", "x", false),
            (m, "[mcp.server.m]\nallow = ['put']\n", "m", "get_it", false),
            (m, "[mcp.server.m]\nallow = ['*']\n", "m", "x", false),
            (m, "[mcp]\nunlisted = 'allow'\n", "other", "x", false),
        ] {
            let found = rules(user, project).call(server, tool);
            assert_eq!(
                found.is_ok(),
                may,
                "{user:?} {project:?} {server}/{tool}: {found:?}"
            );
        }
    }

    #[test]
    fn every_pin_holds() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let pin = |pin: &str| format!("[mcp.server.m]\npin = '{pin}'\n");
        let other = format!("sha256:{}", "b".repeat(64));
        for (user, project, is_approved, digests) in [
            (String::new(), String::new(), false, vec![]),
            (pin("required"), String::new(), true, vec![]),
            (pin("first-use"), pin("required"), true, vec![]),
            (pin("required"), pin("first-use"), true, vec![]),
            (pin(&digest), pin("required"), true, vec![&digest]),
            (pin("required"), pin(&digest), true, vec![&digest]),
            (pin(&digest), pin(&other), false, vec![&digest, &other]),
        ] {
            let expected = Pin {
                is_approved,
                digests: digests.into_iter().cloned().collect(),
            };
            assert_eq!(
                rules(&user, &project).pin("m"),
                expected,
                "{user} {project}"
            );
        }
        for bad in [
            "[mcp.server.m]\npin = 'maybe'\n",
            "[mcp.server.m]\npins = 'required'\n",
            "[mcp]\nservers = 1\n",
            "[mcp.server.m]\nallow = ['re:(']\n",
            "[mcp]\nunlisted = 'ask'\n",
        ] {
            let text = format!("version = 1\n{bad}");
            assert!(Policy::parse(&text, Scope::User).is_err(), "{bad}");
        }
    }
}
