//! Values outside JSON: raw text, and elements.

use toolglot_engine::form::{QuoteStyle, Values};
use toolglot_value::{Map, Value};

use crate::error::GrammarError;
use crate::grammar::{CharClass, Node};
use crate::members::Member;
use crate::pattern::pattern;
use crate::schema::{SchemaWriter, kinds};
use crate::text::{Closers, Notation};
use crate::value_types::{constant, separated};

type Built = Result<Node, GrammarError>;

/// The maximum number of blanks before an element.
const MAX_INDENT: u32 = 64;

/// How elements are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementLayout<'d> {
    pub(crate) values: &'d Values,
    /// The text before each tag.
    pub(crate) prefix: &'d str,
}

impl ElementLayout<'_> {
    /// The blanks before an element, and after it.
    fn around(self) -> (Node, Node) {
        if self.prefix.is_empty() {
            let pad = Node::Class(CharClass::new(vec![(' ', ' ')])).repeat(0, Some(MAX_INDENT));
            (pad, Node::literal("\n"))
        } else {
            (Node::empty(), Node::empty())
        }
    }

    fn text(self, is_plain: bool) -> Notation {
        // Between tokens nothing is escaped, and only a token ends the text.
        if !self.values.entities && !self.prefix.is_empty() {
            return Notation::Raw {
                closers: Closers(vec![self.prefix.to_owned()]),
                is_plain,
            };
        }
        Notation::Element {
            is_plain,
            has_entities: self.values.entities,
            has_cdata: self.values.cdata,
        }
    }
}

