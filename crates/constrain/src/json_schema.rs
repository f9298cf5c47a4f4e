//! A message that is one call as a JSON Schema, and the older form of structural tags, for servers without grammars.
//!
//! The schemas of the tools stay as they are, so the server reports the parts that it ignores.

use toolglot_engine::Dialect;
use toolglot_engine::form::Forms;
use toolglot_value::{Value, json};

use crate::error::{GrammarError, GrammarNote};
use crate::frame::{Body, Frame, arguments, envelope_schema, frame};
use crate::message::chosen;
use crate::{Grammar, Options, Reasoning, ToolChoice, ToolSchema};

/// The schema of a call of one of the tools, for a dialect whose calls are JSON objects and nothing else.
pub(crate) fn message(
    dialect: &Dialect,
    tools: &[ToolSchema<'_>],
    options: &Options<'_>,
) -> Result<Grammar, GrammarError> {
    let tools = chosen(tools, options.tool_choice)?;
    if matches!(options.tool_choice, ToolChoice::Auto | ToolChoice::None) {
        return Err(GrammarError::Target(
            "a JSON Schema has no text beside calls; ask for a call (`--tool-choice required`)"
                .to_owned(),
        ));
    }
    if options.reasoning != Reasoning::None {
        return Err(GrammarError::Target(
            "a JSON Schema has no reasoning before calls; leave `--reasoning` out".to_owned(),
        ));
    }
    let forms = Forms::new(dialect);
    let mut calls = Vec::new();
    for (n, tool) in tools.iter().enumerate() {
        let envelope = match frame(&forms, tool) {
            Some(Frame {
                begin,
                body: Body::Envelope(envelope),
                end,
            }) if begin.is_empty() && end.is_empty() => envelope,
            _ => {
                return Err(GrammarError::Target(format!(
                    "dialect `{}` does not write a call as an object and nothing else; take another format",
                    dialect.name()
                )));
            }
        };
        let place = match tools.len() {
            1 => "#".to_owned(),
            _ => format!("#/anyOf/{n}"),
        };
        calls.push(envelope_schema(&envelope, tool, &place));
    }
    let schema = match <[Value; 1]>::try_from(calls) {
        Ok([call]) => call,
        Err(calls) => json!({"anyOf": Value::Array(calls)}),
    };
    let notes = if options.parallel {
        vec![note("a JSON Schema has one call only")]
    } else {
        Vec::new()
    };
    Ok(grammar(&schema, tools.len(), notes))
}

/// The older form of structural tags, a list of tags with a schema each, for dialects whose calls are a text, JSON and
/// a text. <https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/protocol.py>, seen 2026-11.
pub(crate) fn legacy_tags(
    dialect: &Dialect,
    tools: &[ToolSchema<'_>],
    options: &Options<'_>,
) -> Result<Grammar, GrammarError> {
    let tools = chosen(tools, options.tool_choice)?;
    if !matches!(options.tool_choice, ToolChoice::Auto) {
        return Err(GrammarError::Target(
            "the older form of structural tags cannot require or forbid a call; take `structural-tag`"
                .to_owned(),
        ));
    }
    let forms = Forms::new(dialect);
    let mut structures = Vec::new();
    let mut triggers: Vec<String> = Vec::new();
    for tool in &tools {
        let tag = frame(&forms, tool).and_then(|frame| Tag::new(frame, tool));
        let Some(tag) = tag else {
            return Err(GrammarError::Target(format!(
                "dialect `{}` does not write a call of `{}` as a marker, JSON and a text; take `structural-tag`",
                dialect.name(),
                tool.name
            )));
        };
        structures.push(json!({"begin": tag.begin, "schema": tag.schema, "end": tag.end}));
        if !triggers.contains(&tag.trigger) {
            triggers.push(tag.trigger);
        }
    }
    let mut notes = Vec::new();
    if options.reasoning != Reasoning::None {
        notes.push(note(
            "reasoning is free text here, in which a tag may start",
        ));
    }
    if !options.parallel {
        notes.push(note("several calls can be written"));
    }
    let triggers: Value = triggers.into_iter().map(Value::from).collect();
    let tags = json!({
        "type": "structural_tag",
        "structures": Value::Array(structures),
        "triggers": triggers,
    });
    Ok(grammar(&tags, tools.len(), notes))
}

/// A tag of the older form.
struct Tag {
    begin: String,
    schema: Value,
    end: String,
    trigger: String,
}

impl Tag {
    /// `None` where no marker starts the call.
    fn new(frame: Frame, tool: &ToolSchema<'_>) -> Option<Tag> {
        let Frame { begin, body, end } = frame;
        let (begin, schema, end) = match body {
            Body::Arguments => (begin, arguments(tool, "#"), end),
            Body::Envelope(envelope) => (begin, envelope_schema(&envelope, tool, "#"), end),
        };
        // The marker is the first line, up to the name.
        let marker = begin.split(tool.name).next()?;
        let marker = marker.trim_start().lines().next()?.trim_end();
        let start = begin.len() - begin.trim_start().len();
        (marker.len() >= 3).then(|| Tag {
            trigger: marker.to_owned(),
            begin: begin[start..].to_owned(),
            schema,
            end,
        })
    }
}

fn grammar(document: &Value, n_rules: usize, notes: Vec<GrammarNote>) -> Grammar {
    Grammar {
        text: document.to_string(),
        triggers: Vec::new(),
        n_rules,
        notes,
    }
}

fn note(message: &str) -> GrammarNote {
    GrammarNote {
        tool: String::new(),
        pointer: String::new(),
        message: message.to_owned(),
    }
}
