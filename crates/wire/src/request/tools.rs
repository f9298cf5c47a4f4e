//! The tools of a request, for the model and for the client.

use std::collections::HashMap;

use toolglot_toolset::{ToolError, ToolSpec, Toolbox};
use toolglot_value::{Map, Value, json};

use super::RequestError;
use crate::{Api, ToolChoice};

/// The tools of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolTable {
    rows: Vec<ToolRow>,
    toolbox: Toolbox,
    /// The tools as functions of the Chat Completions API.
    functions: Vec<Value>,
    /// The row of each name that the model knows.
    by_name: HashMap<String, usize>,
    /// The row of each name with its namespace as prefix, however they are joined; `None` if two tools get the same
    /// name.
    by_qualified_name: HashMap<String, Option<usize>>,
}

/// One tool: its name for the model, and its name for the client.
#[derive(Clone, Debug)]
struct ToolRow {
    taught: String,
    name: String,
    namespace: Option<String>,
    is_freeform: bool,
}

/// A tool in the client's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientTool<'t> {
    pub(crate) name: &'t str,
    pub(crate) namespace: Option<&'t str>,
    /// Whether the API has a raw text for its calls.
    pub(crate) is_freeform: bool,
}

/// An entry of the client's list, before names are assigned.
struct Entry {
    at: String,
    namespace: Option<String>,
    tool: Map<String, Value>,
}

impl ToolTable {
    /// The tools under `tools`. Tools that only a server runs are added to `omitted`.
    pub(crate) fn read(
        api: Api,
        tools: &Value,
        omitted: &mut Vec<String>,
    ) -> Result<ToolTable, RequestError> {
        let list = match tools {
            Value::Null => return Ok(ToolTable::default()),
            Value::Array(list) => list,
            other => return Err(RequestError::expected("tools", "a list", other)),
        };
        let mut entries = Vec::new();
        for (n, tool) in list.iter().enumerate() {
            let at = format!("tools[{n}]");
            add(api, tool, at, None, &mut entries, omitted)?;
        }
        ToolTable::of(&entries)
    }

    fn of(entries: &[Entry]) -> Result<ToolTable, RequestError> {
        let names: Vec<String> = entries.iter().map(|entry| name_of(&entry.tool)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for name in &names {
            *counts.entry(name).or_default() += 1;
        }
        let mut table = ToolTable::default();
        let mut list = Vec::with_capacity(entries.len());
        for (entry, name) in entries.iter().zip(&names) {
            let is_alone = counts.get(name.as_str()) == Some(&1);
            let taught = match &entry.namespace {
                Some(namespace) if !is_alone => qualified(namespace, name),
                _ => name.clone(),
            };
            let is_freeform = entry.tool.get("type").is_some_and(|kind| kind == "custom");
            let mut tool = entry.tool.clone();
            let inner = if is_freeform { "custom" } else { "function" };
            let fields = match tool.get_mut(inner) {
                Some(Value::Object(inner)) => inner,
                _ => &mut tool,
            };
            fields.insert("name".to_owned(), Value::from(taught.as_str()));
            list.push(Value::Object(tool));
            let row = table.rows.len();
            if let Some(namespace) = &entry.namespace {
                for gap in ["", "__", "."] {
                    let qualified = format!("{namespace}{gap}{name}");
                    let owner = table.by_qualified_name.entry(qualified);
                    owner.and_modify(|row| *row = None).or_insert(Some(row));
                }
            }
            table.by_name.entry(taught.clone()).or_insert(row);
            table.rows.push(ToolRow {
                taught,
                name: name.clone(),
                namespace: entry.namespace.clone(),
                is_freeform,
            });
        }
        table.functions = list.iter().map(function).collect();
        let list = Value::Array(list);
        table.toolbox = Toolbox::from_json(&list).map_err(|error| refused(&error, entries))?;
        // The toolbox has the tools in this order: no two tools share a name.
        let specs = table.toolbox.iter();
        for ((row, function), spec) in table.rows.iter().zip(&mut table.functions).zip(specs) {
            if row.is_freeform {
                *function = json!({"type": "function", "function": {
                    "name": spec.name, "description": spec.description, "parameters": spec.parameters}});
            }
        }
        Ok(table)
    }

    /// Adds tools that the client does not know, except for names that the client uses.
    pub(crate) fn add<'s>(&mut self, specs: impl IntoIterator<Item = &'s ToolSpec>) {
        for spec in specs {
            if self.named(&spec.name).is_some() {
                continue;
            }
            self.functions.push(json!({"type": "function", "function": {
                "name": spec.name, "description": spec.description, "parameters": spec.parameters}}));
            self.by_name.insert(spec.name.clone(), self.rows.len());
            self.rows.push(ToolRow {
                taught: spec.name.clone(),
                name: spec.name.clone(),
                namespace: None,
                is_freeform: false,
            });
            self.toolbox.extend([spec.clone()]);
        }
    }

