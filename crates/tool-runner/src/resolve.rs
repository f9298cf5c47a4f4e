//! Resolves a tool to the primitive that runs it.

use toolglot_tool_files::template::UnsetVariable;
use toolglot_tool_files::{Executor, ItemId, Language, ToolFile, executor_id, nearest_executor};
use toolglot_tool_registry::{
    FindError, Link, LinkError, Registry, ToolSource, system_file, validate_chain,
};
use toolglot_tool_trust::{Space, Trust, TrustBasis};
use toolglot_value::{Map, Value};

use crate::failure::CallError;
use crate::texts::texts;

/// The most links of a chain, the tool included.
pub const MAX_DEPTH: usize = 10;

/// A tool and its executors, in order; the last is a primitive.
#[derive(Debug)]
#[non_exhaustive]
pub struct Chain {
    /// The links.
    pub links: Vec<ToolSource>,
    /// Why the tool may run.
    pub standing: TrustBasis,
    /// The sibling files that the tool imports, directly or not. Python's are keyed by name, others by file.
    pub modules: Vec<(String, ToolSource)>,
}

impl Chain {
    /// The tool.
    pub fn tool(&self) -> (&ToolSource, &ToolFile) {
        let found = &self.links[0];
        (found, found.tool())
    }

    /// The ids of the links.
    pub fn ids(&self) -> Vec<String> {
        self.links
            .iter()
            .map(|found| found.id.to_string())
            .collect()
    }

    /// The primitive at the end: `subprocess`, `http_client`, `filesystem`.
    pub fn primitive(&self) -> &str {
        self.links[self.links.len() - 1].id.name()
    }

    /// Whether the tool belongs to a server.
    pub fn is_server(&self) -> bool {
        self.protocol().as_deref() == Some("mcp")
    }

    /// The protocol of the nearest runtime: how the tool starts and gets its parameters. A runtime with the id of a
    /// system runtime always has the system's protocol.
    pub fn protocol(&self) -> Option<String> {
        let said = |found: &ToolSource| {
            let config = found.tool().metadata.config.as_ref()?;
            config.get("protocol")?.as_str().map(str::to_owned)
        };
        self.links[1..].iter().find_map(|found| {
            let of_system = system_file(&found.id);
            of_system.as_ref().and_then(said).or_else(|| said(found))
        })
    }

    /// The configurations of all links, merged; an earlier link overrides a later one.
    ///
    /// The command of a runtime with the id of a system runtime is left out: this crate's code starts the program.
    pub fn settings(&self) -> Map<String, Value> {
        let mut settings = Map::new();
        for (at, link) in self.links.iter().enumerate().rev() {
            let config = link.tool().metadata.config.as_ref();
            let own = config.and_then(Value::as_object).cloned();
            let mut own = own.unwrap_or_default();
            if at > 0 && system_file(&link.id).is_some() {
                own.retain(|key, _| !matches!(key.as_str(), "command" | "args"));
            }
            settings.extend(own);
        }
        settings
    }

    /// The error for a variable without a value; it names the nearest link that uses the variable.
    pub(crate) fn unset(&self, unset: UnsetVariable) -> CallError {
        let reference = format!("${{{}}}", unset.name);
        let names = |link: &&ToolSource| configured_texts(link).contains(&reference);
        let (tool, _) = self.tool();
        CallError::UnsetVariable {
            id: tool.id.to_string(),
            file: self.links.iter().find(names).unwrap_or(tool).name(),
            name: unset.name,
        }
    }

    /// Whether a configuration of the chain may name a variable.
    pub(crate) fn names_variables(&self) -> bool {
        let names = |link: &ToolSource| configured_texts(link).contains("${");
        self.links.iter().any(names)
    }

    /// The capabilities that all links require: executors need their grants like the tool.
    pub fn requires(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for requirement in self
            .links
            .iter()
            .flat_map(|link| &link.tool().metadata.requires)
        {
            if !all.contains(requirement) {
                all.push(requirement.clone());
            }
        }
        all
    }
}

/// All texts of a file that variables are replaced in.
fn configured_texts(link: &ToolSource) -> String {
    let metadata = &link.tool().metadata;
    let configured = metadata.config.iter().chain(&metadata.env);
    configured.map(texts).collect()
}