impl SchemaWriter<'_> {
    /// A raw value up to its closers: a string as it is, anything else as JSON.
    pub(crate) fn raw(&mut self, schema: &Value, at: &str, closers: &Closers) -> Built {
        if let Some(input) = self.input.take() {
            let raw = Notation::Raw {
                closers: closers.clone(),
                is_plain: false,
            };
            match input.syntax {
                "lark" if self.is_lark => return Ok(Node::Lark(input.definition.to_owned())),
                "regex" => match pattern(input.definition, &raw) {
                    Ok(node) => return Ok(node),
                    Err(why) => self.note(
                        at,
                        &format!("the input's pattern is not in the grammar: {why}"),
                    ),
                },
                syntax => self.note(
                    at,
                    &format!("the input's grammar ({syntax}) is not in the grammar"),
                ),
            }
        }
        let raw = Notation::Raw {
            closers: closers.clone(),
            is_plain: self.has_other_types(schema, at)?,
        };
        let json = Notation::JsonBefore(closers.clone());
        self.by_kind(schema, at, &mut |writer, schema, kind, at| match kind {
            Kind::Text => writer.value(schema, at, &raw),
            Kind::Any => Ok(raw.any_content()),
            Kind::Json => writer.value(schema, at, &json),
        })
    }

    /// A string between these quotes; any other value as JSON.
    pub(crate) fn quoted(&mut self, schema: &Value, at: &str, quote: &str) -> Built {
        let string = match QuoteStyle::of(quote) {
            Some(quote) if quote.is_doubled => Notation::Doubled(quote.sign),
            Some(quote) => Notation::Python(quote.sign),
            None => Notation::Tokens(quote.to_owned()),
        };
        self.by_kind(schema, at, &mut |writer, schema, kind, at| match kind {
            // Where the notation has no escapes, a string that contains the quote is written as JSON.
            Kind::Text if matches!(string, Notation::Tokens(_)) => Ok(Node::choice([
                writer.value(schema, at, &string)?,
                writer.value(schema, at, &Notation::Json)?,
            ])),
            Kind::Text => writer.value(schema, at, &string),
            Kind::Any => writer.string(&Map::new(), at, &string),
            Kind::Json => writer.value(schema, at, &Notation::Json),
        })
    }

    /// The value of a schema by kind: each alternative and each type apart.
    pub(crate) fn by_kind(
        &mut self,
        schema: &Value,
        at: &str,
        one: &mut dyn FnMut(&mut Self, &Value, Kind, &str) -> Built,
    ) -> Built {
        let mut ways = Vec::new();
        for (schema, at) in self.alternatives(schema, at)? {
            ways.push(self.deeper(&at, |writer| writer.kind_of(&schema, &at, one))?);
        }
        Ok(Node::choice(ways))
    }

    /// The value of a schema without alternatives, each type apart.
    fn kind_of(
        &mut self,
        schema: &Value,
        at: &str,
        one: &mut dyn FnMut(&mut Self, &Value, Kind, &str) -> Built,
    ) -> Built {
        let Value::Object(map) = schema else {
            return one(self, schema, Kind::Any, at);
        };
        let of_value = |value: &Value| match value {
            Value::String(_) => Kind::Text,
            _ => Kind::Json,
        };
        if map.contains_key("enum") {
            let mut ways = Vec::new();
            for value in self.listed(map, at)? {
                let kind = of_value(&value);
                let schema = Value::from_iter([("const", value)]);
                ways.push(one(self, &schema, kind, at)?);
            }
            return Ok(Node::choice(ways));
        }
        if let Some(value) = map.get("const") {
            return one(self, schema, of_value(value), at);
        }
        let mut ways = Vec::new();
        for schema in each_type(map) {
            let kind = match schema.get("type").and_then(Value::as_str) {
                Some("string") => Kind::Text,
                Some("any") => Kind::Any,
                _ => Kind::Json,
            };
            ways.push(one(self, &schema, kind, at)?);
        }
        Ok(Node::choice(ways))
    }

    /// Whether a schema allows other types than strings: then text that looks like JSON is read as JSON.
    fn has_other_types(&mut self, schema: &Value, at: &str) -> Result<bool, GrammarError> {
        let of = |schema: &Value| match (schema.get("const"), schema.get("type")) {
            (Some(value), _) if value.is_string() => Kind::Text,
            (Some(_), _) => Kind::Json,
            (None, Some(kind)) if kind == "string" => Kind::Text,
            (None, Some(kind)) if kind != "any" => Kind::Json,
            (None, _) => Kind::Any,
        };
        let kinds: Vec<Kind> = self.by_type(schema, at)?.iter().map(of).collect();
        Ok(kinds.contains(&Kind::Json) && !kinds.contains(&Kind::Any))
    }

    /// Splits a schema into schemas of one type each.
    pub(crate) fn by_type(&mut self, schema: &Value, at: &str) -> Result<Vec<Value>, GrammarError> {
        let mut all = Vec::new();
        for (schema, _) in self.alternatives(schema, at)? {
            match &schema {
                Value::Object(map) if map.contains_key("enum") => {
                    let values = self.listed(map, at)?.into_iter();
                    all.extend(values.map(|value| Value::from_iter([("const", value)])));
                }
                Value::Object(map) if !map.contains_key("const") => all.extend(each_type(map)),
                _ => all.push(schema),
            }
        }
        Ok(all)
    }

    /// Members as sibling elements.
    pub(crate) fn siblings(
        &mut self,
        members: &[Member],
        at: &str,
        layout: ElementLayout<'_>,
    ) -> Built {
        self.members(
            members,
            at,
            Node::empty(),
            None,
            false,
            &mut |writer, member| {
                writer.element(&member.name, &member.schema, &member.pointer, layout)
            },
        )
    }

    fn element(&mut self, key: &str, schema: &Value, at: &str, layout: ElementLayout<'_>) -> Built {
        let starts = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !starts
            || !key
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        {
            return Err(self.nothing(at, &format!("`{key}` cannot be the name of an element")));
        }
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return self.deeper(at, |writer| writer.plain_element(key, schema, at, layout));
        };
        // A schema that contains itself is a rule for each name that has it.
        let shared = (format!("{reference} {key}"), layout.text(false));
        let target = self.resolved(schema, at)?.into_owned();
        self.shared(shared, key, at, |writer| {
            writer.deeper(at, |writer| writer.plain_element(key, &target, at, layout))
        })
    }

    fn plain_element(
        &mut self,
        key: &str,
        schema: &Value,
        at: &str,
        layout: ElementLayout<'_>,
    ) -> Built {
        let text = layout.text(self.has_other_types(schema, at)?);
        let mut elements = Vec::new();
        let mut contents = Vec::new();
        for (schema, at) in self.alternatives(schema, at)? {
            let types = match &schema {
                Value::Object(map) if !map.contains_key("enum") && !map.contains_key("const") => {
                    each_type(map)
                }
                _ => vec![schema],
            };
            for schema in types {
                let map = schema.as_object();
                let kind = map.and_then(|map| Some((map, map.get("type")?.as_str()?)));
                match kind {
                    Some((map, "object")) if !map.contains_key("properties") => {
                        self.note(&at, "members that are not declared are JSON in the grammar");
                        contents.push(self.element_text(&schema, &at, &text)?);
                        elements.push(enclosed(key, Node::empty(), layout));
                    }
                    Some((map, "object")) => {
                        elements.push(self.object_element(key, map, &at, layout)?);
                    }
                    Some((map, "array")) => {
                        elements.push(self.array_element(key, map, &at, layout)?);
                    }
                    _ => contents.push(self.element_text(&schema, &at, &text)?),
                }
            }
        }
        if !contents.is_empty() {
            elements.push(tagged(key, Node::choice(contents), layout));
        }
        Ok(Node::choice(elements))
    }

    /// The content of an element without child elements.
    fn element_text(&mut self, schema: &Value, at: &str, text: &Notation) -> Built {
        let json = Notation::JsonBefore(Closers(vec!["<".to_owned()]));
        self.by_kind(schema, at, &mut |writer, schema, kind, at| match kind {
            Kind::Text => writer.value(schema, at, text),
            Kind::Any => Ok(text.any_content()),
            Kind::Json => match schema.get("const") {
                Some(value) => Ok(constant(value, text)),
                None => writer.value(schema, at, &json),
            },
        })
    }

    fn object_element(
        &mut self,
        key: &str,
        map: &Map<String, Value>,
        at: &str,
        layout: ElementLayout<'_>,
    ) -> Built {
        let members = self.declared(map, at)?;
        let body = self.siblings(&members, at, layout)?;
        Ok(enclosed(key, body, layout))
    }

    fn array_element(
        &mut self,
        key: &str,
        map: &Map<String, Value>,
        at: &str,
        layout: ElementLayout<'_>,
    ) -> Built {
        let items = map.get("items").cloned().unwrap_or(Value::Bool(true));
        let item = self.resolved(&items, at)?.into_owned();
        // A list with a plural key wraps elements with the singular name; between tokens each element is an `item`.
        let wrapped = if layout.prefix.is_empty() {
            key.strip_suffix('s').filter(|name| {
                let has = |name| item.pointer(&format!("/properties/{name}")).is_some();
                let is_list = item
                    .as_object()
                    .is_some_and(|item| kinds(item) == ["array"]);
                !name.is_empty() && !has(name) && !is_list && item.is_object()
            })
        } else {
            Some("item")
        };
        if let Some(name) = wrapped {
            let items = self.items(map, at, Node::empty(), &mut |writer, schema, at| {
                writer.element(name, schema, at, layout)
            })?;
            let some = enclosed(key, items, layout);
            if map.get("minItems").and_then(Value::as_u64).unwrap_or(0) > 0 {
                return Ok(some);
            }
            return Ok(Node::choice([some, tagged(key, Node::empty(), layout)]));
        }
        // Repeated siblings; an empty list is an empty element.
        let bound = |word: &str| {
            map.get(word)
                .and_then(Value::as_u64)
                .and_then(|n| u32::try_from(n).ok())
        };
        let least = bound("minItems").unwrap_or(0);
        let one = self.element(key, &items, &format!("{at}/items"), layout)?;
        let one = Node::Rule(self.rules.add(key, one));
        let some = separated(one, Node::empty(), least.max(1), bound("maxItems"));
        if least > 0 {
            return Ok(some);
        }
        Ok(Node::choice([some, tagged(key, Node::empty(), layout)]))
    }
}

