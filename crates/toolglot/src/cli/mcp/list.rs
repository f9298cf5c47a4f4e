//! The tools that may run here, as a client lists them.

use toolglot_mcp::message::{Fault, PARAMS};
use toolglot_tool_files::{ItemId, capability};
use toolglot_tool_registry::Registry;
use toolglot_tool_runner::{Chain, resolve};
use toolglot_tool_trust::Trust;
use toolglot_value::{Value, json};

/// How many files one page of the list has tools of.
const PAGE: usize = 200;

/// What programs may do here, whatever their files say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rights<'a> {
    pub(super) granted: &'a [String],
    /// Whether sandbox hold them to it.
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
            // What a server or a host does when it is asked is nothing that is known here.
            "http_client" => false,
            _ if chain.is_server() => false,
            _ => {
                let granted: Vec<&str> = self.granted.iter().map(String::as_str).collect();
                let may = |name: &str| capability::covers(&granted, name);
                let asks = granted.iter().any(|name| name.starts_with("net"));
                self.has_walls && !may("fs.write") && !may("net.http") && !asks
            }
        }
    }
}

/// The name of a tool for a client: the protocol knows no `/` in names.
pub(super) fn name_of(id: &str) -> String {
    id.replace('/', ".")
}

/// The name of a tool whose [`name_of`] means another: it depends on the id alone.
fn own_name_of(id: &str) -> String {
    let digest = toolglot_tool_signature::digest(id);
    format!("{}-{}", name_of(id), &digest[..8])
}

/// The id that a client's name means: itself, or the one that is written like it but for the dots.
pub(super) fn id_of(registry: &Registry, name: &str) -> String {
    if name.contains('/') || is_there(registry, name) {
        return name.to_owned();
    }
    let id = name.replace('.', "/");
    if is_there(registry, &id) {
        return id;
    }
    // An action: its tool is what comes before the last dot.
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

/// The name that a client calls a tool or an action by, so that [`id_of`] it is that one and no other.
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

/// Tools of one page that may run here, with what runs them, in order of id, and the cursor of the next; it is the id of the last file before it.
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
        // All that a call of it would pass before its arguments.
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
            // Clients refuse a list with what is not a name in it.
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

/// A schema of arguments says that they are an object.
fn with_type(mut schema: Value) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.entry("type").or_insert_with(|| json!("object"));
    }
    schema
}
