//! Calls of a server's tools.

use std::time::{Duration, Instant};

use toolglot_mcp::client::{ServerEvent, Terms, Trouble};
use toolglot_mcp::pin::{digest, digest_of_all};
use toolglot_policy::Level;
use toolglot_sandbox::Inspection;
use toolglot_tool_registry::ToolSource;
use toolglot_tool_trust::{TrustError, approved_as, server_name};
use toolglot_value::{Map, Value};

use super::definition::{Definition, definition, transport};
use super::open::open;
use super::result;
use super::session_error::{SessionError, login_help};
use crate::answer::Answer;
use crate::failure::CallError;
use crate::resolve::Chain;
use crate::runner::ToolRunner;
use crate::sessions::Session;
use crate::sizes;
use crate::watch::{Progress, Watch};

/// Calls the tool once.
pub(crate) fn attempt(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
    time: Duration,
) -> Result<Answer, CallError> {
    let (found, tool) = chain.tool();
    let id = found.id.to_string();
    let bad = |why: &str| CallError::Config {
        id: id.clone(),
        why: why.to_owned(),
    };
    let text = |key: &str| {
        let config = tool.metadata.config.as_ref();
        config.and_then(|config| config.get(key)?.as_str())
    };
    let server = text("server").ok_or_else(|| bad("`config.server` is missing"))?;
    let name = text("tool_name").ok_or_else(|| bad("`config.tool_name` is missing"))?;
    let short = server_name(server);
    runner
        .server_rules
        .call(short, name)
        .map_err(|why| CallError::ServerRuled {
            id: id.clone(),
            why,
        })?;
    let definition = definition(runner, found.space, server)?;
    // A tool without a time limit has its server's.
    let time = match (tool.metadata.timeout, definition.time) {
        (None, Some(of_server)) => runner.sandbox.settings.tool_time(None, of_server),
        _ => time,
    };
    let progress = |said: ServerEvent| tell(&runner.watch, said);
    let terms = Terms {
        until: Instant::now() + time,
        stop: &|| runner.watch.is_cancelled(),
        tell: Some(&progress),
    };
    let inspection = inspection(runner, &definition)?;
    let called = called(runner, (found, name), &definition, params, &terms);
    let remarks = inspection.map_or_else(String::new, |look| look.text(&[]));
    let answer = answered(called, id, short);
    if remarks.is_empty() {
        return answer;
    }
    let mut answer = answer.map_err(|error| CallError::Remarked {
        source: Box::new(error),
        remarks: remarks.clone(),
    })?;
    // `stderr` is also the place for the remarks of other programs' inspections.
    let value = &mut answer.returned.value;
    value.insert("stderr".to_owned(), Value::String(remarks));
    Ok(answer)
}

/// The inspection after a call for new names that other programs obey, if the server is a local program that may write.
/// A server runs between calls, and its files from then are not distinguished from the user's.
fn inspection(
    runner: &ToolRunner,
    definition: &Definition,
) -> Result<Option<Inspection>, CallError> {
    let has_mounts = runner.sandbox.settings.decided.level == Level::Namespaces;
    let is_started = transport(&definition.settings) == "stdio";
    if !(has_mounts && is_started && runner.grants("fs.write")) {
        return Ok(None);
    }
    let id = definition.found.id.to_string();
    let inspection = runner.sandbox.inspection(&runner.project, &id);
    inspection.map_err(|source| CallError::NotKept { id, source })
}

/// Converts the result of a session's call.
fn answered(
    called: Result<Answer, SessionError>,
    id: String,
    short: &str,
) -> Result<Answer, CallError> {
    match called {
        Ok(answer) => Ok(answer),
        Err(SessionError::Refused(error)) => Err(error),
        Err(SessionError::Trouble(trouble)) => of_trouble(id, short, trouble),
    }
}

