//! Values as text.

use std::fmt::{self, Write};

use crate::Value;

/// Compact JSON; `{:#}` writes one item per line, indented by two spaces.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            write_lines(f, self, 0)
        } else {
            write_compact(f, self)
        }
    }
}

fn write_compact(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Array(items) => {
            f.write_char('[')?;
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    f.write_char(',')?;
                }
                write_compact(f, item)?;
            }
            f.write_char(']')
        }
        Value::Object(members) => {
            f.write_char('{')?;
            for (place, (key, member)) in members.iter().enumerate() {
                if place > 0 {
                    f.write_char(',')?;
                }
                write_string(f, key)?;
                f.write_char(':')?;
                write_compact(f, member)?;
            }
            f.write_char('}')
        }
        scalar => write_scalar(f, scalar),
    }
}

fn write_lines(f: &mut fmt::Formatter<'_>, value: &Value, depth: usize) -> fmt::Result {
    match value {
        Value::Array(items) if !items.is_empty() => {
            f.write_char('[')?;
            for (place, item) in items.iter().enumerate() {
                start_line(f, place > 0, depth + 1)?;
                write_lines(f, item, depth + 1)?;
            }
            start_line(f, false, depth)?;
            f.write_char(']')
        }
        Value::Object(members) if !members.is_empty() => {
            f.write_char('{')?;
            for (place, (key, member)) in members.iter().enumerate() {
                start_line(f, place > 0, depth + 1)?;
                write_string(f, key)?;
                f.write_str(": ")?;
                write_lines(f, member, depth + 1)?;
            }
            start_line(f, false, depth)?;
            f.write_char('}')
        }
        short => write_compact(f, short),
    }
}

fn start_line(f: &mut fmt::Formatter<'_>, has_comma: bool, depth: usize) -> fmt::Result {
    f.write_str(if has_comma { ",\n" } else { "\n" })?;
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn write_scalar(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Bool(true) => f.write_str("true"),
        Value::Bool(false) => f.write_str("false"),
        Value::Number(number) => f.write_str(number.as_str()),
        Value::String(text) => write_string(f, text),
        Value::Null | Value::Array(_) | Value::Object(_) => f.write_str("null"),
    }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escaped = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0C => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        f.write_str(&text[written..at])?;
        if escaped.is_empty() {
            write!(f, "\\u{byte:04x}")?;
        } else {
            f.write_str(escaped)?;
        }
        written = at + 1;
    }
    f.write_str(&text[written..])?;
    f.write_char('"')
}
