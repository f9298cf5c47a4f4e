//! Calls that show a dialect, written by the renderer.

use toolglot_engine::Dialect;
use toolglot_schema::Validator;
use toolglot_toolset::{Effect, ToolSpec, Toolbox};
use toolglot_value::{Map, Value};

use crate::error::ChatError;
use crate::example_call::{render_calls, writes_rows};
use crate::sample::{required_parameters, resolved, sample_arguments, sample_with};

/// A text that is hard to quote: several lines, quotes, the special characters of XML.
const CODE: &str =
    "fn main() {\n    if 1 < 2 && 3 > 2 {\n        println!(\"it's fine\");\n    }\n}\n";

/// Parameters that contain a text of many lines.
const TEXTS: &[&str] = &["content", "contents", "code", "text", "body", "diff"];

/// Calls, and the text that shows them.
#[derive(Debug)]
pub(crate) struct Example {
    /// The placeholder of the template that the example fills.
    pub(crate) hole: &'static str,
    #[cfg(test)]
    calls: Vec<Call>,
    pub(crate) text: String,
}

/// The examples of a dialect, and the kinds that it cannot express.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    pub(crate) shown: Vec<Example>,
    pub(crate) not_carried: Vec<NotCarried>,
}

/// Something that the tools accept and the dialect cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotCarried {
    /// The name of the kind, as in "a text of several lines".
    pub what: String,
    /// Why a call with it could not be written.
    pub why: String,
}

/// The [`NotCarried::what`] of a text of several lines.
pub(super) const SEVERAL_LINES: &str = "a text of several lines";
/// The [`NotCarried::what`] of two calls.
pub(super) const SEVERAL_CALLS: &str = "several calls in one message";

/// The examples that a template may use, and the kinds that the dialect cannot express.
///
/// `call`: one call. `code`: a call whose argument is a text of several lines. `list`: calls with lists, objects and
/// lists of objects, if any tool accepts them. `rows`: a call with a row of elements. `several`: two calls in one
/// message.
pub(crate) fn examples(dialect: &Dialect, toolbox: &Toolbox) -> Result<Examples, ChatError> {
    let example = |spec: &ToolSpec| (spec.name.clone(), sample_arguments(&spec.parameters));
    let plain = || toolbox.iter().filter(|spec| spec.effect != Effect::Ask);
    let first = plain()
        .next()
        .or_else(|| toolbox.iter().next())
        .map(example);
    let code = toolbox.iter().find_map(with_code);

    let mut shown: Vec<Example> = Vec::new();
    let mut not_carried = Vec::new();
    let written = |hole, calls: &[Call]| {
        render_calls(dialect, toolbox, calls).map(|text| Example {
            hole,
            #[cfg(test)]
            calls: calls.to_vec(),
            text,
        })
    };
    if let Some(first) = &first {
        let call = written("call", std::slice::from_ref(first));
        shown.push(call.map_err(|error| ChatError::Unrenderable {
            dialect: dialect.name().to_owned(),
            why: error.reason,
            text: error.text,
            start: error.start,
        })?);
    }
    for spec in toolbox.iter() {
        if let Err(error) = written("tool", &[example(spec)]) {
            not_carried.push(NotCarried {
                what: format!("a call of `{}`", spec.name),
                why: error.reason,
            });
        }
    }
    let mut second = None;
    if let Some(code) = code {
        let trimmed = without_last_break(&code);
        let mut why = String::new();
        for code in [code, trimmed] {
            match written("code", std::slice::from_ref(&code)) {
                Ok(example) => {
                    shown.push(example);
                    second = Some(code);
                    break;
                }
                Err(error) => why = error.reason,
            }
        }
        if second.is_none() {
            let what = SEVERAL_LINES.to_owned();
            not_carried.push(NotCarried { what, why });
        }
    }
    let second = second.or_else(|| plain().nth(1).map(example));
    let asking = || toolbox.iter().filter(|spec| spec.effect == Effect::Ask);
    let (mut taken, mut kinds, mut why) = (Kinds::default(), Kinds::default(), None);
    for spec in plain().chain(asking()) {
        let nested = Nested::of(dialect, toolbox, spec);
        taken = nested.kinds().fold(taken, Kinds::and);
        shown.extend(nested.call(&mut kinds, |call| {
            let example = written("list", &[call]);
            example.map_err(|error| why = Some(error.reason)).ok()
        }));
    }
    if let Some(why) = why {
        not_carried.extend(taken.without(kinds).map(|what| NotCarried {
            what: what.to_owned(),
            why: why.clone(),
        }));
    }
    let row = toolbox
        .iter()
        .find_map(|spec| with_row(dialect, toolbox, spec));
    shown.extend(row.and_then(|row| written("rows", &[row]).ok()));
    if let (Some(first), Some(second)) = (first, second) {
        let trimmed = without_last_break(&second);
        let calls = |second: Call| written("several", &[first.clone(), second]);
        match calls(second).or_else(|error| calls(trimmed).map_err(|_| error)) {
            Ok(example) => shown.push(example),
            Err(error) => not_carried.push(NotCarried {
                what: SEVERAL_CALLS.to_owned(),
                why: error.reason,
            }),
        }
    }
    Ok(Examples { shown, not_carried })
}

