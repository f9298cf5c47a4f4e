//! Writes values as a dialect spells them: raw text, elements, Python literals, envelopes.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use toolglot_json::internal::{Kind, elements, escape_into, kind, members, quoted, string};
use toolglot_json::{Fields, Shape};

use super::RenderError;
use crate::CallText;
use crate::grammar::{Envelope, EnvelopeMember, PythonQuote, QuoteStyle, Role, Typing, Values};
use crate::machine::infer;

/// Above this many bytes, or with line breaks, CDATA is easier to write than entities.
const LONG: usize = 120;

/// JSON on one line, with a blank after each comma and colon as in chat templates. Strings and scalars are unchanged.
pub(super) fn spaced(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let n = match c {
            '"' => end_of_string(rest),
            c => c.len_utf8(),
        };
        match c {
            ',' => out.push_str(", "),
            ':' => out.push_str(": "),
            ' ' | '\n' | '\r' | '\t' => {}
            _ => out.push_str(&rest[..n]),
        }
        rest = &rest[n..];
    }
    out
}

/// The offset after the string that `json` starts with.
fn end_of_string(json: &str) -> usize {
    let bytes = json.as_bytes();
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

/// A value as raw text: a string as it is, anything else as JSON.
pub(super) fn raw(json: &str) -> Cow<'_, str> {
    string(json).unwrap_or(Cow::Borrowed(json))
}

/// Writes `{"name": .., "arguments": ..}` with the first key of each role.
pub(super) fn envelope(out: &mut String, envelope: &Envelope, call: &CallText<'_>) {
    if envelope.name_is_key {
        let _ = write!(out, "{{{}: {}}}", quoted(call.name), spaced(call.arguments));
        return;
    }
    let value = |role| match role {
        Role::Name => Some(quoted(call.name)),
        Role::Args => Some(spaced(call.arguments)),
        Role::Id => call.id.map(quoted),
        Role::Server => call.server.map(quoted),
        Role::Fixed(n) => envelope.fixed[n].first().cloned(),
    };
    out.push_str(&object(&envelope.written(), &value).unwrap_or_default());
}

/// An object of the members that have a value.
fn object(members: &[EnvelopeMember], value: &dyn Fn(Role) -> Option<String>) -> Option<String> {
    let mut text = String::new();
    for member in members {
        let (key, value) = match member {
            EnvelopeMember::Role(key, role) => (key, value(*role)),
            EnvelopeMember::Object(key, inside) => (key, object(inside, value)),
        };
        if let Some(value) = value {
            text.push_str(if text.is_empty() { "{" } else { ", " });
            let _ = write!(text, "{}: {value}", quoted(key));
        }
    }
    (!text.is_empty()).then(|| text + "}")
}

/// How elements are written: by the settings of the dialect, with `prefix` before every tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    pub(super) values: &'a Values,
    pub(super) prefix: &'a str,
    pub(super) indent: usize,
}

/// Writes the members of an object as sibling elements: one per line, or without blanks if a prefix precedes every tag.
pub(super) fn siblings(
    out: &mut String,
    json: &str,
    fields: Option<&Fields>,
    layout: Layout<'_>,
) -> Result<(), RenderError> {
    for (key, value) in members(json) {
        let shape = fields.and_then(|fields| fields.get(&key));
        element(out, &key, value, shape, layout)?;
    }
    Ok(())
}

/// The greatest depth of a written element.
const DEPTH: usize = 32;
/// The name of a list's elements if a token precedes every tag.
pub(crate) const ITEM: &str = "item";

