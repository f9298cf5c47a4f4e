//! A JSON Schema as nodes: references, and schemas that are made of others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toolglot_value::{Map, Value};

use crate::InputGrammar;
use crate::alternatives::{SEVERAL_FIT, is_only_about};
use crate::error::{GrammarError, GrammarNote};
use crate::grammar::{Node, RuleId, Rules};
use crate::text::Notation;
use crate::value_types::constant;

/// The maximum depth of a schema.
pub(crate) const MAX_DEPTH: usize = 64;
/// The maximum number of rules of a grammar.
pub(crate) const MAX_RULES: usize = 10_000;

/// Keywords that a grammar does not express; each occurrence becomes a note.
const NOT_SAID: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "multipleOf",
    "contentEncoding",
    "contentMediaType",
];

/// The node of a schema.
pub(crate) type Built = Result<Node, GrammarError>;

/// Makes nodes from the schemas of one tool.
pub(crate) struct SchemaWriter<'a> {
    pub(crate) tool: &'a str,
    pub(crate) root: &'a Value,
    pub(crate) rules: &'a mut Rules,
    pub(crate) notes: &'a mut Vec<GrammarNote>,
    /// Whether the target is Lark, which can bound the length of a raw value, and nest grammars.
    pub(crate) is_lark: bool,
    /// The grammar of the tool's one argument, until it is written.
    pub(crate) input: Option<InputGrammar<'a>>,
    /// Rules of references, by pointer and notation.
    pub(crate) references: BTreeMap<(String, Notation), RuleId>,
    pub(crate) depth: usize,
}

