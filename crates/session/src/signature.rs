//! Signs a tool of the project or the user. A model may sign only where exactly that was granted.

use std::path::Path;

use toolglot_builtins::clock;
use toolglot_policy::{Inside, PathFact};
use toolglot_tool_files::{ItemId, ToolFile};
use toolglot_tool_runner::ToolRunner;
use toolglot_tool_signature::sign as sign_text;
use toolglot_tool_trust::Space;
use toolglot_value::{Value, json};

use crate::own_files::real;

/// The places in the project that signing a tool changes: its file and the lock.
pub(crate) fn signed_places(runner: &ToolRunner, id: &str) -> Vec<PathFact> {
    let found = ItemId::new(id)
        .ok()
        .and_then(|id| runner.registry().find(&id).ok());
    let project = real(runner.project());
    let file = found.and_then(|found| {
        let path = real(&found.path?);
        Some(path.strip_prefix(&project).ok()?.to_owned())
    });
    let Some(file) = file else { return Vec::new() };
    [file, Path::new(".ai/toolglot.lock").to_owned()]
        .map(|path| PathFact {
            written: path.display().to_string(),
            found: Ok(Inside {
                path,
                ..Inside::default()
            }),
        })
        .to_vec()
}

/// Signs a tool with the user's key.
pub(crate) fn sign(runner: &ToolRunner, id: &str) -> Result<Value, String> {
    let id = ItemId::new(id).map_err(|error| error.to_string())?;
    let found = runner
        .registry()
        .find(&id)
        .map_err(|error| error.to_string())?;
    let tool: ToolFile = found.checked();
    if let Some(error) = tool.worst() {
        return Err(format!(
            "`{id}` breaks rules of tool files: {}",
            error.message
        ));
    }
    let (Some(path), true) = (&found.path, found.space != Space::System) else {
        return Err("tools of the system cannot be signed anew".to_owned());
    };
    let mut trust = runner.trust().write();
    let key = trust.private_key().map_err(|error| error.to_string())?;
    let style = found.language.signature_style();
    let now = clock::now();
    let signed = found
        .clone()
        .with_text(sign_text(found.text(), style, &key, &now, None));
    std::fs::write(path, signed.text()).map_err(|error| error.to_string())?;
    let version = tool.metadata.version.unwrap_or_default();
    trust
        .signed(&[(&signed, &version)])
        .map_err(|error| error.to_string())?;
    Ok(
        json!({"success": true, "output": format!("signed {id} {version}"), "digest": signed.digest()}),
    )
}
