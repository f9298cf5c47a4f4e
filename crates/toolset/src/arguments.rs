//! Brings arguments to the names and types of their tool.

use toolglot_engine::Shape;
use toolglot_json::internal::from_text;
use toolglot_value::{Map, Value};

use crate::elements::{Element, elements, plain_text};
use crate::toolbox::Entry;

/// One change to the arguments, for a note.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A key was another name of a parameter.
    Renamed { from: String, to: String },
    /// An alias of a parameter was empty and is dropped, as another name of the parameter has a value.
    LeftOut { key: String, parameter: String },
    /// A parameter that models were taught to write and that the tool does not need.
    Needless { key: String },
    /// The text of a value was read as the JSON in the text.
    Unpacked { key: String, as_what: &'static str },
}

/// Renames, unpacks and types the values in `arguments`, and returns the changes in order.
pub(crate) fn bring_to(
    entry: &Entry,
    arguments: Map<String, Value>,
) -> (Map<String, Value>, Vec<Change>) {
    let mut changes = Vec::new();
    let mut arguments = rename(entry, arguments, &mut changes);
    for key in &entry.habits.needless {
        if arguments.shift_remove(key).is_some() {
            changes.push(Change::Needless { key: key.clone() });
        }
    }
    let arguments = arguments
        .into_iter()
        .map(|(key, value)| {
            let value = restructure(entry, &key, value, &mut changes);
            (key, value)
        })
        .collect();
    (arguments, changes)
}

/// A parameter under its own name keeps its value, unless that is empty. Another alias then stays an unknown parameter,
/// which validation reports. Of several names the empty ones are dropped.
fn rename(
    entry: &Entry,
    mut arguments: Map<String, Value>,
    changes: &mut Vec<Change>,
) -> Map<String, Value> {
    for (parameter, aliases) in &entry.habits.parameter_aliases {
        let is_given = |name: &str| arguments.get(name).is_some_and(|value| value != "");
        let given = std::iter::once(parameter)
            .chain(aliases)
            .find(|name| is_given(name))
            .cloned();
        if let Some(given) = &given {
            let empty: Vec<String> = aliases
                .iter()
                .filter(|alias| arguments.get(alias).is_some_and(|value| value == ""))
                .cloned()
                .collect();
            for key in empty {
                arguments.shift_remove(&key);
                changes.push(Change::LeftOut {
                    key,
                    parameter: given.clone(),
                });
            }
        }
        if given.as_ref() == Some(parameter) {
            continue;
        }
        let Some(alias) = given
            .as_ref()
            .or_else(|| aliases.iter().find(|alias| arguments.contains_key(alias)))
        else {
            continue;
        };
        arguments.shift_remove(parameter);
        arguments = arguments
            .into_iter()
            .map(|(key, value)| {
                if key == *alias {
                    (parameter.clone(), value)
                } else {
                    (key, value)
                }
            })
            .collect();
        changes.push(Change::Renamed {
            from: alias.clone(),
            to: parameter.clone(),
        });
    }
    arguments
}

fn restructure(entry: &Entry, key: &str, value: Value, changes: &mut Vec<Change>) -> Value {
    let Value::String(text) = &value else {
        return value;
    };
    let unpacked = match (entry.habits.element_lists.get(key), entry.fields.get(key)) {
        (Some(element), _) if text.trim_start().starts_with('<') => {
            element_list(text, element, key)
        }
        (_, Some(shape)) => typed(text, shape),
        _ => None,
    };
    let Some(unpacked) = unpacked else {
        return value;
    };
    let as_what = match &unpacked {
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a boolean",
        Value::Null | Value::String(_) => "null",
    };
    changes.push(Change::Unpacked {
        key: key.to_owned(),
        as_what,
    });
    unpacked
}

/// `[{"text": .., "mode": ..}]` for a row of elements that have this name or the singular of their list's.
fn element_list(text: &str, name: &str, list: &str) -> Option<Value> {
    let item = |element: Element<'_>| {
        if element.name != name && list.strip_suffix('s') != Some(element.name) {
            return None;
        }
        let inner = element.inner.trim();
        if let Ok(item @ Value::Object(_)) = toolglot_value::from_str(inner) {
            return Some(item);
        }
        let mut item = Map::new();
        item.insert("text".into(), plain_text(element.inner).into());
        for (key, value) in element.attributes {
            item.insert(key.into(), value.into());
        }
        Some(Value::Object(item))
    };
    elements(text)?.into_iter().map(item).collect()
}

/// The value that `text` encodes, if the shape is not text.
fn typed(text: &str, shape: &Shape) -> Option<Value> {
    toolglot_value::from_str(&from_text(text, shape)?).ok()
}
