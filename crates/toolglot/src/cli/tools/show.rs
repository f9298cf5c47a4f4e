//! `toolglot tools show`.

use std::fmt::Write as _;
use std::io::Write;

use toolglot_tool_catalog::{brief, diagnostic};
use toolglot_tool_files::ItemId;
use toolglot_value::{Value, json};

use super::project::{self, answer};
use crate::cli::args::ToolsProject;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use toolglot_chat::required_parameters;

pub(super) fn show(
    id: &str,
    common: &ToolsProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let catalog = project::open(&common.root)?;
    let id = ItemId::new(id).map_err(Failure::BadId)?;
    let found = catalog.find_called(&id)?;
    let tool = found.checked();
    let metadata = &tool.metadata;
    let mut shown = brief(&found, &tool, &catalog);
    let mut set = |name: &str, value: Value| shown.insert(name.to_owned(), value);
    set("category", json!(metadata.category));
    set("requires", json!(metadata.requires));
    set(
        "timeout",
        json!(metadata.timeout.map(|timeout| timeout.as_secs_f64())),
    );
    set(
        "retry_policy",
        metadata.retry.map_or(Value::Null, |retry| {
            json!({
                "max_attempts": retry.max_attempts,
                "backoff_type": format!("{:?}", retry.backoff).to_lowercase(),
                "initial_delay": retry.initial_delay.as_secs_f64(),
                "max_delay": retry.max_delay.as_secs_f64(),
                "backoff_multiplier": retry.multiplier,
            })
        }),
    );
    set(
        "cost",
        metadata.cost.as_ref().map_or(Value::Null, |cost| {
            json!({
                "per_invocation": cost.per_invocation,
                "per_minute": cost.per_minute,
                "estimated_duration": cost.estimated.map(|time| time.as_secs_f64()),
                "currency": cost.currency,
            })
        }),
    );
    set("documentation", json!(metadata.documentation));
    set("metadata", json!(metadata.about));
    set("config", json!(metadata.config));
    set("input_schema", tool.schema.input.clone());
    set("output_schema", json!(tool.schema.output));
    set(
        "actions",
        tool.actions
            .iter()
            .map(|action| {
                json!({
                    "name": action.name,
                    "call": format!("{}.{}", found.id, action.name),
                    "description": action.description,
                    "input_schema": action.input,
                })
            })
            .collect(),
    );
    set(
        "diagnostics",
        tool.diagnostics
            .iter()
            .map(|one| diagnostic(one, found.text()))
            .collect(),
    );
    let shown = Value::Object(shown);
    answer(common, out, &shown, &words(&shown))?;
    Ok(Outcome::Fine)
}

fn words(shown: &Value) -> String {
    let mut text = String::new();
    let field = |name: &str| shown[name].as_str().unwrap_or("-");
    let _ = writeln!(
        text,
        "{}  {}  {}",
        field("id"),
        field("version"),
        field("language")
    );
    let _ = writeln!(text, "  {}", field("description"));
    if shown["deprecated"] == json!(true) {
        let _ = writeln!(
            text,
            "  deprecated: left out of prompts, noted when it is called"
        );
    }
    let standing = &shown["standing"];
    let status = standing["status"].as_str().unwrap_or("-");
    if let Some(message) = standing["message"].as_str() {
        let _ = writeln!(text, "  does not run: {message}");
    } else {
        let owner = standing["owner"].as_str();
        let owner = owner
            .map(|owner| format!(" by {owner}"))
            .unwrap_or_default();
        let _ = writeln!(text, "  runs: {status}{owner}");
    }
    let _ = writeln!(text, "  file: {}", field("path"));
    let _ = writeln!(text, "  executor: {}", field("executor_id"));
    for name in ["tags", "requires"] {
        let words: Vec<&str> = shown[name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if !words.is_empty() {
            let _ = writeln!(text, "  {name}: {}", words.join(", "));
        }
    }
    for name in [
        "timeout",
        "retry_policy",
        "cost",
        "documentation",
        "metadata",
    ] {
        if !shown[name].is_null() {
            let _ = writeln!(text, "  {name}: {}", shown[name]);
        }
    }
    parameters(&mut text, "  ", &shown["input_schema"]);
    for action in shown["actions"].as_array().into_iter().flatten() {
        let _ = writeln!(
            text,
            "  action {}: {}",
            action["call"].as_str().unwrap_or_default(),
            action["description"].as_str().unwrap_or("-")
        );
        parameters(&mut text, "    ", &action["input_schema"]);
    }
    let n = shown["diagnostics"].as_array().map_or(0, Vec::len);
    if n > 0 {
        let _ = writeln!(
            text,
            "  {n} remarks: `toolglot tools check {}`",
            field("id")
        );
    }
    text
}

fn parameters(text: &mut String, indent: &str, schema: &Value) {
    let required = required_parameters(schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let kind = property["type"].as_str().unwrap_or("any");
        let need = if required.contains(&name.as_str()) {
            "required".to_owned()
        } else {
            match property.get("default") {
                Some(default) => format!("default {default}"),
                None => "optional".to_owned(),
            }
        };
        let about = property["description"].as_str().unwrap_or("-");
        let _ = writeln!(text, "{indent}{name}: {kind}, {need}: {about}");
    }
}
