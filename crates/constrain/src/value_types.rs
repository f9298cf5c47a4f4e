//! Values of one type: strings, numbers, arrays and objects as nodes.

use toolglot_value::{Map, Value};

use crate::error::GrammarError;
use crate::grammar::{CharClass, Node, RuleId};
use crate::members::Member;
use crate::number::{self, Sign};
use crate::pattern::pattern;
use crate::schema::{Built, SchemaWriter};
use crate::text::{Closers, Notation, cdata, hex};

/// The longest repetition that all targets accept; llama.cpp rejects more than 2,000.
const MAX_REPEAT: u64 = 2_000;

impl SchemaWriter<'_> {
    pub(crate) fn string(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        notation: &Notation,
    ) -> Built {
        let content = self.content(map, at, notation)?;
        let quote = notation.quote();
        Ok(Node::sequence([
            Node::literal(quote.clone()),
            content,
            Node::literal(quote),
        ]))
    }

    /// The content between the quotes of a string.
    pub(crate) fn content(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        notation: &Notation,
    ) -> Built {
        let (min, max) = self.bounds(map, at, "minLength", "maxLength")?;
        if let Some(Value::String(regex)) = map.get("pattern") {
            if min > 0 || max.is_some() {
                self.note(
                    at,
                    "the length is not in the grammar, as there is a pattern",
                );
            }
            match pattern(regex, notation) {
                Ok(node) => return Ok(node),
                Err(why) => self.note(
                    &format!("{at}/pattern"),
                    &format!("the pattern is not in the grammar: {why}"),
                ),
            }
        }
        if let Some(Value::String(format)) = map.get("format") {
            match format_of(format, notation) {
                Some(node) => return Ok(node),
                None => self.note(
                    &format!("{at}/format"),
                    &format!("the format `{format}` is not in the grammar"),
                ),
            }
        }
        if min == 0 && max.is_none() {
            return Ok(notation.any_content());
        }
        if matches!(notation, Notation::Raw { .. } | Notation::Tokens(_)) {
            let mut text = notation.raw_text();
            text.is_filled = min > 0;
            if self.is_lark {
                text.length = Some((min, max));
            } else if min > 1 || max.is_some() {
                // A grammar can require nonblank text in addition to the closers, but not a length.
                self.note(
                    at,
                    "the length is not in the grammar, as a raw value may hold all but its closers",
                );
            }
            return Ok(Node::Text(text));
        }
        if let (Notation::JsonBefore(_), 1, None) = (notation, min, max) {
            return Ok(notation.some_content());
        }
        let any = notation.one_of(&CharClass::except(&[])).repeat(min, max);
        if let Notation::Element {
            has_cdata: true,
            is_plain,
            ..
        } = notation
        {
            if min > 1 || max.is_some() {
                self.note(at, "the length of a CDATA section is not in the grammar");
            }
            return Ok(Node::choice([any, cdata(min > 0, *is_plain)]));
        }
        Ok(any)
    }

    /// Bounds of a length, each within the limit of the targets.
    pub(crate) fn bounds(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        least: &str,
        most: &str,
    ) -> Result<(u32, Option<u32>), GrammarError> {
        let of = |word| map.get(word).and_then(Value::as_u64);
        let (min, max) = (of(least).unwrap_or(0), of(most));
        if max.is_some_and(|max| max < min) {
            return Err(self.nothing(
                &format!("{at}/{least}"),
                &format!("`{least}` is above `{most}`"),
            ));
        }
        for (word, bound) in [(least, Some(min)), (most, max)] {
            if bound.is_some_and(|bound| bound > MAX_REPEAT) {
                self.note(
                    &format!("{at}/{word}"),
                    &format!("`{word}` above {MAX_REPEAT} is not in the grammar"),
                );
            }
        }
        let within = |bound: u64| u32::try_from(bound.min(MAX_REPEAT)).unwrap_or(0);
        Ok((
            within(min),
            max.filter(|&max| max <= MAX_REPEAT).map(within),
        ))
    }

    pub(crate) fn integer(&mut self, map: &Map<String, Value>, at: &str) -> Built {
        let (min, max) = integer_bounds(map);
        number::integers(min, max)
            .ok_or_else(|| self.nothing(&format!("{at}/minimum"), "`minimum` is above `maximum`"))
    }

    pub(crate) fn number(&mut self, map: &Map<String, Value>, at: &str) -> Built {
        let of = |word| map.get(word).and_then(Value::as_f64);
        let min = of("minimum").or(of("exclusiveMinimum"));
        let max = of("maximum").or(of("exclusiveMaximum"));
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(self.nothing(&format!("{at}/minimum"), "`minimum` is above `maximum`"));
        }
        let sign = match (min, max) {
            (Some(min), _) if min >= 0.0 => Sign::Positive,
            (_, Some(max)) if max < 0.0 => Sign::Negative,
            _ => Sign::Any,
        };
        let is_sign_alone = (min.is_none() || min == Some(0.0))
            && max.is_none()
            && of("exclusiveMinimum").is_none();
        if (min.is_some() || max.is_some()) && !is_sign_alone {
            self.note(
                at,
                "of the bounds of a number only its sign is in the grammar",
            );
        }
        Ok(number::number(sign))
    }

    pub(crate) fn array(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        notation: &Notation,
    ) -> Built {
        let comma = self.comma(notation);
        let space = self.space(notation);
        let items = self.items(map, at, comma, &mut |writer, schema, at| {
            writer.value(schema, at, notation)
        })?;
        Ok(bracketed("[", items, &space, "]"))
    }

    /// The separated items of an array; `item` makes the node of one.
    pub(crate) fn items(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        separator: Node,
        item: &mut dyn FnMut(&mut Self, &Value, &str) -> Built,
    ) -> Built {
        let (min, max) = self.bounds(map, at, "minItems", "maxItems")?;
        let (fixed, rest) = match (map.get("prefixItems"), map.get("items")) {
            (Some(Value::Array(fixed)), rest) => (fixed.as_slice(), rest),
            // Before draft 2020-12 the list is in `items`, and the rest in `additionalItems`.
            (_, Some(Value::Array(fixed))) => (fixed.as_slice(), map.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        let n_fixed = u32::try_from(fixed.len()).unwrap_or(u32::MAX);
        let more = match rest {
            Some(Value::Bool(false)) => None,
            _ if max.is_some_and(|max| max <= n_fixed) => None,
            rest => Some(item(
                self,
                rest.unwrap_or(&Value::Bool(true)),
                &format!("{at}/items"),
            )?),
        };
        if more.is_none() && min > n_fixed {
            return Err(self.nothing(
                &format!("{at}/minItems"),
                "there are fewer items than `minItems`",
            ));
        }
        // From the last item to the first: `after` is the part after n items.
        let mut after = match more {
            None => Node::empty(),
            Some(one) => {
                let id = self.rules.add("item", one);
                let (least, most) = (min.saturating_sub(n_fixed), max.map(|max| max - n_fixed));
                if n_fixed == 0 {
                    return Ok(separated(Node::Rule(id), separator, least, most));
                }
                Node::sequence([separator.clone(), Node::Rule(id)]).repeat(least, most)
            }
        };
        for (n, schema) in fixed.iter().enumerate().rev() {
            let words = if map.contains_key("prefixItems") {
                "prefixItems"
            } else {
                "items"
            };
            let one = item(self, schema, &format!("{at}/{words}/{n}"))?;
            let before = if n == 0 {
                Node::empty()
            } else {
                separator.clone()
            };
            let some = Node::sequence([before, one, after]);
            after = if u32::try_from(n).is_ok_and(|n| n >= min) {
                some.optional()
            } else {
                some
            };
        }
        Ok(after)
    }

    pub(crate) fn object(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        notation: &Notation,
    ) -> Built {
        let comma = self.comma(notation);
        let space = self.space(notation);
        let colon = colon(notation);
        let members = self.declared(map, at)?;
        let extra = self.extra(map, at, notation)?;
        let body = self.members(&members, at, comma, extra, false, &mut |writer, member| {
            let key = Node::literal(key(&member.name, notation));
            let value = writer.value(&member.schema, &member.pointer, notation)?;
            Ok(Node::sequence([key, colon.clone(), value]))
        })?;
        Ok(bracketed("{", body, &space, "}"))
    }

    /// A member with an undeclared name, if the schema allows such members.
    pub(crate) fn extra(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        notation: &Notation,
    ) -> Result<Option<Node>, GrammarError> {
        let schema = match map.get("additionalProperties") {
            Some(Value::Bool(false)) => return Ok(None),
            Some(schema) => schema,
            // An object schema without `properties` allows any members; one with `properties` allows only the declared
            // ones.
            None if map.get("properties").is_none() => &Value::Bool(true),
            None => return Ok(None),
        };
        let at = format!("{at}/additionalProperties");
        let value = self.value(schema, &at, notation)?;
        let pair = Node::sequence([any_key(notation), colon(notation), value]);
        Ok(Some(Node::Rule(self.rules.add("member", pair))))
    }

    /// The members that a schema declares.
    pub(crate) fn declared(
        &self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Vec<Member>, GrammarError> {
        let required: Vec<&str> = match map.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut members = Vec::new();
        for (name, schema) in map
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let pointer = format!(
                "{at}/properties/{}",
                name.replace('~', "~0").replace('/', "~1")
            );
            let is_required = required.contains(&name.as_str());
            // A member whose schema allows no value can only be left out.
            if *schema == Value::Bool(false) {
                if is_required {
                    return Err(self.nothing(&pointer, "a required value is `false`"));
                }
                continue;
            }
            members.push(Member {
                name: name.clone(),
                schema: schema.clone(),
                pointer,
                is_required,
            });
        }
        for name in required {
            if !members.iter().any(|member| member.name == name) {
                members.push(Member {
                    name: name.to_owned(),
                    schema: Value::Bool(true),
                    pointer: format!("{at}/required"),
                    is_required: true,
                });
            }
        }
        Ok(members)
    }

    /// Any value.
    pub(crate) fn anything(&mut self, notation: &Notation) -> RuleId {
        let key = (String::new(), notation.clone());
        if let Some(id) = self.references.get(&key) {
            return *id;
        }
        let id = self.rules.reserve("value");
        self.references.insert(key, id);
        if matches!(notation, Notation::Raw { .. } | Notation::Element { .. }) {
            self.rules.set(id, notation.any_content());
            return id;
        }
        let (comma, space, colon) = (self.comma(notation), self.space(notation), colon(notation));
        let quote = Node::literal(notation.quote());
        let string = Node::sequence([quote.clone(), notation.any_content(), quote]);
        let member = self.rules.add(
            "any-member",
            Node::sequence([any_key(notation), colon, Node::Rule(id)]),
        );
        let bracket = |open: &str, one: Node, close: &str| {
            Node::sequence([
                Node::literal(open),
                space.clone(),
                separated(one, comma.clone(), 0, None),
                space.clone(),
                Node::literal(close),
            ])
        };
        let object = bracket("{", Node::Rule(member), "}");
        let array = bracket("[", Node::Rule(id), "]");
        let words = [Value::Bool(true), Value::Bool(false), Value::Null];
        let words = words.map(|word| constant(&word, notation));
        let ways = [object, array, string, number::number(Sign::Any)];
        self.rules
            .set(id, Node::choice(ways.into_iter().chain(words)));
        id
    }

    /// Optional whitespace inside JSON: one space, or a line break with its indentation.
    pub(crate) fn space(&mut self, notation: &Notation) -> Node {
        match notation {
            // A line break would end the value.
            Notation::JsonBefore(Closers(closers))
                if closers.iter().any(|closer| closer.starts_with('\n')) =>
            {
                Node::literal(" ").optional()
            }
            Notation::Json | Notation::JsonBefore(_) => {
                let key = ("space".to_owned(), Notation::Json);
                if let Some(id) = self.references.get(&key) {
                    return Node::Rule(*id);
                }
                let blank = Node::Class(CharClass::new(vec![(' ', ' '), ('\t', '\t')]));
                let line = Node::sequence([Node::literal("\n"), blank.repeat(0, Some(20))]);
                let node = Node::choice([Node::literal(" "), line]).optional();
                let id = self.rules.add("space", node);
                self.references.insert(key, id);
                Node::Rule(id)
            }
            _ => Node::empty(),
        }
    }

    pub(crate) fn comma(&mut self, notation: &Notation) -> Node {
        let after = match notation {
            Notation::Python(_) => Node::literal(" ").optional(),
            _ => self.space(notation),
        };
        Node::sequence([Node::literal(","), after])
    }
}

/// The text between a key and its value.
pub(crate) fn colon(notation: &Notation) -> Node {
    let after = match notation {
        Notation::Json | Notation::JsonBefore(_) | Notation::Python(_) => {
            Node::literal(" ").optional()
        }
        _ => Node::empty(),
    };
    Node::sequence([Node::literal(":"), after])
}

/// `one`, repeated within the bounds, with a separator between.
pub(crate) fn separated(one: Node, separator: Node, min: u32, max: Option<u32>) -> Node {
    if max == Some(0) {
        return Node::empty();
    }
    let more = Node::sequence([separator, one.clone()]);
    let more = more.repeat(min.saturating_sub(1), max.map(|max| max - 1));
    let some = Node::sequence([one, more]);
    if min == 0 { some.optional() } else { some }
}

/// A constant value.
pub(crate) fn constant(value: &Value, notation: &Notation) -> Node {
    Node::literal(spelled(value, notation))
}

fn spelled(value: &Value, notation: &Notation) -> String {
    let list = |open: &str, items: Vec<String>, separator: &str, close: &str| {
        format!("{open}{}{close}", items.join(separator))
    };
    // Inside a raw value, JSON spells all values but strings.
    let inner = match notation {
        Notation::Raw { .. } | Notation::Element { .. } => &Notation::Json,
        other => other,
    };
    let (comma, colon) = match inner {
        Notation::Tokens(_) => (",", ":"),
        _ => (", ", ": "),
    };
    match value {
        Value::String(text) => notation.string(text),
        Value::Array(items) => {
            let items = items.iter().map(|item| spelled(item, inner)).collect();
            list("[", items, comma, "]")
        }
        Value::Object(members) => {
            let pair = |(name, value): (&String, &Value)| {
                format!("{}{colon}{}", key(name, inner), spelled(value, inner))
            };
            list("{", members.iter().map(pair).collect(), comma, "}")
        }
        Value::Bool(word) if matches!(notation, Notation::Python(_)) => {
            (if *word { "True" } else { "False" }).to_owned()
        }
        Value::Null if matches!(notation, Notation::Python(_)) => "None".to_owned(),
        scalar => scalar.to_string(),
    }
}

/// The name of a member.
fn key(name: &str, notation: &Notation) -> String {
    match notation {
        Notation::Tokens(_) => {
            let is_bare = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if is_bare {
                name.to_owned()
            } else {
                Value::from(name).to_string()
            }
        }
        Notation::Python('\'') => Notation::Python('"').string(name),
        other => other.string(name),
    }
}

/// Any key of an object: a string, or a bare name in a notation that allows bare keys.
fn any_key(notation: &Notation) -> Node {
    let quoted = |notation: &Notation| {
        let quote = Node::literal(notation.quote());
        Node::sequence([quote.clone(), notation.any_content(), quote])
    };
    match notation {
        Notation::Tokens(_) => {
            let start = vec![('A', 'Z'), ('_', '_'), ('a', 'z')];
            let rest = [start.clone(), vec![('0', '9')]].concat();
            let rest = Node::Class(CharClass::new(rest)).repeat(0, None);
            let bare = Node::sequence([Node::Class(CharClass::new(start)), rest]);
            Node::choice([bare, quoted(&Notation::Json)])
        }
        other => quoted(other),
    }
}

/// The minimum and the maximum integer.
fn integer_bounds(map: &Map<String, Value>) -> (Option<i64>, Option<i64>) {
    let of = |word: &str| map.get(word).and_then(Value::as_f64);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float beyond the integers is cut to the last"
    )]
    let to_int = |bound: f64| bound as i64;
    let min = of("minimum").map(|min| to_int(min.ceil()));
    let above = of("exclusiveMinimum").map(|min| to_int(min.floor()).saturating_add(1));
    let max = of("maximum").map(|max| to_int(max.floor()));
    let below = of("exclusiveMaximum").map(|max| to_int(max.ceil()).saturating_sub(1));
    (min.max(above), [max, below].into_iter().flatten().min())
}

/// The formats that a grammar can express.
fn format_of(format: &str, notation: &Notation) -> Option<Node> {
    const DATE: &str = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
    const TIME: &str = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
    if format == "uuid" {
        let group = |n| hex().repeat(n, Some(n));
        let dash = || Node::literal("-");
        return Some(Node::sequence([
            group(8),
            dash(),
            group(4),
            dash(),
            group(4),
            dash(),
            group(4),
            dash(),
            group(12),
        ]));
    }
    let regex = match format {
        "date" => format!("^{DATE}$"),
        "time" => format!("^{TIME}$"),
        "date-time" => format!("^{DATE}T{TIME}$"),
        "email" => r"^[A-Za-z0-9_+-]{1,64}(\.[A-Za-z0-9_+-]{1,64}){0,4}@[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?){1,4}$".to_owned(),
        "ipv4" => r"^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])$".to_owned(),
        _ => return None,
    };
    pattern(&regex, notation).ok()
}

/// A container's body between its brackets, with blanks on both sides.
fn bracketed(open: &str, body: Node, space: &Node, close: &str) -> Node {
    Node::sequence([
        Node::literal(open),
        space.clone(),
        body,
        space.clone(),
        Node::literal(close),
    ])
}
