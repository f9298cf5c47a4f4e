//! A checkpoint's `response_template` as a dialect.
//!
//! Transformers stores in `tokenizer_config.json` how a model's text becomes a message: fields with their delimiters,
//! the parser of the text between them, and a template of the result
//! (<https://huggingface.co/docs/transformers/main/chat_response_parsing>, seen 2026-11). The parts that the notation
//! can express become rules; any other is refused, with the field, the key and what to write instead. No text of a
//! template is copied into the rules as it is: texts are literals, and names are words or refused. The result is
//! tested: it must read messages made from the template as the template specifies (`sample`).

mod delimiter;
mod matcher;
mod pattern;
mod sample;
mod terms;
mod transform;

use std::fmt::Write as _;

use toolglot_engine::Dialect;
use toolglot_value::Value;

use delimiter::{Delimiter, named, side};
use pattern::{Part, Unsupported};
use terms::{Side, literal, terms};
use transform::{Name, Shape};

/// Fields whose text is reasoning.
const REASONING: &[&str] = &["thinking", "reasoning", "reasoning_content"];

/// The keys of a template: its fields, its version, the start of an answer, and the defaults of a message.
const OF_TEMPLATE: &[&str] = &[
    "defaults",
    "fields",
    "start_anchor",
    "start_anchor_pattern",
    "version",
];

/// The keys of a field.
const OF_FIELD: &[&str] = &[
    "close",
    "close_pattern",
    "content",
    "content_args",
    "join",
    "open",
    "open_pattern",
    "optional",
    "repeats",
    "transform",
    "transform_each",
];

/// Defaults that a message may have beside its role: empty ones.
const EMPTY: &[&str] = &["", "[]", "null", "{}"];

/// A response template with its generated rules.
#[derive(Debug)]
pub(crate) struct Imported<'t> {
    fields: &'t toolglot_value::Map<String, Value>,
    /// The dialect file.
    pub(crate) text: String,
}

impl<'t> Imported<'t> {
    /// The dialect `name` of a `tokenizer_config.json`, or of a response template alone.
    ///
    /// # Errors
    /// The field and the key that do not fit, why, and what to write instead.
    pub(crate) fn of(config: &'t Value, name: &str) -> Result<Imported<'t>, String> {
        let template = match config.get("response_template") {
            Some(template) => template,
            None if config.get("fields").is_some() => config,
            None if config.get("response_schema").is_some() || config.get("x-regex").is_some() => {
                return Err("`response_schema` is one regular expression over a whole message: write a `response_template`, which says it field by field (transformers 5.13)".to_owned());
            }
            None => return Err("it holds no `response_template`".to_owned()),
        };
        let fields = fields_of(template)
            .map_err(|Unsupported(why)| format!("`response_template`: {why}"))?;
        let mut rules = Rules::default();
        for (field, spec) in fields {
            rules
                .field(field, spec)
                .map_err(|Unsupported(why)| format!("field `{}`: {why}", field.escape_debug()))?;
        }
        let mut text = format!(
            "dialect {name}\nmodels: the checkpoint of this tokenizer\nsource: its response_template\n"
        );
        if rules.is_opened {
            text.push_str("quirks: reasoning may start the message without an opener: read it with --reasoning-open\n");
        }
        if let Some(values) = rules.values {
            writeln!(text, "values: {values}").expect("writing to a string");
        }
        for line in rules.lines {
            text.push_str(&line);
            text.push('\n');
        }
        Ok(Imported { fields, text })
    }

    /// Tests that the dialect reads and writes what the template specifies.
    ///
    /// # Errors
    /// The field with another result, and the text.
    pub(crate) fn try_out(&self, dialect: &Dialect) -> Result<(), String> {
        sample::try_out(self.fields, dialect)
    }
}

/// Whether a field has no opener, and so holds the remaining text.
fn is_implicit(spec: &Value) -> bool {
    spec["open"].is_null() && spec["open_pattern"].is_null()
}

/// The fields of a template that has no other significant keys.
fn fields_of(template: &Value) -> Result<&toolglot_value::Map<String, Value>, Unsupported> {
    // The keys are checked, as a template on its own may be another file altogether.
    let version = &template["version"];
    if !version.is_null() && version != 1 {
        return Err(Unsupported(format!("`version` is {version}: 1 is known")));
    }
    known_keys(template, OF_TEMPLATE)?;
    let defaults = template["defaults"].as_object();
    for (key, value) in defaults.into_iter().flatten() {
        if key != "role"
            && !EMPTY.contains(
                &value
                    .as_str()
                    .map_or(value.to_string(), str::to_owned)
                    .as_str(),
            )
        {
            return Err(Unsupported(format!(
                "`defaults.{}` has no word: a dialect adds nothing to a message",
                key.escape_debug()
            )));
        }
    }
    let fields = template["fields"].as_object();
    let fields = fields
        .filter(|fields| !fields.is_empty())
        .ok_or_else(|| Unsupported("it holds no `fields`".to_owned()))?;
    Ok(fields)
}

#[derive(Default)]
struct Rules {
    lines: Vec<String>,
    values: Option<&'static str>,
    /// Whether reasoning may start with the message.
    is_opened: bool,
}

impl Rules {
    fn field(&mut self, field: &str, spec: &Value) -> Result<(), Unsupported> {
        checked(spec)?;
        match field {
            "tool_calls" => self.calls(spec),
            "content" => self.content(spec),
            field if REASONING.contains(&field) => self.reasoning(spec),
            _ => Err(Unsupported(
                "a message has content, reasoning and tool calls only: leave the field out"
                    .to_owned(),
            )),
        }
    }

