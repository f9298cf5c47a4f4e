//! Checks whether a call fits its tool, and explains the faults.

use std::collections::{BTreeMap, HashSet};

use toolglot_engine::{Call, Calls, Code, Note, Span};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value};
use toolglot_wire::Arguments;

use crate::argument_spans::ArgumentSpans;

/// The number of violations per call that get their own place.
const PLACED: usize = 32;

/// The call under check, and the positions of its arguments.
#[derive(Clone, Copy, Debug)]
pub struct CallLocator<'a> {
    /// The call.
    pub call: &'a Call,
    /// The tools, with the aliases of parameters.
    pub toolbox: &'a Toolbox,
    /// Without it, every place is the whole call.
    pub spans: Option<&'a ArgumentSpans<'a>>,
}

impl CallLocator<'_> {
    /// The span of an argument; with `is_key` the span of its key, for an argument that must not be there.
    fn place(&self, tool: &str, pointer: &str, is_key: bool) -> Span {
        let names = |parameter: &str| self.toolbox.other_names(tool, parameter);
        let spans = self.spans;
        spans.map_or(self.call.span, |spans| {
            if is_key {
                spans.key(self.call, pointer, names)
            } else {
                spans.value(self.call, pointer, names)
            }
        })
    }
}

/// The violations of the schema of the toolbox's tool `name` in `arguments`, as notes on the values of the call. Each
/// note reads as an instruction. An unknown name has no violations.
///
/// A missing parameter with a default is not a violation: the caller fills it in. `arguments` are unchanged afterwards:
/// they may be large, so they are not copied.
pub fn schema_notes(
    name: &str,
    arguments: &mut Map<String, Value>,
    locator: CallLocator<'_>,
) -> Vec<Note> {
    let toolbox = locator.toolbox;
    let (Some(spec), Some(validator)) = (toolbox.get(name), toolbox.validator(name)) else {
        return Vec::new();
    };
    let note = |code, (path, is_key): (&str, bool), message| Note {
        code,
        span: locator.place(&spec.name, path, is_key),
        message,
        help: None,
    };
    let validator = match validator {
        Ok(validator) => validator,
        Err(error) => {
            let message = format!("the schema of `{}` cannot be used: {error}", spec.name);
            return vec![note(Code::InvalidArguments, ("", false), message)];
        }
    };
    let mut filled = Value::Object(std::mem::take(arguments));
    let outline = Outline::of(&filled);
    toolglot_schema::fill_defaults(&spec.parameters, &mut filled);
    let violations = validator.validate(&filled);
    outline.restore(&mut filled);
    if let Value::Object(restored) = filled {
        *arguments = restored;
    }
    violations
        .into_iter()
        .enumerate()
        .map(|(n, violation)| {
            // Finding a place is linear in the call: after a limit, the call itself is the place.
            let path = if n < PLACED { &violation.path } else { "" };
            let code = match violation.keyword.as_str() {
                "required" => Code::MissingParameter,
                _ => Code::InvalidArguments,
            };
            let is_key = matches!(
                violation.keyword.as_str(),
                "additionalProperties" | "unevaluatedProperties"
            );
            note(code, (path, is_key && !path.is_empty()), violation.message)
        })
        .collect()
}

/// The names of a value's members: other members were filled in.
enum Outline {
    Object(BTreeMap<String, Outline>),
    Array(Vec<Outline>),
    Scalar,
}

impl Outline {
    fn of(value: &Value) -> Outline {
        match value {
            Value::Object(members) => {
                let members = members.iter();
                Outline::Object(
                    members
                        .map(|(name, member)| (name.clone(), Outline::of(member)))
                        .collect(),
                )
            }
            // Lists of scalars may be long.
            Value::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => {
                Outline::Array(items.iter().map(Outline::of).collect())
            }
            _ => Outline::Scalar,
        }
    }

    /// Removes the members that `value` did not have.
    fn restore(&self, value: &mut Value) {
        match (self, value) {
            (Outline::Object(outline), Value::Object(members)) => {
                members.retain(|name, _| outline.contains_key(name));
                for (name, member) in members {
                    if let Some(outline) = outline.get(name) {
                        outline.restore(member);
                    }
                }
            }
            (Outline::Array(outline), Value::Array(items)) => {
                for (outline, item) in outline.iter().zip(items) {
                    outline.restore(item);
                }
            }
            _ => {}
        }
    }
}

