//! JSON Schema to [`Shape`]: how a value is read, not whether it is valid.

use toolglot_engine::{Fields, Scalars, Shape};
use toolglot_value::{Map, Value};

use crate::document::Document;
use crate::kinds::{meet, union};
use crate::normal_form::standard;

/// The maximum depth of shapes; deeper values have an unknown shape.
const MAX_DEPTH: usize = 64;

/// How often a reference is followed inside itself: a narrow tree of 16 levels is read by its schema. The limits are
/// tried in this order; the last one always ends.
const LEVELS: [usize; 6] = [16, 8, 4, 2, 1, 0];

/// The maximum number of schemas in such a shape.
const UNFOLDED: usize = 2_000;

/// The shape of the values that `schema` describes.
///
/// References are followed inside the schema. One that leads back to itself is followed while the shape is small, 16
/// times at most. Deeper values, and targets outside, have an unknown shape ([`Shape::Any`]). In a union text comes
/// last, so `42` for `["string", "integer"]` is an integer: dialects without quotes cannot write it otherwise. Objects
/// of a union become one that knows the properties of each. Conditions (`if`, `not`, `dependentSchemas`) do not affect
/// reading and are skipped.
pub fn shape(schema: &Value) -> Shape {
    let schema = standard(schema);
    for levels in LEVELS {
        let document = match levels {
            0 => Document::new(&schema),
            _ => Document::with_visits(&schema, UNFOLDED),
        };
        let mut reader = Reader {
            document,
            open: Vec::new(),
            depth: 0,
            levels,
            is_cut: false,
        };
        let shape = reader.read(&schema);
        let fits = !reader.document.is_used_up() && !reader.is_cut;
        if fits || levels == 0 {
            return shape;
        }
    }
    Shape::Any
}

/// The parameters that an object schema declares; all names are free if `schema` describes no object.
pub fn fields(schema: &Value) -> Fields {
    match shape(schema) {
        Shape::Object(fields) => fields,
        Shape::OneOf(parts) => parts
            .into_iter()
            .find_map(|part| {
                if let Shape::Object(fields) = part {
                    Some(fields)
                } else {
                    None
                }
            })
            .unwrap_or_else(any_fields),
        _ => any_fields(),
    }
}

