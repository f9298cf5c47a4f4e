//! Messages made from a template, which its dialect must read as the template says.
//!
//! Each part of a pattern defines its matches, so a text can be made from it without the generated rules. The result of
//! these rules is compared with the template. A call that the rules write must match the template's patterns.

use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Dialect, End, Finish, Input, Limits, Parser, Program, Renderer, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json};

use super::delimiter::{Delimiter, named};
use super::matcher::{filled, is_found, is_whole};
use super::pattern::{Part, Pattern, Unsupported, read};
use super::terms::Side;
use super::transform::{Name, Shape};
use super::{REASONING, is_implicit, shown, wrapped};
use crate::probe::{NUMBER, SAID, TEXT, TOOL, arguments};

const THOUGHT: &str = "Hm, hm.";
const ID: &str = "a1";

/// How a pattern is written out: the first alternatives without optional parts, or the last ones with everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Short,
    Full,
}

/// Reads messages with a dialect, and writes a call with it.
///
/// # Errors
/// The field with another result than the template specifies.
pub(super) fn try_out(fields: &Map<String, Value>, dialect: &Dialect) -> Result<(), String> {
    let whole = [Spelling::Short, Spelling::Full];
    for spelling in whole {
        let message = Message::of(fields, spelling).map_err(|Unsupported(why)| why)?;
        message.is_read(dialect)?;
    }
    let Some(spec) = fields.get("tool_calls") else {
        return Ok(());
    };
    let tool = Call::of(spec, Spelling::Short)
        .map_err(|Unsupported(why)| why)?
        .tool;
    let (args, tools) = (arguments().to_string(), tool_set(&tool)?);
    let call = CallText {
        name: &tool,
        arguments: &args,
        server: None,
        id: Some(ID),
    };
    let renderer = Renderer::new(dialect, &tools).map_err(|error| error.message)?;
    let written = renderer
        .calls(&[call])
        .map_err(|why| format!("field `tool_calls`: a call cannot be written: {why}"))?;
    match is_said(spec, &tool, &written) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!(
            "field `tool_calls`: the rules write a call that the template does not read: {:?}",
            shown(&written)
        )),
        Err(Unsupported(why)) => Err(why),
    }
}

/// Whether a written call matches the template's own patterns.
fn is_said(spec: &Value, tool: &str, written: &str) -> Result<bool, Unsupported> {
    let shape = shape_of(spec)?;
    let group = |name: &str| match shape.word_of(name) {
        Some("name") => Some(tool.to_owned()),
        _ => None,
    };
    let side = |side: Side| -> Result<Part, Unsupported> {
        let pattern =
            Delimiter::read(spec, side)?.map_or_else(|| vec![Vec::new()], |one| one.pattern());
        Ok(Part::Group(filled(&pattern, &group)))
    };
    let anything = read(".*")?.remove(0).remove(0);
    let whole = [side(Side::Open)?, anything, side(Side::Close)?];
    if !is_whole(&whole, written.trim()) && !is_whole(&whole, written) {
        return Ok(false);
    }
    let Some(tag) = spec["content_args"]["tag_pattern"].as_str() else {
        return Ok(true);
    };
    let tag = read(tag)?;
    let mut arguments = [("text", TEXT.to_owned()), ("number", NUMBER.to_string())].into_iter();
    Ok(arguments.all(|(key, value)| {
        let tag = filled(&tag, &|group| match group {
            "key" => Some(key.to_owned()),
            "value" => Some(value.clone()),
            _ => None,
        });
        is_found(&tag, written)
    }))
}

/// The shape of a call by `transform` and the groups of these delimiters.
fn shape_of(spec: &Value) -> Result<Shape, Unsupported> {
    let mut groups = Vec::new();
    for side in [Side::Open, Side::Close] {
        if let Some(Delimiter::Pattern(pattern)) = Delimiter::read(spec, side)? {
            named(&pattern, &mut groups);
        }
    }
    Shape::read(spec, &groups)
}

/// A message, and its expected result.
struct Message {
    text: String,
    thought: Option<(String, &'static str)>,
    said: Option<&'static str>,
    call: Option<Call>,
    n_calls: usize,
}

impl Message {
    fn of(fields: &Map<String, Value>, spelling: Spelling) -> Result<Message, Unsupported> {
        let mut message = Message {
            text: String::new(),
            thought: None,
            said: None,
            call: None,
            n_calls: 0,
        };
        let find = |names: &[&str]| {
            fields
                .iter()
                .find(|(name, _)| names.contains(&name.as_str()))
        };
        if let Some((name, spec)) = find(REASONING) {
            message.around(spec, THOUGHT, spelling)?;
            message.thought = Some((name.clone(), THOUGHT));
        }
        let content = fields.get("content");
        if let Some(spec) = content.filter(|spec| !is_implicit(spec)) {
            message.around(spec, SAID, spelling)?;
            message.said = Some(SAID);
        } else if let Some(spec) = content {
            let around = wrapped(spec)?.filter(|_| spelling == Spelling::Full);
            let (before, after) = around.unwrap_or_default();
            message.text.extend([before, SAID, after]);
            message.said = Some(SAID);
        }
        if let Some(spec) = fields.get("tool_calls") {
            let call = Call::of(spec, spelling)?;
            message.n_calls = 1 + usize::from(spec["repeats"] == Value::Bool(true));
            for _ in 0..message.n_calls {
                message.text.push_str(&call.text);
            }
            message.call = Some(call);
        }
        if let Some(spec) = content.filter(|spec| is_implicit(spec)) {
            message
                .text
                .push_str(&delimiter(spec, Side::Close, spelling, &|_| None)?);
        }
        Ok(message)
    }

