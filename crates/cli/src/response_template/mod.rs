//! A checkpoint's `response_template` as a dialect.
//!
//! Transformers stores in `tokenizer_config.json` how a model's text becomes a message: fields with their delimiters,
//! the parser of what stands between, and a template of what it becomes
//! (<https://huggingface.co/docs/transformers/main/chat_response_parsing>, seen 2026-11). What the notation can say of
//! it is written as rules; what it cannot is refused, with the field and the reason.

mod pattern;

use std::fmt::Write as _;

use serde_json::Value;

use pattern::{Unfit, literal, terms};

/// Fields whose text is reasoning.
const REASONING: &[&str] = &["thinking", "reasoning", "reasoning_content"];

/// What a template may say beside its fields: where an answer begins, what a message holds by itself.
const OF_TEMPLATE: &[&str] = &["defaults", "fields", "start_anchor", "start_anchor_pattern"];

/// What a field may say.
const OF_FIELD: &[&str] = &[
    "close",
    "close_pattern",
    "content",
    "content_args",
    "open",
    "open_pattern",
    "optional",
    "repeats",
    "transform",
    "transform_each",
];

/// The dialect `name` of a `tokenizer_config.json`, or of a response template alone.
///
/// # Errors
/// The field that does not fit, and why.
pub(crate) fn dialect(config: &Value, name: &str) -> Result<String, String> {
    let template = match config.get("response_template") {
        Some(template) => template,
        None if config.get("fields").is_some() => config,
        None => return Err("it holds no `response_template`".to_owned()),
    };
    let fields = template["fields"]
        .as_object()
        .filter(|fields| !fields.is_empty())
        .ok_or("`response_template` holds no `fields`")?;
    let is_bare = config.get("response_template").is_none();
    if !is_bare || template.get("start_anchor").is_some() {
        known_keys(template, OF_TEMPLATE)
            .map_err(|Unfit(why)| format!("`response_template`: {why}"))?;
    }
    let mut rules = Rules::default();
    for (field, spec) in fields {
        let added = checked(spec).and_then(|()| {
            if field == "tool_calls" {
                rules.calls(spec)
            } else if field == "content" {
                rules.content(spec)
            } else if REASONING.contains(&field.as_str()) {
                rules.reasoning(spec)
            } else {
                Err(Unfit(
                    "a message has content, reasoning and tool calls only".to_owned(),
                ))
            }
        });
        added.map_err(|Unfit(why)| format!("field `{field}`: {why}"))?;
    }
    let mut out = format!(
        "dialect {name}\nmodels: the checkpoint of this tokenizer\nsource: its response_template\n"
    );
    if let Some(values) = rules.values {
        writeln!(out, "values: {values}").expect("writing to a string");
    }
    for line in rules.lines {
        out.push_str(&line);
        out.push('\n');
    }
    Ok(out)
}

#[derive(Default)]
struct Rules {
    lines: Vec<String>,
    values: Option<&'static str>,
}

impl Rules {
    fn reasoning(&mut self, spec: &Value) -> Result<(), Unfit> {
        only_text(spec)?;
        let open = side(spec, "open", &|_| None)?.ok_or_else(|| {
            Unfit("reasoning without an opener cannot be told from content".to_owned())
        })?;
        let close = side(spec, "close", &|_| None)?;
        let close = close.map_or_else(String::new, |close| format!(" {close}"));
        let text = text(spec)?;
        self.lines.push(format!("think = {open} {text}{close}"));
        Ok(())
    }

    fn content(&mut self, spec: &Value) -> Result<(), Unfit> {
        only_text(spec)?;
        let open = side(spec, "open", &|_| None)?;
        let close = side(spec, "close", &|_| None)?;
        match (open, close) {
            (Some(open), Some(close)) => {
                let text = text(spec)?;
                self.lines.push(format!("say = {open} {text} {close}"));
            }
            (Some(open), None) => {
                let text = text(spec)?;
                let text = text.strip_suffix(" ws").unwrap_or(text);
                self.lines.push(format!("say = {open} {text}"));
            }
            // Text that is nothing else is content; its end is markup.
            (None, Some(close)) => self.lines.push(format!("stop = {close}")),
            (None, None) => {}
        }
        Ok(())
    }

    fn calls(&mut self, spec: &Value) -> Result<(), Unfit> {
        let shape = Shape::read(spec)?;
        let group = |group: &str| shape.word_of(group);
        let open = side(spec, "open", &group)?.ok_or_else(|| {
            Unfit("calls without an opener cannot be told from content".to_owned())
        })?;
        let close = side(spec, "close", &group)?;
        let body = self.body(spec, &shape)?;
        let head = match &shape.name {
            Name::Fixed(tool) => format!("call {tool} ="),
            _ => "call =".to_owned(),
        };
        let close = close.map_or_else(String::new, |close| format!(" ws {close}"));
        if shape.is_list {
            self.lines.push(format!(
                "block = {open} ws (\"[\" ws (call ws \",\"? ws)* \"]\" | call){close}"
            ));
            self.lines.push(format!("call = {body}"));
        } else {
            if let Some(tag) = shape.left_open(spec) {
                // Its closer is what a model writes, whatever stands between the last parameter and the end.
                let closer = literal(&format!("</{tag}>"));
                self.lines.push(format!(
                    "written = {} param* {closer}{close}",
                    blanks(&open)
                ));
            }
            self.lines
                .push(format!("{head} {} {body}{close}", blanks(&open)));
        }
        Ok(())
    }

