//! Reads the definitions of servers.

use std::time::Duration;

use toolglot_tool_files::ItemId;
use toolglot_tool_files::template::{self, UnsetVariable};
use toolglot_tool_registry::ToolSource;
use toolglot_tool_trust::Space;
use toolglot_value::{Map, Value};

use crate::failure::CallError;
use crate::resolve::{self, Chain};
use crate::runner::ToolRunner;

/// A server's definition from its file.
pub(crate) struct Definition {
    pub(crate) found: ToolSource,
    pub(crate) settings: Map<String, Value>,
    /// The time limit to start a session, and for calls of tools without a limit.
    pub(crate) time: Option<Duration>,
}

impl Definition {
    /// The refusal of a definition that names a variable without a value.
    pub(super) fn unset(&self, unset: UnsetVariable) -> CallError {
        CallError::UnsetVariable {
            id: self.found.id.to_string(),
            name: unset.name,
            file: self.found.name(),
        }
    }
}

/// The capabilities that a tool's server requires. The call itself reports a missing or faulty definition.
pub(crate) fn requires(runner: &ToolRunner, chain: &Chain) -> Vec<String> {
    let (found, tool) = chain.tool();
    let config = tool.metadata.config.as_ref();
    let server = config.and_then(|config| config.get("server")?.as_str());
    let Some(server) = server else {
        return Vec::new();
    };
    let definition = read(runner, found.space, server);
    definition.map_or_else(
        |_| Vec::new(),
        |definition| definition.found.tool().metadata.requires.clone(),
    )
}

/// A definition's configuration with its variables expanded.
pub(super) fn expanded(
    runner: &ToolRunner,
    definition: &Definition,
) -> Result<Map<String, Value>, CallError> {
    let settings = &definition.settings;
    if transport(settings) == "stdio" {
        let expanded = template::expand(settings, &runner.program_variables());
        return expanded.map_err(|unset| runner.unlisted(definition.unset(unset)));
    }
    template::expand(settings, &runner.variables).map_err(|unset| definition.unset(unset))
}

/// Checks that all variables in the definition of a tool's server have a value.
pub(crate) fn check_variables(runner: &ToolRunner, chain: &Chain) -> Result<(), CallError> {
    let (found, tool) = chain.tool();
    let config = tool.metadata.config.as_ref();
    let server = config.and_then(|config| config.get("server")?.as_str());
    match server.map(|server| read(runner, found.space, server)) {
        Some(Ok(definition)) => expanded(runner, &definition).map(|_| ()),
        _ => Ok(()),
    }
}

/// The transport of a server.
pub(crate) fn transport(settings: &Map<String, Value>) -> &'static str {
    if settings.contains_key("command") {
        "stdio"
    } else {
        "http"
    }
}

/// The server's definition; its file has to be valid and trusted like the tool.
pub(super) fn definition(
    runner: &ToolRunner,
    space: Space,
    server: &str,
) -> Result<Definition, CallError> {
    let definition = read(runner, space, server)?;
    let version = definition.found.tool().metadata.version.clone();
    runner
        .trust
        .read()
        .standing(&definition.found, version.as_deref())?;
    Ok(definition)
}

pub(super) fn read(
    runner: &ToolRunner,
    space: Space,
    server: &str,
) -> Result<Definition, CallError> {
    let found = runner.registry.find_from(&ItemId::new(server)?, space)?;
    let file = found.tool();
    if let Some(faulty) = resolve::faulty(&found, file) {
        return Err(faulty);
    }
    resolve::is_server(&found)?;
    let config = file
        .metadata
        .config
        .as_ref()
        .and_then(|config| config.as_object().cloned());
    let Some(settings) = config else {
        return Err(CallError::Config {
            id: found.id.to_string(),
            why: "it has no `config`".to_owned(),
        });
    };
    let seconds = settings.get("timeout").and_then(Value::as_f64);
    let time = seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .or(file.metadata.timeout);
    Ok(Definition {
        found,
        settings,
        time,
    })
}
