//! Schemas compiled by the `jsonschema` crate, in which numbers are compared exactly.
//!
//! That crate reads schemas as values of `serde_json`, which have numbers of 64 bits. So this module checks keywords
//! that compare numbers. The compiled schema has their values as text, under names that start with [`OURS`]. Arguments
//! are read in place, without a copy.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use jsonschema::{JsonType, Keyword, PatternOptions, ValidationError};
use toolglot_value::{Decimal, Map, Number, Value};

use crate::multiple::is_multiple;
use crate::normal_form::NAMED;

/// The prefix of the keywords that this module checks.
const OURS: &str = "toolglot:";

/// Deeper parts of a schema are passed on unchanged.
const MAX_DEPTH: usize = 128;

pub(crate) type Compiled = jsonschema::Validator<Exact>;

pub(crate) fn compile(schema: &Value) -> Result<Compiled, ValidationError<'static>> {
    let mut options = jsonschema::options_for::<Exact>()
        .offline()
        .with_pattern_options(PatternOptions::regex());
    for (name, holds) in BOUNDS {
        options = options.with_keyword(format!("{OURS}{name}"), move |_, limit, _| {
            let limit = exact(limit).as_number().cloned();
            Ok(Box::new(Bound { limit, holds }))
        });
    }
    options
        .with_keyword(format!("{OURS}const"), |_, value, _| {
            Ok(one_of(vec![exact(value)], true))
        })
        .with_keyword(format!("{OURS}enum"), |_, value, _| {
            let options = exact(value).as_array().cloned();
            Ok(one_of(options.unwrap_or_default(), false))
        })
        .build(&in_64_bits(&with_exact_keywords(schema, false, MAX_DEPTH)))
}

/// The keyword of an error, as the schema spells it.
pub(crate) fn keyword<'e>(error: &'e ValidationError<'_>) -> &'e str {
    let keyword = error.kind().keyword();
    keyword.strip_prefix(OURS).unwrap_or(keyword)
}

/// The value of the keyword, if the error is about a keyword that this module checks.
pub(crate) fn keyword_value(error: &ValidationError<'_>) -> Option<Value> {
    match error.kind() {
        jsonschema::error::ValidationErrorKind::Custom { message, .. } => {
            toolglot_value::from_str(message).ok()
        }
        _ => None,
    }
}

type Holds = fn(&Decimal<'_>, &Decimal<'_>) -> bool;

/// The keywords that compare a number with another, each with its condition.
const BOUNDS: [(&str, Holds); 5] = [
    ("minimum", |number, limit| number >= limit),
    ("maximum", |number, limit| number <= limit),
    ("exclusiveMinimum", |number, limit| number > limit),
    ("exclusiveMaximum", |number, limit| number < limit),
    ("multipleOf", is_multiple),
];

/// The schema with the values of number keywords written as text. `is_named`: whether the author chose its keys.
fn with_exact_keywords(schema: &Value, is_named: bool, depth: usize) -> Value {
    if depth == 0 {
        return schema.clone();
    }
    let keywords = match schema {
        Value::Object(keywords) => keywords,
        Value::Array(schemas) => {
            let schemas = schemas.iter();
            return schemas
                .map(|schema| with_exact_keywords(schema, false, depth - 1))
                .collect();
        }
        other => return other.clone(),
    };
    // In draft 4 a boolean flag changes the meaning of `minimum` and `maximum`.
    let has_flag = ["exclusiveMinimum", "exclusiveMaximum"]
        .iter()
        .any(|flag| keywords.get(flag).is_some_and(Value::is_boolean));
    let written = keywords.iter().map(|(keyword, value)| {
        let is_exact = !is_named
            && match (keyword.as_str(), value) {
                ("multipleOf", Value::Number(number)) => {
                    !number.decimal().is_negative() && !number.decimal().digits().is_empty()
                }
                ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", value) => {
                    value.is_number() && !has_flag
                }
                ("const", value) => has_number(value),
                ("enum", Value::Array(_)) => has_number(value),
                _ => false,
            };
        if is_exact {
            return (format!("{OURS}{keyword}"), Value::from(value.to_string()));
        }
        let is_data =
            !is_named && matches!(keyword.as_str(), "const" | "enum" | "default" | "examples");
        let value = if is_data {
            value.clone()
        } else {
            let is_named = !is_named && NAMED.contains(&keyword.as_str());
            with_exact_keywords(value, is_named, depth - 1)
        };
        (keyword.clone(), value)
    });
    Value::Object(written.collect())
}

fn has_number(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(has_number),
        Value::Object(members) => members.values().any(has_number),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Decodes a value that was written as text.
fn exact(text: &serde_json::Value) -> Value {
    let text = text.as_str().unwrap_or_default();
    toolglot_value::from_str(text).unwrap_or_default()
}

/// The value with the nearest numbers of 64 bits.
fn in_64_bits(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => serde_json::Value::Bool(*value),
        Value::Number(number) => serde_json::Value::Number(nearest_number(number)),
        Value::String(text) => serde_json::Value::String(text.clone()),
        Value::Array(items) => items.iter().map(in_64_bits).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(key, value)| (key.clone(), in_64_bits(value)));
            serde_json::Value::Object(members.collect())
        }
    }
}

