//! Tools as JSON.

use serde_json::{Map, Value, json};
use toolglot_toolfiles::{Diagnostic, Executor, Found, Outline, Place, Refusal, Standing};

/// A tool in a few fields, for listings.
pub(super) fn brief(
    found: &Found,
    outline: &Outline,
    standing: &Result<Standing, Refusal>,
) -> Map<String, Value> {
    let metadata = &outline.metadata;
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    set("id", json!(found.id.as_str()));
    set("space", json!(found.space.to_string()));
    set("language", json!(found.language.name()));
    set("path", json!(found.name()));
    set("tool_type", json!(metadata.tool_type));
    set("version", json!(metadata.version));
    set("description", json!(metadata.description));
    set(
        "executor_id",
        match &metadata.executor {
            Executor::Id(id) => json!(id),
            _ => Value::Null,
        },
    );
    set("tags", json!(metadata.tags));
    set("deprecated", json!(metadata.is_deprecated()));
    set("actions", json!(outline.actions));
    set("errors", json!(outline.n_errors));
    set("standing", standing_of(standing));
    fields
}

/// Whether it may run.
pub(super) fn standing_of(standing: &Result<Standing, Refusal>) -> Value {
    match standing {
        Ok(Standing::Signed(verified)) => json!({
            "runs": true,
            "status": "signed",
            "key": verified.key,
            "owner": verified.owner,
            "time": verified.time,
            "digest": verified.digest,
        }),
        Ok(standing) => json!({"runs": true, "status": standing.word()}),
        Err(refusal) => {
            json!({"runs": false, "status": refusal.code(), "message": refusal.to_string()})
        }
    }
}

/// A diagnostic with its place.
pub(super) fn diagnostic(diagnostic: &Diagnostic, text: &str) -> Value {
    let (start, end) = (
        Place::of(text, diagnostic.span.start),
        Place::of(text, diagnostic.span.end),
    );
    json!({
        "code": diagnostic.rule.code,
        "rule": diagnostic.rule.name,
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "span": [diagnostic.span.start, diagnostic.span.end],
    })
}
