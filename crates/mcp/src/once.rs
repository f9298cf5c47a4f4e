//! JSON in which no object has a key twice: of two readers one would take the first, and another the last.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reads JSON.
///
/// # Errors
/// If it is none, or a key stands twice in an object of it.
pub fn read_once(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Once>(bytes).map(|once| once.0)
}

/// How numbers of any precision come from `serde_json`: as a map with this key.
const NUMBER: &str = "$serde_json::private::Number";

struct Once(Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Once, D::Error> {
        from.deserialize_any(Any).map(Once)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
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

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Once(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == NUMBER {
                let digits: String = members.next_value()?;
                return digits.parse().map(Value::Number).map_err(A::Error::custom);
            }
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!(
                    "the key {key:?} stands twice in one object"
                )));
            }
            let Once(value) = members.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_once_is_what_is_read() {
        for text in [
            "null",
            "[true, -1, 18446744073709551615, 1e3, 0.5, 123456789012345678901234567890.10, \"\\u00e9\\n\", {}, []]",
            "{\"a\": {\"a\": [{\"a\": 1}, {\"a\": 2}]}, \"b\": 1e30}",
        ] {
            let whole: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(read_once(text.as_bytes()).expect(text), whole);
        }
        for text in [
            "{\"a\": 1, \"a\": 1}",
            "[{\"b\": {\"a\": 1, \"\\u0061\": 2}}]",
            "{\"a\": 1} x",
            "",
        ] {
            assert!(read_once(text.as_bytes()).is_err(), "{text}");
        }
    }
}