    fn reasoning(&mut self, spec: &Value) -> Result<(), Unsupported> {
        only_text(spec)?;
        let mut openers = Delimiter::read(spec, Side::Open)?;
        // The prompt opens reasoning that starts with the message or with an empty match.
        if let Some(Delimiter::Pattern(all)) = &mut openers {
            let n = all.len();
            all.retain(|seq| !matches!(&seq[..], [Part::Start | Part::Lookahead(_)]));
            self.is_opened |= all.len() < n;
        }
        let openers =
            openers.filter(|one| !matches!(one, Delimiter::Pattern(all) if all.is_empty()));
        let open = side(openers.as_ref(), Side::Open, &|_| None)?;
        let open = open.ok_or_else(|| {
            Unsupported("reasoning without an opener looks like content: write `open`, `<think>`, and read with --reasoning-open where the prompt has it".to_owned())
        })?;
        let close = Delimiter::read(spec, Side::Close)?;
        let close = side(close.as_ref(), Side::Close, &|_| None)?;
        let text = text(spec)?;
        self.lines.push(match close {
            Some(close) => format!("think = {open} {text} {close}"),
            None => format!(
                "think = {open} {}",
                text.strip_suffix(" ws").unwrap_or(text)
            ),
        });
        Ok(())
    }

    fn content(&mut self, spec: &Value) -> Result<(), Unsupported> {
        only_text(spec)?;
        let open = Delimiter::read(spec, Side::Open)?;
        let open = side(open.as_ref(), Side::Open, &|_| None)?;
        let close = Delimiter::read(spec, Side::Close)?;
        let close = side(close.as_ref(), Side::Close, &|_| None)?;
        let Some(open) = open else {
            return self.left(spec, close);
        };
        let line = around("say", &open, text(spec)?, close.as_deref());
        self.lines.push(line);
        Ok(())
    }

    /// Content without delimiters: the text that no other field reads.
    fn left(&mut self, spec: &Value, close: Option<String>) -> Result<(), Unsupported> {
        known_args(spec, &["strip", "strip_prefix", "strip_suffix"])?;
        if let Some((prefix, suffix)) = wrapped(spec)? {
            let (prefix, suffix) = (literal(prefix), literal(suffix));
            self.lines
                .push(format!("say = message_start {prefix} ws raw ws {suffix}"));
        }
        // Its closer is markup, and the blanks before the closer belong to the text.
        if let Some(close) = close {
            let close = close.strip_prefix("ws ").unwrap_or(&close);
            self.lines.push(format!("stop = {close}"));
        }
        Ok(())
    }