    pub(crate) fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// Whether some function is `strict`.
    pub(crate) fn has_strict(&self) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|tool| tool["function"]["strict"] == true)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The tools as functions of Chat Completions, restricted to the names of the choice if it has names.
    pub(crate) fn functions(&self, choice: &ToolChoice) -> Vec<Value> {
        let names = match choice {
            ToolChoice::Of { names, .. } => Some(names),
            _ => None,
        };
        let is_open = |row: &ToolRow| names.is_none_or(|names| names.contains(&row.taught));
        let rows = self.rows.iter().zip(&self.functions);
        rows.filter(|(row, _)| is_open(row))
            .map(|(_, function)| function.clone())
            .collect()
    }

    /// The tool that a model means by a name and a server. An unknown tool has the name that the model wrote; the
    /// client decides on it.
    pub(crate) fn client<'t>(&'t self, server: Option<&str>, written: &'t str) -> ClientTool<'t> {
        let of_server = server.and_then(|server| self.row(server, written));
        match of_server.or_else(|| self.named(written)) {
            Some(row) => ClientTool {
                name: &row.name,
                namespace: row.namespace.as_deref(),
                is_freeform: row.is_freeform,
            },
            None => ClientTool {
                name: written,
                namespace: None,
                is_freeform: false,
            },
        }
    }

    /// The name for the model of a client's tool.
    pub(crate) fn taught(&self, namespace: Option<&str>, name: &str) -> Option<&str> {
        let row = match namespace {
            Some(namespace) => self.row(namespace, name),
            None => self.named(name),
        };
        row.map(|row| row.taught.as_str())
    }

    fn row(&self, namespace: &str, name: &str) -> Option<&ToolRow> {
        let is_it =
            |row: &&ToolRow| row.namespace.as_deref() == Some(namespace) && row.name == name;
        self.rows.iter().find(is_it)
    }

    /// The tool of a name that starts with its namespace, if that is unique.
    fn qualified(&self, name: &str) -> Option<&ToolRow> {
        let row = self.by_qualified_name.get(name).copied().flatten();
        row.map(|row| &self.rows[row])
    }

    /// The tool of a name, with or without its namespace.
    fn named(&self, name: &str) -> Option<&ToolRow> {
        let row = self.by_name.get(name).map(|row| &self.rows[*row]);
        row.or_else(|| self.qualified(name))
    }
}

