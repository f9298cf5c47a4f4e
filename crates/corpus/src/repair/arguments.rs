//! Arguments of structured calls: JSON in a string, or an object.

use std::sync::Arc;

use toolglot_repair::{Preset, SchemaTarget};
use toolglot_toolset::Toolbox;
use toolglot_value::Value;

use super::{RepairedCall, RowReport, Targets};

/// Repairs the arguments of one call in place; returns whether they changed.
pub(super) fn repair(
    function: &mut Value,
    at: usize,
    toolbox: Option<&Toolbox>,
    targets: &Targets,
    report: &mut RowReport,
) -> bool {
    let name = function["name"].as_str().unwrap_or_default().to_owned();
    let Some(arguments) = function.get_mut("arguments") else {
        return false;
    };
    let text = match &*arguments {
        Value::String(text) if !text.trim().is_empty() => text.clone(),
        Value::Object(_) => arguments.to_string(),
        _ => return false,
    };
    let target = toolbox.and_then(|toolbox| target(toolbox, &name, targets));
    let mut left = |why: String| {
        report
            .left
            .push(format!("messages[{at}]: the call of `{name}` stays: {why}"));
        false
    };
    let repaired = match toolglot_repair::repair(&text, Preset::Llm, target.as_deref()) {
        Ok(repaired) => repaired,
        Err(error) => return left(error.to_string()),
    };
    if repaired.notes.is_empty() {
        return false;
    }
    if repaired.is_faulty() {
        let fault = repaired
            .notes
            .iter()
            .find(|note| note.code.name() == "invalid-arguments");
        return left(fault.map(|note| note.message.clone()).unwrap_or_default());
    }
    match toolglot_value::from_str(&repaired.text) {
        Ok(object @ Value::Object(_)) if arguments.is_object() => *arguments = object,
        Ok(Value::Object(_)) => *arguments = Value::String(repaired.text),
        _ => return left("its arguments are not an object".to_owned()),
    }
    let mut notes: Vec<String> = repaired
        .notes
        .iter()
        .map(|note| format!("N{:03}", note.code.number()))
        .collect();
    notes.dedup();
    report.repaired.push(RepairedCall {
        message: Some(at),
        call: name,
        notes,
    });
    true
}

/// The prepared schema of a tool.
fn target(toolbox: &Toolbox, name: &str, targets: &Targets) -> Option<Arc<SchemaTarget>> {
    let (spec, _) = toolbox.canonical(name)?;
    let key = spec.parameters.to_string();
    let mut targets = targets.borrow_mut();
    let target = targets.entry(key).or_insert_with(|| {
        SchemaTarget::new(spec.parameters.clone())
            .ok()
            .map(Arc::new)
    });
    target.clone()
}
