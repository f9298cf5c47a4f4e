//! Violations, worded as instructions: a model that follows the message repairs its call.

use std::cmp::Reverse;
use std::fmt::Write as _;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use toolglot_value::{Map, Value};

use crate::compiled::{keyword, keyword_value};
use crate::nearest;
use crate::violation_order::{Finding, findings};

/// The maximum number of characters of a value that a message quotes.
const MAX_QUOTED: usize = 60;

/// The maximum number of names or options that a message lists.
const MAX_LISTED: usize = 24;

/// One way in which arguments do not fit their schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// A JSON pointer into the arguments; empty for the whole. A missing property has the pointer of its object.
    pub path: String,
    /// The keyword of JSON Schema that is violated: `required`, `type`, `enum`, ...
    pub keyword: String,
    /// What to write instead. Lower case, no full stop.
    pub message: String,
}

impl Violation {
    pub(crate) fn of(finding: &Finding<'_, '_>, schema: &Value, arguments: &Value) -> Violation {
        let error = finding.error;
        let path = error.instance_path().as_str();
        let keyword = keyword(error).into();
        let Some(name) = finding.unexpected else {
            return Violation {
                path: path.into(),
                keyword,
                message: instruction(error, schema, arguments),
            };
        };
        let known = declared(error, schema);
        let given = arguments.pointer(path).and_then(Value::as_object);
        Violation {
            path: format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")),
            keyword,
            message: leave_out(name, path, &known, given),
        }
    }
}

fn instruction(error: &ValidationError<'_>, schema: &Value, arguments: &Value) -> String {
    let path = error.instance_path().as_str();
    let value = arguments.pointer(path).unwrap_or(&Value::Null);
    let it = subject(path);
    let wrote = quoted(value);
    match error.kind() {
        ValidationErrorKind::Type { kind } => {
            format!("write {it} as {}; you wrote {wrote}", types(kind))
        }
        ValidationErrorKind::Required { property } => {
            add_missing(property, path, value, &declared(error, schema))
        }
        ValidationErrorKind::Enum { .. }
        | ValidationErrorKind::Constant { .. }
        | ValidationErrorKind::Minimum { .. }
        | ValidationErrorKind::ExclusiveMinimum { .. }
        | ValidationErrorKind::Maximum { .. }
        | ValidationErrorKind::ExclusiveMaximum { .. }
        | ValidationErrorKind::Custom { .. } => {
            let wanted = wanted(error).unwrap_or_default();
            match keyword(error) {
                "enum" => one_of(&it, &wanted, value),
                "minimum" => format!("write {wanted} or more for {it}; you wrote {wrote}"),
                "exclusiveMinimum" => {
                    format!("write more than {wanted} for {it}; you wrote {wrote}")
                }
                "maximum" => format!("write {wanted} or less for {it}; you wrote {wrote}"),
                "exclusiveMaximum" => {
                    format!("write less than {wanted} for {it}; you wrote {wrote}")
                }
                "multipleOf" => format!("write a multiple of {wanted} for {it}; you wrote {wrote}"),
                _ => format!("write {} for {it}; you wrote {wrote}", quoted(&wanted)),
            }
        }
        ValidationErrorKind::MinLength { limit } => {
            format!(
                "write at least {} for {it}; you wrote {wrote}",
                count(*limit, "character")
            )
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("write at most {} for {it}", count(*limit, "character"))
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!("write {it} so that it matches the pattern `{pattern}`; you wrote {wrote}")
        }
        ValidationErrorKind::Format { format } => {
            format!("write {it} in the format `{format}`; you wrote {wrote}")
        }
        ValidationErrorKind::MinItems { limit } => {
            format!("give at least {} in {it}", count(*limit, "item"))
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("give at most {} in {it}", count(*limit, "item"))
        }
        ValidationErrorKind::AdditionalItems { limit } => {
            format!("give at most {} in {it}", count(*limit as u64, "item"))
        }
        ValidationErrorKind::UniqueItems => format!("give each item of {it} only once"),
        ValidationErrorKind::MinProperties { limit } => {
            format!("give at least {} in {it}", count(*limit, "key"))
        }
        ValidationErrorKind::MaxProperties { limit } => {
            format!("give at most {} in {it}", count(*limit, "key"))
        }
        ValidationErrorKind::FalseSchema => format!("leave out {it}: nothing is allowed here"),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            any_of(path, context, schema, arguments)
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            format!("write {it} so that it fits only one of the allowed forms; it fits several")
        }
        ValidationErrorKind::Not { .. } => {
            format!("write {it} otherwise: {wrote} is what the schema excludes")
        }
        ValidationErrorKind::Contains => match wanted_item(error, schema) {
            Some(wanted) => format!("give {wanted} among the items of {it}"),
            None => format!("give items in {it} that are as its `contains` asks"),
        },
        ValidationErrorKind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            format!(
                "rename `{}`: that name is not allowed there",
                member(path, name)
            )
        }
        _ => format!("change {it}: {}", error.masked_with("the value")),
    }
}

