//! Rule F06: invalid schemas, each with its place in the file.

use std::ops::Range;

use toolglot_schema::{SchemaError, Validator};
use toolglot_value::Value;

use crate::diagnostic::Diagnostic;
use crate::literal::{Content, Literal};
use crate::read::shortened;
use crate::rule::BAD_SCHEMA;
use crate::{ReturnContract, ToolFile};

/// Fields with a schema of the parameters; the first one in the file is used.
const INPUT: &[&str] = &["input_schema", "config_schema", "parameters"];
const OUTPUT: &[&str] = &["output_schema", "outputs"];

/// The values that a keyword takes, for a message.
const TAKES: &[(&str, &str)] = &[
    ("minLength", "a whole number of 0 or more"),
    ("maxLength", "a whole number of 0 or more"),
    ("minItems", "a whole number of 0 or more"),
    ("maxItems", "a whole number of 0 or more"),
    ("minProperties", "a whole number of 0 or more"),
    ("maxProperties", "a whole number of 0 or more"),
    ("minContains", "a whole number of 0 or more"),
    ("maxContains", "a whole number of 0 or more"),
    ("multipleOf", "a number of more than 0"),
    ("minimum", "a number"),
    ("maximum", "a number"),
    ("exclusiveMinimum", "a number"),
    ("exclusiveMaximum", "a number"),
    ("required", "a list of names, each once"),
    (
        "dependentRequired",
        "a map of names to lists of names, each once",
    ),
    ("properties", "a map of names to schemas"),
    (
        "patternProperties",
        "a map of regular expressions to schemas",
    ),
    ("$defs", "a map of names to schemas"),
    ("definitions", "a map of names to schemas"),
    ("dependentSchemas", "a map of names to schemas"),
    ("items", "a schema"),
    ("additionalProperties", "true, false or a schema"),
    ("unevaluatedProperties", "true, false or a schema"),
    ("unevaluatedItems", "true, false or a schema"),
    ("propertyNames", "a schema"),
    ("contains", "a schema"),
    ("not", "a schema"),
    ("if", "a schema"),
    ("then", "a schema"),
    ("else", "a schema"),
    ("allOf", "a list of schemas, at least one"),
    ("anyOf", "a list of schemas, at least one"),
    ("oneOf", "a list of schemas, at least one"),
    ("prefixItems", "a list of schemas, at least one"),
    ("uniqueItems", "true or false"),
    ("deprecated", "true or false"),
    ("readOnly", "true or false"),
    ("writeOnly", "true or false"),
    ("title", "a text"),
    ("description", "a text"),
    ("format", "a text"),
    ("$comment", "a text"),
    ("$ref", "a text"),
    ("$id", "a text"),
    ("$anchor", "a text"),
    ("examples", "a list"),
];

/// The faults in the schemas of a tool.
pub(crate) fn uncompiled(tool: &ToolFile) -> Vec<Diagnostic> {
    let schemas = Schemas { tool };
    let input = Validator::new(&tool.schema.input);
    let output = ReturnContract::new(tool.schema.output.as_ref());
    let (is_invalid, mut faults) = (input.is_err() || output.is_err(), Vec::new());
    if let Err(why) = input {
        faults.push(schemas.none(INPUT, &tool.schema.input, &why));
    }
    if let (Err(why), Some(schema)) = (output, &tool.schema.output) {
        faults.push(schemas.none(OUTPUT, schema, &why));
    }
    if !is_invalid && tool.is_callable() {
        faults.extend(schemas.unfit_defaults());
        let kind = tool.schema.input.get("type");
        if kind.is_some_and(|kind| kind != "object" && !kind.is_array()) {
            faults.push(error(
                schemas.place(INPUT, "/type"),
                "the schema of the parameters takes no object, and parameters are one".to_owned(),
                Some("write `type: object`".to_owned()),
            ));
        }
    }
    faults
}

