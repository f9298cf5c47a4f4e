//! Masks arguments for logs.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use toolglot_value::{Map, Value, json};

/// Keys whose values are secret.
const SECRET_KEYS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "private_key",
];

/// Prefixes of keys and tokens of services.
const SECRET_STARTS: &[&str] = &[
    "sk-",
    "sk_",
    "pk_live",
    "rk_live",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "-----BEGIN",
];

/// Keys whose values are paths; they are shown.
const PLACES: &[&str] = &["path", "cwd", "from", "to"];

const MASK: &str = "[masked]";

/// The values; everything that looks like a secret is masked.
pub fn masked(arguments: &Map<String, Value>) -> Value {
    each(arguments, &|_, text| text)
}

/// A text; everything that looks like a secret is masked.
pub fn masked_text(text: &str) -> String {
    hide_given(&hide(text)).into_owned()
}

/// The shape of the values: their types and sizes, and the paths.
pub fn shape(arguments: &Map<String, Value>) -> Value {
    each(arguments, &|key, value| match value {
        Value::String(text) if !PLACES.contains(&key) => {
            json!({"type": "string", "bytes": text.len()})
        }
        other => other,
    })
}

/// The pattern of a secret's name: a word as in [`SECRET_KEYS`], or one that ends in `_key`. A `VALUE` runs up to its
/// closing quote, a blank or a sign.
const NAME: &str = r"[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|authorization|cookie|credentials?|[a-z0-9][_-]key)[0-9]*";
const VALUE: &str = r#"(?:"[^"]*"?|'[^']*'?|[^\s"'&;,]+)"#;

/// `NAME=value`, `"name": "value"`, `--name value`, `-u name:value`: the first group stays.
static GIVEN: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        format!(r#"(?i)({NAME}["']?[ \t]*[=:][ \t]*){VALUE}"#),
        format!(r"(?i)((?:^|\s)--{NAME}[ \t]+){VALUE}"),
        r#"((?:^|\s)(?:-u[ \t]*|-U[ \t]*|--(?:proxy-)?user[ \t=]+)["']?[^\s:"'/]+:)[^\s"']+"#
            .to_owned(),
    ]
    .map(|pattern| Regex::new(&pattern).expect("it is fixed, and tested"))
});

/// A text without the values that follow names of secrets.
fn hide_given(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    for regex in GIVEN.iter() {
        if regex.is_match(&shown) {
            shown = Cow::Owned(
                regex
                    .replace_all(&shown, format!("${{1}}{MASK}"))
                    .into_owned(),
            );
        }
    }
    shown
}

/// Maps all values. It recurses into objects and arrays; the reader of the arguments caps their depth.
fn each(arguments: &Map<String, Value>, show: &dyn Fn(&str, Value) -> Value) -> Value {
    let shown = arguments
        .iter()
        .map(|(key, value)| (key.clone(), one(key, value, show)));
    Value::Object(shown.collect())
}

fn one(key: &str, value: &Value, show: &dyn Fn(&str, Value) -> Value) -> Value {
    let lower = key.to_ascii_lowercase().replace('-', "_");
    if (SECRET_KEYS.iter().any(|secret| lower.contains(secret)) || lower.ends_with("_key"))
        && !value.is_null()
    {
        return MASK.into();
    }
    match value {
        Value::Object(inner) => each(inner, show),
        Value::Array(list) => {
            Value::Array(list.iter().map(|value| one(key, value, show)).collect())
        }
        Value::String(text) => show(key, masked_text(text).into()),
        other => show(key, other.clone()),
    }
}

/// A text without the words that look like secrets.
fn hide(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_bearer = false;
    for piece in text.split_inclusive(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '=' | ',' | ';' | ':' | '@' | '/')
    }) {
        let word = piece.trim_end_matches(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '=' | ',' | ';' | ':' | '@' | '/')
        });
        let is_secret = SECRET_STARTS
            .iter()
            .any(|start| word.starts_with(start) && word.len() >= 12);
        // The password of an address is between `:` and `@`.
        let is_password = piece.ends_with('@') && out.ends_with(':') && !word.is_empty();
        if is_secret || is_password || (is_bearer && word.len() >= 8) {
            out.push_str(MASK);
            out.push_str(&piece[word.len()..]);
        } else {
            out.push_str(piece);
        }
        if !word.is_empty() {
            is_bearer = word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::{masked, shape};

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let arguments = json!({
            "command": "curl -H 'Authorization: Bearer abcdefghijkl' https://u:hunter2@h/x sk-abcdefghijklmnop",
            "headers": {"X-Api_Key": "k", "list": [{"password": 1}]},
            "path": "a/b.txt", "n": 3,
        });
        let shown = masked(arguments.as_object().expect("an object")).to_string();
        for secret in ["abcdefghijkl", "hunter2", "\"k\"", "1}"] {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
        assert!(shown.contains("curl -H") && shown.contains("a/b.txt"));
    }

    #[test]
    fn what_is_given_to_a_name_of_a_secret_is_masked() {
        for text in [
            "mysql --password=S3CRET db",
            "mysql --password S3CRET db",
            "PASSWORD=S3CRET cmd",
            "export API_KEY='S3 CRET'",
            "export API_KEY=\"S3 CRET",
            "curl -u user:S3CRET h",
            "curl --user 'user:S3CRET' h",
            "https://h/?a=1&token=S3CRET&b=2",
            "curl -H 'X-Key: S3CRET' h",
            r#"{"db_password": "S3CRET"}"#,
            "password: S3/CRET:x=y",
            "aws_secret_access_key = S3CRET",
        ] {
            let arguments = json!({"command": text});
            let shown = masked(arguments.as_object().expect("an object")).to_string();
            assert!(
                shown.contains("[masked]") && !shown.contains("CRET"),
                "{shown}"
            );
        }
        for text in [
            "max_tokens=100",
            "sort -k 1:2 --key=2 a",
            "git log --author x:y",
            "fn token(self) -> u8",
            "a: b",
            "grep -rn password src",
        ] {
            let arguments = json!({"command": text});
            let shown = masked(arguments.as_object().expect("an object"));
            assert_eq!(shown["command"], text);
        }
    }

    #[test]
    fn a_shape_shows_places_and_sizes_only() {
        let arguments = json!({"path": "a", "content": "four", "edits": [{"search": "x", "replace": "yy"}], "n": 3});
        let expected = json!({
            "path": "a", "content": {"type": "string", "bytes": 4},
            "edits": [{"search": {"type": "string", "bytes": 1}, "replace": {"type": "string", "bytes": 2}}], "n": 3,
        });
        assert_eq!(shape(arguments.as_object().expect("an object")), expected);
    }
}