fn element(
    out: &mut String,
    key: &str,
    json: &str,
    shape: Option<&Shape>,
    layout: Layout<'_>,
) -> Result<(), RenderError> {
    let Layout {
        values,
        prefix,
        indent,
    } = layout;
    let inside = Layout {
        indent: indent + 1,
        ..layout
    };
    if indent > DEPTH {
        return Err(RenderError::new(
            "the arguments are nested too deeply for elements",
        ));
    }
    let starts = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !starts
        || !key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    {
        return Err(RenderError::new(format!(
            "`{key}` cannot be the name of an element"
        )));
    }
    let (pad, line) = if prefix.is_empty() {
        ("  ".repeat(indent), "\n")
    } else {
        (String::new(), "")
    };
    let wrapper = wrapped(key, shape).filter(|_| elements(json).next().is_some());
    match kind(json) {
        // With a prefix, a list has an element of its own for each item.
        Kind::Array if !prefix.is_empty() => {
            let _ = write!(out, "{prefix}<{key}>");
            for item in elements(json) {
                element(out, ITEM, item, None, inside)?;
            }
            let _ = write!(out, "{prefix}</{key}>");
        }
        Kind::Array if wrapper.is_some() => {
            let (name, item_shape) = wrapper.unwrap_or((key, None));
            let _ = writeln!(out, "{pad}<{key}>");
            for item in elements(json) {
                element(out, name, item, item_shape, inside)?;
            }
            let _ = writeln!(out, "{pad}</{key}>");
        }
        Kind::Array => {
            // Repeated siblings. A list of no or one item needs the schema when it is read back.
            let mut any = false;
            for item in elements(json) {
                any = true;
                if kind(item) == Kind::Array {
                    return Err(RenderError::new(format!(
                        "`{key}` holds an array in an array"
                    )));
                }
                element(out, key, item, None, layout)?;
            }
            if !any {
                let _ = write!(out, "{pad}{prefix}<{key}>{prefix}</{key}>{line}");
            }
        }
        Kind::Object => {
            let _ = write!(out, "{pad}{prefix}<{key}>{line}");
            let fields = match shape {
                Some(Shape::Object(fields)) => Some(fields),
                _ => None,
            };
            siblings(out, json, fields, inside)?;
            let _ = write!(out, "{pad}{prefix}</{key}>{line}");
        }
        Kind::String => {
            let _ = write!(out, "{pad}{prefix}<{key}>");
            character_data(out, &raw(json), values);
            let _ = write!(out, "{prefix}</{key}>{line}");
        }
        Kind::Scalar => {
            let json = json.trim();
            let _ = write!(out, "{pad}{prefix}<{key}>{json}{prefix}</{key}>{line}");
        }
    }
    Ok(())
}

/// The name and the shape of the items of a declared list with a plural name: `edits` wraps `edit`. The items of other
/// lists are siblings with the list's own name.
fn wrapped<'a>(key: &'a str, shape: Option<&'a Shape>) -> Option<(&'a str, Option<&'a Shape>)> {
    let Some(Shape::Array(item)) = shape else {
        return None;
    };
    let name = key.strip_suffix('s').filter(|name| !name.is_empty())?;
    let is_field = matches!(&**item, Shape::Object(fields) if fields.get(name).is_some());
    (!is_field && !matches!(**item, Shape::Array(_))).then_some((name, Some(&**item)))
}

/// Writes a string as element content. CDATA is for long strings with `&`, `<` or `>`, and for strings that only CDATA
/// keeps. Entities are for all others.
fn character_data(out: &mut String, text: &str, values: &Values) {
    let (read, remark) = infer(text);
    let guessed = values.typing == Typing::Infer
        && (text != text.trim() || remark.is_some() || !read.starts_with('"'));
    let long = text.len() > LONG || text.contains('\n');
    let special = text.contains(['&', '<', '>']);
    if values.cdata && (guessed || (long && special)) {
        out.push_str("<![CDATA[");
        out.push_str(&text.replace("]]>", "]]]]><![CDATA[>"));
        out.push_str("]]>");
    } else if values.entities {
        escape_entities(out, text, false);
    } else {
        out.push_str(text);
    }
}

/// Writes a text with entities. `is_quoted`: the text is between quotes.
pub(super) fn escape_entities(out: &mut String, text: &str, is_quoted: bool) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_quoted => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