fn error(span: Range<usize>, message: String, help: Option<String>) -> Diagnostic {
    Diagnostic {
        rule: BAD_SCHEMA,
        severity: BAD_SCHEMA.severity,
        span,
        message,
        help,
    }
}

/// The schemas of a tool, as they are in its file.
struct Schemas<'a> {
    tool: &'a ToolFile,
}

impl<'a> Schemas<'a> {
    /// The diagnostic for an invalid schema.
    fn none(&self, fields: &[&str], schema: &Value, why: &SchemaError) -> Diagnostic {
        match why {
            SchemaError::Invalid { path, source } => {
                self.invalid(fields, schema, path, source.as_ref())
            }
            SchemaError::Circle { reference } => error(
                self.reference(fields, &|named| named == reference),
                format!("`{reference}` leads in a circle back to itself"),
                Some("let one of them say what it is".to_owned()),
            ),
            SchemaError::Reference { source } => {
                let mut lost = String::new();
                let is_lost = |named: &str| {
                    named.strip_prefix('#').is_none_or(|pointer| {
                        pointer.starts_with('/') && schema.pointer(pointer).is_none()
                    })
                };
                let span = self.reference_of(fields, &is_lost, &mut lost);
                let help = match lost.strip_prefix("#/") {
                    Some(_) => {
                        let known = schema.get("$defs").or_else(|| schema.get("definitions"));
                        let names = known.and_then(Value::as_object).into_iter().flatten();
                        let name = lost.rsplit('/').next().unwrap_or_default();
                        let names = names.map(|(name, _)| name.as_str());
                        toolglot_toolset::nearest(name, names).map_or_else(
                            || "write what it names into the schema".to_owned(),
                            |nearest| format!("did you mean `{nearest}`?"),
                        )
                    }
                    None => "references are followed inside the schema only: write under `$defs` what it names"
                        .to_owned(),
                };
                let message = if lost.is_empty() {
                    format!("a reference leads to nothing in the schema: {source}")
                } else if lost.starts_with('#') {
                    format!("`{lost}` leads to nothing in the schema")
                } else {
                    format!("`{lost}` leads out of the schema")
                };
                error(span, message, Some(help))
            }
            other => error(
                self.place(fields, ""),
                other.to_string(),
                Some("say it with fewer references".to_owned()),
            ),
        }
    }

    /// A keyword with a value that it does not take.
    fn invalid(
        &self,
        fields: &[&str],
        schema: &Value,
        path: &str,
        source: &dyn std::error::Error,
    ) -> Diagnostic {
        // A fault in an item of a list is a fault of the list's keyword.
        let keyword = path
            .rsplit('/')
            .find_map(|part| TAKES.iter().find(|(keyword, _)| *keyword == part));
        let span = self.place(fields, path);
        let value = schema.pointer(path);
        match (keyword, value) {
            (Some((keyword, takes)), Some(value)) => error(
                span,
                format!(
                    "{} is nothing that `{keyword}` takes",
                    shortened(&value.to_string())
                ),
                Some(format!("write {takes}")),
            ),
            _ => error(
                span,
                format!("invalid schema: {source}"),
                Some("write a map of the keywords of JSON Schema".to_owned()),
            ),
        }
    }

    /// Parameters with a default that their own schema refuses, and the reasons.
    fn unfit_defaults(&self) -> Vec<Diagnostic> {
        let properties = self.tool.schema.input.get("properties");
        let mut unfit = Vec::new();
        for (name, schema) in properties.and_then(Value::as_object).into_iter().flatten() {
            // A part of a schema may refer to the rest of it; then only a call checks the default.
            if let Some(default) = schema.get("default")
                && let Ok(validator) = Validator::new(schema)
                && let Some(first) = validator.validate(default).into_iter().next()
            {
                let why = first.message.replace("the arguments", "it");
                unfit.push(error(
                    self.place(INPUT, &format!("/properties/{}/default", escaped(name))),
                    format!("the default of `{name}` does not fit `{name}`: {why}"),
                    Some("write a default that fits".to_owned()),
                ));
            }
        }
        unfit
    }