    fn calls(&mut self, spec: &Value) -> Result<(), Unsupported> {
        let open = Delimiter::read(spec, Side::Open)?;
        let close = Delimiter::read(spec, Side::Close)?;
        let mut groups = Vec::new();
        for side in [&open, &close].into_iter().flatten() {
            if let Delimiter::Pattern(pattern) = side {
                named(pattern, &mut groups);
            }
        }
        if !matches!(spec["join"], Value::Null) {
            return Err(Unsupported(
                "`join`: calls are not text: leave it out".to_owned(),
            ));
        }
        let shape = Shape::read(spec, &groups)?;
        let word = |group: &str| shape.word_of(group);
        let open = side(open.as_ref(), Side::Open, &word)?.ok_or_else(|| {
            Unsupported(
                "calls without an opener look like content: write `open` or `open_pattern`"
                    .to_owned(),
            )
        })?;
        let closer = side(close.as_ref(), Side::Close, &word)?;
        let body = self.body(spec, &shape)?;
        let head = match &shape.name {
            Name::Fixed(tool) => format!("call {} =", tool_word(tool)?),
            _ => "call =".to_owned(),
        };
        let is_python = spec["content"] == "python-call-list";
        let close = closer.map_or_else(String::new, |close| format!(" {}", after_blanks(&close)));
        let open = blanks(&open);
        if shape.is_list || is_python {
            let list = "\"[\" ws (call ws \",\"? ws)* \"]\"";
            let list = if is_python {
                list.to_owned()
            } else {
                format!("({list} | call)")
            };
            self.lines.push(format!("block = {open} {list}{close}"));
            self.lines.push(format!("call = {body}"));
            return Ok(());
        }
        if let Some(tag) = left_open(spec, &shape) {
            // A model writes its closer, whatever is between the last parameter and the end.
            let closer = literal(&format!("</{tag}>"));
            self.lines
                .push(format!("write = {open} param* {closer}{close}"));
        }
        self.lines.push(format!("{head} {open} {body}{close}"));
        Ok(())
    }

    /// The terms between the delimiters of a call.
    fn body(&mut self, spec: &Value, shape: &Shape) -> Result<String, Unsupported> {
        let arguments = &spec["content_args"];
        match spec["content"].as_str().unwrap_or("text") {
            "json" => {
                known_args(spec, &["string_delims", "unquoted_keys"])?;
                let quote = quote(arguments)?;
                match (&shape.name, &shape.arguments) {
                    (Name::Key(name), Some(arguments)) => {
                        if quote.is_some() {
                            return Err(Unsupported(
                                "`content_args.string_delims`: the name is between such delimiters, too: capture it in `open_pattern`".to_owned(),
                            ));
                        }
                        let id = match &shape.id {
                            Some(Name::Key(id)) => format!(", id: {id}"),
                            _ => String::new(),
                        };
                        Ok(format!("object(name: {name}, args: {arguments}{id})"))
                    }
                    (Name::Key(_), None) => Err(Unsupported(
                        "`transform.function.arguments`: the name is beside the arguments in the content: write the key of the arguments, `{content.arguments}`".to_owned(),
                    )),
                    (Name::Group(_) | Name::Fixed(_), Some(_)) => Err(Unsupported(
                        "`transform.function.arguments` is a part of the content, and the name is not: write `{content}`".to_owned(),
                    )),
                    (Name::Group(_) | Name::Fixed(_), None) if shape.is_list => Err(Unsupported(
                        "`transform_each`: each call of a list has its own name: write its key, `{name}`".to_owned(),
                    )),
                    (Name::Group(_) | Name::Fixed(_), None) => Ok(quote.map_or_else(
                        || "json".to_owned(),
                        |quote| format!("json({})", literal(&quote)),
                    )),
                }
            }
            "xml-inline" => {
                known_args(spec, &["merge_duplicates", "tag_pattern", "value_parser"])?;
                self.parameters(arguments, shape)
            }
            "python-call-list" => {
                known_args(spec, &[])?;
                let is_usual = shape.name == Name::Key("name".to_owned())
                    && shape.arguments.as_deref() == Some("arguments");
                if is_usual {
                    Ok("python".to_owned())
                } else {
                    Err(Unsupported(
                        "`transform`: a Python call has a `{name}` and `{arguments}`".to_owned(),
                    ))
                }
            }
            other => Err(Unsupported(format!(
                "`content`: arguments cannot be `{}`: json, xml-inline and python-call-list can be said",
                other.escape_debug()
            ))),
        }
    }

