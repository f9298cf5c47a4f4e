//! The environment of a tool: its file's variables and its parameters. Only the variables named here are inherited.

use std::collections::BTreeMap;
use std::ffi::OsString;

use toolglot_tool_files::template::{self, UnsetVariable};
use toolglot_value::{Map, Value};

/// Longer values are on standard input only: the system limits the length of one variable.
const MAX_PARAMETER: usize = 100_000;
/// The limit for all parameters: arguments and variables of a program share one limit of the system.
const MAX_PARAMETERS: usize = 1_000_000;
/// The prefix of the parameters' variables.
const PREFIX: &str = "TOOLGLOT_PARAM_";

/// Variables without data about the user.
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

/// Adds a file's variables: a map of names to values, or a list of names whose values are the host's.
///
/// `${NAME}` in a value of the map is the host's variable; untrusted files never get this far.
///
/// # Errors
/// A variable without a value and without a default.
pub(crate) fn configured(
    config: Option<&Value>,
    host: &Variables,
    out: &mut Variables,
) -> Result<(), UnsetVariable> {
    match config {
        Some(Value::Object(map)) => {
            for (name, value) in map {
                let value = match value {
                    Value::String(text) => template::variables(text, host)?,
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
    Ok(())
}

/// A parameter that cannot be a variable, and why.
#[derive(Debug)]
pub(crate) struct LeftOut {
    pub(crate) name: String,
    pub(crate) why: String,
}

/// Adds the parameters as `TOOLGLOT_PARAM_name`: strings unchanged, other values as JSON. A parameter that cannot be a
/// variable is returned; it is on standard input nevertheless.
pub(crate) fn parameters(params: &Map<String, Value>, out: &mut Variables) -> Vec<LeftOut> {
    let (mut left_out, mut total) = (Vec::new(), 0);
    for (name, value) in params {
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Null => continue,
            other => other.to_string(),
        };
        let len = value.len();
        let why = if !is_name {
            "its name has more than letters of ASCII, digits and `_`".to_owned()
        } else if len > MAX_PARAMETER {
            format!("it has {len} bytes, and {MAX_PARAMETER} fit")
        } else if total + len > MAX_PARAMETERS {
            format!("with the parameters before it it has more than {MAX_PARAMETERS} bytes")
        } else if value.contains('\0') {
            "it has a zero byte, which ends a variable".to_owned()
        } else {
            total += len;
            out.insert(format!("{PREFIX}{name}"), value);
            continue;
        };
        left_out.push(LeftOut {
            name: name.clone(),
            why,
        });
    }
    left_out
}

/// Whether a script reads a parameter's variable without a test whether it is set (`[[ -v .. ]]`, `${..+x}`).
pub(crate) fn is_read(text: &str, name: &str) -> bool {
    let variable = format!("{PREFIX}{name}");
    let places = || {
        text.match_indices(&variable).filter(|(at, _)| {
            let after = text[at + variable.len()..].chars().next();
            !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })
    };
    let checks = |at: usize| {
        let (before, after) = (&text[..at], &text[at + variable.len()..]);
        let is_tried = after.starts_with('+') || after.starts_with(":+");
        before.ends_with("-v ") || (before.ends_with("${") && is_tried)
    };
    places().next().is_some() && !places().any(|(at, _)| checks(at))
}

/// The variables in the sandbox's form, without invalid ones.
pub(crate) fn pairs(variables: Variables) -> Vec<(OsString, OsString)> {
    variables
        .into_iter()
        .filter(|(name, value)| {
            !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
        })
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_variable_is_told() {
        let long = "x".repeat(95_000);
        let mut params = Map::new();
        for n in 0..12 {
            params.insert(format!("p{n}"), Value::String(long.clone()));
        }
        params.insert("zero".into(), Value::String("a\0b".into()));
        params.insert("file-path".into(), Value::Bool(true));
        params.insert("none".into(), Value::Null);
        params.insert("list".into(), toolglot_value::json!([long, long]));
        let mut variables = Variables::new();
        let left_out = parameters(&params, &mut variables);
        let names: Vec<&str> = left_out.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["p10", "p11", "zero", "file-path", "list"]);
        assert_eq!(variables.len(), 10);
    }

    #[test]
    fn who_reads_a_variable_names_it() {
        for (text, reads) in [
            ("cat \"$TOOLGLOT_PARAM_a\"", true),
            ("echo ${TOOLGLOT_PARAM_a:-}", true),
            ("cat \"$TOOLGLOT_PARAM_ab\" $TOOLGLOT_PARAM_a_b", false),
            (
                "[[ -v TOOLGLOT_PARAM_a ]] && cat <<< \"$TOOLGLOT_PARAM_a\"",
                false,
            ),
            ("test -n \"${TOOLGLOT_PARAM_a+x}\" || jq .a", false),
            ("cat", false),
        ] {
            assert_eq!(is_read(text, "a"), reads, "{text}");
        }
    }
}
