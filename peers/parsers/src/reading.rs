//! The result of reading a text, for any reader.

use serde_json::Value;
use toolglot_json::Shape;

/// The events of a reader, in order.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// Text for the user.
    Text(&'a str),
    /// A call starts; the reader chooses a number that identifies the call.
    Begin { call: usize, name: &'a str },
    /// A piece of a call's arguments.
    Args { call: usize, json: &'a str },
    /// A call ends.
    End { call: usize, ending: Ending },
}

/// The action of an executor for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Runs the call: the reader reports it as complete, or has no other state.
    Runs,
    /// Asks a person.
    Asks,
    /// Does not run the call.
    Never,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    number: usize,
    pub name: String,
    pub args: String,
    pub ending: Ending,
}

/// A text as a reader understood it.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub content: String,
    pub calls: Vec<Call>,
}

impl Reading {
    pub fn take(&mut self, told: Told<'_>) {
        match told {
            Told::Text(text) => self.content.push_str(text),
            Told::Begin { call, name } => self.calls.push(Call {
                number: call,
                name: name.to_owned(),
                args: String::new(),
                ending: Ending::Never,
            }),
            Told::Args { call, json } => {
                if let Some(found) = self.find(call) {
                    found.args.push_str(json);
                }
            }
            Told::End { call, ending } => {
                if let Some(found) = self.find(call) {
                    found.ending = ending;
                }
            }
        }
    }

    fn find(&mut self, number: usize) -> Option<&mut Call> {
        self.calls
            .iter_mut()
            .rev()
            .find(|call| call.number == number)
    }

    /// Whether two readings have equal calls, by value, and the same text up to blanks at its ends.
    pub fn equals(&self, other: &Reading) -> bool {
        self.content.trim() == other.content.trim()
            && self.calls.len() == other.calls.len()
            && self.calls.iter().zip(&other.calls).all(|(one, other)| {
                one.name == other.name && (one.args == other.args || one.value() == other.value())
            })
    }

    /// `None` if the reading has these calls and this text, ignoring blanks; otherwise the fault.
    pub fn fault(&self, calls: &[(String, Value)], content: &str) -> Option<String> {
        if self.calls.len() != calls.len() {
            return Some(format!(
                "{} calls, want {}; text {:?}",
                self.calls.len(),
                calls.len(),
                self.content
            ));
        }
        for (found, (name, arguments)) in self.calls.iter().zip(calls) {
            if found.name != *name {
                return Some(format!("name {:?}", found.name));
            }
            match found.value() {
                None => return Some(format!("arguments are no JSON: {:?}", found.args)),
                Some(value) if !same(&value, arguments) => {
                    return Some(format!("arguments {value}"));
                }
                Some(_) => {}
            }
        }
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        (bare(&self.content) != bare(content)).then(|| format!("text {:?}", self.content))
    }
}

impl Call {
    /// The arguments, if they are JSON. Some readers return an empty text for no arguments.
    pub fn value(&self) -> Option<Value> {
        if self.args.trim().is_empty() {
            return Some(Value::Object(serde_json::Map::new()));
        }
        // Nesting beyond the default limit of a JSON reader is part of the probes.
        serde_json::from_str(&self.args).ok()
    }

    /// The arguments; for a truncated call, the part that arrived.
    pub fn value_so_far(&self) -> Option<Value> {
        self.value().or_else(|| {
            let whole = toolglot_json::repair(&self.args, &Shape::Any);
            serde_json::from_str(&whole.text).ok()
        })
    }
}

/// Equality of values: numbers by value, keys in any order.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}
