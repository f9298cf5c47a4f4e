//! Rules 1 to 6 and 8: the fields of a tool and their values.

use crate::Language;
use crate::Severity;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fields::variable;
use crate::literal::{Content, Literal};
use crate::read::Field;

use super::subject::{Subject, TOOL_TYPES, WITHOUT_EXECUTOR};
use crate::rule::{
    CATEGORY, EXECUTOR, FIELD_TYPE, FIELDS, REQUIRES, RETRY, Rule, TOOL_ID, UNKNOWN_TYPE,
    VARIABLES, VERSION,
};

pub(super) fn apply(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    missing(subject, diagnostics);
    for field in &subject.reading.fields {
        shape(subject, field, diagnostics);
    }
    if let Some(field) = subject.reading.field("tool_id")
        && let Some(id) = field.value.as_text()
    {
        tool_id(subject, &field.value, id, diagnostics);
    }
    if let Some(field) = subject.reading.field("category")
        && let Some(category) = field.value.as_text()
        && category != subject.id.category()
    {
        let right = subject.id.category();
        diagnostics.help(
            CATEGORY,
            field.value.span.clone(),
            format!("the category is `{category}`, and the file is in `{right}`"),
            if category.is_empty() {
                format!("write `{right}`, or move the file to `.ai/tools/`")
            } else {
                format!("write `{right}`, or move the file to `.ai/tools/{category}/`")
            },
        );
    }
    if let Some(field) = subject.reading.field("version")
        && let Some(version) = field.value.as_text()
        && !is_version(version)
    {
        diagnostics.help(
            VERSION,
            field.value.span.clone(),
            format!("`{version}` is not a version of the form X.Y.Z"),
            "write three numbers, as in `1.0.0`".to_owned(),
        );
    }
    if let Some(field) = subject.reading.field("executor_id")
        && field.value.is_no_executor()
    {
        let tool_type = subject.tool_type().unwrap_or("tool without a type");
        if subject.part().is_none() {
            diagnostics.help(
                EXECUTOR,
                field.value.span.clone(),
                format!("a `{tool_type}` has an executor, and here it is null"),
                format!(
                    "name a runtime; only {} have none",
                    WITHOUT_EXECUTOR.join(", ")
                ),
            );
        }
    }
    if let Some(field) = subject.reading.field("tool_type")
        && let Some(tool_type) = field.value.as_text()
        && !TOOL_TYPES.contains(&tool_type)
    {
        let nearest = toolglot_toolset::nearest(tool_type, TOOL_TYPES.iter().copied());
        let help = nearest.map_or_else(
            || format!("the types are {}", TOOL_TYPES.join(", ")),
            |nearest| format!("did you mean `{nearest}`?"),
        );
        diagnostics.help(
            UNKNOWN_TYPE,
            field.value.span.clone(),
            format!("unknown type `{tool_type}`"),
            help,
        );
    }
}

/// Rules 1 and 2.
fn missing(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    // A file without any readable field is reported already.
    if (subject.language.is_configuration() || subject.language == Language::Bash)
        && subject.reading.fields.is_empty()
        && !subject.text.trim().is_empty()
        && !diagnostics.is_empty()
    {
        return;
    }
    let has_variables = subject.has_variables();
    let (rule, wanted): (&'static Rule, &[&str]) = if has_variables {
        (
            VARIABLES,
            &[
                "version",
                "tool_type",
                "executor_id",
                "category",
                "description",
            ],
        )
    } else {
        (
            FIELDS,
            &[
                "tool_id",
                "category",
                "tool_type",
                "version",
                "description",
                "executor_id",
            ],
        )
    };
    // A file that is not called needs none of the fields of a call.
    let part = subject.part().filter(|part| !TOOL_TYPES.contains(part));
    let wanted = if part.is_some() {
        &["executor_id"]
    } else {
        wanted
    };
    for name in wanted {
        if subject.reading.field(name).is_some() {
            continue;
        }
        let written = if has_variables {
            variable(name)
        } else {
            (*name).to_owned()
        };
        // The format's own examples leave these out.
        let is_excused = match *name {
            "description" => {
                has_variables && matches!(subject.tool_type(), Some("runtime" | "library"))
            }
            // The path of the file is the id.
            "tool_id" => true,
            _ => false,
        };
        diagnostics.push(Diagnostic {
            rule,
            severity: if is_excused || part.is_some() {
                Severity::Warning
            } else {
                rule.severity
            },
            span: subject.top(),
            message: match part {
                Some("module") => format!(
                    "`{written}` is missing: this is a module, which is imported and not called"
                ),
                Some(part) => {
                    format!("`{written}` is missing: this is data (`{part}`), which is not called")
                }
                None => format!("`{written}` is missing"),
            },
            help: Some(example(subject, name, &written)),
        });
    }
}

