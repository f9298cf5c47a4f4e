//! The builtin rules: those that apply without a policy file, and those that apply with one too.

use toolglot_engine::End;

use crate::letters::{is_hidden, is_joiner, is_presentation};
use crate::names::{is_secret_word, obeyed_by};
use crate::{CommandFact, Decision, Effect, Grants, Item, Request, is_secret};

/// One row of the table of rules.
#[derive(Debug)]
pub struct Rule {
    /// The stable name of the rule.
    pub id: &'static str,
    /// The decision where the rule applies.
    pub decision: Decision,
    /// Whether the rule applies whatever a policy file says.
    pub is_floor: bool,
    /// The reason of the decision, if the rule applies to the request.
    pub(crate) applies: fn(&Request<'_>, &Grants) -> Option<String>,
}

/// A rule that applies whatever a policy file says.
const fn floor(
    id: &'static str,
    decision: Decision,
    applies: fn(&Request<'_>, &Grants) -> Option<String>,
) -> Rule {
    Rule {
        id,
        decision,
        is_floor: true,
        applies,
    }
}

/// A rule that the user's policy file replaces.
const fn usual(
    id: &'static str,
    decision: Decision,
    applies: fn(&Request<'_>, &Grants) -> Option<String>,
) -> Rule {
    Rule {
        id,
        decision,
        is_floor: false,
        applies,
    }
}

/// The name of the rule about words of commands that lead out of the root.
const AXE_BOUNDARY: &str = "axe-boundary";

/// The rules. The strictest rule that applies decides; among equally strict rules, the first.
pub static RULES: &[Rule] = &[
    floor("truncated-never-runs", Decision::Deny, truncated),
    floor("unknown-tool", Decision::Deny, unknown_tool),
    floor("path-outside-root", Decision::Deny, path_outside_root),
    floor("path-unusable", Decision::Deny, path_unusable),
    floor("path-deceives", Decision::Deny, deceiving_path),
    floor("secret-path", Decision::Deny, secret_path),
    floor("guarded-path", Decision::Deny, guarded_path),
    floor("command-deceives", Decision::Deny, deceiving_command),
    floor("url-unusable", Decision::Deny, unusable_url),
    floor("recovered-needs-grant", Decision::Ask, ungranted_recovered),
    floor("repeated-write", Decision::Ask, repeated_write),
    usual(AXE_BOUNDARY, Decision::Deny, bounded_command),
    usual("read-not-granted", Decision::Deny, ungranted_read),
    usual("write-needs-grant", Decision::Ask, ungranted_write),
    usual("delete-needs-grant", Decision::Ask, ungranted_delete),
    usual("command-needs-grant", Decision::Ask, ungranted_command),
    usual("shell-needs-grant", Decision::Ask, ungranted_shell),
    usual("network-needs-grant", Decision::Ask, ungranted_network),
    usual(
        "capability-needs-grant",
        Decision::Ask,
        ungranted_capability,
    ),
    usual("read-inside-root", Decision::Allow, read),
    usual("write-granted", Decision::Allow, granted_write),
    usual("delete-granted", Decision::Allow, granted_delete),
    usual("command-granted", Decision::Allow, granted_command),
    usual("network-granted", Decision::Allow, granted_network),
    usual("asks-the-user", Decision::Allow, ask),
];

fn truncated(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.end == End::Truncated).then(|| {
        format!(
            "the call of `{}` is cut off, and half a call is never run: write it again, whole",
            request.tool
        )
    })
}

fn unknown_tool(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.effect == Effect::Unknown)
        .then(|| format!("unknown tool `{}`, so it is not run", request.tool))
}

fn path_outside_root(request: &Request<'_>, _: &Grants) -> Option<String> {
    escape(request, true)
}

fn path_unusable(request: &Request<'_>, _: &Grants) -> Option<String> {
    escape(request, false)
}

fn escape(request: &Request<'_>, outside: bool) -> Option<String> {
    request.paths.iter().chain(request.below).find_map(|fact| {
        let escape = fact
            .found
            .as_ref()
            .err()
            .filter(|escape| escape.is_outside() == outside)?;
        Some(format!("path {:?}: {escape}", fact.written))
    })
}

fn deceiving_path(request: &Request<'_>, _: &Grants) -> Option<String> {
    if !request.effect.acts() {
        return None;
    }
    let (fact, at) = request.paths.iter().find_map(|fact| {
        let mut letters = fact.written.char_indices();
        Some((fact, letters.find(|(_, c)| hides_in_a_name(*c))?.0))
    })?;
    Some(format!(
        "path {:?} holds a character at byte {at} that a terminal obeys or that reverses what is read: write plain letters",
        fact.written
    ))
}

/// Whether a character makes a name look like another one, or controls a terminal.
fn hides_in_a_name(c: char) -> bool {
    is_hidden(c) && !is_joiner(c) && !is_presentation(c) && !is_blank(c)
}

/// Whether a character is a blank that people write into names, such as the one before `AM` in names of screenshots.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{202f}' | '\u{3000}')
}

