//! The texts of the tools that may run here, as resources. A person who approves a call can read first what would run.
//!
//! They are served only with `--sources`: a file may contain text that its author should have left out. Files that wrap
//! a server's tool are never served, since they consist of settings.

use toolglot_mcp::message::{Fault, PARAMS};
use toolglot_tool_files::{ItemId, Language};
use toolglot_tool_registry::{Registry, ToolSource};
use toolglot_tool_trust::Trust;
use toolglot_value::{Map, Value, json};

use super::list;

/// The start of the address of a tool's text; the tool's id follows.
pub(super) const BEGIN: &str = "rye://tools/";
/// The template of all addresses.
pub(super) const TEMPLATE: &str = "rye://tools/{+id}";

/// The data that resources, prompts and completions come from.
pub(super) struct Shelf<'a> {
    pub(super) registry: &'a Registry,
    pub(super) trust: &'a Trust,
    pub(super) shows_sources: bool,
}

/// One page of the resources.
pub(super) fn list(shelf: &Shelf<'_>, params: &Map<String, Value>) -> Result<Value, Fault> {
    let cursor = params.get("cursor").and_then(Value::as_str);
    let (files, next) = list::files(shelf.registry, shelf.trust, cursor)?;
    let resources: Vec<Value> = files
        .iter()
        .map(|chain| chain.tool().0)
        .filter(|found| is_shown(found))
        .map(told)
        .collect();
    let mut page = json!({"resources": resources});
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    Ok(page)
}

pub(super) fn templates() -> Value {
    json!({"resourceTemplates": [{
        "uriTemplate": TEMPLATE,
        "name": "tool",
        "description": "The text of a tool that may run here",
    }]})
}

/// The text of one resource.
pub(super) fn read(shelf: &Shelf<'_>, params: &Map<String, Value>) -> Result<Value, Fault> {
    let uri = params.get("uri").and_then(Value::as_str);
    let uri = uri.ok_or_else(|| Fault::new(PARAMS, "`uri` is missing"))?;
    let found = uri
        .strip_prefix(BEGIN)
        .and_then(|id| shelf.registry.find(&ItemId::new(id).ok()?).ok())
        .filter(|found| {
            let tool = found.tool();
            let version = tool.metadata.version.as_deref();
            tool.errors().next().is_none() && shelf.trust.standing(found, version).is_ok()
        })
        .filter(is_shown);
    let Some(found) = found else {
        let mut fault = Fault::new(PARAMS, "there is no such resource");
        fault.data = Some(Box::new(json!({"uri": uri})));
        return Err(fault);
    };
    let kind = mime(found.language);
    Ok(json!({"contents": [{"uri": uri, "mimeType": kind, "text": found.text()}]}))
}

/// The ids of the resources that can be read.
pub(super) fn ids(shelf: &Shelf<'_>) -> Result<Vec<String>, Fault> {
    let (mut ids, mut cursor) = (Vec::new(), None);
    loop {
        let (files, next) = list::files(shelf.registry, shelf.trust, cursor.as_deref())?;
        let shown = files.iter().map(|chain| chain.tool().0);
        let shown = shown.filter(|found| is_shown(found));
        ids.extend(shown.map(|found| found.id.to_string()));
        cursor = next;
        if cursor.is_none() {
            return Ok(ids);
        }
    }
}

/// Whether a file is a tool whose text is a program or a description, not the settings of a server.
fn is_shown(found: &ToolSource) -> bool {
    let tool = found.tool();
    tool.is_callable() && tool.metadata.tool_type.as_deref() != Some("mcp")
}

fn told(found: &ToolSource) -> Value {
    let (shown, _) = toolglot_mcp::pin::without_hidden(&json!({
        "uri": format!("{BEGIN}{}", found.id),
        "name": list::name_of(found.id.as_str()),
        "description": found.tool().metadata.description,
        "mimeType": mime(found.language),
        "size": found.text().len(),
    }));
    shown
}

fn mime(language: Language) -> &'static str {
    match language {
        Language::Python => "text/x-python",
        Language::JavaScript => "text/javascript",
        Language::TypeScript => "text/x-typescript",
        Language::Bash => "text/x-shellscript",
        Language::Yaml => "application/yaml",
        Language::Toml => "application/toml",
        _ => "text/plain",
    }
}
