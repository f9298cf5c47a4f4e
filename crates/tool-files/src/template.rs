//! Variables in what a runtime's file configures: `${NAME}`, `${NAME:-default}`, then `{key}`.
//!
//! Only a file's own configuration is expanded, never a parameter: what a model wrote stays what it wrote.
//! What was put in is not looked at again, so no value can name another.

use std::cell::RefCell;
use std::collections::BTreeMap;

use thiserror::Error;
use toolglot_value::{Map, Value};

/// How deep a configuration may nest; what is deeper stays as it is.
const MAX_DEPTH: usize = 64;

/// A variable that a configuration names without a default, and that is not set or empty.
///
/// The letters `${NAME}` are never a value: a server would get them in place of a token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`${{{name}}}` has no value: {name} is not set")]
pub struct UnsetVariable {
    /// Its name.
    pub name: String,
}

/// Expands every string of `config`: variables of `environment`, then `{key}` for the keys of `config` itself.
///
/// `{key}` without a value stays as it is written, and so does `${name}` in lower-case, as the origin has it.
/// A string that is nothing but `{key}` takes the value with its type.
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
        let behind = &rest[at + 2..];
        let Some(end) = behind.find('}') else {
            rest = &rest[at..];
            break;
        };
        let inner = &behind[..end];
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
        rest = &behind[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The words between braces, `{name}`, that are not after a `$`; what is between is a name of letters, digits, `_` and `-`.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices('{').filter_map(move |(at, _)| {
        let behind = &text[at + 1..];
        let (name, rest) = behind.split_at(behind.find(|c| !is_part(c))?);
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
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let name = behind[1..].split('}').next().unwrap_or_default();
        let is_whole = behind.len() > name.len() + 1;
        match lookup(name).filter(|_| is_whole) {
            Some(Value::String(value)) => {
                out.push_str(value);
                rest = &behind[name.len() + 2..];
            }
            Some(value) => {
                out.push_str(&value.to_string());
                rest = &behind[name.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &behind[1..];
            }
        }
    }
    out.push_str(rest);
    Value::String(out)
}