fn called(
    runner: &ToolRunner,
    (found, name): (&ToolSource, &str),
    definition: &Definition,
    params: &Map<String, Value>,
    terms: &Terms<'_>,
) -> Result<Answer, SessionError> {
    let mut may_renew = true;
    loop {
        let mut session = open(runner, definition, terms)?;
        let done =
            checked(runner, (found, name), definition, &mut session, terms).and_then(|tool| {
                let result = session.client.call(name, params, terms)?;
                let most = sizes::answer(runner);
                Ok(result::answer(&result, tool.get("outputSchema"), most))
            });
        match done {
            // The protocol requires a new session; the server did not execute the call in the expired one.
            Err(SessionError::Trouble(Trouble::Expired)) if may_renew => may_renew = false,
            // A session with an error is not used again.
            Err(SessionError::Trouble(trouble @ Trouble::Gone(_))) => {
                runner.servers.has_died(&session.key);
                return Err(trouble.into());
            }
            Err(failed) => return Err(failed),
            Ok(answer) => {
                runner.servers.give_back(session);
                return Ok(answer);
            }
        }
    }
}

/// The server's tool of that name, if it equals the approved one.
fn checked(
    runner: &ToolRunner,
    (found, name): (&ToolSource, &str),
    definition: &Definition,
    session: &mut Session,
    terms: &Terms<'_>,
) -> Result<Value, SessionError> {
    session.refresh(terms)?;
    let changed = || {
        SessionError::Refused(CallError::ServerChanged {
            id: found.id.to_string(),
            server: approved_as(definition.found.id.as_str()).to_owned(),
        })
    };
    let short = server_name(definition.found.id.as_str());
    let pin = runner.server_rules.pin(short);
    if !pin.digests.is_empty() {
        let digest = digest_of_all(&session.tools);
        if pin.digests.iter().any(|wanted| *wanted != digest) {
            return Err(changed());
        }
    }
    let tool = session.tools.iter().find(|tool| tool["name"] == name);
    let Some(tool) = tool else {
        let known: Vec<&str> = session
            .tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        return Err(SessionError::Trouble(Trouble::Odd(format!(
            "has no tool `{name}`; it has {}",
            known.join(", ")
        ))));
    };
    let digest = digest(tool);
    let approved = runner
        .trust
        .read()
        .approved(definition.found.id.as_str(), definition.found.space);
    let approved = approved.and_then(|approved| {
        let said = approved.tools.iter().find(|said| said["name"] == name)?;
        said["digest"].as_str().map(str::to_owned)
    });
    let pinned = approved.or_else(|| runner.trust.read().pinned(found).map(str::to_owned));
    match pinned {
        Some(pinned) if pinned == digest => {}
        Some(_) => return Err(changed()),
        None if pin.is_approved => {
            return Err(SessionError::Refused(CallError::NotPinned {
                id: found.id.to_string(),
                server: approved_as(definition.found.id.as_str()).to_owned(),
            }));
        }
        None => {
            let mut trust = runner.trust.write();
            trust
                .pin_server(found, &digest)
                .map_err(|error| match error {
                    // A parallel call pinned the tool first.
                    TrustError::PinnedOtherwise { .. } => changed(),
                    error => SessionError::Refused(CallError::Config {
                        id: found.id.to_string(),
                        why: error.to_string(),
                    }),
                })?;
        }
    }
    Ok(tool.clone())
}

/// Converts a server's failure to the caller's result.
fn of_trouble(id: String, server: &str, trouble: Trouble) -> Result<Answer, CallError> {
    match trouble {
        Trouble::Gone(_) | Trouble::Expired | Trouble::Late { .. } => {
            Ok(result::failed(&trouble.to_string(), true))
        }
        Trouble::Barred(why) => Err(CallError::Config { id, why }),
        Trouble::Unauthorized(_) | Trouble::NoToken(_) => Err(CallError::Config {
            id,
            why: format!("{trouble}{}", login_help(server, &trouble)),
        }),
        Trouble::Stopped => Err(CallError::Stopped { id }),
        _ => Ok(result::failed(&trouble.to_string(), false)),
    }
}

/// Forwards a server's event to the caller.
fn tell(watch: &Watch, event: ServerEvent) {
    watch.tell(match event {
        ServerEvent::Progress {
            progress,
            total,
            message,
        } => Progress::At {
            done: progress,
            total,
            message,
        },
        ServerEvent::Log {
            level,
            logger,
            data,
        } => Progress::Log {
            level,
            logger,
            data,
        },
    });
}
