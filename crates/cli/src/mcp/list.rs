//! The tools that may run here, as a client lists them.

use serde_json::{Value, json};
use toolglot_mcp::message::{Fault, PARAMS};
use toolglot_toolfiles::{Found, ItemId, Registry, Trust};

/// How many files one page of the list has tools of.
const PAGE: usize = 200;

/// The name of a tool for a client: the protocol knows no `/` in names.
pub(super) fn name_of(id: &str) -> String {
    id.replace('/', ".")
}

/// The id that a client's name means: itself, or the one that is written like it but for the dots.
pub(super) fn id_of(registry: &Registry, name: &str) -> String {
    let is_there = |id: &str| ItemId::new(id).is_ok_and(|id| registry.find(&id).is_ok());
    if name.contains('/') || is_there(name) {
        return name.to_owned();
    }
    let id = name.replace('.', "/");
    if is_there(&id) {
        return id;
    }
    // An action: its tool is what stands before the last dot.
    if let Some((tool, action)) = id.rsplit_once('/')
        && is_there(tool)
    {
        return format!("{tool}.{action}");
    }
    // An id that has dots of its own.
    let (entries, _) = registry.list();
    let found = entries
        .iter()
        .find(|entry| name_of(entry.id.as_str()) == name);
    found.map_or_else(|| name.to_owned(), |entry| entry.id.to_string())
}

/// Files of one page that may run here, in order of id, and the cursor of the next; it is the id of the last file before it.
pub(super) fn files(
    registry: &Registry,
    trust: &Trust,
    cursor: Option<&str>,
) -> Result<(Vec<Found>, Option<String>), Fault> {
    let after = cursor.unwrap_or_default();
    let (entries, _) = registry.list();
    if !after.is_empty() && !entries.iter().any(|entry| entry.id.as_str() == after) {
        return Err(Fault::new(PARAMS, "`cursor` is none of this list"));
    }
    let mut files = Vec::new();
    let mut rest = entries.iter().filter(|entry| entry.id.as_str() > after);
    let mut last = None;
    for entry in rest.by_ref().take(PAGE) {
        last = Some(entry.id.as_str());
        let Ok(found) = registry.read(entry) else {
            continue;
        };
        let tool = found.tool();
        let version = tool.metadata.version.as_deref();
        if tool.errors().next().is_none() && trust.standing(&found, version).is_ok() {
            files.push(found);
        }
    }
    let next = last.filter(|_| rest.next().is_some());
    Ok((files, next.map(str::to_owned)))
}

/// One page of tools.
pub(super) fn page(
    registry: &Registry,
    trust: &Trust,
    cursor: Option<&str>,
) -> Result<Value, Fault> {
    let (files, next) = files(registry, trust, cursor)?;
    let mut tools: Vec<Value> = Vec::new();
    for found in &files {
        let tool = found.tool();
        let requires = &tool.metadata.requires;
        let reads_only = requires.iter().all(|requirement| requirement == "fs.read");
        for spec in tool.specs() {
            let (shown, _) = toolglot_mcp::shown(&json!({
                "name": name_of(&spec.name),
                "description": spec.description,
                "inputSchema": with_type(spec.parameters),
                "annotations": {"readOnlyHint": reads_only},
            }));
            // Ids that differ in nothing but dots have one name, and the first has it.
            if !tools.iter().any(|tool| tool["name"] == shown["name"]) {
                tools.push(shown);
            }
        }
    }
    let mut page = json!({"tools": tools});
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    Ok(page)
}

/// A schema of arguments says that they are an object.
fn with_type(mut schema: Value) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.entry("type").or_insert_with(|| json!("object"));
    }
    schema
}
