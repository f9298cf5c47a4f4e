//! From a tool to the primitive that runs it.

use toolglot_tool_files::template::UnsetVariable;
use toolglot_tool_files::{Executor, ItemId, Language, ToolFile, executor_id, nearest_executor};
use toolglot_tool_registry::{
    FindError, Link, LinkError, Registry, ToolSource, system_file, validate_chain,
};
use toolglot_tool_trust::{Space, Trust, TrustBasis};
use toolglot_value::{Map, Value};

use crate::failure::CallError;
use crate::texts::texts;

/// A chain has at most this many links, the tool included.
pub const MAX_DEPTH: usize = 10;

/// A tool and what runs it, in order; the last is a primitive.
#[derive(Debug)]
#[non_exhaustive]
pub struct Chain {
    /// The links.
    pub links: Vec<ToolSource>,
    /// Why the tool may run.
    pub standing: TrustBasis,
    /// What the tool imports from beside it, and what that does: each may run as well. Python's by name, the others by file.
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

    /// Whether the tool is one of a server.
    pub fn is_server(&self) -> bool {
        self.protocol().as_deref() == Some("mcp")
    }

    /// How the tool is started and given its parameters, as the nearest runtime says. A runtime that stands in the place of
    /// one of the system is run as that one is, whatever its file says.
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

    /// The configuration of the tool, and beneath it what the links after it say: what the tool says itself counts.
    ///
    /// The command of a runtime that stands in the place of one of the system is left out: our code starts the program.
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

    /// The refusal of a call whose configuration names a variable without a value: the nearest link that names it is the file.
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

    /// What the links require, each of them: whatever runs a tool is asked for as the tool is.
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

/// The primitives that there are: code of this crate, which these ids name whatever files are called so.
const PRIMITIVES: &[&str] = &[
    "rye/core/primitives/subprocess",
    "rye/core/primitives/http_client",
    "rye/core/primitives/filesystem",
];

/// What runs a tool, if it may be called at all: the one answer that `call`, `run`, `check`, `list`, `show` and `verify` give.
///
/// The file has to be a tool; every link of its chain, and what it imports, has to be in order and trusted; and its server, if
/// it is a server's, has to be defined.
///
/// # Errors
/// The first thing that keeps it from being called, with the link that it is about.
pub fn resolve(registry: &Registry, trust: &Trust, tool: ToolSource) -> Result<Chain, CallError> {
    // Of what cannot be read nobody knows what it is.
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

/// Whether the executor that a tool names leads to a primitive, whoever vouches for the files on the way.
///
/// # Errors
/// Why it does not. What is wrong with the tool itself is not reported here.
pub fn leads_somewhere(
    registry: &Registry,
    tool: &ToolFile,
    space: Space,
) -> Result<(), CallError> {
    let Executor::Id(executor) = &tool.metadata.executor else {
        return Ok(());
    };
    let first = executor_of(registry, (tool.id.as_str(), space), executor)?;
    // The tool itself is a link too.
    links(registry, first, 1, &mut |link| {
        faulty(link, link.tool()).map_or(Ok(()), Err)
    })?;
    Ok(())
}

/// Whether the server that a tool is one of is defined, whoever vouches for it.
///
/// # Errors
/// Why it is not.
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

/// The server that a tool names as its own.
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

/// Whether a file defines a server.
pub(crate) fn is_server(found: &ToolSource) -> Result<(), CallError> {
    match found.tool().metadata.tool_type.as_deref() {
        Some("mcp_server") => Ok(()),
        kind => Err(CallError::NoServer {
            id: found.id.to_string(),
            kind: kind.unwrap_or_default().to_owned(),
        }),
    }
}

/// The file that an executor's name means, as seen by a file of a space.
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
            // It is there, for others than this one.
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

/// A file and what runs it, in order, after that many links of a chain; `look` is asked about each before the next is looked for.
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

/// Why a file cannot be used, whoever vouches for it.
pub(crate) fn faulty(found: &ToolSource, tool: &ToolFile) -> Option<CallError> {
    Some(CallError::Faulty {
        id: found.id.to_string(),
        first: tool.worst()?.message.clone(),
        n: tool.errors().count(),
    })
}

/// More modules than this are no tool.
const MAX_MODULES: usize = 100;

/// What a tool imports from beside it, and what that imports: all of it has to be trusted as the tool is.
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
        // A module of the language, an installed one, or none: whoever imports it learns which.
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