fn secret_path(request: &Request<'_>, _: &Grants) -> Option<String> {
    let places = request.command.map_or(&[][..], |command| &command.places);
    let fact = request
        .paths
        .iter()
        .chain(request.below)
        .chain(places)
        .find(|fact| fact.inside().is_some_and(is_secret));
    let words = request.command.map(CommandFact::words).unwrap_or_default();
    let word = words.into_iter().find(|word| is_secret_word(word));
    if let Some(written) = fact.map(|fact| fact.written.as_str()).or(word) {
        return Some(format!(
            "path {written:?} leads to what usually holds secrets, which no tool reads or writes"
        ));
    }
    let has_more = request.command?.has_more_places;
    has_more.then(|| {
        "the command has more words and directories than are looked up, and one may lead to what usually holds secrets: \
         write several commands"
            .to_owned()
    })
}

fn guarded_path(request: &Request<'_>, _: &Grants) -> Option<String> {
    if !request.effect.acts() {
        return None;
    }
    let (written, reader) = request
        .paths
        .iter()
        .chain(request.below)
        .find_map(|fact| Some((&fact.written, obeyed_by(fact.inside()?)?)))?;
    Some(format!(
        "path {written:?} leads to what other programs obey ({reader}): it may be read, not written"
    ))
}

fn ungranted_read(request: &Request<'_>, grants: &Grants) -> Option<String> {
    (request.effect == Effect::Read && !grants.read)
        .then(|| format!("`{}` reads files, which is not granted", request.tool))
}

fn ungranted_write(request: &Request<'_>, grants: &Grants) -> Option<String> {
    (request.effect == Effect::Write && !grants.write).then(|| {
        format!(
            "`{}` changes files, which needs the grant `write`",
            request.tool
        )
    })
}

fn ungranted_recovered(request: &Request<'_>, grants: &Grants) -> Option<String> {
    (request.end == End::Recovered && request.effect.acts() && !grants.recovered).then(|| {
        format!(
            "this call was completed, or is in reasoning or in a fence after other text; `{}` does more than read and needs the grant `recovered`",
            request.tool
        )
    })
}

fn repeated_write(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.is_repeat && request.effect.acts()).then(|| {
        format!(
            "an equal call of `{}` came before in this message, and this one would do it again",
            request.tool
        )
    })
}

fn read(request: &Request<'_>, grants: &Grants) -> Option<String> {
    (request.effect == Effect::Read && grants.read)
        .then(|| format!("`{}` only reads, inside the root", request.tool))
}

fn granted_write(request: &Request<'_>, grants: &Grants) -> Option<String> {
    (request.effect == Effect::Write && grants.write)
        .then(|| format!("`{}` writes, which is granted", request.tool))
}

fn ask(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.effect == Effect::Ask)
        .then(|| format!("`{}` does nothing but wait for the user", request.tool))
}

fn deceiving_command(request: &Request<'_>, _: &Grants) -> Option<String> {
    let error = request
        .command?
        .line
        .as_ref()
        .err()
        .filter(|error| error.is_hopeless)?;
    Some(format!(
        "the command holds {} at byte {}: write it in plain words",
        error.what, error.at
    ))
}

fn bounded_command(request: &Request<'_>, _: &Grants) -> Option<String> {
    request
        .command
        .filter(|_| request.is_bounded)?
        .beyond_boundary()
}

