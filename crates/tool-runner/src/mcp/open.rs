//! Opens a session with a server: an idle one, or a new one.

use std::fmt::Write;
use std::time::Duration;

use sha2::{Digest, Sha256};
use toolglot_mcp::client::{Client, Profile, Terms};
use toolglot_policy::Level;
use toolglot_value::Value;

use super::definition::{Definition, expanded, transport};
use super::session_error::SessionError;
use super::{program, web};
use crate::fingerprint::fingerprint;
use crate::protected_paths;
use crate::runner::ToolRunner;
use crate::sessions::Session;

/// The highest time limit of one request over HTTP.
const MOST_TIME: Duration = Duration::from_secs(3600);

/// Opens a session. A server that died is restarted after a pause that doubles each time.
pub(super) fn open(
    runner: &ToolRunner,
    definition: &Definition,
    terms: &Terms<'_>,
) -> Result<Session, SessionError> {
    let key = key(runner, definition)?;
    if let Some(session) = runner.servers.idle(&key) {
        return Ok(session);
    }
    runner.servers.pause(&key, terms)?;
    let wire = match transport(&definition.settings) {
        "stdio" => program::wire(runner, definition)?,
        _ => web::wire(runner, definition, MOST_TIME)?,
    };
    match Client::open(wire, Profile::default(), terms) {
        Ok(client) => Ok(Session::new(key, client)),
        Err(trouble) => {
            runner.servers.has_died(&key);
            Err(trouble.into())
        }
    }
}

/// The key of a session that calls share. It covers the definition, the rights, the values of its variables, and the
/// state of the sandbox's paths.
fn key(runner: &ToolRunner, definition: &Definition) -> Result<String, SessionError> {
    let settings = expanded(runner, definition).map_err(SessionError::Refused)?;
    let rights = (
        &runner.sandbox.settings,
        runner.grants("net.http"),
        runner.grants("fs.write"),
    );
    let has_mounts = runner.sandbox.settings.decided.level == Level::Namespaces;
    let stamps = if has_mounts && transport(&definition.settings) == "stdio" {
        let id = definition.found.id.to_string();
        let paths = protected_paths::of(runner, &id).map_err(SessionError::Refused)?;
        let all = paths.guarded.iter().chain(&paths.held).chain(&paths.secret);
        fingerprint(all)
    } else {
        Vec::new()
    };
    let variables = runner.program_variables();
    let names = definition.settings.get("env").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let values: Vec<Option<&String>> = names.map(|name| variables.get(name)).collect();
    let text = format!(
        "{}\n{}\n{}\n{rights:?}\n{values:?}\n{stamps:?}",
        definition.found.text(),
        Value::Object(settings),
        runner.project.display(),
    );
    let mut out = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(out, "{byte:02x}");
    }
    Ok(out)
}
