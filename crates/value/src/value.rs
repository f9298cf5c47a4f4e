//! A JSON value and its parts.

use crate::{Index, Map, Number};

/// A JSON value that keeps the order of keys and the digits of numbers.
///
/// Two values are equal if their objects have the same members in any order and their numbers the same digits: `1.0` is
/// not `1`. `Display` writes JSON, `{:#}` with lines and indentation.
///
/// A value is dropped, compared and written by recursion: see [`ReadOptions::max_depth`](crate::ReadOptions::max_depth).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number of any size and precision.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Map<String, Value>),
}

impl Value {
    /// The member with a key, or the item at a place.
    pub fn get<I: Index>(&self, index: I) -> Option<&Value> {
        index.of(self)
    }

    /// The mutable member with a key, or item at a place.
    pub fn get_mut<I: Index>(&mut self, index: I) -> Option<&mut Value> {
        index.of_mut(self)
    }

    /// The value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut steps = pointer.strip_prefix('/')?.split('/');
        steps.try_fold(self, |value, step| match value {
            Value::Object(members) => members.get(&step.replace("~1", "/").replace("~0", "~")),
            Value::Array(items) => items.get(place_in_array(step)?),
            _ => None,
        })
    }

    /// The mutable value at a JSON pointer.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut steps = pointer.strip_prefix('/')?.split('/');
        steps.try_fold(self, |value, step| match value {
            Value::Object(members) => members.get_mut(&step.replace("~1", "/").replace("~0", "~")),
            Value::Array(items) => items.get_mut(place_in_array(step)?),
            _ => None,
        })
    }

    /// The value, with `null` left in its place.
    #[must_use]
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Whether this is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Value::Bool(_))
    }

    /// Whether this is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Value::Number(_))
    }

    /// Whether this is a string.
    pub fn is_string(&self) -> bool {
        matches!(self, Value::String(_))
    }

    /// Whether this is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Value::Array(_))
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Value::Object(_))
    }

    /// Whether this is an integer that an `i64` holds.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Whether this is an integer that a `u64` holds.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Whether this is a number with a point or an exponent that is finite as an `f64`.
    pub fn is_f64(&self) -> bool {
        self.as_number().is_some_and(Number::is_f64)
    }

    /// `()` for `null`.
    pub fn as_null(&self) -> Option<()> {
        self.is_null().then_some(())
    }

    /// The boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The integer, if an `i64` holds it.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The integer, if a `u64` holds it.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// The number as an `f64`, if it is finite.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().and_then(Number::as_f64)
    }

    /// The string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items of the array.
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The items of the array, to change them.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of the object.
    pub fn as_object(&self) -> Option<&Map<String, Value>> {
        match self {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The members of the object, to change them.
    pub fn as_object_mut(&mut self) -> Option<&mut Map<String, Value>> {
        match self {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }
}

/// A pointer step as an array index: digits without leading zeros.
fn place_in_array(step: &str) -> Option<usize> {
    let is_canonical = !step.starts_with('+') && (step == "0" || !step.starts_with('0'));
    is_canonical.then(|| step.parse().ok()).flatten()
}