    fn around(&mut self, spec: &Value, text: &str, spelling: Spelling) -> Result<(), Unsupported> {
        self.text
            .push_str(&delimiter(spec, Side::Open, spelling, &|_| None)?);
        self.text.push_str(text);
        self.text
            .push_str(&delimiter(spec, Side::Close, spelling, &|_| None)?);
        Ok(())
    }

    fn is_read(&self, dialect: &Dialect) -> Result<(), String> {
        let tool = self.call.as_ref().map_or(TOOL, |call| call.tool.as_str());
        let tools = tool_set(tool)?;
        let one = std::slice::from_ref(dialect);
        let program =
            Program::compile(one, &tools, Limits::default()).map_err(|error| error.message)?;
        let mut read = Calls::default();
        let mut parser = Parser::new(Arc::new(program));
        parser.push(Input::Text(&self.text), &mut read);
        parser.finish(Finish::Stop, &mut read);
        let differs = |field: &str, found: &dyn std::fmt::Debug| {
            let (text, found) = (shown(&self.text), shown(&format!("{found:?}")));
            format!(
                "field `{field}`: the rules read something else than the template: of {text:?} came {found}"
            )
        };
        if let Some((field, thought)) = &self.thought
            && read.reasoning.trim() != *thought
        {
            return Err(differs(field, &read.reasoning));
        }
        if let Some(said) = self.said
            && read.content.trim() != said
        {
            return Err(differs("content", &read.content));
        }
        let Some(call) = &self.call else {
            return Ok(());
        };
        let is_right = |found: &toolglot_engine::Call| {
            let given: Option<Value> = toolglot_value::from_str(&found.arguments).ok();
            found.name == call.tool && given == Some(arguments()) && found.end == End::Closed
        };
        if read.calls.len() == self.n_calls && read.calls.iter().all(is_right) {
            Ok(())
        } else {
            let found: Vec<(&str, &str)> = (read.calls.iter())
                .map(|call| (&*call.name, call.arguments.as_str()))
                .collect();
            Err(differs("tool_calls", &found))
        }
    }
}

/// A call with the text around it.
struct Call {
    text: String,
    tool: String,
}

impl Call {
    fn of(spec: &Value, spelling: Spelling) -> Result<Call, Unsupported> {
        let shape = shape_of(spec)?;
        let open = match &shape.name {
            Name::Group(_) => Delimiter::read(spec, Side::Open)?,
            _ => None,
        };
        let tool = match &shape.name {
            Name::Fixed(name) => name.clone(),
            Name::Group(group) => match open {
                Some(Delimiter::Pattern(pattern)) => choice(&pattern, group, spelling),
                _ => None,
            }
            .unwrap_or_else(|| TOOL.to_owned()),
            Name::Key(_) => TOOL.to_owned(),
        };
        let group = |name: &str| match shape.word_of(name) {
            Some("name") => Some(tool.clone()),
            Some(_) => Some(ID.to_owned()),
            None => None,
        };
        let mut text = delimiter(spec, Side::Open, spelling, &group)?;
        text.push_str(&body(spec, &shape, &tool, spelling)?);
        text.push_str(&delimiter(spec, Side::Close, spelling, &group)?);
        Ok(Call { text, tool })
    }
}

/// The text for a group with a fixed set of texts.
fn choice(pattern: &Pattern, group: &str, spelling: Spelling) -> Option<String> {
    fn of(part: &Part, group: &str, spelling: Spelling) -> Option<String> {
        match part {
            Part::Named(name, inside) if name == group => {
                let seq = match spelling {
                    Spelling::Short => inside.first()?,
                    Spelling::Full => inside.last()?,
                };
                let is_text = seq.iter().all(|part| matches!(part, Part::Text(_)));
                is_text.then(|| spelt(&vec![seq.clone()], spelling, &|_| None))
            }
            Part::Named(_, inside) | Part::Group(inside) => choice(inside, group, spelling),
            Part::Repeat(inner, ..) => of(inner, group, spelling),
            _ => None,
        }
    }
    pattern
        .iter()
        .flatten()
        .find_map(|part| of(part, group, spelling))
}

/// The text between the delimiters of a call.
fn body(
    spec: &Value,
    shape: &Shape,
    tool: &str,
    spelling: Spelling,
) -> Result<String, Unsupported> {
    match spec["content"].as_str() {
        Some("json") => {
            let mut content = match &shape.arguments {
                None => arguments(),
                Some(path) => {
                    let mut content = Value::Object(Map::new());
                    put(&mut content, path, arguments());
                    content
                }
            };
            if let Name::Key(path) = &shape.name {
                put(&mut content, path, Value::from(tool));
            }
            if let Some(Name::Key(path)) = &shape.id {
                put(&mut content, path, Value::from(ID));
            }
            let text = match &spec["content_args"]["string_delims"][0] {
                Value::Null => content.to_string(),
                pair => {
                    let (open, close) = (
                        pair[0].as_str().unwrap_or(""),
                        pair[1].as_str().unwrap_or(""),
                    );
                    format!("{{\"text\":{open}{TEXT}{close},\"number\":{NUMBER}}}")
                }
            };
            Ok(if shape.is_list {
                format!("[{text}]")
            } else {
                text
            })
        }
        Some("xml-inline") => {
            let pattern = spec["content_args"]["tag_pattern"].as_str().unwrap_or("");
            let pattern = read(pattern)?;
            let arguments = [("text", TEXT.to_owned()), ("number", NUMBER.to_string())];
            let tag = |(key, value): &(&str, String)| {
                spelt(&pattern, spelling, &|group| match group {
                    "key" => Some((*key).to_owned()),
                    "value" => Some(value.clone()),
                    _ => None,
                })
            };
            Ok(arguments.iter().map(tag).collect())
        }
        _ => Ok(format!("[{tool}(text=\"{TEXT}\", number={NUMBER})]")),
    }
}

/// Puts a value under the keys of a path.
fn put(into: &mut Value, path: &str, value: Value) {
    let mut at = into;
    for key in path.split('.') {
        if !at[key].is_object() {
            at[key] = Value::Object(Map::new());
        }
        at = &mut at[key];
    }
    *at = value;
}

/// The text at one end of a field; empty if it has none.
fn delimiter(
    spec: &Value,
    side: Side,
    spelling: Spelling,
    group: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Unsupported> {
    Ok(match Delimiter::read(spec, side)? {
        None => String::new(),
        Some(Delimiter::Texts(texts)) => {
            let text = match spelling {
                Spelling::Short => texts.first(),
                Spelling::Full => texts.last(),
            };
            text.cloned().unwrap_or_default()
        }
        Some(Delimiter::Pattern(mut pattern)) => {
            // An opener that starts the message or matches nothing needs a known prompt.
            pattern.retain(|seq| !matches!(&seq[..], [Part::Start | Part::Lookahead(_)]));
            spelt(&pattern, spelling, group)
        }
    })
}

/// A text that a pattern matches.
fn spelt(pattern: &Pattern, spelling: Spelling, group: &dyn Fn(&str) -> Option<String>) -> String {
    let seq = match spelling {
        Spelling::Short => pattern.first(),
        Spelling::Full => pattern.last(),
    };
    let mut out = String::new();
    let mut is_bound = false;
    for part in seq.into_iter().flatten() {
        // A run after a word boundary starts with a character that is not part of a word.
        if is_bound && matches!(part, Part::Repeat(..)) && out.ends_with(char::is_alphanumeric) {
            out.push(' ');
        }
        is_bound = *part == Part::Boundary;
        spell(part, spelling, group, &mut out);
    }
    out
}

fn spell(
    part: &Part,
    spelling: Spelling,
    group: &dyn Fn(&str) -> Option<String>,
    out: &mut String,
) {
    match part {
        Part::Text(c) => out.push(*c),
        Part::Class(class) => {
            let all = ['x', '7', '-', ' ', '\n', '<', '"'];
            out.extend(all.into_iter().find(|&c| class.has(c)));
        }
        Part::Group(inside) => out.push_str(&spelt(inside, spelling, group)),
        Part::Named(name, inside) => match group(name) {
            Some(text) => out.push_str(&text),
            None => out.push_str(&spelt(inside, spelling, group)),
        },
        Part::Repeat(inner, min, max) => {
            let times = match spelling {
                Spelling::Short => *min,
                Spelling::Full => max.unwrap_or(*min + 1).max(1),
            };
            match &**inner {
                // A long run of any characters has blanks and punctuation in it.
                Part::Class(class)
                    if max.is_none() && class.has('<') && spelling == Spelling::Full =>
                {
                    out.extend(" <x -".chars().filter(|&c| class.has(c)));
                }
                inner => (0..times).for_each(|_| spell(inner, spelling, group, out)),
            }
        }
        Part::Start | Part::End | Part::Boundary | Part::Lookahead(_) => {}
    }
}

fn tool_set(tool: &str) -> Result<ToolSet, String> {
    let parameters = json!({"type": "object", "properties": {"text": {"type": "string"}, "number": {"type": "integer"}}});
    let tools = json!([{"type": "function", "function": {"name": tool, "parameters": parameters}}]);
    let toolbox = Toolbox::from_json(&tools).map_err(|error| error.to_string())?;
    Ok(toolbox.tool_set())
}
