//! Capabilities: dotted names of the rights that a caller has.
//!
//! `rye.execute.tool.rye.bash.bash` is the verb `execute`, the item type `tool` and the id of that tool.
//! Rye checks capabilities in two ways, which disagree; both are here, and tests pin each.
//! [`allows`] is the check of its tokens: a right to execute implies the rights to search and load.
//! [`permits`] is the check of its threads: patterns alone, no implied rights, and nothing without a capability.

use crate::ItemId;

/// The verbs: what a caller may do with an item.
const VERBS: &[&str] = &["execute", "search", "load", "sign"];
/// The types of items.
const ITEMS: &[&str] = &["tool", "directive", "knowledge"];

/// A parsed capability.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capability {
    /// `execute`, `search`, `load`, `sign`, or `*`.
    pub primary: String,
    /// `tool`, `directive`, `knowledge`, or `*`.
    pub item_type: String,
    /// The rest: a dotted id, or `*`.
    pub specifics: String,
}

impl Capability {
    /// Parses `rye.VERB[.ITEM[.ID]]`. `None` for any other name: `fs.write` is a requirement of a tool, not a
    /// capability of Rye.
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

    /// Whether a part of it has a wildcard.
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

/// Whether one granted capability covers the required one: both are equal, or `granted` is `a.*` and `required` starts
/// with `a.`.
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

/// The granted capabilities and those that they imply, sorted. Execute implies search and load; sign implies load.
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

/// Whether the granted capabilities, or those that they imply, cover the required one.
pub fn allows(granted: &[&str], required: &str) -> bool {
    expand(granted).iter().any(|one| matches(one, required))
}

/// The start of the ids of tools that every thread may use.
const ALWAYS: &str = "rye/agent/threads/internal/";

/// Whether a thread with these capabilities may do `verb` with an item. In a pattern `*` matches any text, and no
/// capability implies another. Slashes in a capability count as dots.
pub fn permits(granted: &[&str], verb: &str, item_type: &str, id: &str) -> bool {
    if id.starts_with(ALWAYS) {
        return true;
    }
    let required = of_item(verb, item_type, id);
    granted
        .iter()
        .any(|pattern| fits(&pattern.replace('/', "."), &required))
}

/// Whether the granted capabilities cover a tool's requirement (`fs.write`, or a capability). An equal name covers it,
/// and so does `word.*` above it; `*` covers all. A name alone (`fs`) covers nothing below it.
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

/// Matches a glob: `*` is any run of characters, `?` is one. Linear, except for backtracking to the last `*`.
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