fn example(subject: Subject<'_>, name: &str, written: &str) -> String {
    let has_no_executor = subject
        .tool_type()
        .is_some_and(|tool_type| WITHOUT_EXECUTOR.contains(&tool_type));
    if name == "executor_id" && has_no_executor && subject.language.is_configuration() {
        // TOML has no null.
        return match subject.language {
            Language::Toml => format!("write `{written} = \"\"`"),
            _ => format!("write `{written}: null`"),
        };
    }
    let value = match name {
        "version" => "1.0.0".to_owned(),
        "tool_type" => match subject.language {
            Language::Python => "python",
            _ => "script",
        }
        .to_owned(),
        "executor_id" => match subject.language {
            Language::Python if subject.reading.code.entry.is_some() => {
                "rye/core/runtimes/python/function"
            }
            Language::Python => "rye/core/runtimes/python/script",
            Language::JavaScript | Language::TypeScript => "rye/core/runtimes/node/node",
            Language::Bash | Language::Yaml | Language::Toml => "rye/core/runtimes/bash/bash",
        }
        .to_owned(),
        "category" => subject.id.category().to_owned(),
        "tool_id" => subject.id.name().to_owned(),
        _ => "What this tool does".to_owned(),
    };
    let equals = match subject.language {
        Language::Yaml => format!("{written}: \"{value}\""),
        Language::Bash if !subject.has_variables() => format!("# {written}: \"{value}\""),
        Language::Bash => format!("# {written} = \"{value}\""),
        Language::JavaScript if subject.text.contains("exports.__") => {
            format!("exports.{written} = \"{value}\";")
        }
        Language::JavaScript | Language::TypeScript => {
            format!("export const {written} = \"{value}\";")
        }
        Language::Python | Language::Toml => format!("{written} = \"{value}\""),
    };
    format!("write `{equals}`")
}

/// Whether a field has the type that the format gives it.
fn shape(subject: Subject<'_>, field: &Field, diagnostics: &mut Diagnostics) {
    let value = &field.value;
    if value.is_computed() {
        return;
    }
    let (fits, wanted) = match field.name {
        "executor_id" => (
            value.as_text().is_some() || value.is_null(),
            "a string or null",
        ),
        "tool_id" | "tool_type" | "version" | "description" | "category" => {
            (value.as_text().is_some(), "a string")
        }
        "requires" | "tags" | "parameters" => (value.as_list().is_some(), "a list"),
        "outputs" | "actions" | "config" | "config_schema" | "env_config" | "input_schema"
        | "output_schema" | "retry_policy" | "cost" | "documentation" | "metadata" => {
            (value.as_map().is_some() || value.is_null(), "a map")
        }
        "timeout" => (
            value
                .as_f64()
                .is_some_and(|seconds| seconds > 0.0 && seconds <= 86_400.0),
            "a number of seconds, more than 0 and 86400 at most",
        ),
        _ => return,
    };
    if !fits {
        let help = if field.name == "version" && value.as_f64().is_some() {
            "write it in quotes, with three numbers: `\"1.0.0\"`".to_owned()
        } else {
            format!("write {wanted}")
        };
        let rule = if field.name == "version" {
            VERSION
        } else {
            FIELD_TYPE
        };
        diagnostics.help(
            rule,
            value.span.clone(),
            match &value.content {
                // The number itself shows the fault.
                Content::Number(number) => {
                    format!("`{}` is {number}, where {wanted} belongs", field.name)
                }
                _ => format!(
                    "`{}` is {}, where {wanted} belongs",
                    field.name,
                    value.kind()
                ),
            },
            help,
        );
        return;
    }
    match field.name {
        "requires" => requires(value, diagnostics),
        "tags" => texts(field.name, value, diagnostics),
        "retry_policy" => retry_policy(value, diagnostics),
        "cost" => cost(value, diagnostics),
        "description" if value.as_text().is_some_and(|text| text.trim().is_empty()) => {
            diagnostics.add(
                if subject.has_variables() {
                    VARIABLES
                } else {
                    FIELDS
                },
                value.span.clone(),
                "the description is empty".to_owned(),
            );
        }
        _ => {}
    }
}

/// Rule 3.
fn tool_id(subject: Subject<'_>, value: &Literal, id: &str, diagnostics: &mut Diagnostics) {
    if is_kebab(id) {
        return;
    }
    let is_path = id.contains('/')
        && id.split('/').all(|part| {
            !part.is_empty()
                && part.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte)
                })
        });
    diagnostics.push(Diagnostic {
        rule: TOOL_ID,
        severity: if is_path {
            Severity::Warning
        } else {
            Severity::Error
        },
        span: value.span.clone(),
        message: format!("`{id}` is not kebab-case"),
        help: Some(instead("write", id, subject.id.name())),
    });
}