/// The keyword's value, if it gives the allowed values: for `enum` an array.
fn wanted(error: &ValidationError<'_>) -> Option<Value> {
    match error.kind() {
        ValidationErrorKind::Enum { options } => Some(options.as_ref().into()),
        ValidationErrorKind::Constant { expected_value } => Some(expected_value.as_ref().into()),
        ValidationErrorKind::Minimum { limit }
        | ValidationErrorKind::ExclusiveMinimum { limit }
        | ValidationErrorKind::Maximum { limit }
        | ValidationErrorKind::ExclusiveMaximum { limit } => Some(Value::from(limit)),
        _ => keyword_value(error),
    }
}

/// The violations of the branches: of the nearest branch, or the properties that any branch misses.
fn any_of(
    path: &str,
    branches: &[Vec<ValidationError<'static>>],
    schema: &Value,
    arguments: &Value,
) -> String {
    let it = subject(path);
    let mut missing = Vec::new();
    for branch in branches {
        match branch.as_slice() {
            [error] => match error.kind() {
                ValidationErrorKind::Required { property } => missing.push(name_of(property)),
                _ => break,
            },
            _ => break,
        }
    }
    if missing.len() == branches.len() && !missing.is_empty() {
        return format!(
            "add {} to {it}: one of them is required",
            listed(&missing, "or")
        );
    }
    if let Some(types) = alternative_types(branches) {
        return format!("write {it} as {}", joined(&types, "or"));
    }
    if let Some(instruction) = alternative_marks(path, branches, arguments) {
        return instruction;
    }
    let nearest = branches
        .iter()
        .min_by_key(|branch| distance(path, branch))
        .map(|branch| findings(branch, arguments));
    match nearest.as_deref() {
        Some([first, ..]) => {
            let inner = Violation::of(first, schema, arguments).message;
            format!("write {it} in one of its allowed forms; for the nearest: {inner}")
        }
        _ => format!("write {it} in one of its allowed forms"),
    }
}

/// The distance of the value at `path` from a branch. A branch of another type is farthest, then one that a constant in
/// the value excludes. Then more errors count as farther, and errors deeper inside as nearer.
fn distance(
    path: &str,
    branch: &[ValidationError<'static>],
) -> (bool, bool, usize, Reverse<usize>) {
    let is_other_kind = branch.iter().any(|error| {
        error.instance_path().as_str() == path
            && matches!(error.kind(), ValidationErrorKind::Type { .. })
    });
    let is_excluded = branch.iter().any(|error| mark(path, error).is_some());
    let depths = branch
        .iter()
        .map(|error| error.instance_path().as_str().len());
    let deepest = depths.max().unwrap_or_default();
    (is_other_kind, is_excluded, branch.len(), Reverse(deepest))
}

/// The only value that a branch allows for a property of the value at `path`, if the property differs: a discriminator.
fn mark(path: &str, error: &ValidationError<'static>) -> Option<Value> {
    let property = error
        .instance_path()
        .as_str()
        .strip_prefix(path)?
        .strip_prefix('/')?;
    if property.contains('/') {
        return None;
    }
    match (keyword(error), wanted(error)?) {
        ("const", value) => Some(value),
        ("enum", Value::Array(options)) => match <[Value; 1]>::try_from(options) {
            Ok([only]) => Some(only),
            Err(_) => None,
        },
        _ => None,
    }
}

/// The message for a discriminator property whose value belongs to no branch.
fn alternative_marks(
    path: &str,
    branches: &[Vec<ValidationError<'static>>],
    arguments: &Value,
) -> Option<String> {
    let place = |error: &ValidationError<'_>| error.instance_path().as_str().to_owned();
    let first = findings(branches.first()?, arguments)
        .into_iter()
        .find(|finding| mark(path, finding.error).is_some())?;
    let at = place(first.error);
    let options: Option<Vec<Value>> = branches
        .iter()
        .map(|branch| {
            let error = branch
                .iter()
                .find(|error| place(error) == at && mark(path, error).is_some())?;
            mark(path, error)
        })
        .collect();
    let value = arguments.pointer(&at)?;
    Some(one_of(&subject(&at), &Value::Array(options?), value))
}

/// The types of the branches, if each failed by the type of the value itself.
fn alternative_types(branches: &[Vec<ValidationError<'static>>]) -> Option<Vec<String>> {
    let place = branches.first()?.first()?.instance_path();
    branches
        .iter()
        .map(|branch| match branch.as_slice() {
            [error] if error.instance_path() == place => match error.kind() {
                ValidationErrorKind::Type { kind } => Some(types(kind)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

fn add_missing(property: &serde_json::Value, path: &str, value: &Value, known: &[&str]) -> String {
    let name = name_of(property);
    let mut message = if path.is_empty() {
        format!("add the required `{name}`")
    } else {
        format!("add the required `{name}` to {}", subject(path))
    };
    let unknown = value
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .filter(|key| !known.contains(key));
    if let Some(lookalike) = nearest(name, unknown) {
        // Writing to a `String` cannot fail.
        let _ = write!(
            message,
            "; `{lookalike}` is not a parameter, rename it if you meant that"
        );
    }
    message
}

/// The message for an unexpected member `name` of the object at `path`, whose members are `given`.
fn leave_out(name: &str, path: &str, known: &[&str], given: Option<&Map<String, Value>>) -> String {
    let whole = member(path, name);
    let is_given = |name: &str| given.is_some_and(|given| given.contains_key(name));
    let free = known.iter().copied().filter(|known| !is_given(known));
    if let Some(near) = nearest(name, free) {
        return format!(
            "rename `{whole}` to `{near}`, or leave it out: there is no such parameter"
        );
    }
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("leave out `{whole}`: `{near}` is there already");
    }
    if known.is_empty() {
        format!("leave out `{whole}`: there are no parameters")
    } else {
        format!(
            "leave out `{whole}`: the parameters are {}",
            listed(known, "and")
        )
    }
}

/// The member `name` of the object at `path` in a message: `search` at the root, `edits[0].search` below it.
fn member(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{}.{name}", toolglot_json::internal::place(path))
    }
}

fn one_of(it: &str, options: &Value, value: &Value) -> String {
    let options = options.as_array().map_or(&[][..], Vec::as_slice);
    let near = value
        .as_str()
        .and_then(|written| nearest(written, options.iter().filter_map(Value::as_str)));
    if let Some(near) = near {
        return format!("write \"{near}\" for {it}; you wrote {}", quoted(value));
    }
    let shown: Vec<String> = options.iter().take(MAX_LISTED).map(quoted).collect();
    format!(
        "write {} for {it}; you wrote {}",
        joined(&shown, "or"),
        quoted(value)
    )
}

/// The requirement of `contains`, if one word describes it.
fn wanted_item(error: &ValidationError<'_>, schema: &Value) -> Option<String> {
    let keyword = error.schema_path().as_str();
    let holder = schema.pointer(&keyword[..keyword.rfind('/')?])?;
    let wanted = holder.get("contains")?;
    if let Some(value) = wanted.get("const") {
        return Some(quoted(value));
    }
    if let Some(Value::Array(options)) = wanted.get("enum") {
        let options: Vec<String> = options.iter().take(MAX_LISTED).map(quoted).collect();
        return Some(joined(&options, "or"));
    }
    Some(match wanted.get("type")?.as_str()? {
        "array" => with_article(JsonType::Array).to_owned(),
        "boolean" => with_article(JsonType::Boolean).to_owned(),
        "integer" => with_article(JsonType::Integer).to_owned(),
        "null" => with_article(JsonType::Null).to_owned(),
        "number" => with_article(JsonType::Number).to_owned(),
        "object" => with_article(JsonType::Object).to_owned(),
        "string" => with_article(JsonType::String).to_owned(),
        _ => return None,
    })
}

/// The declared names next to the violated keyword.
fn declared<'a>(error: &ValidationError<'_>, schema: &'a Value) -> Vec<&'a str> {
    let keyword = error.schema_path().as_str();
    keyword
        .rfind('/')
        .and_then(|end| {
            schema
                .pointer(&keyword[..end])?
                .get("properties")?
                .as_object()
        })
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect()
}

/// The spelling of the value at `path` in a message: `edits[0].search` for `/edits/0/search`.
fn subject(path: &str) -> String {
    if path.is_empty() {
        "the arguments".into()
    } else {
        format!("`{}`", toolglot_json::internal::place(path))
    }
}

/// A value as short JSON: long text is cut, arrays and objects are named.
fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => match text.char_indices().nth(MAX_QUOTED) {
            Some((end, _)) => format!("{}...", Value::from(&text[..end])),
            None => value.to_string(),
        },
        Value::Array(items) => format!("an array of {}", count(items.len() as u64, "item")),
        Value::Object(_) => "an object".into(),
        scalar => scalar.to_string().chars().take(MAX_QUOTED).collect(),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => with_article(*one).into(),
        TypeKind::Multiple(several) => {
            let several: Vec<String> = several.iter().map(|one| with_article(one).into()).collect();
            joined(&several, "or")
        }
    }
}

fn with_article(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "`true` or `false`",
        JsonType::Integer => "an integer",
        JsonType::Null => "`null`",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

fn name_of(property: &serde_json::Value) -> &str {
    property.as_str().unwrap_or_default()
}

fn count(n: u64, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// `a`, `b` and `c`.
fn listed(names: &[&str], word: &str) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(MAX_LISTED)
        .map(|name| format!("`{name}`"))
        .collect();
    joined(&shown, word)
}

fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}