    /// What stands between the delimiters of a call.
    fn body(&mut self, spec: &Value, shape: &Shape) -> Result<String, Unfit> {
        let arguments = &spec["content_args"];
        match spec["content"].as_str().unwrap_or("text") {
            "json" => {
                known_args(spec, &["string_delims", "unquoted_keys"])?;
                let quote = quote(arguments)?;
                match (&shape.name, &shape.arguments) {
                    (Name::Key(name), Some(arguments)) => {
                        if quote.is_some() {
                            return Err(Unfit(
                                "an envelope whose strings have other delimiters".to_owned(),
                            ));
                        }
                        let id = shape
                            .id
                            .as_ref()
                            .map_or_else(String::new, |id| format!(", id: {id}"));
                        Ok(format!("object(name: {name}, args: {arguments}{id})"))
                    }
                    (Name::Key(_), None) => Err(Unfit(
                        "the name stands in the arguments and is none of them".to_owned(),
                    )),
                    (Name::Group(_) | Name::Fixed(_), _) => Ok(quote.map_or_else(
                        || "json".to_owned(),
                        |quote| format!("json({})", literal(&quote)),
                    )),
                }
            }
            "xml-inline" => {
                known_args(spec, &["tag_pattern", "value_parser"])?;
                self.parameters(arguments, shape)
            }
            other => Err(Unfit(format!("arguments cannot be `{other}`"))),
        }
    }

    /// Tags, each a parameter.
    fn parameters(&mut self, arguments: &Value, shape: &Shape) -> Result<String, Unfit> {
        if matches!(shape.name, Name::Key(_)) {
            return Err(Unfit("the name must stand in the opener".to_owned()));
        }
        let pattern = arguments["tag_pattern"]
            .as_str()
            .ok_or_else(|| Unfit("`xml-inline` has no `tag_pattern`".to_owned()))?;
        let param = terms(pattern, &|group| match group {
            "key" => Some("key".to_owned()),
            "value" => Some("text".to_owned()),
            _ => None,
        })?;
        self.values = Some(match arguments["value_parser"]["name"].as_str() {
            None | Some("text") => "schema|string",
            Some("json") => "schema|json",
            Some(other) => return Err(Unfit(format!("values cannot be `{other}`"))),
        });
        self.lines.push(format!("param = {param} ws"));
        // What stands between the tags and the closer is not looked at: a closing tag, as far as is known.
        Ok("param* (\"</\" skip \">\")?".to_owned())
    }
}

/// Where a call's name stands.
#[derive(Debug, PartialEq, Eq)]
enum Name {
    /// In a named group of the opener.
    Group(String),
    /// Under a key of the parsed content.
    Key(String),
    /// In the template itself.
    Fixed(String),
}

/// What `transform` makes of a call.
#[derive(Debug)]
struct Shape {
    name: Name,
    /// The key of the arguments; `None`: the whole content.
    arguments: Option<String>,
    id: Option<String>,
    /// The content is a list of calls.
    is_list: bool,
}

impl Shape {
    fn read(spec: &Value) -> Result<Shape, Unfit> {
        let is_list = spec["transform_each"].as_bool().unwrap_or(false);
        let function = &spec["transform"]["function"];
        let is_group = |name: &str| {
            ["open_pattern", "close_pattern"]
                .iter()
                .filter_map(|side| spec[*side].as_str())
                .any(|pattern| pattern.contains(&format!("(?P<{name}>")))
        };
        if function.is_null() || hole(function) == Some("content") {
            return Ok(Shape {
                name: Name::Key("name".to_owned()),
                arguments: Some("arguments".to_owned()),
                id: None,
                is_list,
            });
        }
        let name = match (function["name"].as_str(), hole(&function["name"])) {
            (_, Some(hole)) if is_group(hole) => Name::Group(hole.to_owned()),
            (_, Some(hole)) => Name::Key(key(hole).to_owned()),
            (Some(fixed), None) => Name::Fixed(fixed.to_owned()),
            (None, None) => return Err(Unfit("`transform` gives the call no name".to_owned())),
        };
        let arguments = match hole(&function["arguments"]) {
            Some("content") => None,
            Some(hole) => Some(key(hole).to_owned()),
            None => return Err(Unfit("`transform` gives the call no arguments".to_owned())),
        };
        let id = [&spec["transform"]["id"], &function["id"]];
        let id = id
            .into_iter()
            .find_map(hole)
            .map(|hole| key(hole).to_owned());
        Ok(Shape {
            name,
            arguments,
            id,
            is_list,
        })
    }

