//! Tools that are files, as a message names them: by id, by server and name, or through Rye's four verbs.

use std::collections::BTreeMap;

use toolglot_chat::is_local_server;
use toolglot_engine::Calls;
use toolglot_tool_files::ItemId;
use toolglot_tool_runner::{CallError, ToolRunner};
use toolglot_tool_trust::Space;
use toolglot_toolset::{ToolSpec, Toolbox};
use toolglot_value::{Map, Value};

use crate::VERBS;
use crate::verbs::verbs;

/// The tools of a registry that a message may name.
pub(crate) struct FileTools {
    pub(crate) runner: ToolRunner,
    /// The callable names with their specs.
    pub(crate) specs: BTreeMap<String, ToolSpec>,
    /// The ids of all tools of the project and the user, for suggestions.
    others: Vec<String>,
}

/// Calls whose arguments contain the name and arguments of a server's tool.
const WRAPPERS: &[&str] = &["use_mcp_tool", "mcp_call"];

/// The id of the server's tool that such a call names, and its arguments.
fn unwrapped(arguments: &str) -> Option<(String, String)> {
    let arguments: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let any = |names: [&str; 2]| names.into_iter().find_map(|name| arguments.get(name));
    let server = any(["server_name", "server"])?.as_str()?.trim();
    let tool = any(["tool_name", "tool"])?.as_str()?.trim();
    let given = match any(["arguments", "args"]) {
        // A tag's value is text that contains the object.
        Some(Value::String(text)) if text.trim().is_empty() => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "{}".to_owned(),
        Some(value) => value.to_string(),
    };
    let id = format!("mcp/{server}/{tool}");
    ItemId::new(&id).ok().map(|_| (id, given))
}

impl FileTools {
    /// The tools that `text` names. Other tools cannot be called and are not read.
    ///
    /// A name that `others` know keeps its meaning: a project's file never replaces another tool.
    pub(crate) fn named_in(text: &str, runner: ToolRunner, others: &Toolbox) -> FileTools {
        let is_taken = |name: &str| others.canonical(name).is_some();
        let mut specs = BTreeMap::new();
        let (entries, _) = runner.registry().list();
        for entry in &entries {
            if !names(text, entry.id.as_str()) || is_taken(entry.id.as_str()) {
                continue;
            }
            // A file that cannot be read is not callable; `toolglot tools check` reports why.
            if let Ok(found) = runner.registry().read(entry) {
                let is_of_server = found.tool().metadata.tool_type.as_deref() == Some("mcp");
                let callable = found.tool().callable_specs().into_iter();
                for mut spec in callable.filter(|spec| !is_taken(&spec.name)) {
                    if is_of_server {
                        open(&mut spec.parameters);
                    }
                    specs.insert(spec.name.clone(), spec);
                }
            }
        }
        let others = entries
            .iter()
            .filter(|entry| entry.space != Space::System)
            .map(|entry| entry.id.to_string())
            .collect();
        if VERBS.iter().any(|verb| text.contains(verb)) {
            specs.extend(verbs().into_iter().map(|spec| (spec.name.clone(), spec)));
        }
        FileTools {
            runner,
            specs,
            others,
        }
    }

    /// The tool that was probably meant, among those that the message does not name.
    pub(crate) fn nearest(&self, name: &str) -> Option<ToolSpec> {
        let names = self.others.iter().map(String::as_str);
        let id = ItemId::new(toolglot_toolset::nearest(name, names)?).ok()?;
        let found = self.runner.registry().find(&id).ok()?;
        found.tool().specs().into_iter().next()
    }

    /// The spec of one tool.
    pub(crate) fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.specs.get(name)
    }

    /// The specs of all tools.
    pub(crate) fn specs(&self) -> impl Iterator<Item = ToolSpec> {
        self.specs.values().cloned()
    }

    /// Why a server that exists has no tool of this name.
    pub(crate) fn of_server(&self, name: &str) -> Option<CallError> {
        self.runner.of_server(name)
    }

    /// Renames calls of a server's tool to the tool's id. A name in `known` is never renamed.
    pub(crate) fn resolve_servers(&self, message: &mut Calls, known: &Toolbox) {
        for call in &mut message.calls {
            if WRAPPERS.contains(&call.name.as_str())
                && let Some((id, arguments)) = unwrapped(&call.arguments)
            {
                call.name = id;
                call.arguments = arguments;
                call.server = None;
                continue;
            }
            let id = format!("mcp/{}", call.name);
            if call.server.is_none()
                && known.canonical(&call.name).is_none()
                && self.specs.contains_key(&id)
            {
                call.name = id;
                continue;
            }
            let Some(server) = call
                .server
                .as_deref()
                .filter(|server| !is_local_server(server))
            else {
                continue;
            };
            let ids = [
                format!("mcp/{server}/{}", call.name),
                format!("{server}/{}", call.name),
            ];
            if let Some(id) = ids.into_iter().find(|id| self.specs.contains_key(id)) {
                call.name = id;
                call.server = None;
            }
        }
    }
}

/// Opens a schema that does not say that it is closed. A server may accept parameters that its schema does not list,
/// and only the server knows them.
fn open(schema: &mut Value) {
    if let Value::Object(keywords) = schema
        && !keywords.contains_key("unevaluatedProperties")
    {
        keywords
            .entry("additionalProperties")
            .or_insert(Value::Bool(true));
    }
}

impl std::fmt::Debug for FileTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.specs.keys()).finish()
    }
}

/// Whether a text may call a tool: it contains the id, or both the server and the name.
fn names(text: &str, id: &str) -> bool {
    if text.contains(id) {
        return true;
    }
    match id.rsplit_once('/') {
        Some((category, name)) => {
            let server = category.strip_prefix("mcp/").unwrap_or(category);
            !server.contains('/') && text.contains(server) && text.contains(name)
        }
        None => false,
    }
}