/// The primitives: code of this crate. These ids always name it, even if files have the same ids.
const PRIMITIVES: &[&str] = &[
    "rye/core/primitives/subprocess",
    "rye/core/primitives/http_client",
    "rye/core/primitives/filesystem",
];

/// The chain of a tool, if it may be called: `call`, `run`, `check`, `list`, `show` and `verify` share this decision.
///
/// The file has to be a tool. Every link of its chain, and every imported file, has to be valid and trusted. The server
/// of a server's tool has to be defined.
///
/// # Errors
/// The first reason against the call, with its link.
pub fn resolve(registry: &Registry, trust: &Trust, tool: ToolSource) -> Result<Chain, CallError> {
    // The type of an unreadable file is not known.
    let is_read = tool.tool().errors().all(|error| error.rule.code != "F01");
    if let Some(part) = tool.tool().part().filter(|_| is_read) {
        return Err(CallError::NotCallable {
            id: tool.id.to_string(),
            kind: part.to_owned(),
        });
    }
    if cfg!(not(feature = "mcp")) && server_of(tool.tool()).is_some() {
        return Err(CallError::LeftOut {
            id: tool.id.to_string(),
        });
    }
    let mut standing = None;
    let links = links(registry, tool, 0, &mut |link| {
        let read = link.tool();
        if let Some(faulty) = faulty(link, read) {
            return Err(faulty);
        }
        let found_standing = trust.standing(link, read.metadata.version.as_deref())?;
        standing.get_or_insert(found_standing);
        Ok(())
    })?;
    has_server(registry, links[0].tool(), links[0].space)?;
    let modules = modules(registry, trust, &links[0])?;
    Ok(Chain {
        links,
        standing: standing.unwrap_or(TrustBasis::System),
        modules,
    })
}

/// Whether a tool's executor leads to a primitive. Trust is not checked.
///
/// # Errors
/// Why it does not. Faults of the tool itself are not reported here.
pub fn leads_somewhere(
    registry: &Registry,
    tool: &ToolFile,
    space: Space,
) -> Result<(), CallError> {
    let Executor::Id(executor) = &tool.metadata.executor else {
        return Ok(());
    };
    let first = executor_of(registry, (tool.id.as_str(), space), executor)?;
    // The tool itself counts as a link.
    links(registry, first, 1, &mut |link| {
        faulty(link, link.tool()).map_or(Ok(()), Err)
    })?;
    Ok(())
}

/// Whether the server of a tool is defined. Trust is not checked.
///
/// # Errors
/// Why the server is not defined.
pub fn has_server(registry: &Registry, tool: &ToolFile, space: Space) -> Result<(), CallError> {
    let Some(server) = server_of(tool) else {
        return Ok(());
    };
    let found = registry.find_from(&ItemId::new(server)?, space)?;
    if let Some(faulty) = faulty(&found, found.tool()) {
        return Err(faulty);
    }
    is_server(&found)
}

/// The server that a tool names.
fn server_of(tool: &ToolFile) -> Option<&str> {
    let Executor::Id(executor) = &tool.metadata.executor else {
        return None;
    };
    if !executor_id(executor).starts_with("rye/core/runtimes/mcp/") {
        return None;
    }
    let config = tool.metadata.config.as_ref()?;
    config.get("server")?.as_str()
}

/// Checks that a file defines a server.
pub(crate) fn is_server(found: &ToolSource) -> Result<(), CallError> {
    match found.tool().metadata.tool_type.as_deref() {
        Some("mcp_server") => Ok(()),
        kind => Err(CallError::NoServer {
            id: found.id.to_string(),
            kind: kind.unwrap_or_default().to_owned(),
        }),
    }
}