/// How a dialect of raw text writes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string, verbatim.
    Text,
    /// Any text.
    Any,
    /// JSON.
    Json,
}

/// A schema for each of its types.
fn each_type(map: &Map<String, Value>) -> Vec<Value> {
    let of_type = |kind: &str| {
        let mut alone = map.clone();
        alone.insert("type".to_owned(), Value::from(kind));
        alone.shift_remove("nullable");
        Value::Object(alone)
    };
    kinds(map).into_iter().map(of_type).collect()
}

/// `<key>content</key>` on a line of its own.
fn tagged(key: &str, content: Node, layout: ElementLayout<'_>) -> Node {
    let (pad, line) = layout.around();
    let prefix = layout.prefix;
    Node::sequence([
        pad,
        Node::literal(format!("{prefix}<{key}>")),
        content,
        Node::literal(format!("{prefix}</{key}>")),
        line,
    ])
}

/// Elements inside an enclosing element.
fn enclosed(key: &str, inner: Node, layout: ElementLayout<'_>) -> Node {
    let (pad, line) = layout.around();
    let prefix = layout.prefix;
    Node::sequence([
        pad.clone(),
        Node::literal(format!("{prefix}<{key}>")),
        line.clone(),
        inner,
        pad,
        Node::literal(format!("{prefix}</{key}>")),
        line,
    ])
}
