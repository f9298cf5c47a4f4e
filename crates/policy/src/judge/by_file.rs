//! The decisions of a policy file about a call: each of its rules is applied to each thing that the call does.

use std::path::Path;

use super::{DEFAULT, Layer, Reason};
use crate::file::{Asked, Item, Rule as FileRule};
use crate::rules::{boundary, covers};
use crate::{Decision, Effect, Grants, PathFact, Policy, Reach, Request, Verdict};

/// The rule name for a text that does not show what it runs.
const DOUBT: &str = "command-in-doubt";

/// Adds the reasons of a layer's policy file.
pub(super) fn by_file(
    policy: &Policy,
    layer: Layer,
    request: &Request<'_>,
    grants: &Grants,
    reasons: &mut Vec<Reason>,
) {
    let whole = |rule: &'static str, because: String| Reason {
        layer,
        verdict: Verdict {
            decision: Decision::Deny,
            rule: rule.into(),
            because,
        },
        item: None,
        is_granted: false,
    };
    if let Some(error) = &policy.broken {
        reasons.push(whole(
            "policy-broken",
            format!(
                "the {}'s policy file cannot be used, so nothing is run: {}; `toolglot policy check` shows the place",
                layer.word(),
                error.told()
            ),
        ));
        return;
    }
    if let Some(most) = policy
        .limits
        .calls_per_message
        .filter(|most| request.n_before >= *most)
    {
        reasons.push(whole(
            "too-many-calls",
            format!("the policy runs {most} calls of a message, and this is one more"),
        ));
    }
    if let Some(most) = policy
        .limits
        .cost_per_call
        .filter(|most| request.cost > *most)
    {
        reasons.push(whole(
            "too-expensive",
            format!(
                "`{}` costs {}, and the policy allows {most}",
                request.tool, request.cost
            ),
        ));
    }
    let insides = || {
        request
            .paths
            .iter()
            .filter_map(|fact| Some((&fact.written, fact.found.as_ref().ok()?)))
    };
    let named = || {
        let places = request.command.map_or(&[][..], |command| &command.places);
        places
            .iter()
            .filter_map(|fact| Some((&fact.written, fact.found.as_ref().ok()?)))
    };
    if let Some((written, _)) =
        insides().find(|(_, inside)| policy.paths.no_dotdot && inside.climbs)
    {
        reasons.push(whole(
            "no-dotdot",
            format!("path {written:?} holds `..`, which the policy refuses: write it without"),
        ));
    }
    if let Some((written, _)) = insides()
        .chain(named())
        .find(|(_, inside)| policy.paths.deny_hardlinks && inside.is_shared)
    {
        let because = format!(
            "path {written:?} is a file with more than one name, and another may be outside of the root"
        );
        reasons.push(whole("hard-link", because));
    }
    let has_more_places = request
        .command
        .is_some_and(|command| command.has_more_places);
    if has_more_places && (policy.paths.deny_hardlinks || !policy.forbidden_words.is_empty()) {
        reasons.push(whole("more-words", MORE_WORDS.to_owned()));
    }
    if let Some(command) = request
        .command
        .filter(|_| !policy.forbidden_words.is_empty())
    {
        let places: Vec<String> = command.everywhere().collect();
        for forbidden in &policy.forbidden_words {
            let top = command.absolute(forbidden);
            if let Some(place) = places.iter().find(|place| may_be_in(place, &top)) {
                reasons.push(whole(
                    "forbidden-place",
                    format!(
                        "`{}` is in `{forbidden}`, which the policy forbids",
                        crate::command::shown(place)
                    ),
                ));
            }
        }
    }
    if policy.is_bounded
        && let Some((rule, because)) = boundary(request, grants)
    {
        reasons.push(whole(rule, because));
    }
    by_doubt(policy, layer, request, grants, reasons);
    for item in items(request) {
        by_rules(policy, layer, request, grants, &item, reasons);
    }
    if let Some(because) = beyond_network(policy, layer, request) {
        reasons.push(whole("network-none", because));
    }
    by_more(policy, layer, request, grants, reasons);
    by_below(policy, layer, request, grants, reasons);
    by_words(policy, layer, request, reasons);
}

