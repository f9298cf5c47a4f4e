//! The tools that may run here, as a client lists them.

use toolglot_mcp::message::{Fault, PARAMS};
use toolglot_tool_files::{ItemId, capability};
use toolglot_tool_registry::Registry;
use toolglot_tool_runner::{Chain, resolve};
use toolglot_tool_trust::Trust;
use toolglot_value::{Value, json};

/// How many files one page of the list covers.
const PAGE: usize = 200;

/// What programs may do here, regardless of their files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rights<'a> {
    pub(super) granted: &'a [String],
    /// Whether a sandbox enforces these rights.
    pub(super) has_walls: bool,
}

impl Rights<'_> {
    /// Whether a tool changes nothing, here or elsewhere.
    fn only_reads(self, chain: &Chain) -> bool {
        if chain.requires().iter().any(|name| name != "fs.read") {
            return false;
        }
        let config = chain.tool().1.metadata.config.as_ref();
        match chain.primitive() {
            "filesystem" => {
                let operation = config.and_then(|config| config.get("operation")?.as_str());
                matches!(operation, Some("read_file" | "list_files" | "search_files"))
            }
            // The effects of a server or a host are unknown here.
            "http_client" => false,
            _ if chain.is_server() => false,
            _ => {
                let granted: Vec<&str> = self.granted.iter().map(String::as_str).collect();
                let may = |name: &str| capability::covers(&granted, name);
                let has_net = granted.iter().any(|name| name.starts_with("net"));
                self.has_walls && !may("fs.write") && !may("net.http") && !has_net
            }
        }
    }
}

/// The name of a tool for a client: the protocol allows no `/` in names.
pub(super) fn name_of(id: &str) -> String {
    id.replace('/', ".")
}

/// The name of a tool whose [`name_of`] names another tool. The name depends on the id alone.
fn own_name_of(id: &str) -> String {
    let digest = toolglot_tool_signature::digest(id);
    format!("{}-{}", name_of(id), &digest[..8])
}

/// The id for a client's name: the name itself, or the id that differs only in its dots.
pub(super) fn id_of(registry: &Registry, name: &str) -> String {
    if name.contains('/') || is_there(registry, name) {
        return name.to_owned();
    }
    let id = name.replace('.', "/");
    if is_there(registry, &id) {
        return id;
    }
    // An action: the part before the last dot names its tool.
    if let Some((tool, action)) = id.rsplit_once('/')
        && is_there(registry, tool)
    {
        return format!("{tool}.{action}");
    }
    // An id that has dots of its own.
    let (entries, _) = registry.list();
    let called = |name: &str| {
        let mut ids = entries.iter().map(|entry| entry.id.as_str());
        ids.find(|id| {
            let rest = name.strip_prefix(&name_of(id));
            rest.is_some_and(|rest| rest.is_empty() || own_name_of(id) == name)
        })
    };
    if let Some(id) = called(name) {
        return id.to_owned();
    }
    if let Some((tool, action)) = name.rsplit_once('.')
        && let Some(id) = called(tool)
    {
        return format!("{id}.{action}");
    }
    name.to_owned()
}

fn is_there(registry: &Registry, id: &str) -> bool {
    ItemId::new(id).is_ok_and(|id| registry.find(&id).is_ok())
}

/// The name of a tool or an action for a client. [`id_of`] maps the name back to the same tool or action.
fn listed_name(registry: &Registry, tool: &str, spec: &str) -> String {
    let name = name_of(spec);
    let is_its_own = if spec.contains('.') {
        id_of(registry, &name) == spec
    } else {
        name == spec || !is_there(registry, &name)
    };
    if is_its_own {
        return name;
    }
    own_name_of(tool) + &spec[tool.len()..]
}

/// One page of the tools that may run here, each with the chain that runs it, in order of id. The second value is the
/// cursor of the next page: the id of the last file of this page.
pub(super) fn files(
    registry: &Registry,
    trust: &Trust,
    cursor: Option<&str>,
) -> Result<(Vec<Chain>, Option<String>), Fault> {
    let after = cursor.unwrap_or_default();
    let (entries, _) = registry.list();
    if !after.is_empty() && !entries.iter().any(|entry| entry.id.as_str() == after) {
        return Err(Fault::new(PARAMS, "`cursor` is not one of this list"));
    }
    let mut files = Vec::new();
    let mut rest = entries.iter().filter(|entry| entry.id.as_str() > after);
    let mut last = None;
    for entry in rest.by_ref().take(PAGE) {
        last = Some(entry.id.as_str());
        let Ok(found) = registry.read(entry) else {
            continue;
        };
        // Resolving makes all checks of a call except those of its arguments.
        files.extend(resolve(registry, trust, found).ok());
    }
    let next = last.filter(|_| rest.next().is_some());
    Ok((files, next.map(str::to_owned)))
}

/// One page of tools.
pub(super) fn page(
    registry: &Registry,
    trust: &Trust,
    rights: Rights<'_>,
    cursor: Option<&str>,
) -> Result<Value, Fault> {
    let (files, next) = files(registry, trust, cursor)?;
    let mut tools: Vec<Value> = Vec::new();
    for chain in &files {
        let tool = chain.tool().1;
        let reads_only = rights.only_reads(chain);
        for spec in tool.specs() {
            let (shown, _) = toolglot_mcp::pin::without_hidden(&json!({
                "name": listed_name(registry, tool.id.as_str(), &spec.name),
                "description": spec.description,
                "inputSchema": with_type(spec.parameters),
                "annotations": {"readOnlyHint": reads_only},
            }));
            // Clients refuse a list that contains an invalid name.
            if shown["name"]
                .as_str()
                .is_some_and(toolglot_mcp::pin::is_tool_name)
            {
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

/// Adds the type `object` to a schema of arguments without a type.
fn with_type(mut schema: Value) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.entry("type").or_insert_with(|| json!("object"));
    }
    schema
}
