//! Conversions from and to values of `serde_json`.

use std::fmt;

use crate::{Number, Value};

/// A number that a value of `serde_json` cannot represent: it exceeds 64 bits, or has more digits than an `f64`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedNumber(Number);

impl ChangedNumber {
    /// The number.
    pub fn number(&self) -> &Number {
        &self.0
    }
}

impl fmt::Display for ChangedNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the number {} does not fit in 64 bits", self.0)
    }
}

impl std::error::Error for ChangedNumber {}

impl From<&serde_json::Number> for Number {
    fn from(number: &serde_json::Number) -> Number {
        Number::of_digits(number.to_string())
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Value {
        match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(value),
            serde_json::Value::Number(number) => Value::Number(Number::from(&number)),
            serde_json::Value::String(text) => Value::String(text),
            serde_json::Value::Array(items) => items.into_iter().collect(),
            serde_json::Value::Object(members) => members.into_iter().collect(),
        }
    }
}

impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Value {
        match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(*value),
            serde_json::Value::Number(number) => Value::Number(Number::from(number)),
            serde_json::Value::String(text) => Value::String(text.clone()),
            serde_json::Value::Array(items) => items.iter().collect(),
            serde_json::Value::Object(members) => members.into_iter().collect(),
        }
    }
}

/// Keys keep their order if `serde_json` preserves order.
impl TryFrom<&Value> for serde_json::Value {
    type Error = ChangedNumber;

    fn try_from(value: &Value) -> Result<serde_json::Value, ChangedNumber> {
        Ok(match value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => serde_json::Value::Bool(*value),
            Value::Number(number) => serde_json::Value::Number(number.try_into()?),
            Value::String(text) => serde_json::Value::String(text.clone()),
            Value::Array(items) => {
                let items = items.iter().map(TryFrom::try_from);
                serde_json::Value::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let members = members.iter();
                let members = members.map(|(key, value)| Ok((key.clone(), value.try_into()?)));
                serde_json::Value::Object(members.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl TryFrom<&Number> for serde_json::Number {
    type Error = ChangedNumber;

    fn try_from(number: &Number) -> Result<serde_json::Number, ChangedNumber> {
        // `serde_json` may read a decimal as the second nearest `f64`.
        let parsed = || number.as_str().parse().ok();
        let nearest = || serde_json::Number::from_f64(number.as_f64()?);
        [parsed(), nearest()]
            .into_iter()
            .flatten()
            .find(|theirs| Number::from(theirs).decimal() == number.decimal())
            .ok_or_else(|| ChangedNumber(number.clone()))
    }
}
