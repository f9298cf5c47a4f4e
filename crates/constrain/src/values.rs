//! Values outside JSON: raw text, and elements.

use toolglot_engine::form::Values;
use toolglot_value::{Map, Value};

use crate::error::GrammarError;
use crate::grammar::{CharClass, Node};
use crate::members::Member;
use crate::schema::{SchemaWriter, kinds};
use crate::text::{Closers, Notation};
use crate::value_types::{constant, separated};

type Built = Result<Node, GrammarError>;

/// Most blanks before an element.
const MAX_INDENT: u32 = 64;

/// How elements are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementLayout<'d> {
    pub(crate) values: &'d Values,
    /// What stands before each tag.
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

    fn text(self) -> Notation {
        // Between tokens nothing is escaped, and only a token ends the text.
        if !self.values.entities && !self.prefix.is_empty() {
            return Notation::Raw(Closers(vec![self.prefix.to_owned()]));
        }
        Notation::Element {
            has_entities: self.values.entities,
            has_cdata: self.values.cdata,
        }
    }
}

impl SchemaWriter<'_> {
    /// A raw value up to its closers: a string as it is, anything else as JSON.
    pub(crate) fn raw(&mut self, schema: &Value, at: &str, closers: &Closers) -> Built {
        let raw = Notation::Raw(closers.clone());
        let json = Notation::JsonBefore(closers.clone());
        self.by_kind(schema, at, &mut |writer, schema, kind, at| match kind {
            Kind::Text => writer.value(schema, at, &raw),
            Kind::Any => Ok(raw.any_content()),
            Kind::Json => writer.value(schema, at, &json),
        })
    }

    /// The value of a schema by what it is: each of its alternatives and types apart.
    pub(crate) fn by_kind(
        &mut self,
        schema: &Value,
        at: &str,
        one: &mut dyn FnMut(&mut Self, &Value, Kind, &str) -> Built,
    ) -> Built {
        let schema = self.resolved(schema, at)?.into_owned();
        let Value::Object(map) = &schema else {
            return one(self, &schema, Kind::Any, at);
        };
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            let mut ways = Vec::new();
            for value in values {
                let kind = if value.is_string() {
                    Kind::Text
                } else {
                    Kind::Json
                };
                let schema = Value::from_iter([("const", value.clone())]);
                ways.push(one(self, &schema, kind, at)?);
            }
            if ways.is_empty() {
                return Err(self.nothing(&format!("{at}/enum"), "it lists no value"));
            }
            return Ok(Node::choice(ways));
        }
        if let Some(value) = map.get("const") {
            let kind = if value.is_string() {
                Kind::Text
            } else {
                Kind::Json
            };
            return one(self, &schema, kind, at);
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(several) = map.get(word).and_then(Value::as_array) {
                let mut ways = Vec::new();
                for (n, schema) in several.iter().enumerate() {
                    let at = format!("{at}/{word}/{n}");
                    ways.push(self.deeper(&at, |writer| writer.by_kind(schema, &at, one))?);
                }
                return Ok(Node::choice(ways));
            }
        }
        if map.contains_key("allOf") {
            return one(self, &schema, Kind::Json, at);
        }
        let mut ways = Vec::new();
        for kind in kinds(map) {
            let mut alone = map.clone();
            alone.insert("type".to_owned(), Value::from(kind));
            alone.shift_remove("nullable");
            let kind = match kind {
                "string" => Kind::Text,
                "any" => Kind::Any,
                _ => Kind::Json,
            };
            ways.push(one(self, &Value::Object(alone), kind, at)?);
        }
        Ok(Node::choice(ways))
    }

    /// A schema as several, each of which has values of one type.
    pub(crate) fn by_type(&self, schema: &Value, at: &str) -> Result<Vec<Value>, GrammarError> {
        let schema = self.resolved(schema, at)?.into_owned();
        let Value::Object(map) = &schema else {
            return Ok(vec![schema]);
        };
        let one = |word: &str, value: &Value| Value::from_iter([(word, value.clone())]);
        if let Some(values) = map.get("enum").and_then(Value::as_array)
            && !values.is_empty()
        {
            return Ok(values.iter().map(|value| one("const", value)).collect());
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(several) = map.get(word).and_then(Value::as_array) {
                let mut all = Vec::new();
                for (n, schema) in several.iter().enumerate() {
                    all.extend(self.by_type(schema, &format!("{at}/{word}/{n}"))?);
                }
                return Ok(all);
            }
        }
        let of_type = |kind: &&str| {
            let mut alone = map.clone();
            alone.insert("type".to_owned(), Value::from(*kind));
            alone.shift_remove("nullable");
            Value::Object(alone)
        };
        match kinds(map).as_slice() {
            [_] => Ok(vec![schema]),
            several => Ok(several.iter().map(of_type).collect()),
        }
    }

    /// Members as sibling elements.
    pub(crate) fn siblings(
        &mut self,
        members: &[Member],
        at: &str,
        layout: ElementLayout<'_>,
    ) -> Built {
        self.members(members, at, Node::empty(), None, &mut |writer, member| {
            writer.element(&member.name, &member.schema, &member.pointer, layout)
        })
    }

    fn element(&mut self, key: &str, schema: &Value, at: &str, layout: ElementLayout<'_>) -> Built {
        let begins = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !begins
            || !key
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        {
            return Err(self.nothing(at, &format!("`{key}` cannot be the name of an element")));
        }
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return self.deeper(at, |writer| writer.plain_element(key, schema, at, layout));
        };
        // One that holds itself is a rule for each name that it stands under.
        let shared = (format!("{reference} {key}"), layout.text());
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
        if let Value::Object(map) = schema
            && !map.contains_key("enum")
            && !map.contains_key("const")
        {
            match kinds(map).as_slice() {
                ["object"] if map.contains_key("properties") => {
                    return self.object_element(key, map, at, layout);
                }
                ["array"] => return self.array_element(key, map, at, layout),
                _ => {}
            }
        }
        let text = layout.text();
        let content = self.by_kind(
            schema,
            at,
            &mut |writer, schema, kind, at| match (kind, schema) {
                (Kind::Text, _) => writer.value(schema, at, &text),
                (Kind::Any, _) => Ok(text.any_content()),
                (Kind::Json, schema) => match schema.get("const") {
                    Some(value) => Ok(constant(value, &text)),
                    None => writer.value(
                        schema,
                        at,
                        &Notation::JsonBefore(Closers(vec!["<".to_owned()])),
                    ),
                },
            },
        )?;
        Ok(tagged(key, content, layout))
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
        // A list that is the plural of a name wraps elements of that name; between tokens each is an `item`.
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
        // Repeated siblings; none of them is an empty element.
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

/// What a value is to a dialect that writes raw text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string, as it is.
    Text,
    /// Whatever the text may be.
    Any,
    /// JSON.
    Json,
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

/// Elements in one of their own.
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
