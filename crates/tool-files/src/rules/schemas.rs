//! Rules 7, 9 and 10: the declarations of parameters.

use crate::diagnostic::Diagnostics;
use crate::literal::{Content, Literal};

use super::subject::Subject;
use crate::rule::{ENUM, FIELD_TYPE, PARAMETER_TYPE, PATTERN, TWO_SCHEMAS, UNKNOWN_FIELD};

/// The types of JSON Schema.
const TYPES: &[&str] = &[
    "string", "integer", "number", "boolean", "object", "array", "null",
];

/// The keys of a parameter in a list.
pub(crate) const PARAMETER_KEYS: &[&str] = &[
    "name",
    "type",
    "required",
    "default",
    "description",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "additionalProperties",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "format",
    "const",
    "examples",
    "title",
    "nullable",
    "uniqueItems",
];

pub(super) fn apply(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    let reading = subject.reading;
    for name in ["config_schema", "input_schema", "output_schema", "outputs"] {
        if let Some(schema) = reading.get(name) {
            // `outputs` may also be a map of names to schemas.
            let is_map_of_schemas = name == "outputs"
                && schema
                    .get("type")
                    .is_none_or(|kind| kind.as_map().is_some());
            if is_map_of_schemas {
                for member in schema.as_map().unwrap_or_default() {
                    check(&member.value, &member.key, diagnostics);
                }
            } else {
                check(schema, name, diagnostics);
            }
        }
    }
    if let Some(list) = reading.get("parameters") {
        parameters(list, diagnostics);
    }
    if let Some(actions) = reading.get("actions") {
        for action in actions.as_map().unwrap_or_default() {
            if !crate::item_id::is_name(&action.key) {
                diagnostics.help(
                    FIELD_TYPE,
                    action.key_span.clone(),
                    format!("no call can name the action `{}`", action.key),
                    "use letters, digits, `-` and `_`".to_owned(),
                );
            }
            if action.value.as_map().is_none() {
                diagnostics.add(
                    FIELD_TYPE,
                    action.value.span.clone(),
                    format!(
                        "the action `{}` is {}, where a map belongs",
                        action.key,
                        action.value.kind()
                    ),
                );
                continue;
            }
            match action.value.get("parameters") {
                Some(list) if list.as_list().is_some() => parameters(list, diagnostics),
                Some(list) if !list.is_null() => diagnostics.add(
                    FIELD_TYPE,
                    list.span.clone(),
                    format!("`parameters` is {}, where a list belongs", list.kind()),
                ),
                _ => {}
            }
            if let Some(schema) = action.value.get("input_schema") {
                check(schema, "input_schema", diagnostics);
            }
        }
    }
    let declared: Vec<_> = ["input_schema", "config_schema", "parameters"]
        .iter()
        .filter_map(|name| reading.field(name))
        .filter(|field| !field.value.is_null())
        .collect();
    if let [winner, losers @ ..] = declared.as_slice() {
        for loser in losers {
            diagnostics.help(
                TWO_SCHEMAS,
                loser.name_span.clone(),
                format!(
                    "`{}` is not used: `{}` says what the parameters are",
                    loser.name, winner.name
                ),
                "leave one of them out".to_owned(),
            );
        }
    }
}

fn parameters(list: &Literal, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<&str> = Vec::new();
    for parameter in list.as_list().unwrap_or_default() {
        if parameter.is_computed() {
            continue;
        }
        let Some(members) = parameter.as_map() else {
            diagnostics.help(
                FIELD_TYPE,
                parameter.span.clone(),
                format!("a parameter is {}, where a map belongs", parameter.kind()),
                "write `- name: ..` and `type: ..` under it".to_owned(),
            );
            continue;
        };
        match parameter.get("name").and_then(Literal::as_text) {
            Some(name) if seen.contains(&name) => diagnostics.add(
                FIELD_TYPE,
                parameter
                    .get("name")
                    .map_or(parameter.span.clone(), |name| name.span.clone()),
                format!("a second parameter is called `{name}`"),
            ),
            Some(name) => seen.push(name),
            None => diagnostics.help(
                FIELD_TYPE,
                parameter.span.clone(),
                "a parameter has no name".to_owned(),
                "write `name: ..`".to_owned(),
            ),
        }
        if parameter.get("type").is_none() {
            diagnostics.help(
                PARAMETER_TYPE,
                parameter.span.clone(),
                "a parameter has no type".to_owned(),
                format!("write `type: ..`, one of {}", TYPES.join(", ")),
            );
        }
        if let Some(required) = parameter.get("required")
            && required.as_bool().is_none()
            && !(required.as_list().is_some() || required.is_computed())
        {
            diagnostics.help(
                FIELD_TYPE,
                required.span.clone(),
                format!("`required` is {}", required.kind()),
                "write `true` or `false`".to_owned(),
            );
        }
        for member in members {
            if !PARAMETER_KEYS.contains(&member.key.as_str()) {
                let nearest =
                    toolglot_toolset::nearest(&member.key, PARAMETER_KEYS.iter().copied());
                let help = nearest.map_or_else(
                    || format!("a parameter has {}", PARAMETER_KEYS[..11].join(", ")),
                    |nearest| format!("did you mean `{nearest}`?"),
                );
                diagnostics.help(
                    UNKNOWN_FIELD,
                    member.key_span.clone(),
                    format!("`{}` says nothing about a parameter", member.key),
                    help,
                );
            }
        }
        let name = parameter.get("name").and_then(Literal::as_text);
        check(parameter, name.unwrap_or("a parameter"), diagnostics);
    }
}

