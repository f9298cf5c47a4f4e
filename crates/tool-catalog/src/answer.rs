//! The answer about one tool, and tools as JSON.

use toolglot_tool_files::{Diagnostic, Executor, SourceLocation, ToolFile};
use toolglot_tool_registry::ToolSource;
use toolglot_tool_runner::{CallError, Chain};
use toolglot_tool_trust::{TrustBasis, TrustRefusal};
use toolglot_value::{Map, Value, json};

use crate::Catalog;

/// A tool in a few fields, for listings.
pub fn brief(found: &ToolSource, tool: &ToolFile, catalog: &Catalog) -> Map<String, Value> {
    let metadata = &tool.metadata;
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
    let actions: Vec<&str> = tool.actions.iter().map(|one| one.name.as_str()).collect();
    set("actions", json!(actions));
    set("errors", json!(tool.errors().count()));
    set("standing", CatalogAnswer::of(catalog, found).to_json());
    fields
}

/// Why a file may run, and what runs it.
#[derive(Debug)]
#[non_exhaustive]
pub struct CatalogAnswer {
    /// Why the file may run, or why not.
    pub standing: Result<TrustBasis, TrustRefusal>,
    /// What runs it, or why it is not called.
    pub runs: Result<Chain, CallError>,
}

impl CatalogAnswer {
    /// The answer about a file.
    pub fn of(catalog: &Catalog, found: &ToolSource) -> CatalogAnswer {
        let version = found.tool().metadata.version.as_deref();
        CatalogAnswer {
            standing: catalog.trust.standing(found, version),
            runs: catalog.resolve(found),
        }
    }

    /// Whether the file may not run, or is a tool that cannot be called. A file that is not a tool is not at fault for
    /// that.
    pub fn is_faulty(&self) -> bool {
        let is_part = matches!(self.runs, Err(CallError::NotCallable { .. }));
        self.standing.is_err() || (self.runs.is_err() && !is_part)
    }

    /// The answer as JSON: `status`, `runs`, the reason against a call, and the key, owner, time and digest of a
    /// signature.
    pub fn to_json(&self) -> Value {
        let mut json = match &self.standing {
            Ok(TrustBasis::Signed(verified)) => json!({
                "status": "signed",
                "key": verified.key,
                "owner": verified.owner,
                "time": verified.time,
                "digest": verified.digest,
            }),
            Ok(standing) => json!({"status": standing.word()}),
            Err(refusal) => json!({"status": refusal.code()}),
        };
        json["runs"] = json!(self.runs.is_ok());
        if let Err(error) = &self.runs {
            json["code"] = json!(error.code());
            json["message"] = json!(error.to_string());
        }
        json
    }
}

/// A diagnostic of a text with its place, as JSON.
pub fn diagnostic(diagnostic: &Diagnostic, text: &str) -> Value {
    let (start, end) = (
        SourceLocation::of(text, diagnostic.span.start),
        SourceLocation::of(text, diagnostic.span.end),
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
