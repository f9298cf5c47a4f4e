//! What a program answers.

use thiserror::Error;
use toolglot_value::{Map, Value};

/// An answer: calls, events, or that the program does not read such messages.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The calls.
    pub calls: Vec<AnsweredCall>,
    /// The text outside them; `None` where the program does not say.
    pub content: Option<String>,
    /// The check of the arguments of events; `None` if the answer has no events.
    pub arguments: Option<Result<(), String>>,
    /// Why the program does not read the message.
    pub skipped: Option<String>,
}

/// A call that a program found.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredCall {
    /// The tool.
    pub name: String,
    /// The arguments. A text that is not JSON is a string.
    pub arguments: Value,
}

/// Why a line is not an answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// The line is not JSON.
    #[error("the answer is not JSON: {0}")]
    Syntax(String),
    /// The answer has the id of another request, or no id.
    #[error("the answer has the id {found}, not {expected}")]
    Id {
        /// The id of the request.
        expected: String,
        /// The id of the answer.
        found: String,
    },
    /// The program reports an error.
    #[error("the program reports: {0}")]
    Reported(String),
    /// A field is missing or has another type.
    #[error("the answer's `{field}` is not {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// What it must be.
        expected: &'static str,
    },
}

impl Answer {
    /// Reads the answer to the line with this id.
    ///
    /// # Errors
    /// If the line is not an answer: see [`AnswerError`].
    pub fn read(line: &str, id: &str) -> Result<Answer, AnswerError> {
        let value = toolglot_value::from_str(line)
            .map_err(|error| AnswerError::Syntax(error.to_string()))?;
        let answer = value.as_object().ok_or(field("answer", "an object"))?;
        let found = answer.get("id").cloned().unwrap_or_default();
        if found != id {
            return Err(AnswerError::Id {
                expected: Value::from(id).to_string(),
                found: found.to_string(),
            });
        }
        if let Some(why) = present(answer, "skipped") {
            let why = why.as_str().ok_or(field("skipped", "a string"))?;
            return Ok(Answer {
                skipped: Some(why.to_owned()),
                ..Answer::default()
            });
        }
        if let Some(why) = present(answer, "error") {
            let why = why.as_str().map_or_else(|| why.to_string(), str::to_owned);
            return Err(AnswerError::Reported(why));
        }
        let mut read = match present(answer, "events") {
            Some(events) => of_events(events.as_array().ok_or(field("events", "an array"))?)?,
            None => Answer::default(),
        };
        match present(answer, "calls") {
            Some(calls) => {
                let calls = calls.as_array().ok_or(field("calls", "an array"))?;
                let calls = calls.iter().map(call).collect::<Result<_, _>>()?;
                if read.arguments.is_some() && read.calls != calls {
                    read.arguments = Some(Err("the events give other calls than `calls`".into()));
                }
                read.calls = calls;
            }
            None if read.arguments.is_none() => return Err(field("calls", "an array")),
            None => {}
        }
        if let Some(content) = present(answer, "content") {
            let content = content.as_str().ok_or(field("content", "a string"))?;
            read.content = Some(content.to_owned());
        }
        Ok(read)
    }
}

fn field(field: &'static str, expected: &'static str) -> AnswerError {
    AnswerError::Field { field, expected }
}

fn present<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    members.get(name).filter(|value| !value.is_null())
}

/// The arguments as an object, or as the text of one.
fn arguments(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => toolglot_value::from_str(text).unwrap_or_else(|_| value.clone()),
        Value::Null => Value::Object(Map::new()),
        other => other.clone(),
    }
}

fn call(value: &Value) -> Result<AnsweredCall, AnswerError> {
    let name = value["name"].as_str();
    Ok(AnsweredCall {
        name: name.ok_or(field("calls[].name", "a string"))?.to_owned(),
        arguments: arguments(&value["arguments"]),
    })
}

/// A call whose events arrive.
struct OpenCall {
    number: Value,
    name: String,
    json: String,
    is_open: bool,
}

/// The calls, the text and the order of events.
fn of_events(events: &[Value]) -> Result<Answer, AnswerError> {
    let mut calls: Vec<OpenCall> = Vec::new();
    let mut content = String::new();
    let mut fault: Option<String> = None;
    for event in events {
        let text = |name: &'static str| {
            event[name]
                .as_str()
                .ok_or(field("events[]", "an event with its strings"))
        };
        let number = &event["call"];
        let at = calls.iter().rposition(|call| call.number == *number);
        match event["type"].as_str() {
            Some("text") => content.push_str(text("text")?),
            Some("call_start") => {
                if at.is_some() {
                    fault.get_or_insert(format!("call {number} starts twice"));
                }
                calls.push(OpenCall {
                    number: number.clone(),
                    name: text("name")?.to_owned(),
                    json: String::new(),
                    is_open: true,
                });
            }
            Some("args") => match at.map(|at| &mut calls[at]) {
                Some(call) if call.is_open => call.json.push_str(text("json")?),
                Some(_) => {
                    fault.get_or_insert(format!("call {number} gets arguments after its end"));
                }
                None => {
                    fault.get_or_insert(format!("call {number} gets arguments before its start"));
                }
            },
            Some("call_end") => match at.map(|at| &mut calls[at]) {
                Some(call) if call.is_open => {
                    call.is_open = false;
                    if event["end"] == "truncated" {
                        fault.get_or_insert(format!("call {number} is said to be cut off"));
                    }
                }
                _ => {
                    fault.get_or_insert(format!("call {number} ends without being open"));
                }
            },
            // Reasoning, markup, notes, and other events of the program.
            Some(_) => {}
            None => return Err(field("events[].type", "a string")),
        }
    }
    for call in &calls {
        if call.is_open {
            fault.get_or_insert(format!("call {} never ends", call.number));
        }
        let is_object = |value: Value| value.is_object();
        if !call.json.trim().is_empty()
            && !toolglot_value::from_str(&call.json).is_ok_and(is_object)
        {
            let json = &call.json;
            fault.get_or_insert(format!("the pieces make no JSON object: {json:?}"));
        }
    }
    Ok(Answer {
        calls: calls
            .into_iter()
            .map(|call| AnsweredCall {
                name: call.name,
                arguments: arguments(&Value::String(call.json)),
            })
            .collect(),
        content: Some(content),
        arguments: Some(fault.map_or(Ok(()), Err)),
        skipped: None,
    })
}
