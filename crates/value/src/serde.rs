//! Values as parts of types with derived `Serialize` and `Deserialize`.
//!
//! Serializers have no word for a number of any size. One that is no `i64`, `u64` or `f64` with the same digits goes through
//! `serde_json::value::RawValue`, which only `serde_json` understands. Values are deserialized through it too: so fields of
//! this type can be read with `serde_json` only, and not inside `#[serde(flatten)]` or an untagged enum.

use serde_core::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde_core::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{Error, Map, Number, Value, from_str};

/// What a value is as another type.
///
/// # Errors
/// If the value is none of that type. The error has no place.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    serde_json::from_str(&value.to_string()).map_err(|error| Error::from(error).without_place())
}

/// Another type as a value.
///
/// # Errors
/// If it serializes to no JSON.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, Error> {
    let text = serde_json::to_string(value)?;
    from_str(&text).map_err(Error::without_place)
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => number.serialize(serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => items.serialize(serializer),
            Value::Object(members) => members.serialize(serializer),
        }
    }
}

impl Serialize for Map<String, Value> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = self.as_str();
        if digits != "-0" {
            if let Some(value) = self.as_u64() {
                return serializer.serialize_u64(value);
            }
            if let Some(value) = self.as_i64() {
                return serializer.serialize_i64(value);
            }
        }
        let double = self.as_f64().and_then(Number::from_f64);
        if let (Some(double), Some(value)) = (double, self.as_f64())
            && double == *self
        {
            return serializer.serialize_f64(value);
        }
        let raw = RawValue::from_string(digits.to_owned()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        from_str(raw.get()).map_err(|error| D::Error::custom(error.without_place()))
    }
}

impl<'de> Deserialize<'de> for Map<String, Value> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(members),
            other => {
                let kind = match other {
                    Value::Null => "null".to_owned(),
                    Value::Bool(value) => format!("boolean `{value}`"),
                    Value::Number(_) => "number".to_owned(),
                    Value::String(text) => format!("string {text:?}"),
                    Value::Array(_) | Value::Object(_) => "sequence".to_owned(),
                };
                let message = format!("invalid type: {kind}, expected a map");
                Err(D::Error::custom(message))
            }
        }
    }
}
