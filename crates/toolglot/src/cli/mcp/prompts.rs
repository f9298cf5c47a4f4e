//! The instructions of `toolglot prompt`, as a prompt: for a client whose model writes calls as text.

use toolglot_chat::{DEFAULT_DIALECT, dialect_named, instructions};
use toolglot_mcp::message::{Fault, INTERNAL, PARAMS};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json};

use super::list::{self, Rights};
use super::sources::Shelf;
use crate::cli::failure::Failure;
use crate::cli::prompt::report_left_out;

/// The prompt, and its argument.
pub(super) const NAME: &str = "write-calls";
pub(super) const DIALECT: &str = "dialect";

pub(super) fn list() -> Value {
    json!({"prompts": [{
        "name": NAME,
        "title": "How to write calls",
        "description": "Teaches a model to call these tools in the text that it writes",
        "arguments": [{
            "name": DIALECT,
            "description": format!("The format of the calls; `{DEFAULT_DIALECT}` if none is named"),
            "required": false,
        }],
    }]})
}

/// The text that teaches the tools that may run here.
pub(super) fn get(shelf: &Shelf<'_>, params: &Map<String, Value>) -> Result<Value, Fault> {
    let name = params.get("name").and_then(Value::as_str);
    if name != Some(NAME) {
        let why = format!("there is no prompt `{}`", name.unwrap_or_default());
        return Err(Fault::new(PARAMS, why));
    }
    let arguments = params.get("arguments");
    let dialect = match arguments.and_then(|arguments| arguments.get(DIALECT)) {
        None => DEFAULT_DIALECT,
        Some(Value::String(name)) => name,
        Some(_) => return Err(Fault::new(PARAMS, format!("`{DIALECT}` is not a string"))),
    };
    // Embedded dialects only: a client must not name a file of this machine.
    let dialect = dialect_named(dialect)
        .map_err(|error| Fault::new(PARAMS, Failure::from(error).to_string()))?;
    let failed = |why: String| Fault::new(INTERNAL, why);
    // A prompt does not show rights.
    let rights = Rights {
        granted: &[],
        has_walls: true,
    };
    let (mut tools, mut cursor) = (Vec::new(), None);
    loop {
        let mut page = list::page(shelf.registry, shelf.trust, rights, cursor.as_deref())?;
        if let Some(more) = page["tools"].as_array_mut() {
            tools.append(more);
        }
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    let toolbox =
        Toolbox::from_json(&Value::Array(tools)).map_err(|error| failed(error.to_string()))?;
    let instructions =
        instructions(dialect, &toolbox).map_err(|error| failed(error.to_string()))?;
    report_left_out(dialect, &instructions);
    Ok(json!({
        "description": format!("Calls in the format `{}`", dialect.name()),
        "messages": [{"role": "user", "content": {"type": "text", "text": instructions.text}}],
    }))
}