struct Reader<'a> {
    document: Document<'a>,
    /// The references that are being followed.
    open: Vec<&'a str>,
    depth: usize,
    /// How often a reference is followed inside itself.
    levels: usize,
    /// Whether the depth limit or the work budget cut the shape.
    is_cut: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self, schema: &'a Value) -> Shape {
        let Value::Object(keywords) = schema else {
            return Shape::Any;
        };
        if self.depth == MAX_DEPTH || !self.document.visit() {
            self.is_cut = true;
            return Shape::Any;
        }
        self.depth += 1;
        let mut shape = self.own(keywords);
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            shape = meet(shape, self.referred(reference));
        }
        for part in list(keywords, "allOf") {
            shape = meet(shape, self.read(part));
        }
        for union_of in ["anyOf", "oneOf"] {
            if let Some(branches) = self.union_of(list(keywords, union_of)) {
                let offers_text = has_text(&branches);
                shape = meet(shape, branches);
                // `type` may forbid a type that a branch offers. A value that cannot be read as an object stays text,
                // for validation to refuse.
                if offers_text && matches!(shape, Shape::Object(_) | Shape::Array(_)) {
                    shape = union(shape, Shape::Text);
                }
            }
        }
        self.depth -= 1;
        shape
    }

    fn referred(&mut self, reference: &'a str) -> Shape {
        let inside = self.open.iter().filter(|open| **open == reference);
        if inside.count() > self.levels {
            return Shape::Any;
        }
        let Some(schema) = self.document.resolve(reference) else {
            return Shape::Any;
        };
        self.open.push(reference);
        let shape = self.read(schema);
        self.open.pop();
        shape
    }

    /// The shape from the keywords of one schema, without its compositions.
    fn own(&mut self, keywords: &'a Map<String, Value>) -> Shape {
        match keywords.get("type") {
            Some(Value::String(word)) => self.of_type(word, keywords),
            Some(Value::Array(words)) => words
                .iter()
                .map(|word| {
                    word.as_str()
                        .map_or(Shape::Any, |word| self.of_type(word, keywords))
                })
                .reduce(union)
                .unwrap_or(Shape::Any),
            _ => match (keywords.get("const"), keywords.get("enum")) {
                (Some(value), _) => of_value(value),
                (None, Some(Value::Array(values))) => values
                    .iter()
                    .map(of_value)
                    .reduce(union)
                    .unwrap_or(Shape::Any),
                _ => implied_type(keywords).map_or(Shape::Any, |word| self.of_type(word, keywords)),
            },
        }
    }

    fn of_type(&mut self, word: &str, keywords: &'a Map<String, Value>) -> Shape {
        match word {
            "string" => Shape::Text,
            "integer" => Shape::Scalar(Scalars {
                integer: true,
                ..Scalars::default()
            }),
            "number" => Shape::Scalar(Scalars {
                number: true,
                ..Scalars::default()
            }),
            "boolean" => Shape::Scalar(Scalars {
                boolean: true,
                ..Scalars::default()
            }),
            "null" => Shape::Scalar(Scalars {
                null: true,
                ..Scalars::default()
            }),
            "object" => Shape::Object(self.fields(keywords)),
            "array" => Shape::Array(Box::new(self.items(keywords))),
            _ => Shape::Any,
        }
    }

    fn fields(&mut self, keywords: &'a Map<String, Value>) -> Fields {
        let properties = map(keywords, "properties")
            .map(|(name, schema)| (name.clone(), self.read(schema)))
            .collect();
        // A property that matches a pattern is not declared by name: it may have the shape of any of the patterns.
        let patterns = map(keywords, "patternProperties")
            .map(|(_, schema)| self.read(schema))
            .reduce(union);
        let additional = match keywords.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(schema) => Some(self.read(schema)),
            None => Some(Shape::Any),
        };
        let others = match (patterns, additional) {
            (Some(patterns), Some(additional)) => Some(union(patterns, additional)),
            (patterns, additional) => patterns.or(additional),
        };
        Fields {
            properties,
            others: others.map(Box::new),
        }
    }

    /// One shape for all items: the union of `prefixItems`, drafts' `items` lists and `items`.
    fn items(&mut self, keywords: &'a Map<String, Value>) -> Shape {
        let prefix = list(keywords, "prefixItems")
            .iter()
            .chain(list(keywords, "items"));
        let prefix = prefix.map(|schema| self.read(schema)).reduce(union);
        let rest = match keywords.get("items") {
            Some(schema @ Value::Object(_)) => Some(self.read(schema)),
            _ => None,
        };
        match (prefix, rest) {
            (Some(prefix), Some(rest)) => union(prefix, rest),
            (prefix, rest) => prefix.or(rest).unwrap_or(Shape::Any),
        }
    }

    fn union_of(&mut self, schemas: &'a [Value]) -> Option<Shape> {
        schemas.iter().map(|schema| self.read(schema)).reduce(union)
    }
}

fn has_text(shape: &Shape) -> bool {
    match shape {
        Shape::Text => true,
        Shape::OneOf(parts) => parts.iter().any(has_text),
        _ => false,
    }
}

fn any_fields() -> Fields {
    Fields {
        properties: Vec::new(),
        others: Some(Box::new(Shape::Any)),
    }
}

/// The shape of values like `value`.
fn of_value(value: &Value) -> Shape {
    let mut scalars = Scalars::default();
    match value {
        Value::Null => scalars.null = true,
        Value::Bool(_) => scalars.boolean = true,
        Value::Number(number) if number.is_f64() => scalars.number = true,
        Value::Number(_) => scalars.integer = true,
        Value::String(_) => return Shape::Text,
        Value::Array(_) => return Shape::Array(Box::new(Shape::Any)),
        Value::Object(_) => return Shape::Object(any_fields()),
    }
    Shape::Scalar(scalars)
}

/// The type that a schema without `type` implies by its keywords.
fn implied_type(keywords: &Map<String, Value>) -> Option<&'static str> {
    const IMPLIED: &[(&str, &[&str])] = &[
        (
            "object",
            &[
                "properties",
                "required",
                "additionalProperties",
                "patternProperties",
                "minProperties",
            ],
        ),
        (
            "array",
            &[
                "items",
                "prefixItems",
                "minItems",
                "maxItems",
                "uniqueItems",
            ],
        ),
        ("string", &["minLength", "maxLength", "pattern"]),
        (
            "number",
            &[
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
            ],
        ),
    ];
    let (word, _) = IMPLIED
        .iter()
        .find(|(_, words)| words.iter().any(|word| keywords.contains_key(word)))?;
    Some(word)
}

fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    keywords
        .get(keyword)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn map<'a>(
    keywords: &'a Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    keywords
        .get(keyword)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}