    /// The tag that holds the name and that the opener leaves open, where the closer does not close it either: the parameters
    /// stand in it.
    fn left_open<'s>(&self, spec: &'s Value) -> Option<&'s str> {
        let Name::Group(name) = &self.name else {
            return None;
        };
        if spec["content"] != "xml-inline" {
            return None;
        }
        let pattern = spec["open_pattern"].as_str()?;
        let before = &pattern[..pattern.find(&format!("(?P<{name}>"))?];
        let tag = &before[before.rfind('<')? + 1..];
        let end = tag.find(|c: char| !c.is_alphanumeric() && c != '_');
        let tag = &tag[..end.unwrap_or(tag.len())];
        let closer = format!("</{tag}>");
        let is_closed = ["close", "close_pattern"]
            .iter()
            .any(|side| spec[*side].to_string().contains(&closer));
        (!tag.is_empty() && !is_closed).then_some(tag)
    }

    /// What a named group of the delimiters becomes.
    fn word_of(&self, group: &str) -> Option<String> {
        if self.name == Name::Group(group.to_owned()) {
            Some("name".to_owned())
        } else if self.id.as_deref() == Some(group) {
            Some("id".to_owned())
        } else {
            None
        }
    }
}

/// The variable of a placeholder `{variable}`, which is the whole string.
fn hole(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix('{')?.strip_suffix('}')
}

/// The key behind `content.`.
fn key(hole: &str) -> &str {
    hole.strip_prefix("content.").unwrap_or(hole)
}

/// One delimiter as terms; `None` where the field has none.
fn side(
    spec: &Value,
    side: &str,
    word: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>, Unfit> {
    let pattern = format!("{side}_pattern");
    match &spec[&pattern] {
        Value::Null => {}
        Value::String(pattern) => return terms(pattern, word).map(Some),
        _ => return Err(Unfit(format!("`{pattern}` is no text"))),
    }
    match &spec[side] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(literal(text))),
        Value::Array(all) => {
            let all: Option<Vec<String>> =
                all.iter().map(|one| one.as_str().map(literal)).collect();
            let all = all.ok_or_else(|| Unfit(format!("`{side}` holds what is no text")))?;
            Ok((!all.is_empty()).then(|| format!("({})", all.join(" | "))))
        }
        _ => Err(Unfit(format!("`{side}` is no text"))),
    }
}

fn only_text(spec: &Value) -> Result<(), Unfit> {
    match spec["content"].as_str() {
        None | Some("text") if spec["transform"].is_null() => Ok(()),
        None | Some("text") => Err(Unfit("its text is transformed".to_owned())),
        Some(other) => Err(Unfit(format!("it is `{other}`, not text"))),
    }
}

/// A field that is an object of what is known, and may be left out of a message.
fn checked(spec: &Value) -> Result<(), Unfit> {
    known_keys(spec, OF_FIELD)?;
    for key in ["optional", "repeats", "transform_each"] {
        if !matches!(spec[key], Value::Null | Value::Bool(_)) {
            return Err(Unfit(format!("`{key}` is neither true nor false")));
        }
    }
    if spec["optional"] == Value::Bool(false) {
        return Err(Unfit(
            "`optional` is false: what a message must hold has no word".to_owned(),
        ));
    }
    Ok(())
}

/// All keys of an object are among `known`.
fn known_keys(value: &Value, known: &[&str]) -> Result<(), Unfit> {
    let object = value
        .as_object()
        .ok_or_else(|| Unfit("it is no object".to_owned()))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Unfit(format!("`{key}` has no word"))),
        None => Ok(()),
    }
}

/// The same of what is said to the parser of a field's text.
fn known_args(spec: &Value, known: &[&str]) -> Result<(), Unfit> {
    match &spec["content_args"] {
        Value::Null => Ok(()),
        arguments => known_keys(arguments, known)
            .map_err(|Unfit(why)| Unfit(format!("`content_args`: {why}"))),
    }
}

/// The terms of a text: the blanks at its ends are none of it, unless `strip` is false.
fn text(spec: &Value) -> Result<&'static str, Unfit> {
    known_args(spec, &["strip"])?;
    match &spec["content_args"]["strip"] {
        Value::Null | Value::Bool(true) => Ok("ws text ws"),
        Value::Bool(false) => Ok("text"),
        _ => Err(Unfit(
            "`content_args`: `strip` is neither true nor false".to_owned(),
        )),
    }
}

/// Terms with blanks behind them, once.
fn blanks(terms: &str) -> String {
    format!("{} ws", terms.strip_suffix(" ws").unwrap_or(terms))
}

/// The field that a rule was written for.
pub(crate) fn field_of(rule: &str) -> &'static str {
    match rule.split([' ', '=']).next() {
        Some("think") => "thinking",
        Some("say" | "stop") => "content",
        _ => "tool_calls",
    }
}

/// The token around strings.
fn quote(arguments: &Value) -> Result<Option<String>, Unfit> {
    let Some(pairs) = arguments["string_delims"].as_array() else {
        return Ok(None);
    };
    let of = |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
    match pairs.as_slice() {
        [pair] => match of(pair) {
            Some((open, close)) if open == close => Ok(Some(open)),
            _ => Err(Unfit(
                "strings begin and end with different delimiters".to_owned(),
            )),
        },
        _ => Err(Unfit("strings have several delimiters".to_owned())),
    }
}
