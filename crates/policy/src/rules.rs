//! The rules, all of them, and how they are applied.

use toolglot::End;

use crate::{Decision, Effect, Grants, Request, Verdict, is_guarded, is_secret};

/// One row of the table.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name.
    pub id: &'static str,
    /// What it decides where it applies.
    pub decision: Decision,
    /// When it applies: then it says why.
    applies: fn(&Request<'_>, &Grants) -> Option<String>,
}

/// The rules. Of those that apply the strictest decides, of equally strict ones the first.
pub static RULES: &[Rule] = &[
    Rule {
        id: "truncated-never-runs",
        decision: Decision::Deny,
        applies: truncated,
    },
    Rule {
        id: "unknown-tool",
        decision: Decision::Deny,
        applies: unknown_tool,
    },
    Rule {
        id: "path-outside-root",
        decision: Decision::Deny,
        applies: path_outside_root,
    },
    Rule {
        id: "path-unusable",
        decision: Decision::Deny,
        applies: path_unusable,
    },
    Rule {
        id: "secret-path",
        decision: Decision::Deny,
        applies: secret_path,
    },
    Rule {
        id: "guarded-path",
        decision: Decision::Deny,
        applies: guarded_path,
    },
    Rule {
        id: "commands-need-a-sandbox",
        decision: Decision::Deny,
        applies: command,
    },
    Rule {
        id: "read-not-granted",
        decision: Decision::Deny,
        applies: ungranted_read,
    },
    Rule {
        id: "write-needs-grant",
        decision: Decision::Ask,
        applies: ungranted_write,
    },
    Rule {
        id: "recovered-needs-grant",
        decision: Decision::Ask,
        applies: ungranted_recovered,
    },
    Rule {
        id: "repeated-write",
        decision: Decision::Ask,
        applies: repeated_write,
    },
    Rule {
        id: "read-inside-root",
        decision: Decision::Allow,
        applies: read,
    },
    Rule {
        id: "write-granted",
        decision: Decision::Allow,
        applies: granted_write,
    },
    Rule {
        id: "asks-the-user",
        decision: Decision::Allow,
        applies: ask,
    },
];

/// Judges a request: the strictest rule that applies decides, and without one the answer is no.
pub fn judge(request: &Request<'_>, grants: &Grants) -> Verdict {
    let mut strictest: Option<Verdict> = None;
    for rule in RULES {
        if strictest
            .as_ref()
            .is_some_and(|verdict| verdict.decision >= rule.decision)
        {
            continue;
        }
        if let Some(because) = (rule.applies)(request, grants) {
            strictest = Some(Verdict {
                decision: rule.decision,
                rule: rule.id,
                because,
            });
        }
    }
    strictest.unwrap_or_else(|| Verdict {
        decision: Decision::Deny,
        rule: "nothing-allows-it",
        because: format!("no rule allows `{}`", request.tool),
    })
}

fn truncated(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.end == End::Truncated).then(|| {
        format!(
            "the call of `{}` is cut off, and half a call is never run: write it again, whole",
            request.tool
        )
    })
}

fn unknown_tool(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.effect == Effect::Unknown).then(|| {
        format!(
            "nothing is known of a tool `{}`, so it is not run",
            request.tool
        )
    })
}

fn path_outside_root(request: &Request<'_>, _: &Grants) -> Option<String> {
    escape(request, true)
}

fn path_unusable(request: &Request<'_>, _: &Grants) -> Option<String> {
    escape(request, false)
}

fn escape(request: &Request<'_>, outside: bool) -> Option<String> {
    request.paths.iter().find_map(|fact| {
        let escape = fact
            .found
            .as_ref()
            .err()
            .filter(|escape| escape.is_outside() == outside)?;
        Some(format!("path {:?}: {escape}", fact.written))
    })
}

fn secret_path(request: &Request<'_>, _: &Grants) -> Option<String> {
    let fact = request
        .paths
        .iter()
        .find(|fact| fact.inside().is_some_and(is_secret))?;
    Some(format!(
        "path {:?} leads to what usually holds secrets, which no tool reads or writes",
        fact.written
    ))
}

fn guarded_path(request: &Request<'_>, _: &Grants) -> Option<String> {
    if !acts(request.effect) {
        return None;
    }
    let fact = request
        .paths
        .iter()
        .find(|fact| fact.inside().is_some_and(is_guarded))?;
    Some(format!(
        "path {:?} leads to what other programs obey, such as git or an editor: it may be read, not written",
        fact.written
    ))
}

fn command(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.effect == Effect::Execute).then(|| {
        format!(
            "`{}` starts a program, and there is no sandbox to start it in yet",
            request.tool
        )
    })
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
    (request.end == End::Recovered && acts(request.effect) && !grants.recovered).then(|| {
        format!(
            "the text of this call had to be completed, and `{}` does more than read, which needs the grant `recovered`",
            request.tool
        )
    })
}

fn repeated_write(request: &Request<'_>, _: &Grants) -> Option<String> {
    (request.is_repeat && acts(request.effect)).then(|| {
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

/// Whether the effect changes anything. `Ask` does not: it leaves an item for the user.
fn acts(effect: Effect) -> bool {
    match effect {
        Effect::Read | Effect::Ask => false,
        Effect::Write | Effect::Execute | Effect::Unknown => true,
    }
}
