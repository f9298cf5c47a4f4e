//! JSON on one line with blanks after colons and commas, as chat templates write it.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use toolglot_value::{Map, Value};

/// `object` as text.
pub fn spaced_json(object: &Map<String, Value>) -> String {
    let mut text = Vec::new();
    object
        .serialize(&mut Serializer::with_formatter(&mut text, Spaced))
        .expect("a map with string keys is JSON");
    String::from_utf8(text).expect("JSON is UTF-8")
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: io::Write + ?Sized>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    #[test]
    fn blanks_stand_after_colons_and_commas() {
        let value = json!({"a": [1, {"b": null}], "c": {}});
        let object = value.as_object().expect("an object");
        assert_eq!(
            super::spaced_json(object),
            r#"{"a": [1, {"b": null}], "c": {}}"#
        );
    }
}