/// Why a request is denied where the file has `network = "none"`. Such a request is not a program in a sandbox, but
/// needs a rule that names its host.
fn beyond_network(policy: &Policy, layer: Layer, request: &Request<'_>) -> Option<String> {
    let Some(Ok(host)) = request.host else {
        return None;
    };
    let call = Asked {
        names: request.names,
        ..Asked::new(request.tool, request.effect.capability())
    };
    let item = Item::Host(host.clone());
    let mut rules = policy.rules.iter();
    let is_closed = policy.sandbox.network == Some(Reach::None);
    let mut is_named = || rules.any(|rule| rule.has_hosts() && rule.fits(call, &item));
    (is_closed && !is_named()).then(|| {
        format!(
            "the {}'s policy has `network = \"none\"`, and none of its rules names the host `{}` in `hosts`",
            layer.word(),
            host.name
        )
    })
}

/// The items of a call: what it does, one by one.
fn items(request: &Request<'_>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for fact in request.paths {
        if let Some(path) = fact.inside() {
            items.push(place(path));
        }
    }
    if let Some(command) = request.command {
        // The floor rules check the places where a command runs and that it names; the items are what it runs.
        items.clear();
        if command.only_shell_state().is_none() {
            if command.line.is_err() {
                items.push(Item::Shell(command.text.clone()));
            }
            for words in command.all_commands() {
                if words.first() != Some(&"cd") || command.line.is_err() {
                    items.push(Item::Command(
                        words.into_iter().map(str::to_owned).collect(),
                    ));
                }
            }
            if items.is_empty() {
                items.push(Item::Nothing);
            }
        }
        return items;
    }
    if let Some(Ok(host)) = request.host {
        items.push(Item::Host(host.clone()));
    }
    items.extend(request.capabilities.iter().cloned().map(Item::Capability));
    if items.is_empty() {
        items.push(Item::Nothing);
    }
    items
}

/// Further effects of a tool on the path at `index`, besides its main effect. An edit that does not match reports what
/// is there. A moved file is gone at its old place and can be read at the new one.
fn more(tool: &str, index: usize) -> &'static [Effect] {
    match (tool, index) {
        ("edit_file", 0) => &[Effect::Read],
        ("move_file", 0) => &[Effect::Read, Effect::Delete],
        _ => &[],
    }
}

/// Applies rules that deny or ask to the further effects of a tool. Moving removes nothing from the root: only a rule
/// that names places can stop it.
fn by_more(
    policy: &Policy,
    layer: Layer,
    request: &Request<'_>,
    grants: &Grants,
    reasons: &mut Vec<Reason>,
) {
    for (index, fact) in request.paths.iter().enumerate() {
        let Some(path) = fact.inside() else { continue };
        for &effect in more(request.tool, index) {
            let request = Request {
                effect,
                ..request.clone()
            };
            let mut own = Vec::new();
            by_rules(policy, layer, &request, grants, &place(path), &mut own);
            own.retain(|reason| {
                let rule = policy
                    .rules
                    .iter()
                    .find(|rule| rule.id == reason.verdict.rule);
                let counts = |rule: &FileRule| effect == Effect::Read || rule.has_places();
                reason.verdict.decision != Decision::Allow && rule.is_some_and(counts)
            });
            reasons.append(&mut own);
        }
    }
}

/// Applies rules that deny or ask to what is moved with a directory: each new path counts as a write.
fn by_below(
    policy: &Policy,
    layer: Layer,
    request: &Request<'_>,
    grants: &Grants,
    reasons: &mut Vec<Reason>,
) {
    let mut strictest = Decision::Allow;
    for path in request.below.iter().filter_map(PathFact::inside) {
        let mut own = Vec::new();
        by_rules(policy, layer, request, grants, &place(path), &mut own);
        for reason in own {
            // There may be very many paths: a reason that is not stricter than a reported one adds nothing.
            if reason.verdict.decision > strictest {
                strictest = reason.verdict.decision;
                reasons.push(reason);
            }
        }
        if strictest == Decision::Deny {
            return;
        }
    }
}