/// Adds one entry of the client's list, or the tools inside it.
fn add(
    api: Api,
    tool: &Value,
    at: String,
    namespace: Option<&str>,
    entries: &mut Vec<Entry>,
    omitted: &mut Vec<String>,
) -> Result<(), RequestError> {
    let Value::Object(fields) = tool else {
        return Err(RequestError::expected(at, "an object", tool));
    };
    let kind = match fields.get("type") {
        None | Some(Value::Null) => None,
        Some(Value::String(kind)) => Some(kind.as_str()),
        Some(other) => {
            return Err(RequestError::expected(
                format!("{at}.type"),
                "a string",
                other,
            ));
        }
    };
    let name = name_of(fields);
    if let (Some(Value::Array(tools)), None) = (fields.get("tools"), namespace) {
        if name.is_empty() {
            return Err(RequestError::new(
                format!("{at}.name"),
                "a namespace has a name",
            ));
        }
        for (n, tool) in tools.iter().enumerate() {
            let at = format!("{at}.tools[{n}]");
            add(api, tool, at, Some(&name), entries, omitted)?;
        }
        return Ok(());
    }
    let mut fields = fields.clone();
    let is_client_run = match (api, kind) {
        (_, None | Some("function")) => true,
        // Anthropic's word for a client's tool.
        (Api::Messages, Some("custom")) => {
            fields.remove("type");
            true
        }
        (_, Some("custom")) => true,
        _ => false,
    };
    if !is_client_run {
        let kind = kind.unwrap_or_default();
        omitted.push(format!("{at} of the type `{kind}`"));
        return Ok(());
    }
    if let Some(inner) = fields.get(kind.unwrap_or("function"))
        && !inner.is_object()
    {
        let kind = kind.unwrap_or("function");
        return Err(RequestError::expected(
            format!("{at}.{kind}"),
            "an object",
            inner,
        ));
    }
    if name.is_empty() {
        let inner = kind.filter(|kind| fields.contains_key(kind));
        let inner = inner.map(|kind| format!(".{kind}")).unwrap_or_default();
        return Err(RequestError::new(
            format!("{at}{inner}.name"),
            "a tool has a name",
        ));
    }
    entries.push(Entry {
        at,
        namespace: namespace.map(str::to_owned),
        tool: fields,
    });
    Ok(())
}

/// The name of an entry in any API's form; empty if there is none.
fn name_of(tool: &Map<String, Value>) -> String {
    let inner = ["function", "custom"]
        .iter()
        .find_map(|kind| tool.get(kind));
    let name = match inner {
        Some(inner) => &inner["name"],
        None => tool.get("name").unwrap_or(&Value::Null),
    };
    name.as_str().unwrap_or_default().to_owned()
}

/// A tool as a function of the Chat Completions API.
fn function(tool: &Value) -> Value {
    if tool["function"].is_object() {
        return tool.clone();
    }
    let mut function = Map::new();
    for key in ["name", "description", "strict"] {
        if let Some(value) = tool.get(key).filter(|value| !value.is_null()) {
            function.insert(key.to_owned(), value.clone());
        }
    }
    let schema = ["parameters", "input_schema", "inputSchema"];
    let schema = schema.iter().find_map(|key| tool.get(*key));
    let schema = schema.filter(|schema| !schema.is_null()).cloned();
    let empty = || json!({"type": "object", "properties": {}});
    function.insert("parameters".to_owned(), schema.unwrap_or_else(empty));
    json!({"type": "function", "function": function})
}

fn qualified(namespace: &str, name: &str) -> String {
    if namespace.ends_with("__") {
        format!("{namespace}{name}")
    } else {
        format!("{namespace}__{name}")
    }
}

/// The error of a list, with the path in the client's list instead.
fn refused(error: &ToolError, entries: &[Entry]) -> RequestError {
    let at = match error {
        ToolError::NotAnObject { at, .. }
        | ToolError::MissingName { at }
        | ToolError::BadName { at, .. }
        | ToolError::DoubleName { at, .. }
        | ToolError::BadParameters { at, .. }
        | ToolError::BadDescription { at, .. } => at.as_str(),
        _ => "tools",
    };
    let index = at
        .strip_prefix("tools[")
        .and_then(|at| at.split(']').next());
    let index: Option<usize> = index.and_then(|index| index.parse().ok());
    let own = index.and_then(|index| entries.get(index));
    let own = own.map_or(at, |entry| entry.at.as_str());
    RequestError::new(own, error.to_string().replace(at, own))
}