/// The file that an executor's name refers to, for a file of a space.
fn executor_of(
    registry: &Registry,
    (from, space): (&str, Space),
    executor: &str,
) -> Result<ToolSource, CallError> {
    let missing = || {
        let ids: Vec<String> = registry
            .list()
            .0
            .into_iter()
            .map(|entry| entry.id.to_string())
            .collect();
        let runtimes = ids
            .iter()
            .map(String::as_str)
            .filter(|id| id.contains("runtime") || folder(id) == folder(executor));
        CallError::NoExecutor {
            from: from.to_owned(),
            executor: executor.to_owned(),
            nearest: nearest_executor(executor, runtimes).map(str::to_owned),
        }
    };
    let id = ItemId::new(executor_id(executor)).map_err(|_| missing())?;
    if PRIMITIVES.contains(&id.as_str())
        && let Some(primitive) = system_file(&id)
    {
        return Ok(primitive);
    }
    match registry.find_from(&id, space) {
        Ok(found) => Ok(found),
        Err(FindError::NotFound { .. }) => {
            // The executor may exist in a space that this file may not use.
            match registry.find_from(&id, Space::Project) {
                Ok(found) => Err(LinkError::Upwards {
                    id: from.to_owned(),
                    space,
                    on: id.to_string(),
                    on_space: found.space,
                }
                .into()),
                Err(_) => Err(missing()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

fn folder(id: &str) -> &str {
    id.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A file and its executors, in order, after `n_before` links of a chain. `look` checks each link before the next
/// lookup.
fn links(
    registry: &Registry,
    tool: ToolSource,
    n_before: usize,
    look: &mut dyn FnMut(&ToolSource) -> Result<(), CallError>,
) -> Result<Vec<ToolSource>, CallError> {
    let name = tool.id.to_string();
    let mut links: Vec<ToolSource> = Vec::new();
    let mut next = tool;
    loop {
        look(&next)?;
        let read = next.tool();
        let (from, space) = (next.id.to_string(), next.space);
        let executor = read.metadata.executor.clone();
        links.push(next);
        let path = || links.iter().map(|found| found.id.to_string());
        let executor = match executor {
            Executor::Null => break,
            Executor::Unsaid => return Err(CallError::NoExecutorNamed { id: from }),
            Executor::Id(executor) => executor,
        };
        let id = executor_id(&executor);
        if path().any(|known| known == id) {
            return Err(CallError::Circular {
                path: path().chain([id.to_owned()]).collect(),
                tool: name,
            });
        }
        if n_before + links.len() >= MAX_DEPTH {
            return Err(CallError::TooDeep {
                max: MAX_DEPTH,
                path: path().collect(),
                tool: name,
            });
        }
        next = executor_of(registry, (&from, space), &executor)?;
    }
    let last = &links[links.len() - 1];
    if last.space != Space::System || !PRIMITIVES.contains(&last.id.as_str()) {
        return Err(CallError::UnknownPrimitive {
            tool: name,
            id: last.id.to_string(),
        });
    }
    let described: Vec<Link> = links
        .iter()
        .map(|found| Link {
            id: found.id.to_string(),
            space: Some(found.space),
            version: found.tool().metadata.version.clone(),
            ..Link::default()
        })
        .collect();
    if let Some(bad) = validate_chain(&described).into_iter().next() {
        return Err(bad.into());
    }
    Ok(links)
}

/// The error for a file that violates rules. Trust is not checked.
pub(crate) fn faulty(found: &ToolSource, tool: &ToolFile) -> Option<CallError> {
    Some(CallError::Faulty {
        id: found.id.to_string(),
        first: tool.worst()?.message.clone(),
        n: tool.errors().count(),
    })
}

/// The most modules of a tool.
const MAX_MODULES: usize = 100;

/// The sibling files that a tool imports, directly or not: all of them have to be trusted like the tool.
fn modules(
    registry: &Registry,
    trust: &Trust,
    tool: &ToolSource,
) -> Result<Vec<(String, ToolSource)>, CallError> {
    let is_python = tool.language == Language::Python;
    let mut modules: Vec<(String, ToolSource)> = Vec::new();
    let mut open = tool.siblings().to_vec();
    while let Some(sibling) = open.pop() {
        let mut found = None;
        for (id, extension) in &sibling.files {
            if found.is_none() {
                found = registry.file(id, extension, tool.space)?;
            }
        }
        // A module of the language, an installed one, or a missing one: the interpreter reports the latter.
        let Some(found) = found else { continue };
        let name = if is_python {
            sibling.name
        } else {
            found.name()
        };
        let is_known = modules.iter().any(|(known, _)| *known == name);
        if found.name() == tool.name() || is_known {
            continue;
        }
        let version = found.tool().metadata.version.as_deref();
        trust.standing(&found, version)?;
        if modules.len() >= MAX_MODULES {
            return Err(CallError::Config {
                id: tool.id.to_string(),
                why: format!("it imports more than {MAX_MODULES} files"),
            });
        }
        open.extend_from_slice(found.siblings());
        modules.push((name, found));
    }
    Ok(modules)
}