/// A path as an item for rules.
fn place(path: &Path) -> Item {
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
    Item::Path(names.join("/"))
}

/// Whether an absolute path may be in a directory, as far as the path is known.
fn may_be_in(place: &str, top: &str) -> bool {
    // `/proc/PID/root` is the whole file system too.
    let place = match place
        .strip_prefix("/proc/")
        .and_then(|rest| rest.split_once("/root/"))
    {
        Some((process, rest)) if !process.contains('/') => &place[place.len() - rest.len() - 1..],
        _ => place,
    };
    match place.split_once(crate::command::UNKNOWN) {
        Some((known, _)) if known.starts_with('/') => {
            top.starts_with(known) || Path::new(known).starts_with(top)
        }
        _ => Path::new(place).starts_with(top),
    }
}

/// Applies the strictest rule that denies commands or asks about them to a text that does not show what it runs. Such a
/// text may run a denied command.
fn by_doubt(
    policy: &Policy,
    layer: Layer,
    request: &Request<'_>,
    grants: &Grants,
    reasons: &mut Vec<Reason>,
) {
    let Some((command, why)) = request
        .command
        .and_then(|command| Some((command, command.survey.doubts.first()?)))
    else {
        return;
    };
    if command.only_shell_state().is_some() {
        return;
    }
    let rules = policy.rules.iter();
    let Some(rule) = rules
        .filter(|rule| rule.is_about_commands(request.tool))
        .max_by_key(|rule| rule.decision)
    else {
        return;
    };
    let item = Item::Shell(command.text.clone());
    let is_granted =
        rule.decision == Decision::Ask && covers(grants, request.effect, request.tool, &item);
    let verdict = Verdict {
        decision: if is_granted {
            Decision::Allow
        } else {
            rule.decision
        },
        rule: DOUBT.into(),
        because: format!(
            "cannot determine what runs: {why}; rule `{}` of the {}'s policy may match it: write the command in literal words",
            rule.id,
            layer.word()
        ),
    };
    reasons.push(Reason {
        layer,
        verdict,
        item: Some(item),
        is_granted,
    });
}

/// Why a command is denied that has too many words for rules about places.
const MORE_WORDS: &str =
    "the command has more words than are looked up as paths: split it into several commands";

/// Applies rules that deny to the places that a command names, and to the place where it runs. Whether the command
/// reads or writes a place is unknown, so a rule against reading applies. The sandbox protects places that only must
/// not change.
fn by_words(policy: &Policy, layer: Layer, request: &Request<'_>, reasons: &mut Vec<Reason>) {
    let Some(command) = request.command else {
        return;
    };
    for rule in &policy.rules {
        if rule.decision != Decision::Deny || !rule.has_places() {
            continue;
        }
        let places = command.places.iter().chain(request.paths);
        let found = places
            .filter_map(|fact| Some((&fact.written, fact.inside()?)))
            .find_map(|(written, path)| {
                let item = Item::Path(path.to_string_lossy().into_owned());
                ["read", "exec", "shell"]
                    .into_iter()
                    .any(|capability| {
                        let call = Asked {
                            names: request.names,
                            ..Asked::new(request.tool, capability)
                        };
                        rule.fits(call, &item)
                    })
                    .then_some((written, item))
            });
        if found.is_none() && command.has_more_places {
            reasons.push(Reason {
                layer,
                verdict: Verdict {
                    decision: Decision::Deny,
                    rule: rule.id.clone().into(),
                    because: format!(
                        "{MORE_WORDS}, and rule `{}` of the {}'s policy refuses some places",
                        rule.id,
                        layer.word()
                    ),
                },
                item: None,
                is_granted: false,
            });
        }
        if let Some((written, item)) = found {
            let because = rule.because.clone().unwrap_or_else(|| {
                format!(
                    "the command names {written:?}, which rule `{}` of the {}'s policy refuses",
                    rule.id,
                    layer.word()
                )
            });
            reasons.push(Reason {
                layer,
                verdict: Verdict {
                    decision: Decision::Deny,
                    rule: rule.id.clone().into(),
                    because,
                },
                item: Some(item),
                is_granted: false,
            });
        }
    }
}

