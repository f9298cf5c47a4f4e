//! The environment of a tool: what its file says, and its parameters. Nothing is inherited but what is named here.

use std::collections::BTreeMap;
use std::ffi::OsString;

use serde_json::{Map, Value};
use toolglot_toolfiles::template;

/// Longer values are on standard input only: the system passes no more in one variable.
const MAX_PARAMETER: usize = 100_000;

/// Variables that say nothing about the user.
const PASSED: &[&str] = &["PATH", "LANG", "LC_ALL", "TZ"];

/// A host's variables by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// The environment that every program gets.
pub(crate) fn base(host: &Variables) -> Variables {
    let mut out: Variables = PASSED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), host.get(*name)?.clone())))
        .collect();
    out.entry("PATH".to_owned())
        .or_insert_with(|| "/usr/local/bin:/usr/bin:/bin".to_owned());
    out.entry("LANG".to_owned())
        .or_insert_with(|| "C.UTF-8".to_owned());
    out
}

/// Adds what a file configures: a map of names to values, or a list of names whose values are the host's.
///
/// `${NAME}` in a value of the map is the host's variable; a file that is not trusted never comes here.
pub(crate) fn configured(config: Option<&Value>, host: &Variables, out: &mut Variables) {
    match config {
        Some(Value::Object(map)) => {
            for (name, value) in map {
                let value = match value {
                    Value::String(text) => template::variables(text, host),
                    Value::Null => continue,
                    other => other.to_string(),
                };
                out.insert(name.clone(), value);
            }
        }
        Some(Value::Array(names)) => {
            for name in names.iter().filter_map(Value::as_str) {
                if let Some(value) = host.get(name) {
                    out.insert(name.to_owned(), value.clone());
                }
            }
        }
        _ => {}
    }
}

/// Adds the parameters as `TOOLGLOT_PARAM_name`, exactly as they are: strings as they stand, the rest as JSON.
pub(crate) fn parameters(params: &Map<String, Value>, out: &mut Variables) {
    for (name, value) in params {
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Null => continue,
            other => other.to_string(),
        };
        if is_name && value.len() <= MAX_PARAMETER && !value.contains('\0') {
            out.insert(format!("TOOLGLOT_PARAM_{name}"), value);
        }
    }
}

/// The same for the sandbox.
pub(crate) fn pairs(variables: Variables) -> Vec<(OsString, OsString)> {
    variables
        .into_iter()
        .filter(|(name, value)| {
            !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
        })
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}