/// The note on a call of an unknown tool.
pub fn unknown_tool_note(name: &str, toolbox: &Toolbox, at: Span) -> Note {
    let names = || {
        toolbox
            .iter()
            .map(|spec| spec.name.as_str())
            .filter(|other| *other != name)
    };
    if toolbox.iter().any(|spec| spec.name == name) {
        return Note {
            code: Code::UnknownTool,
            span: at,
            message: format!("nothing here runs `{name}`: it is a tool of other programs"),
            help: None,
        };
    }
    let help = match toolglot_toolset::nearest(name, names()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if toolbox.is_empty() => "there are no tools".to_owned(),
        None => format!("the tools are: {}", names().collect::<Vec<_>>().join(", ")),
    };
    Note {
        code: Code::UnknownTool,
        span: at,
        message: format!("unknown tool `{name}`"),
        help: Some(help),
    }
}

/// Drops the parser's notes on unknown tools for tools that one of `toolboxes` has under an alias.
pub fn drop_unknown_tool_notes(message: &mut Calls, toolboxes: &[&Toolbox]) {
    let is_known = |call: &Call| {
        let mut all = toolboxes.iter();
        all.any(|toolbox| toolbox.canonical(&call.name).is_some())
    };
    let notes = message.notes.iter();
    let unknown: HashSet<Span> = notes
        .filter(|note| note.code == Code::UnknownTool)
        .map(|note| note.span)
        .collect();
    let calls = message.calls.iter();
    let known: HashSet<Span> = calls
        .filter(|call| unknown.contains(&call.name_span) && is_known(call))
        .map(|call| call.name_span)
        .collect();
    message
        .notes
        .retain(|note| note.code != Code::UnknownTool || !known.contains(&note.span));
}

/// The call that contains all of `span`. Calls are in text order and do not overlap.
pub(crate) fn call_around(calls: &[Call], span: Span) -> Option<&Call> {
    let n_before = calls.partition_point(|call| call.span.start <= span.start);
    // Calls from one shell block share a span.
    let call = calls[..n_before].last()?;
    (span.end <= call.span.end).then_some(call)
}

/// The note on a call whose arguments are not an object, or nest too deep for a schema check.
pub fn no_object_note(call: &Call) -> Note {
    let message = match Arguments::shown(call) {
        Arguments::Object(_) => {
            "the arguments nest deeper than 127 levels, and are neither checked nor used"
        }
        Arguments::Raw(_) => "the arguments are not a JSON object",
    };
    Note {
        code: Code::InvalidArguments,
        span: call.span,
        message: message.to_owned(),
        help: None,
    }
}

#[cfg(test)]
mod tests {
    use allocation_counter::measure;
    use toolglot_engine::{CallId, End, Place};
    use toolglot_value::json;

    use super::*;

    /// Counted, not timed: the counter is per thread.
    #[test]
    fn a_schema_is_compiled_once() {
        let name = json!({"type": "string", "pattern": "^[a-z]+$", "maxLength": 20});
        let names: Map<String, Value> = (0..50).map(|n| (format!("p{n}"), name.clone())).collect();
        let names = Value::Object(names);
        let list =
            json!([{"name": "rename", "parameters": {"type": "object", "properties": names}}]);
        let toolbox = Toolbox::from_json(&list).expect("a tool");
        let nowhere = Span::empty(0);
        let call = Call {
            id: CallId(0),
            written_id: None,
            name: "rename".to_owned(),
            name_span: nowhere,
            server: None,
            arguments: String::new(),
            span: nowhere,
            dialect: String::new(),
            place: Place::Answer,
            end: End::Closed,
            notes: Vec::new(),
        };
        let check = |toolbox: &Toolbox, value: &str| {
            let mut arguments = Map::new();
            arguments.insert("p7".to_owned(), value.into());
            let locator = CallLocator {
                call: &call,
                toolbox,
                spans: None,
            };
            let mut notes = Vec::new();
            let counted = measure(|| notes = schema_notes("rename", &mut arguments, locator));
            (notes.len(), counted.count_total)
        };
        let (n_first, first) = check(&toolbox, "UPPER");
        let (n_again, again) = check(&toolbox, "UPPER");
        let (n_of_copy, of_copy) = check(&toolbox.clone(), "lower");
        assert_eq!((n_first, n_again, n_of_copy), (1, 1, 0));
        assert!(again * 20 < first, "{again} {first}");
        assert!(of_copy * 20 < first, "{of_copy} {first}");
    }
}