/// Writes `{key:<|"|>text<|"|>,other:1}`: bare keys, and strings between tokens, in which nothing can be escaped.
pub(super) fn between_tokens(out: &mut String, json: &str, quote: &str) -> Result<(), RenderError> {
    token_value(out, json, quote, 0)
}

fn token_value(out: &mut String, json: &str, quote: &str, depth: usize) -> Result<(), RenderError> {
    if depth > 64 {
        return Err(RenderError::new(
            "the arguments are nested too deeply for strings between tokens",
        ));
    }
    match kind(json) {
        Kind::String => {
            let text = raw(json);
            if text.contains(quote) {
                return Err(RenderError::new(format!(
                    "a string holds `{quote}`, which nothing can escape"
                )));
            }
            let _ = write!(out, "{quote}{text}{quote}");
        }
        Kind::Scalar => out.push_str(json.trim()),
        Kind::Array => {
            out.push('[');
            for (n, item) in elements(json).enumerate() {
                if n > 0 {
                    out.push(',');
                }
                token_value(out, item, quote, depth + 1)?;
            }
            out.push(']');
        }
        Kind::Object => {
            out.push('{');
            for (n, (key, value)) in members(json).enumerate() {
                if n > 0 {
                    out.push(',');
                }
                let is_bare = key.starts_with(|c: char| c.is_alphabetic() || c == '_')
                    && key.chars().all(|c| c.is_alphanumeric() || c == '_');
                if is_bare {
                    out.push_str(&key);
                } else {
                    out.push_str(&quoted(&key));
                }
                out.push(':');
                token_value(out, value, quote, depth + 1)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// Writes `f(a=1, b='x')`: string arguments get `quote`, strings inside lists and objects get double quotes.
pub(super) fn python(
    out: &mut String,
    call: &CallText<'_>,
    quote: PythonQuote,
) -> Result<(), RenderError> {
    out.push_str(call.name);
    out.push('(');
    for (n, (key, value)) in members(call.arguments).enumerate() {
        let identifier = key.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && key.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !identifier {
            return Err(RenderError::new(format!(
                "`{key}` cannot be a keyword argument"
            )));
        }
        if n > 0 {
            out.push_str(", ");
        }
        out.push_str(&key);
        out.push('=');
        match (quote, kind(value)) {
            (PythonQuote::Single, Kind::String) => {
                let (sign, is_doubled) = ('\'', false);
                quoted_in(out, &raw(value), QuoteStyle { sign, is_doubled });
            }
            _ => literal(out, value, 0)?,
        }
    }
    out.push(')');
    Ok(())
}

/// Writes a string in this quote.
pub(super) fn quoted_in(out: &mut String, text: &str, quote: QuoteStyle) {
    let sign = quote.sign;
    out.push(sign);
    for c in text.chars() {
        match c {
            _ if c == sign && quote.is_doubled => out.extend([sign, sign]),
            _ if c == sign => out.extend(['\\', sign]),
            '"' => out.push(c),
            _ if quote.is_doubled => out.push(c),
            _ => escape_into(out, c.encode_utf8(&mut [0; 4])),
        }
    }
    out.push(sign);
}

fn literal(out: &mut String, json: &str, depth: usize) -> Result<(), RenderError> {
    if depth > 64 {
        return Err(RenderError::new(
            "the arguments are nested too deeply for Python literals",
        ));
    }
    match kind(json) {
        Kind::String => {
            out.push('"');
            escape_into(out, &raw(json));
            out.push('"');
        }
        Kind::Scalar => out.push_str(match json.trim() {
            "true" => "True",
            "false" => "False",
            "null" => "None",
            number => number,
        }),
        Kind::Array => {
            out.push('[');
            for (n, item) in elements(json).enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                literal(out, item, depth + 1)?;
            }
            out.push(']');
        }
        Kind::Object => {
            out.push('{');
            for (n, (key, value)) in members(json).enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                out.push_str(&quoted(&key));
                out.push_str(": ");
                literal(out, value, depth + 1)?;
            }
            out.push('}');
        }
    }
    Ok(())
}
