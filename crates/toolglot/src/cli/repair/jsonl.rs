//! `toolglot repair --jsonl`: one document in, one document out.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use serde::Serialize;
use toolglot_repair::{Preset, RepairError, RepairedDocument, SchemaTarget};
use toolglot_value::Value;

use crate::cli::args::RepairArguments;
use crate::cli::batch;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;

/// How many schemas the cache holds.
const KEPT: usize = 256;

/// The answer to a line.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a Value,
    output: Value,
    text: &'a str,
    notes: Vec<NoteLine<'a>>,
}

#[derive(Serialize)]
struct NoteLine<'a> {
    code: String,
    name: &'static str,
    span: [usize; 2],
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
}

/// Answers each line of the input with a line, in order.
pub(super) fn repair(
    arguments: &RepairArguments,
    preset: Preset,
    target: Option<&SchemaTarget>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut targets: HashMap<String, Arc<SchemaTarget>> = HashMap::new();
    batch::answer(&arguments.file, out, |line, out| {
        let line: Value = match toolglot_value::from_str(line) {
            Ok(line) => line,
            Err(error) => return batch::bad(out, Value::Null, format!("not JSON: {error}")),
        };
        let id = line.get("id").cloned().unwrap_or(Value::Null);
        match one(&line, preset, target, &mut targets) {
            Ok((input, document)) => {
                write_document(out, &id, input, &document)?;
                Ok(document.is_faulty())
            }
            Err(error) => batch::bad(out, id, error),
        }
    })
}

/// The input and the repaired document of a line, or what is wrong with the line.
fn one<'l>(
    line: &'l Value,
    preset: Preset,
    target: Option<&SchemaTarget>,
    targets: &mut HashMap<String, Arc<SchemaTarget>>,
) -> Result<(&'l str, RepairedDocument), String> {
    let input = match line.get("input") {
        Some(Value::String(input)) => input.as_str(),
        Some(other) => {
            return Err(format!("field `input` must be a string, found {other:.40}"));
        }
        None if line.is_object() => "",
        None => return Err("expected an object".to_owned()),
    };
    let own = match line.get("schema") {
        None | Some(Value::Null) => None,
        Some(schema) => {
            let key = schema.to_string();
            if !targets.contains_key(&key) {
                let target = SchemaTarget::new(schema.clone()).map_err(|error| match error {
                    RepairError::Schema(source) => source.to_string(),
                    other => other.to_string(),
                })?;
                if targets.len() == KEPT {
                    targets.clear();
                }
                targets.insert(key.clone(), Arc::new(target));
            }
            targets.get(&key).cloned()
        }
    };
    toolglot_repair::repair(input, preset, own.as_deref().or(target))
        .map(|document| (input, document))
        .map_err(|error| error.to_string())
}

fn write_document(
    out: &mut dyn Write,
    id: &Value,
    input: &str,
    document: &RepairedDocument,
) -> std::io::Result<()> {
    let notes = document
        .notes
        .iter()
        .map(|note| NoteLine {
            code: format!("N{:03}", note.code.number()),
            name: note.code.name(),
            span: [note.start, note.end],
            message: &note.message,
            before: input
                .get(note.start..note.end)
                .filter(|_| note.is_placed && note.after.is_some()),
            after: note.after.as_deref(),
        })
        .collect();
    let Ok(output) = toolglot_value::from_str(&document.text) else {
        // The document is deeper than a tree of values can be. Its text, on one line, is the value.
        write!(out, "{{\"id\":{id},\"output\":")?;
        out.write_all(one_line(&document.text).as_bytes())?;
        write!(out, ",\"text\":{}", Value::from(document.text.as_str()))?;
        write!(out, ",\"notes\":{}}}", serde_json::to_string(&notes)?)?;
        return out.write_all(b"\n");
    };
    let line = Line {
        id,
        output,
        text: &document.text,
        notes,
    };
    write_line(out, &line)
}

/// JSON text without the blanks between its tokens.
fn one_line(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['"', ' ', '\t', '\n', '\r']) {
        out.push_str(&rest[..at]);
        if rest.as_bytes()[at] != b'"' {
            rest = &rest[at + 1..];
            continue;
        }
        let bytes = rest.as_bytes();
        let mut end = at + 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = (end + 1).min(rest.len());
        out.push_str(&rest[at..end]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_line_keeps_what_stands_in_strings() {
        assert_eq!(
            super::one_line("{\"a b\": [1,\n 2], \"c\\\" d\" : \"\\\\\" }"),
            "{\"a b\":[1,2],\"c\\\" d\":\"\\\\\"}"
        );
    }
}