/// The rule of AXE's boundary that denies a request, and the reason.
pub(crate) fn boundary(request: &Request<'_>, grants: &Grants) -> Option<(&'static str, String)> {
    let request = Request {
        is_bounded: true,
        ..request.clone()
    };
    let row = RULES.iter().find(|rule| rule.id == AXE_BOUNDARY)?;
    Some((row.id, (row.applies)(&request, grants)?))
}

fn unusable_url(request: &Request<'_>, _: &Grants) -> Option<String> {
    request.host?.as_ref().err().map(ToString::to_string)
}

fn ungranted_delete(request: &Request<'_>, grants: &Grants) -> Option<String> {
    (request.effect == Effect::Delete && !grants.delete).then(|| {
        format!(
            "`{}` removes files, which needs the grant `delete`",
            request.tool
        )
    })
}

/// The first program of a command that is not granted; for a tool that is itself a program, the tool.
fn ungranted_program<'a>(request: &'a Request<'_>, grants: &Grants) -> Option<&'a str> {
    if request.effect != Effect::Execute {
        return None;
    }
    match request.command {
        None => (!grants.runs(request.tool)).then_some(request.tool),
        Some(command) => {
            if command.only_shell_state().is_some() {
                return None;
            }
            let commands = command.all_commands();
            let programs = commands.iter().filter_map(|words| words.first());
            programs
                .copied()
                .find(|program| *program != "cd" && !grants.runs(program))
        }
    }
}

fn ungranted_command(request: &Request<'_>, grants: &Grants) -> Option<String> {
    let program = ungranted_program(request, grants)?;
    let name = program.rsplit('/').next().unwrap_or(program);
    Some(format!(
        "`{}` runs `{program}`, which needs the grant `exec:{name}`",
        request.tool
    ))
}

fn ungranted_shell(request: &Request<'_>, grants: &Grants) -> Option<String> {
    let error = request.command?.line.as_ref().err()?;
    (!grants.shell && !error.is_hopeless)
        .then(|| format!("{error}, and a shell needs the grant `shell`: write literal words, joined by `&&`, `||`, `;` or `|`"))
}

fn ungranted_network(request: &Request<'_>, grants: &Grants) -> Option<String> {
    if request.effect != Effect::Network {
        return None;
    }
    let Some(host) = request.host else {
        return Some(format!(
            "`{}` sends a request without naming its host",
            request.tool
        ));
    };
    let host = host.as_ref().ok()?;
    (!grants.asks(host)).then(|| {
        format!(
            "`{}` sends a request to {}, which needs the grant `net:{}`",
            request.tool, host.name, host.name
        )
    })
}

fn ungranted_capability(request: &Request<'_>, grants: &Grants) -> Option<String> {
    let name = request.capabilities.iter().find(|name| !grants.has(name))?;
    Some(format!(
        "`{}` needs the capability `{name}`, which is not granted",
        request.tool
    ))
}

fn granted_delete(request: &Request<'_>, grants: &Grants) -> Option<String> {
    (request.effect == Effect::Delete && grants.delete)
        .then(|| format!("`{}` removes files, which is granted", request.tool))
}

fn granted_command(request: &Request<'_>, grants: &Grants) -> Option<String> {
    let is_granted = request.effect == Effect::Execute
        && ungranted_program(request, grants).is_none()
        && ungranted_shell(request, grants).is_none();
    is_granted.then(|| format!("`{}` runs what is granted", request.tool))
}

fn granted_network(request: &Request<'_>, grants: &Grants) -> Option<String> {
    let host = request.host?.as_ref().ok()?;
    grants
        .asks(host)
        .then(|| format!("requests to {} are granted", host.name))
}

/// Whether a grant covers one item of a request: such a grant answers the question of a policy file.
pub(crate) fn covers(grants: &Grants, effect: Effect, tool: &str, item: &Item) -> bool {
    match item {
        Item::Command(words) => words.first().is_some_and(|program| grants.runs(program)),
        Item::Shell(_) => grants.shell,
        Item::Host(host) => grants.asks(host),
        Item::Capability(name) => grants.has(name),
        Item::Path(_) | Item::Nothing => match effect {
            Effect::Read | Effect::Ask => grants.read,
            Effect::Write => grants.write,
            Effect::Delete => grants.delete,
            Effect::Execute => grants.runs(tool),
            Effect::Network | Effect::Unknown => false,
        },
    }
}