    /// Tags, each a parameter.
    fn parameters(&mut self, arguments: &Value, shape: &Shape) -> Result<String, Unsupported> {
        if matches!(shape.name, Name::Key(_)) || shape.arguments.is_some() || shape.is_list {
            return Err(Unsupported("`transform`: beside `xml-inline` the name is in `open_pattern`, and the arguments are `{content}`".to_owned()));
        }
        if arguments["merge_duplicates"] == Value::Bool(true) {
            return Err(Unsupported("`content_args.merge_duplicates` has no word: of two values of a parameter the last counts".to_owned()));
        }
        let pattern = arguments["tag_pattern"]
            .as_str()
            .ok_or_else(|| Unsupported("`content_args.tag_pattern` is missing".to_owned()))?;
        let in_tag = |Unsupported(why)| Unsupported(format!("`content_args.tag_pattern`: {why}"));
        let pattern = pattern::read(pattern).map_err(in_tag)?;
        let param = terms(&pattern, Side::Inside, &|group| match group {
            "key" => Some("key"),
            "value" => Some("raw"),
            _ => None,
        })
        .map_err(in_tag)?;
        let parser = &arguments["value_parser"];
        self.values = Some(match parser["name"].as_str() {
            None | Some("text") => "schema|string",
            Some("json") => "schema|json",
            Some(other) => {
                return Err(Unsupported(format!(
                    "`content_args.value_parser`: values cannot be `{}`: write text or json, the tool's schema says the rest",
                    other.escape_debug()
                )));
            }
        });
        if !parser["args"].is_null() {
            known_keys(&parser["args"], &["allow_non_json", "strip"]).map_err(
                |Unsupported(why)| Unsupported(format!("`content_args.value_parser.args`: {why}")),
            )?;
        }
        self.lines.push(format!("param = {}", blanks(&param)));
        // The text between the last tag and the closer is ignored: as far as is known, it is a closing tag.
        Ok("param* (\"</\" any \">\")?".to_owned())
    }
}

/// A rule for a text between delimiters. If the text's blanks are not part of it, the delimiters need no blanks of
/// their own.
fn around(rule: &str, open: &str, text: &str, close: Option<&str>) -> String {
    let is_stripped = text != "raw";
    let (mut open, mut close) = (open, close);
    if is_stripped {
        open = open.strip_suffix(" ws").unwrap_or(open);
        let bare = |close: &'_ str| -> usize {
            ["ws ", "nl "]
                .iter()
                .find(|blank| close.starts_with(**blank))
                .map_or(0, |blank| blank.len())
        };
        close = close.map(|close| &close[bare(close)..]);
    }
    match close {
        Some(close) => format!("{rule} = {open} {text} {close}"),
        None => format!(
            "{rule} = {open} {}",
            text.strip_suffix(" ws").unwrap_or(text)
        ),
    }
}

/// A tool's name that can be a word of a rule.
fn tool_word(name: &str) -> Result<&str, Unsupported> {
    let is_word = name.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
    if is_word {
        Ok(name)
    } else {
        Err(Unsupported(format!(
            "`transform.function.name`: invalid name `{}`: write letters, digits, `_`, `.` and `-`",
            name.escape_debug()
        )))
    }
}

/// The tag that holds the name, if neither the opener nor the closer closes the tag: the parameters are inside it.
fn left_open<'s>(spec: &'s Value, shape: &Shape) -> Option<&'s str> {
    let Name::Group(name) = &shape.name else {
        return None;
    };
    if spec["content"] != "xml-inline" {
        return None;
    }
    let pattern = spec["open_pattern"].as_str()?;
    let before = &pattern[..pattern.find(&format!("<{name}>"))?];
    let before = before.strip_suffix("(?P").or(before.strip_suffix("(?"))?;
    let tag = &before[before.rfind('<')? + 1..];
    let end = tag.find(|c: char| !c.is_alphanumeric() && c != '_');
    let tag = &tag[..end.unwrap_or(tag.len())];
    let closer = format!("</{tag}>");
    let is_closed = ["close", "close_pattern"]
        .iter()
        .any(|side| spec[*side].to_string().contains(&closer));
    (!tag.is_empty() && !is_closed).then_some(tag)
}

fn only_text(spec: &Value) -> Result<(), Unsupported> {
    if !matches!(&spec["join"], Value::Null) && spec["join"] != "" {
        return Err(Unsupported(
            "`join`: texts follow each other directly: write `\"\"`".to_owned(),
        ));
    }
    match spec["content"].as_str() {
        None | Some("text") if spec["transform"].is_null() => Ok(()),
        None | Some("text") => Err(Unsupported(
            "`transform`: text stays as it is: leave it out".to_owned(),
        )),
        Some(other) => Err(Unsupported(format!(
            "`content` is `{}`: write `text`",
            other.escape_debug()
        ))),
    }
}