impl<'a> SchemaWriter<'a> {
    pub(crate) fn new(
        tool: &'a str,
        root: &'a Value,
        rules: &'a mut Rules,
        notes: &'a mut Vec<GrammarNote>,
    ) -> SchemaWriter<'a> {
        SchemaWriter {
            tool,
            root,
            rules,
            notes,
            is_lark: false,
            input: None,
            references: BTreeMap::new(),
            depth: 0,
        }
    }

    /// The value of a schema, in this notation.
    pub(crate) fn value(&mut self, schema: &Value, at: &str, notation: &Notation) -> Built {
        self.deeper(at, |writer| writer.any_of(schema, at, notation))
    }

    /// Runs `make` one level deeper, within the limits.
    pub(crate) fn deeper(&mut self, at: &str, make: impl FnOnce(&mut Self) -> Built) -> Built {
        if self.depth >= MAX_DEPTH {
            return Err(GrammarError::TooDeep {
                tool: self.tool.to_owned(),
                pointer: at.to_owned(),
                limit: MAX_DEPTH,
            });
        }
        if self.rules.len() > MAX_RULES {
            return Err(GrammarError::TooLarge {
                tool: self.tool.to_owned(),
                limit: MAX_RULES,
            });
        }
        self.depth += 1;
        let node = make(self);
        self.depth -= 1;
        node
    }

    /// The rule of a schema that may refer to itself; made at its first use.
    pub(crate) fn shared(
        &mut self,
        key: (String, Notation),
        name: &str,
        at: &str,
        make: impl FnOnce(&mut Self) -> Built,
    ) -> Built {
        if let Some(id) = self.references.get(&key) {
            return Ok(Node::Rule(*id));
        }
        let id = self.rules.reserve(name);
        self.references.insert(key, id);
        let node = make(self)?;
        if node == Node::Rule(id) {
            return Err(self.nothing(at, "it refers to itself"));
        }
        self.rules.set(id, node);
        Ok(Node::Rule(id))
    }

    fn any_of(&mut self, schema: &Value, at: &str, notation: &Notation) -> Built {
        let map = match schema {
            Value::Bool(true) => return Ok(Node::Rule(self.anything(notation))),
            Value::Object(map) => map,
            _ => return Err(self.nothing(at, "no value fits `false`")),
        };
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            return self.reference(reference, at, notation);
        }
        if let Some(all) = map.get("allOf").and_then(Value::as_array) {
            let merged = self.merged(map, all, at)?;
            return self.value(&Value::Object(merged), at, notation);
        }
        if map.contains_key("enum") {
            let values = self.listed(map, at)?;
            return Ok(Node::choice(
                values.iter().map(|value| constant(value, notation)),
            ));
        }
        if let Some(value) = map.get("const") {
            return Ok(constant(value, notation));
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(several)) = map.get(word) {
                if word == "oneOf" && several.len() > 1 {
                    self.note(&format!("{at}/oneOf"), SEVERAL_FIT);
                }
                return self.one_of(map, word, several, at, notation);
            }
        }
        for word in NOT_SAID.iter().filter(|word| map.contains_key(word)) {
            self.note(
                &format!("{at}/{word}"),
                &format!("`{word}` is not in the grammar"),
            );
        }
        let mut ways = Vec::new();
        for kind in kinds(map) {
            ways.push(match kind {
                "string" => self.string(map, at, notation)?,
                "integer" => self.integer(map, at)?,
                "number" => self.number(map, at)?,
                "boolean" => {
                    Node::choice([true, false].map(|word| constant(&Value::Bool(word), notation)))
                }
                "null" => constant(&Value::Null, notation),
                "array" => self.array(map, at, notation)?,
                "object" => self.object(map, at, notation)?,
                "any" => Node::Rule(self.anything(notation)),
                other => {
                    self.note(
                        &format!("{at}/type"),
                        &format!("unknown type `{other}`: any value is taken"),
                    );
                    Node::Rule(self.anything(notation))
                }
            });
        }
        Ok(Node::choice(ways))
    }

    /// The values of an `enum` that have a type of the schema.
    pub(crate) fn listed(
        &self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Vec<Value>, GrammarError> {
        let values = map.get("enum").and_then(Value::as_array);
        let types = map.contains_key("type").then(|| kinds(map));
        let fits = |value: &&Value| {
            let fits = |kind: &&str| match *kind {
                "number" => value.is_number(),
                "integer" => {
                    value.is_i64()
                        || value.is_u64()
                        || value.as_f64().is_some_and(|n| n.fract() == 0.0)
                }
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                _ => true,
            };
            types.as_ref().is_none_or(|types| types.iter().any(fits))
        };
        let listed: Vec<Value> = values.into_iter().flatten().filter(fits).cloned().collect();
        match (listed.is_empty(), values.is_none_or(Vec::is_empty)) {
            (false, _) => Ok(listed),
            (_, true) => Err(self.nothing(&format!("{at}/enum"), "it lists no value")),
            (_, false) => {
                Err(self.nothing(&format!("{at}/enum"), "none of its values has the type"))
            }
        }
    }

    /// One of several schemas, each merged with its sibling keywords. Schemas that allow no value are left out.
    fn one_of(
        &mut self,
        map: &Map<String, Value>,
        word: &str,
        several: &[Value],
        at: &str,
        notation: &Notation,
    ) -> Built {
        let mut beside = map.clone();
        beside.shift_remove(word);
        let mut ways = Vec::new();
        let mut refused = None;
        for (n, one) in several.iter().enumerate() {
            let at = format!("{at}/{word}/{n}");
            let node = if is_only_about(&beside) {
                self.value(one, &at, notation)
            } else {
                let merged = self.merged(&beside, std::slice::from_ref(one), &at);
                merged.and_then(|merged| self.value(&Value::Object(merged), &at, notation))
            };
            match node {
                Ok(node) => ways.push(node),
                Err(error @ GrammarError::Nothing { .. }) => refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        match refused {
            Some(error) if ways.is_empty() => Err(error),
            _ if ways.is_empty() => {
                Err(self.nothing(&format!("{at}/{word}"), "it lists no schema"))
            }
            _ => Ok(Node::choice(ways)),
        }
    }

    /// A schema without the references that it starts with.
    pub(crate) fn resolved<'s>(
        &self,
        schema: &'s Value,
        at: &str,
    ) -> Result<Cow<'s, Value>, GrammarError> {
        let mut schema = Cow::Borrowed(schema);
        for _ in 0..MAX_DEPTH {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
                return Ok(schema);
            };
            schema = Cow::Owned(self.target(reference, at)?.clone());
        }
        Err(GrammarError::TooDeep {
            tool: self.tool.to_owned(),
            pointer: at.to_owned(),
            limit: MAX_DEPTH,
        })
    }

    fn target(&self, reference: &str, at: &str) -> Result<&'a Value, GrammarError> {
        let root = self.root;
        let target = match reference.strip_prefix('#') {
            Some(pointer) => root
                .pointer(pointer)
                .or_else(|| root.pointer(&percent_decoded(pointer)?)),
            None => None,
        };
        target.ok_or_else(|| GrammarError::Reference {
            tool: self.tool.to_owned(),
            pointer: format!("{at}/$ref"),
            reference: reference.to_owned(),
        })
    }

    fn reference(&mut self, reference: &str, at: &str, notation: &Notation) -> Built {
        let target = self.target(reference, at)?;
        let name = reference.rsplit('/').next().unwrap_or("definition");
        let pointer = reference.trim_start_matches('#').to_owned();
        let key = (reference.to_owned(), notation.clone());
        self.shared(key, name, at, |writer| {
            writer.value(target, &pointer, notation)
        })
    }

    /// The error for a schema that allows no value.
    pub(crate) fn nothing(&self, at: &str, why: &str) -> GrammarError {
        GrammarError::Nothing {
            tool: self.tool.to_owned(),
            pointer: at.to_owned(),
            reason: why.to_owned(),
        }
    }

    pub(crate) fn note(&mut self, at: &str, message: &str) {
        let note = GrammarNote {
            tool: self.tool.to_owned(),
            pointer: at.to_owned(),
            message: message.to_owned(),
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Decodes the pointer in a reference, which is a URL: `%20` is a space.
fn percent_decoded(pointer: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = pointer.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|hex| str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// The types that a schema names, or that its keywords imply.
pub(crate) fn kinds(map: &Map<String, Value>) -> Vec<&str> {
    let mut kinds: Vec<&str> = match map.get("type") {
        Some(Value::Array(words)) => words
            .iter()
            .filter_map(|word| word.as_str().map(json_type))
            .collect(),
        Some(word) => word.as_str().map(json_type).into_iter().collect(),
        None => Vec::new(),
    };
    if kinds.is_empty() {
        let has = |words: &[&str]| words.iter().any(|word| map.contains_key(word));
        if has(&["properties", "required", "additionalProperties"]) {
            kinds.push("object");
        } else if has(&["items", "prefixItems", "minItems", "maxItems"]) {
            kinds.push("array");
        } else if has(&["pattern", "minLength", "maxLength", "format"]) {
            kinds.push("string");
        } else if has(&[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ]) {
            kinds.push("number");
        } else {
            kinds.push("any");
        }
    }
    if map.get("nullable") == Some(&Value::Bool(true)) && !kinds.contains(&"null") {
        kinds.push("null");
    }
    kinds
}

/// The JSON type that a word of another language names, in any letter case.
pub(crate) fn json_type(word: &str) -> &str {
    const TYPES: &[(&str, &[&str])] = &[
        ("array", &["array", "list", "tuple"]),
        ("boolean", &["bool", "boolean"]),
        ("integer", &["int", "integer", "long", "uint"]),
        ("null", &["none", "null"]),
        ("number", &["double", "float", "number"]),
        ("object", &["dict", "hashmap", "map", "object"]),
        ("string", &["str", "string", "text"]),
    ];
    let is_it = |one: &&str| one.eq_ignore_ascii_case(word);
    let known = TYPES.iter().find(|(_, words)| words.iter().any(is_it));
    known.map_or(word, |(kind, _)| kind)
}