/// The kinds of nested values in examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds {
    list: bool,
    object: bool,
    list_of_objects: bool,
}

impl Kinds {
    fn of(value: &Value) -> Kinds {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        let is_of_objects = items.iter().any(Value::is_object);
        Kinds {
            list: !items.is_empty() && !is_of_objects,
            object: value.as_object().is_some_and(|members| !members.is_empty()),
            list_of_objects: is_of_objects,
        }
    }

    fn and(self, other: Kinds) -> Kinds {
        Kinds {
            list: self.list || other.list,
            object: self.object || other.object,
            list_of_objects: self.list_of_objects || other.list_of_objects,
        }
    }

    /// The names of the kinds that `other` lacks.
    fn without(self, other: Kinds) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.list && !other.list, "a list"),
            (self.object && !other.object, "an object"),
            (
                self.list_of_objects && !other.list_of_objects,
                "a list of objects",
            ),
        ];
        all.into_iter()
            .filter_map(|(is_missing, name)| is_missing.then_some(name))
    }
}

/// The nested parameters of a tool.
struct Nested<'a> {
    spec: &'a ToolSpec,
    /// Each parameter with its kinds, and whether it is required.
    parameters: Vec<(String, Kinds, bool)>,
}

impl<'a> Nested<'a> {
    fn of(dialect: &Dialect, toolbox: &Toolbox, spec: &'a ToolSpec) -> Nested<'a> {
        let schema = resolved(&spec.parameters, &spec.parameters);
        let required = required_parameters(&schema);
        let properties = schema["properties"].as_object();
        let nested = |name: &String| {
            let is_row = writes_rows(dialect) && toolbox.has_row(&spec.name, name);
            let sample = sample_with(&spec.parameters, &[name]);
            let kinds = Kinds::of(sample.get(name)?);
            let is_nested = kinds != Kinds::default();
            let is_plain = !is_row && !toolbox.has_files(&spec.name, name);
            (is_nested && is_plain)
                .then(|| (name.clone(), kinds, required.contains(&name.as_str())))
        };
        let names = properties.into_iter().flat_map(Map::keys);
        Nested {
            spec,
            parameters: names.filter_map(nested).collect(),
        }
    }

    fn kinds(&self) -> impl Iterator<Item = Kinds> {
        self.parameters.iter().map(|(_, kinds, _)| *kinds)
    }

    /// A call that shows kinds missing in `shown`, if the dialect can express one.
    fn call(
        &self,
        shown: &mut Kinds,
        mut written: impl FnMut(Call) -> Option<Example>,
    ) -> Option<Example> {
        let validator = Validator::new(&self.spec.parameters).ok()?;
        let mut call = |optional: &[&str]| {
            let arguments = sample_with(&self.spec.parameters, optional);
            let is_valid = validator
                .validate(&Value::Object(arguments.clone()))
                .is_empty();
            is_valid.then(|| written((self.spec.name.clone(), arguments)))?
        };
        let (mut optional, mut found) = (Vec::new(), None);
        for (name, kinds, is_required) in &self.parameters {
            if shown.and(*kinds) == *shown {
                continue;
            }
            if !is_required {
                optional.push(name.as_str());
            }
            if let Some(example) = call(&optional) {
                *shown = shown.and(*kinds);
                found = Some(example);
            } else if !is_required {
                optional.pop();
            }
        }
        found
    }
}

/// A call of `spec` with a row of elements, if it accepts one.
fn with_row(dialect: &Dialect, toolbox: &Toolbox, spec: &ToolSpec) -> Option<Call> {
    let mut names = spec.parameters["properties"].as_object()?.keys();
    let name = names.find(|name| toolbox.has_row(&spec.name, name))?;
    let mut arguments = sample_with(&spec.parameters, &[name]);
    let answers = ANSWERS.map(|text| toolglot_value::json!({ "text": text }));
    arguments.insert(name.clone(), Value::Array(answers.to_vec()));
    writes_rows(dialect).then(|| (spec.name.clone(), arguments))
}

/// The choices in an example.
const ANSWERS: [&str; 2] = ["src/main.rs", "src/lib.rs"];

type Call = (String, Map<String, Value>);

/// A call of `spec` with [`CODE`], if it accepts a text of many lines.
fn with_code(spec: &ToolSpec) -> Option<Call> {
    let properties = spec.parameters["properties"].as_object()?;
    let name = TEXTS.iter().find(|name| {
        properties
            .get(name)
            .is_some_and(|schema| schema["type"] == "string")
    })?;
    let mut arguments = sample_arguments(&spec.parameters);
    arguments.insert((*name).to_owned(), CODE.into());
    Some((spec.name.clone(), arguments))
}

/// The same call for dialects that trim values and so cannot express a final line break.
fn without_last_break((name, arguments): &Call) -> Call {
    let trimmed = |value: &Value| match value {
        Value::String(text) => text.trim_end().into(),
        other => other.clone(),
    };
    let arguments = arguments
        .iter()
        .map(|(key, value)| (key.clone(), trimmed(value)));
    (name.clone(), arguments.collect())
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;
    use crate::digest::{Digest, DigestContext};
    use crate::reader::{Reader, compile};

    /// A tool with optional nested parameters, and one whose nested parameters are required and contain each other.
    fn nested() -> Toolbox {
        let words = json!({"type": "array", "items": {"type": "string"}});
        let contact = json!({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
        let dish = json!({"type": "object", "properties": {"dish": {"type": "string"}, "n": {"type": "integer"}, "with": words}});
        let dishes = json!({"type": "array", "items": dish});
        let book = json!({"type": "object", "required": ["guests"], "properties": {
            "guests": {"type": "integer"}, "vip": {"type": "boolean"}, "tags": words, "contact": contact, "dishes": dishes,
        }});
        let order = json!({"type": "object", "required": ["dishes", "to"], "properties": {
            "dishes": dishes, "to": {"type": "object", "properties": {"street": {"type": "string"}, "tags": words}},
        }});
        let list = json!({"book_table": book, "order": order});
        Toolbox::from_json(&list).expect("a list")
    }

    /// Each example is read back as its calls, without a note.
    #[test]
    fn each_example_is_read_as_the_calls_that_it_shows() {
        let all = Kinds {
            list: true,
            object: true,
            list_of_objects: true,
        };
        for dialect in toolglot_dialects::all() {
            let taught = Toolbox::taught(dialect.name());
            for (n, toolbox) in std::iter::once(nested()).chain(taught.cloned()).enumerate() {
                let Ok(examples) = examples(dialect, &toolbox) else {
                    continue;
                };
                let dialects = std::slice::from_ref(dialect);
                let program = compile(dialects, Some(&toolbox)).expect("a program");
                let reader = Reader::new(program);
                let mut shown = Kinds::default();
                for Example { hole, calls, text } in examples.shown {
                    let at = format!("{} {hole}: {text}", dialect.name());
                    let read = reader.read(text.trim_end().as_bytes()).trace.message;
                    let knowledge = DigestContext {
                        dialects,
                        toolbox: Some(&toolbox),
                        normalize: true,
                        spans: None,
                    };
                    let digest = Digest::new(read, knowledge);
                    let found = digest.document.calls.iter();
                    let found: Vec<Call> = found
                        .map(|call| {
                            (
                                call.name.clone(),
                                call.arguments.clone().unwrap_or_default(),
                            )
                        })
                        .collect();
                    assert_eq!(found, calls, "{at}");
                    assert!(
                        digest
                            .message
                            .calls
                            .iter()
                            .all(|call| call.end == toolglot_engine::End::Closed),
                        "{at}"
                    );
                    assert_eq!(digest.message.notes, [], "{at}");
                    for value in calls.iter().flat_map(|(_, arguments)| arguments.values()) {
                        shown = shown.and(Kinds::of(value));
                    }
                }
                assert!(n > 0 || shown == all, "{}: {shown:?}", dialect.name());
            }
        }
    }
}