/// Checks that a field has known keys only, and may be missing from a message.
fn checked(spec: &Value) -> Result<(), Unsupported> {
    known_keys(spec, OF_FIELD)?;
    for key in ["optional", "repeats", "transform_each"] {
        if !matches!(spec[key], Value::Null | Value::Bool(_)) {
            return Err(Unsupported(format!("`{key}` is neither true nor false")));
        }
    }
    if spec["optional"] == Value::Bool(false) {
        return Err(Unsupported(
            "`optional` is false: what a message must hold has no word: leave it out".to_owned(),
        ));
    }
    Ok(())
}

/// Checks that all keys of an object are among `known`.
fn known_keys(value: &Value, known: &[&str]) -> Result<(), Unsupported> {
    let object = value
        .as_object()
        .ok_or_else(|| Unsupported("it is not an object".to_owned()))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Unsupported(format!(
            "`{}` has no word: leave it out",
            key.escape_debug()
        ))),
        None => Ok(()),
    }
}

/// The same for the arguments of the parser of a field.
fn known_args(spec: &Value, known: &[&str]) -> Result<(), Unsupported> {
    match &spec["content_args"] {
        Value::Null => Ok(()),
        arguments => known_keys(arguments, known)
            .map_err(|Unsupported(why)| Unsupported(format!("`content_args`: {why}"))),
    }
}

/// The terms of a text: the blanks at its ends are not part of it, unless `strip` is false.
fn text(spec: &Value) -> Result<&'static str, Unsupported> {
    known_args(spec, &["strip"])?;
    match &spec["content_args"]["strip"] {
        Value::Null | Value::Bool(true) => Ok("ws raw ws"),
        Value::Bool(false) => Ok("raw"),
        _ => Err(Unsupported(
            "`content_args`: `strip` is neither true nor false".to_owned(),
        )),
    }
}

/// The optional text around content without delimiters, which is not part of the content.
fn wrapped(spec: &Value) -> Result<Option<(&str, &str)>, Unsupported> {
    let arguments = &spec["content_args"];
    match (&arguments["strip_prefix"], &arguments["strip_suffix"]) {
        (Value::Null, Value::Null) => Ok(None),
        (Value::String(prefix), Value::String(suffix))
            if !prefix.is_empty() && !suffix.is_empty() =>
        {
            Ok(Some((prefix, suffix)))
        }
        _ => Err(Unsupported(
            "`content_args`: `strip_prefix` and `strip_suffix` are markup together: write both"
                .to_owned(),
        )),
    }
}

/// The terms with one `ws` after them.
fn blanks(terms: &str) -> String {
    format!("{} ws", terms.strip_suffix(" ws").unwrap_or(terms))
}

/// The terms after any blanks: blanks at the start of a literal are how these blanks are written.
fn after_blanks(terms: &str) -> String {
    let terms = terms.strip_prefix("ws ").unwrap_or(terms);
    let literal = terms.strip_prefix('"').unwrap_or_default();
    let mut rest = literal;
    while let Some(next) = ["\\n", "\\r", "\\t", " "]
        .iter()
        .find_map(|blank| rest.strip_prefix(blank))
    {
        rest = next;
    }
    match &literal[..literal.len() - rest.len()] {
        "" => format!("ws {terms}"),
        blanks if rest.starts_with('"') => format!("ws(\"{blanks}\"){}", &rest[1..]),
        blanks => format!("ws(\"{blanks}\") \"{rest}"),
    }
}

/// Characters of a rule or a message that are shown.
const SHOWN: usize = 240;

/// The start of a text, for messages.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// The field that a rule was written for.
pub(crate) fn field_of(rule: &str) -> &'static str {
    match rule.split([' ', '=']).next() {
        Some("think") => "thinking",
        Some("say" | "stop") => "content",
        _ => "tool_calls",
    }
}

/// The token that quotes strings.
fn quote(arguments: &Value) -> Result<Option<String>, Unsupported> {
    let Some(pairs) = arguments["string_delims"].as_array() else {
        return Ok(None);
    };
    let of = |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
    match pairs.as_slice() {
        [pair] => match of(pair) {
            Some((open, close)) if open == close && !open.is_empty() => Ok(Some(open)),
            _ => Err(Unsupported(
                "`content_args.string_delims`: strings start and end alike in the notation"
                    .to_owned(),
            )),
        },
        _ => Err(Unsupported(
            "`content_args.string_delims`: strings have several delimiters: write one pair"
                .to_owned(),
        )),
    }
}
