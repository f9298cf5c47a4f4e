//! Expands variables in a runtime's configuration: `${NAME}`, `${NAME:-default}`, then `{key}`.
//!
//! Only a file's own configuration is expanded, never a parameter: text from a model stays as it is.
//! An inserted value is not expanded again, so no value can name another.

use std::cell::RefCell;
use std::collections::BTreeMap;

use thiserror::Error;
use toolglot_value::{Map, Value};

/// How deep a configuration may nest; deeper values stay as they are.
const MAX_DEPTH: usize = 64;

/// A variable in a configuration that has no default and is unset or empty.
///
/// The text `${NAME}` is never a value: a server would receive it in place of a token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`${{{name}}}` has no value: {name} is not set")]
pub struct UnsetVariable {
    /// Its name.
    pub name: String,
}

/// Expands every string of `config`: variables of `environment`, then `{key}` for the keys of `config` itself.
///
/// `{key}` without a value stays as it is, and so does `${name}` in lower case, as in Rye.
/// A string that is exactly `{key}` takes the value with its type.
///
/// # Errors
/// The first variable without a value and without a default.
pub fn expand(
    config: &Map<String, Value>,
    environment: &BTreeMap<String, String>,
) -> Result<Map<String, Value>, UnsetVariable> {
    let unset = RefCell::new(None);
    let expanded = |text: &str| {
        Value::String(variables(text, environment).unwrap_or_else(|error| {
            unset.borrow_mut().get_or_insert(error);
            String::new()
        }))
    };
    let first: Map<String, Value> = config
        .iter()
        .map(|(key, value)| (key.clone(), each(value, 0, &expanded)))
        .collect();
    if let Some(unset) = unset.take() {
        return Err(unset);
    }
    Ok(first
        .iter()
        .map(|(key, value)| (key.clone(), each(value, 0, &|text| keys(text, &first, key))))
        .collect())
}

fn each(value: &Value, depth: usize, change: &impl Fn(&str) -> Value) -> Value {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) if depth < MAX_DEPTH => Value::Array(
            items
                .iter()
                .map(|item| each(item, depth + 1, change))
                .collect(),
        ),
        Value::Object(map) if depth < MAX_DEPTH => Value::Object(
            map.iter()
                .map(|(key, value)| (key.clone(), each(value, depth + 1, change)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Replaces `${NAME}` and `${NAME:-default}`.
///
/// # Errors
/// The first variable without a value and without a default.
pub fn variables(
    text: &str,
    environment: &BTreeMap<String, String>,
) -> Result<String, UnsetVariable> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let Some(end) = after.find('}') else {
            rest = &rest[at..];
            break;
        };
        let inner = &after[..end];
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        match environment
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
            .or(default)
        {
            Some(value) if is_variable(name) => out.push_str(value),
            None if is_variable(name) => {
                return Err(UnsetVariable {
                    name: name.to_owned(),
                });
            }
            _ => out.push_str(&rest[at..at + 3 + end]),
        }
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The names in braces, `{name}`, that do not follow a `$`; a name has letters, digits, `_` and `-`.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices('{').filter_map(move |(at, _)| {
        let after = &text[at + 1..];
        let (name, rest) = after.split_at(after.find(|c| !is_part(c))?);
        let is_name = !name.is_empty() && rest.starts_with('}');
        (is_name && !text[..at].ends_with('$')).then_some(name)
    })
}

/// Whether `${name}` is a variable: upper-case letters, digits and `_`.
pub fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn keys(text: &str, config: &Map<String, Value>, own: &str) -> Value {
    let lookup = |name: &str| {
        let value = config.get(name).filter(|_| name != own)?;
        (!value.is_object() && !value.is_array()).then_some(value)
    };
    if let Some(name) = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        && let Some(value) = lookup(name)
    {
        return value.clone();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let name = after[1..].split('}').next().unwrap_or_default();
        let is_whole = after.len() > name.len() + 1;
        match lookup(name).filter(|_| is_whole) {
            Some(Value::String(value)) => {
                out.push_str(value);
                rest = &after[name.len() + 2..];
            }
            Some(value) => {
                out.push_str(&value.to_string());
                rest = &after[name.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &after[1..];
            }
        }
    }
    out.push_str(rest);
    Value::String(out)
}