fn nearest_number(number: &Number) -> serde_json::Number {
    serde_json::Number::try_from(number).unwrap_or_else(|_| {
        let largest = if number.decimal().is_negative() {
            f64::MIN
        } else {
            f64::MAX
        };
        let nearest = number.as_f64().unwrap_or(largest);
        serde_json::Number::from_f64(nearest).unwrap_or_else(|| 0.into())
    })
}

struct Bound {
    /// `None` if the schema's author wrote the keyword: it then has no effect.
    limit: Option<Number>,
    holds: Holds,
}

impl<'i> Keyword<'i, Exact> for Bound {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        let limit = self.limit.as_ref().map(Number::to_string);
        Err(ValidationError::custom(limit.unwrap_or_default()))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let (Some(number), Some(limit)) = (instance.as_number(), &self.limit) else {
            return true;
        };
        (self.holds)(&number.decimal(), &limit.decimal())
    }
}

/// `const` or `enum` with numbers.
struct OneOf {
    options: Vec<Value>,
    is_const: bool,
    canonical: HashSet<String>,
}

fn one_of(options: Vec<Value>, is_const: bool) -> Box<dyn for<'i> Keyword<'i, Exact>> {
    let canonical = options.iter().map(canonical).collect();
    Box::new(OneOf {
        options,
        is_const,
        canonical,
    })
}

impl<'i> Keyword<'i, Exact> for OneOf {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        let wanted = match self.options.as_slice() {
            [only] if self.is_const => only.to_string(),
            options => Value::from(options).to_string(),
        };
        Err(ValidationError::custom(wanted))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.canonical.contains(&canonical(instance))
    }
}

/// A text that two values share if JSON Schema takes them for equal, such as `1` and `1.0`.
fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(&mut text, value);
    text
}

fn write_canonical(out: &mut String, value: &Value) {
    // Writing to a `String` cannot fail.
    let _ = match value {
        Value::Number(number) => {
            let decimal = number.decimal();
            let sign = if decimal.is_negative() { "-" } else { "" };
            write!(out, "{sign}{}e{}", decimal.digits(), decimal.exponent())
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(out, item);
                out.push(',');
            }
            out.push(']');
            Ok(())
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (key, member) in members {
                let _ = write!(out, "{key:?}:");
                write_canonical(out, member);
                out.push(',');
            }
            out.push('}');
            Ok(())
        }
        other => write!(out, "{other}"),
    };
}

/// Arguments in the form that the `jsonschema` crate reads.
#[derive(Debug)]
pub(crate) struct Exact;

impl Json for Exact {
    type Node<'a> = &'a Value;
    type PreparedKey = String;
    type StringBuffer = Value;

    // A lookup is a hash of the key: one pass over all members is cheaper if it replaces several lookups.
    const KEYS_PER_LOOKUP: usize = 2;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut Value, string: &str, read: impl FnOnce(&Value) -> T) -> T {
        *buffer = Value::from(string);
        read(buffer)
    }
}

impl<'a> Node<'a, Exact> for &'a Value {
    type Object = &'a Map<String, Value>;
    type Array = &'a [Value];
    type Number = ExactNumber<'a>;

    fn as_object(&self) -> Option<Self::Object> {
        Value::as_object(self)
    }

    fn as_array(&self) -> Option<Self::Array> {
        Value::as_array(self).map(Vec::as_slice)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        Value::as_str(self).map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<Self::Number> {
        Value::as_number(self).map(ExactNumber)
    }

    fn as_boolean(&self) -> Option<bool> {
        Value::as_bool(self)
    }

    fn is_null(&self) -> bool {
        Value::is_null(self)
    }

    fn json_type(&self) -> JsonType {
        match self {
            Value::Null => JsonType::Null,
            Value::Bool(_) => JsonType::Boolean,
            Value::Number(_) => JsonType::Number,
            Value::String(_) => JsonType::String,
            Value::Array(_) => JsonType::Array,
            Value::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &serde_json::Value) -> bool {
        canonical(self) == canonical(&expected.into())
    }

    fn to_value(&self) -> Cow<'a, serde_json::Value> {
        Cow::Owned(in_64_bits(self))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<Value>(self).addr()))
    }
}

impl<'a> Object<'a, Exact> for &'a Map<String, Value> {
    type Node = &'a Value;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        Map::len(self)
    }

    fn get(&self, key: &String) -> Option<&'a Value> {
        Map::get(self, key)
    }

    fn members(&self) -> Members<'a> {
        Members(self.iter())
    }
}

pub(crate) struct Members<'a>(toolglot_value::Iter<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key.as_str(), value))
    }
}

impl<'a> Array<'a, Exact> for &'a [Value] {
    type Node = &'a Value;
    type ElementsIter = std::slice::Iter<'a, Value>;

    fn len(&self) -> usize {
        <[Value]>::len(self)
    }

    fn elements(&self) -> std::slice::Iter<'a, Value> {
        self.iter()
    }

    fn is_unique(&self) -> bool {
        let mut known = HashSet::new();
        self.iter().all(|item| known.insert(canonical(item)))
    }
}

pub(crate) struct ExactNumber<'a>(&'a Number);

impl JsonNumber for ExactNumber<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.as_str())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(nearest_number(self.0))
    }

    fn is_integer(&self) -> bool {
        self.0.decimal().is_integer()
    }
}
