//! Rye's four verbs: their specs, and those that only read.

use std::path::Path;

use toolglot_tool_files::ItemId;
use toolglot_tool_registry::Registry;
use toolglot_tool_runner::{ToolRunner, resolve};
use toolglot_toolset::ToolSpec;
use toolglot_value::{Value, json};

/// The verbs as tools.
pub(crate) fn verbs() -> Vec<ToolSpec> {
    let item = json!({"type": "string", "enum": ["tool"], "default": "tool", "description": "What kind of item"});
    let id = json!({"type": "string", "minLength": 1, "description": "The item's id, as in rye/file-system/read"});
    let spec = |name: &str, description: &str, properties: Value, required: Value| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
        effect: toolglot_toolset::Effect::Unknown,
    };
    vec![
        spec(
            "rye_execute",
            "Runs a tool by its id",
            json!({
                "item_type": item,
                "item_id": id,
                "parameters": {"type": "object", "default": {}, "description": "The tool's arguments"},
                "project_path": {"type": "string", "default": "", "description": "The project here; no other"},
                "dry_run": {"type": "boolean", "default": false, "description": "Check it and run nothing"},
            }),
            json!(["item_id"]),
        ),
        spec(
            "rye_search",
            "Finds tools by words",
            json!({"item_type": item, "query": {"type": "string", "default": "", "description": "Words that a tool's name, tags or description hold"}}),
            json!([]),
        ),
        spec(
            "rye_load",
            "Shows a tool's text and schema",
            json!({"item_type": item, "item_id": id}),
            json!(["item_id"]),
        ),
        spec(
            "rye_sign",
            "Signs a tool with the user's key",
            json!({"item_type": item, "item_id": id}),
            json!(["item_id"]),
        ),
    ]
}

/// The tools whose name, tags or description contain all words of `query`.
pub(crate) fn search(runner: &ToolRunner, query: &str, hides: &dyn Fn(&Path) -> bool) -> Value {
    const MOST: usize = 50;
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let (entries, _) = runner.registry().list();
    let mut found = Vec::new();
    for entry in &entries {
        let Ok(file) = runner.registry().read(entry) else {
            continue;
        };
        let tool = file.tool();
        if file.path.as_deref().is_some_and(hides) {
            continue;
        }
        if !tool.is_callable() || tool.metadata.is_deprecated() {
            continue;
        }
        let description = tool.metadata.description.clone().unwrap_or_default();
        let all = format!(
            "{} {} {description}",
            entry.id,
            tool.metadata.tags.join(" ")
        )
        .to_lowercase();
        if words.iter().all(|word| all.contains(word)) {
            let mut row = json!({"item_id": entry.id.as_str(), "description": description, "space": entry.space.to_string()});
            // A tool that would be refused is listed with the reason, so that it can be repaired.
            if let Err(why) = resolve(runner.registry(), &runner.trust().read(), file) {
                row["cannot_run"] = json!(why.to_string());
            }
            found.push(row);
        }
        if found.len() == MOST {
            break;
        }
    }
    json!({"success": true, "data": found})
}

/// The text and the schema of a tool.
pub(crate) fn load(registry: &Registry, id: &str) -> Result<Value, String> {
    let id = ItemId::new(id).map_err(|error| error.to_string())?;
    let found = registry.find(&id).map_err(|error| error.to_string())?;
    let tool = found.tool();
    Ok(json!({
        "success": true,
        "data": {
            "item_id": id.as_str(),
            "version": tool.metadata.version,
            "description": tool.metadata.description,
            "input_schema": tool.schema.input,
            "text": found.text(),
        },
    }))
}
