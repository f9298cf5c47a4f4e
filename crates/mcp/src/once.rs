//! JSON without duplicate keys: of two readers, one would take the first value and another the last.

use toolglot_value::{Error, ReadOptions, Value};

/// Reads JSON.
///
/// # Errors
/// If it is invalid, or an object in it has a duplicate key.
pub fn read_once(bytes: &[u8]) -> Result<Value, Error> {
    let once = ReadOptions {
        duplicate_keys: false,
        ..ReadOptions::default()
    };
    once.read(bytes)
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
            let whole: Value = toolglot_value::from_str(text).expect("JSON");
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
