//! Values as parts of types with derived `Serialize` and `Deserialize`.
//!
//! Serializers have no type for a number of any size. A number that no `i64`, `u64` or `f64` represents with the same
//! digits goes through `serde_json::value::RawValue`, which only `serde_json` understands. Values are deserialized
//! through it too. Other formats, `#[serde(flatten)]` and untagged enums have no raw text: there a number is an integer
//! of 64 bits or an `f64`.

use std::fmt;

use serde_core::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_core::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{Error, Map, Number, Value, from_str};

/// Converts a value to another type.
///
/// # Errors
/// If the value does not have that type. The error has no place.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    serde_json::from_str(&value.to_string()).map_err(|error| Error::from(error).without_place())
}

/// Converts another type to a value.
///
/// # Errors
/// If it does not serialize to JSON.
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
        deserializer.deserialize_newtype_struct(RAW, AnyValue)
    }
}

/// For a newtype with this name, `serde_json` gives the text of a value, as a map of one member. Other deserializers
/// ignore the name and call `visit_newtype_struct`.
const RAW: &str = "$serde_json::private::RawValue";

/// Reads raw text if the deserializer provides it, or else the deserializer's own type.
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == RAW {
                let text = members.next_value::<String>()?;
                return from_str(&text).map_err(|error| A::Error::custom(error.without_place()));
            }
            object.insert(key, members.next_value()?);
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde_core::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        let number = number.ok_or_else(|| E::custom(format!("{value} is no JSON number")))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::from(text))
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