    /// The field that a schema is read from.
    fn root(&self, fields: &[&str]) -> Option<&'a Literal> {
        let fields = fields.iter().filter_map(|name| self.tool.field(name));
        let mut fields =
            fields.filter(|value| value.as_map().is_some() || value.as_list().is_some());
        fields.next()
    }

    /// The bytes of the value that a JSON pointer into a schema names, or of the nearest value around it.
    fn place(&self, fields: &[&str], pointer: &str) -> Range<usize> {
        let steps = pointer.split('/').skip(1).map(plain);
        let mut steps: Vec<String> = steps.collect();
        let mut at = self.root(fields);
        // The actions of a tool are branches of its schema.
        if fields == INPUT
            && let [all, branch, ..] = steps.as_slice()
            && all == "allOf"
            && let Some(actions) = self.tool.field("actions").and_then(Literal::as_map)
        {
            let maps = actions
                .iter()
                .filter(|action| action.value.as_map().is_some());
            let action = branch
                .parse()
                .ok()
                .and_then(|branch| maps.clone().nth(branch));
            let action = action.map(|action| &action.value);
            let own = action.and_then(|action| {
                let schema = action.get("input_schema");
                schema.or_else(|| action.get("parameters"))
            });
            at = own.or(action).or(at);
            steps.drain(..steps.len().min(3));
        }
        let Some(mut at) = at.or_else(|| self.tool.field("actions")) else {
            return 0..0;
        };
        // A list of parameters is the `properties` of an object.
        if at.as_list().is_some()
            && let [properties, name, ..] = steps.as_slice()
            && properties == "properties"
        {
            let named =
                |one: &&Literal| one.get("name").and_then(Literal::as_text) == Some(name.as_str());
            let Some(parameter) = at.as_list().and_then(|all| all.iter().find(named)) else {
                return at.span.clone();
            };
            at = parameter;
            steps.drain(..2);
        }
        // A map of names to schemas may lack the keyword `properties`.
        if steps.first().is_some_and(|step| step == "properties") && at.get("properties").is_none()
        {
            steps.remove(0);
        }
        for step in &steps {
            let next = match &at.content {
                Content::List(items) => step.parse().ok().and_then(|n: usize| items.get(n)),
                _ => at.get(step),
            };
            let Some(next) = next else { break };
            at = next;
        }
        at.span.clone()
    }

    fn reference(&self, fields: &[&str], is_meant: &dyn Fn(&str) -> bool) -> Range<usize> {
        self.reference_of(fields, is_meant, &mut String::new())
    }

    /// The place of the first reference for which `is_meant` holds; its text goes into `target`.
    fn reference_of(
        &self,
        fields: &[&str],
        is_meant: &dyn Fn(&str) -> bool,
        target: &mut String,
    ) -> Range<usize> {
        let actions = self.tool.field("actions").filter(|_| fields == INPUT);
        for root in self.root(fields).into_iter().chain(actions) {
            if let Some(found) = reference(root, is_meant) {
                found.as_text().unwrap_or_default().clone_into(target);
                return found.span.clone();
            }
        }
        self.place(fields, "")
    }
}

/// The first `$ref` in a schema for which `is_meant` holds. The recursion is as deep as literals nest.
fn reference<'a>(at: &'a Literal, is_meant: &dyn Fn(&str) -> bool) -> Option<&'a Literal> {
    match &at.content {
        Content::List(items) => items.iter().find_map(|item| reference(item, is_meant)),
        Content::Map(members) => members.iter().find_map(|member| {
            let value = &member.value;
            match value.as_text() {
                Some(text) if member.key == "$ref" => is_meant(text).then_some(value),
                _ => reference(value, is_meant),
            }
        }),
        _ => None,
    }
}

/// A step of a JSON pointer, unescaped: RFC 6901, section 4.
fn plain(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
