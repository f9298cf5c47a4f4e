//! Capabilities: what a caller is allowed, in words with dots between them.
//!
//! `rye.execute.tool.rye.bash.bash` is: the verb `execute`, on a `tool`, the one with that id.
//! The origin has two ways to ask, which disagree on purpose or not; both are here, and tests hold each.
//! [`allows`] is that of its tokens: who may execute may also search and load.
//! [`permits`] is that of its threads: patterns alone, nothing implied, nothing without a capability.

use crate::ItemId;

/// What one may do with an item.
const VERBS: &[&str] = &["execute", "search", "load", "sign"];
/// What an item is.
const ITEMS: &[&str] = &["tool", "directive", "knowledge"];

/// A capability, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capability {
    /// `execute`, `search`, `load`, `sign`, or `*`.
    pub primary: String,
    /// `tool`, `directive`, `knowledge`, or `*`.
    pub item_type: String,
    /// The rest: an id with dots, or `*`.
    pub specifics: String,
}

impl Capability {
    /// Reads `rye.VERB[.ITEM[.ID]]`. `None` for other words: `fs.write` is a requirement of a tool, no capability of
    /// the origin.
    pub fn read(text: &str) -> Option<Capability> {
        let rest = text.strip_prefix("rye.")?;
        let mut parts = rest.splitn(3, '.');
        let primary = parts.next()?;
        if primary != "*" && !VERBS.contains(&primary) {
            return None;
        }
        let item_type = parts.next().unwrap_or("*");
        if item_type != "*" && !ITEMS.contains(&item_type) {
            return None;
        }
        Some(Capability {
            primary: primary.to_owned(),
            item_type: item_type.to_owned(),
            specifics: parts.next().unwrap_or("*").to_owned(),
        })
    }

    /// Whether it stands for more than one thing.
    pub fn is_wildcard(&self) -> bool {
        [&self.primary, &self.item_type, &self.specifics]
            .iter()
            .any(|part| part.contains('*'))
    }
}

/// The capability to do `verb` with an item.
pub fn of_item(verb: &str, item_type: &str, id: &str) -> String {
    let mut out = format!("rye.{verb}.{item_type}");
    if !id.is_empty() {
        out.push('.');
        out.push_str(&id.replace('/', "."));
    }
    out
}

/// Whether what is granted covers what is required, by itself: equal, or `a.*` and something after `a.`.
pub fn matches(granted: &str, required: &str) -> bool {
    let granted = match granted {
        "rye.execute" | "rye.search" | "rye.load" | "rye.sign" => format!("{granted}.*"),
        other => other.to_owned(),
    };
    if granted == required {
        return true;
    }
    granted.strip_suffix(".*").is_some_and(|prefix| {
        required == prefix
            || required
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with('.'))
    })
}

/// What is granted and what that implies: executing implies searching and loading, signing implies loading. Sorted.
pub fn expand(granted: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for capability in granted {
        all.push((*capability).to_owned());
        let implied: &[&str] = match capability.strip_prefix("rye.") {
            Some(rest) if rest == "execute" || rest.starts_with("execute.") => &["search", "load"],
            Some(rest) if rest == "sign" || rest.starts_with("sign.") => &["load"],
            _ => &[],
        };
        let rest = capability.splitn(3, '.').nth(2);
        for verb in implied {
            all.push(match rest {
                Some(rest) => format!("rye.{verb}.{rest}"),
                None => format!("rye.{verb}"),
            });
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Whether capabilities allow something, implications counted.
pub fn allows(granted: &[&str], required: &str) -> bool {
    expand(granted).iter().any(|one| matches(one, required))
}

/// Tools that every thread may use.
const ALWAYS: &str = "rye/agent/threads/internal/";

/// Whether a thread with these capabilities may do `verb` with an item: patterns in which `*` takes any text, nothing
/// implied. Slashes in a capability count as dots.
pub fn permits(granted: &[&str], verb: &str, item_type: &str, id: &str) -> bool {
    if id.starts_with(ALWAYS) {
        return true;
    }
    let required = of_item(verb, item_type, id);
    granted
        .iter()
        .any(|pattern| fits(&pattern.replace('/', "."), &required))
}

/// Whether a tool's requirement (`fs.write`, or a capability) is covered by what is granted: equal, or below a granted
/// `word.*`; `*` grants all. A word alone (`fs`) grants nothing below it.
pub fn covers(granted: &[&str], requirement: &str) -> bool {
    if requirement.starts_with("rye.") {
        return allows(granted, requirement);
    }
    granted
        .iter()
        .any(|grant| *grant == "*" || matches(grant, requirement))
}

/// The capability to execute a tool.
pub fn to_execute(id: &ItemId) -> String {
    of_item("execute", "tool", id.as_str())
}

/// `*` takes any run of characters, `?` one. Linear but for going back to the last `*`.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    t = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