/// Rule 8.
fn requires(value: &Literal, diagnostics: &mut Diagnostics) {
    for item in value.as_list().unwrap_or_default() {
        match &item.content {
            Content::Text(capability) if is_dotted(capability) => {}
            Content::Computed => {}
            Content::Text(capability) => diagnostics.help(
                REQUIRES,
                item.span.clone(),
                format!("`{capability}` is not a capability with dots between its parts"),
                "write it as in `fs.write`, `shell.execute` or `rye.execute.tool.NAME`".to_owned(),
            ),
            _ => diagnostics.add(
                REQUIRES,
                item.span.clone(),
                format!("a capability is {}, where a string belongs", item.kind()),
            ),
        }
    }
}

fn texts(name: &str, value: &Literal, diagnostics: &mut Diagnostics) {
    for item in value.as_list().unwrap_or_default() {
        if item.as_text().is_none() && !item.is_computed() {
            diagnostics.add(
                FIELD_TYPE,
                item.span.clone(),
                format!(
                    "an item of `{name}` is {}, where a string belongs",
                    item.kind()
                ),
            );
        }
    }
}

fn retry_policy(value: &Literal, diagnostics: &mut Diagnostics) {
    if value.as_map().is_some() && value.get("max_attempts").is_none() {
        diagnostics.help(
            RETRY,
            value.span.clone(),
            "`retry_policy` does not say `max_attempts`, and nothing is tried again".to_owned(),
            "write `max_attempts: 3`".to_owned(),
        );
    }
    for member in value.as_map().unwrap_or_default() {
        let number = member.value.as_f64();
        let (fits, wanted) = match member.key.as_str() {
            "max_attempts" => (
                number.is_some_and(|n| n.fract() == 0.0 && (1.0..=100.0).contains(&n)),
                "a whole number from 1 to 100",
            ),
            "backoff_type" => (
                matches!(
                    member.value.as_text(),
                    Some("fixed" | "linear" | "exponential")
                ),
                "`fixed`, `linear` or `exponential`",
            ),
            "initial_delay" | "max_delay" => (
                number.is_some_and(|n| (0.0..=3_600.0).contains(&n)),
                "a number of seconds, from 0 to 3600",
            ),
            "backoff_multiplier" => (
                number.is_some_and(|n| (1.0..=100.0).contains(&n)),
                "a number from 1 to 100",
            ),
            _ => (
                false,
                "max_attempts, backoff_type, initial_delay, max_delay or backoff_multiplier",
            ),
        };
        misfit("retry_policy", member, fits, wanted, diagnostics);
    }
}

fn cost(value: &Literal, diagnostics: &mut Diagnostics) {
    for member in value.as_map().unwrap_or_default() {
        let number = member.value.as_f64();
        let (fits, wanted) = match member.key.as_str() {
            "per_invocation" | "per_minute" | "estimated_duration" => {
                (number.is_some_and(|n| n >= 0.0), "a number of 0 or more")
            }
            "currency" => (
                member.value.as_text().is_some_and(|text| {
                    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
                }),
                "three capital letters, as in `USD`",
            ),
            _ => (
                false,
                "per_invocation, per_minute, estimated_duration or currency",
            ),
        };
        misfit("cost", member, fits, wanted, diagnostics);
    }
}

fn misfit(
    field: &str,
    member: &crate::literal::Member,
    fits: bool,
    wanted: &str,
    diagnostics: &mut Diagnostics,
) {
    if !fits && !member.value.is_computed() {
        diagnostics.help(
            FIELD_TYPE,
            member.value.span.clone(),
            format!("`{field}.{}` cannot be used", member.key),
            format!("write {wanted}"),
        );
    }
}

/// X.Y.Z, digits only, as Rye checks it.
pub(crate) fn is_version(text: &str) -> bool {
    let mut parts = 0;
    text.split('.').all(|part| {
        parts += 1;
        (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    }) && parts == 3
}

pub(crate) fn is_kebab(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// The advice for a name that is not kebab-case. Only the author can replace letters outside ASCII.
pub(super) fn instead(verb: &str, name: &str, fallback: &str) -> String {
    if name.is_ascii() {
        format!("{verb} `{}`", kebab(name, fallback))
    } else {
        "use the letters a to z, digits and `-`".to_owned()
    }
}

/// `DeployService` as `deploy-service`; the last part of a path.
pub(crate) fn kebab(text: &str, fallback: &str) -> String {
    let name = text.rsplit('/').next().unwrap_or(text);
    let mut out = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && was_lower {
                out.push('-');
            }
            was_lower = !c.is_ascii_uppercase();
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            was_lower = false;
            out.push('-');
        }
    }
    let out = out.trim_matches('-').to_owned();
    if out.is_empty() {
        fallback.to_owned()
    } else {
        out
    }
}

fn is_dotted(text: &str) -> bool {
    let mut parts = 0;
    let fits = text.split('.').all(|part| {
        parts += 1;
        part == "*"
            || !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    });
    fits && parts >= 2 && text.starts_with(|c: char| c.is_ascii_alphabetic())
}