fn by_rules(
    policy: &Policy,
    layer: Layer,
    request: &Request<'_>,
    grants: &Grants,
    item: &Item,
    reasons: &mut Vec<Reason>,
) {
    let call = Asked {
        tool: request.tool,
        names: request.names,
        capability: request.effect.capability(),
        command: request.command,
    };
    let mut push = |decision: Decision, rule: String, because: String| {
        // Reading is granted by default: this is not the user's answer to a rule that asks about reading.
        let is_asked_anyway = rule != DEFAULT && is_reading(request.effect, item);
        let is_granted = decision == Decision::Ask
            && !is_asked_anyway
            && covers(grants, request.effect, request.tool, item);
        let decision = if is_granted {
            Decision::Allow
        } else {
            decision
        };
        let verdict = Verdict {
            decision,
            rule: rule.into(),
            because,
        };
        reasons.push(Reason {
            layer,
            verdict,
            item: Some(item.clone()),
            is_granted,
        });
    };
    let fitting: Vec<&FileRule> = policy
        .rules
        .iter()
        .filter(|rule| rule.fits(call, item))
        .collect();
    // The default must not override a rule that allows the same item.
    for rule in &fitting {
        let because = rule.because.clone().unwrap_or_else(|| {
            format!(
                "rule `{}` of the {}'s policy says {} about {}",
                rule.id,
                layer.word(),
                rule.decision.word(),
                told(item, request.tool)
            )
        });
        push(rule.decision, rule.id.clone(), because);
    }
    if !fitting.is_empty() {
        return;
    }
    if request.effect == Effect::Ask {
        push(
            Decision::Allow,
            "asks-the-user".to_owned(),
            format!("`{}` does nothing but wait for the user", request.tool),
        );
        return;
    }
    let decision = match item {
        // The commands found in a shell text are items so that rules can deny them; the shell itself needs an allow.
        Item::Command(_)
            if request.command.is_some_and(|command| command.line.is_err())
                && policy.default == Decision::Deny =>
        {
            return;
        }
        _ => policy.default,
    };
    if layer == Layer::Project && decision == Decision::Allow {
        return;
    }
    let because = format!(
        "no rule of the {}'s policy is about {}",
        layer.word(),
        told(item, request.tool)
    );
    push(decision, DEFAULT.to_owned(), because);
}

/// Whether an item only reads.
fn is_reading(effect: Effect, item: &Item) -> bool {
    match item {
        Item::Path(_) | Item::Nothing => effect == Effect::Read,
        Item::Capability(name) => matches!(name.as_str(), "read" | "fs.read"),
        _ => false,
    }
}

/// An item in words, for a reason.
fn told(item: &Item, tool: &str) -> String {
    match item {
        Item::Path(path) if path.is_empty() => format!("`{tool}` at the root"),
        Item::Path(path) => format!("`{tool}` at `{path}`"),
        Item::Command(words) => {
            let line = crate::command::shown(&words.join(" "));
            let short: String = line.chars().take(80).collect();
            format!("the command `{short}`")
        }
        Item::Shell(_) => "text that needs a shell".to_owned(),
        Item::Host(host) => format!("the host `{}`, port {}", host.name, host.port),
        Item::Capability(name) => format!("the capability `{name}`"),
        Item::Nothing => format!("`{tool}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_said_with_its_tool() {
        for (item, expected) in [
            (Item::Path(String::new()), "`t` at the root"),
            (Item::Path("a/b".into()), "`t` at `a/b`"),
            (
                Item::Command(vec!["git".into(), "log".into()]),
                "the command `git log`",
            ),
            (Item::Shell("$x".into()), "text that needs a shell"),
            (
                Item::Capability("fs.read".into()),
                "the capability `fs.read`",
            ),
            (Item::Nothing, "`t`"),
        ] {
            assert_eq!(told(&item, "t"), expected);
        }
    }
}