/// Checks a schema and all schemas in it. The recursion is as deep as literals nest.
fn check(schema: &Literal, name: &str, diagnostics: &mut Diagnostics) {
    let members = match &schema.content {
        Content::Map(members) => members,
        Content::Bool(_) | Content::Computed | Content::Null => return,
        _ => {
            diagnostics.add(
                FIELD_TYPE,
                schema.span.clone(),
                format!(
                    "the schema of `{name}` is {}, where a map belongs",
                    schema.kind()
                ),
            );
            return;
        }
    };
    for member in members {
        let value = &member.value;
        match member.key.as_str() {
            "type" => check_type(value, name, diagnostics),
            "pattern" => check_pattern(value, name, diagnostics),
            "enum" => match value.as_list() {
                Some([]) => diagnostics.help(
                    ENUM,
                    value.span.clone(),
                    format!("the `enum` of `{name}` is empty: nothing would fit it"),
                    "list at least one value, or leave it out".to_owned(),
                ),
                None if !value.is_computed() => diagnostics.add(
                    ENUM,
                    value.span.clone(),
                    format!(
                        "the `enum` of `{name}` is {}, where a list belongs",
                        value.kind()
                    ),
                ),
                _ => {}
            },
            "properties" | "$defs" | "definitions" | "patternProperties" => {
                if value.as_map().is_none() && !value.is_computed() {
                    diagnostics.add(
                        FIELD_TYPE,
                        value.span.clone(),
                        format!("`{}` is {}, where a map belongs", member.key, value.kind()),
                    );
                }
                for property in value.as_map().unwrap_or_default() {
                    check(&property.value, &property.key, diagnostics);
                }
            }
            "items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains" => {
                check(value, name, diagnostics);
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                for branch in value.as_list().unwrap_or_default() {
                    check(branch, name, diagnostics);
                }
            }
            _ => {}
        }
    }
}

fn check_type(value: &Literal, name: &str, diagnostics: &mut Diagnostics) {
    let words: Vec<&Literal> = match &value.content {
        Content::List(items) => items.iter().collect(),
        Content::Computed => return,
        _ => vec![value],
    };
    for word in words {
        match word.as_text() {
            Some(text) if TYPES.contains(&text) => {}
            Some(text) => diagnostics.help(
                PARAMETER_TYPE,
                word.span.clone(),
                format!("`{text}`, the type of `{name}`, is not a type of JSON Schema"),
                meant(text).map_or_else(
                    || format!("the types are {}", TYPES.join(", ")),
                    |meant| format!("did you mean `{meant}`?"),
                ),
            ),
            None if word.is_computed() => {}
            None => diagnostics.add(
                PARAMETER_TYPE,
                word.span.clone(),
                format!(
                    "the type of `{name}` is {}, where a word belongs",
                    word.kind()
                ),
            ),
        }
    }
}

/// The JSON Schema type for a type name of another language.
fn meant(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "str" | "text" | "path" => "string",
        "int" | "long" => "integer",
        "float" | "double" | "decimal" => "number",
        "bool" => "boolean",
        "dict" | "map" | "mapping" => "object",
        "list" | "tuple" | "set" => "array",
        "none" => "null",
        other => return toolglot_toolset::nearest(other, TYPES.iter().copied()),
    })
}

fn check_pattern(value: &Literal, name: &str, diagnostics: &mut Diagnostics) {
    let Some(pattern) = value.as_text() else {
        if !value.is_computed() {
            diagnostics.add(
                PATTERN,
                value.span.clone(),
                format!(
                    "the `pattern` of `{name}` is {}, where a string belongs",
                    value.kind()
                ),
            );
        }
        return;
    };
    if let Err(error) = regex::Regex::new(pattern) {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default();
        if let Some(what) = ["look-around", "backreferences"]
            .iter()
            .find(|what| why.contains(**what))
        {
            diagnostics.help(
                PATTERN,
                value.span.clone(),
                format!("`{pattern}`, the pattern of `{name}`, has {what}, which is not supported"),
                "patterns run in linear time; say it without, or check it in the tool".to_owned(),
            );
            return;
        }
        diagnostics.help(
            PATTERN,
            value.span.clone(),
            format!(
                "`{pattern}`, the pattern of `{name}`, is not a regular expression: {}",
                why.trim_start_matches("error: ")
            ),
            "the syntax is that of the Rust crate `regex`".to_owned(),
        );
    }
}
