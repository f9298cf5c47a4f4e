//! The input of the renderer: calls with text before them, or results.

use toolglot_value::{Map, Value};

use crate::WireError;
use crate::line::kind;

/// A message to write in a dialect.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// `{"calls":[..],"content"?}`: an assistant's message.
    Calls {
        /// The calls, in order.
        calls: Vec<MessageCall>,
        /// The text before the calls.
        content: String,
    },
    /// `{"results":[..]}`: the results of calls.
    Results(Vec<MessageResult>),
}

/// A call to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageCall {
    /// The tool's name.
    pub name: String,
    /// The arguments, a JSON object as text.
    pub arguments: String,
    /// An id, for dialects with ids.
    pub id: Option<String>,
    /// A server or namespace, for dialects with servers.
    pub server: Option<String>,
}

/// A result to write: `{"name","arguments"?,"id"?,"server"?,"result","failed"?}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageResult {
    /// The call that it answers.
    pub call: MessageCall,
    /// The text of the result; a value other than a string is written as JSON.
    pub text: String,
    /// Whether the value is not a string.
    pub is_json: bool,
    /// Whether the tool failed; always true if the entry has `error` instead of `result`.
    pub failed: bool,
}

impl Message {
    /// Reads a document.
    pub fn read(text: &str) -> Result<Message, WireError> {
        Message::of(toolglot_value::from_str(text)?)
    }

    /// Reads a document from a value.
    pub fn of(value: Value) -> Result<Message, WireError> {
        let Value::Object(mut fields) = value else {
            return Err(wrong("document", "an object", Some(&value)));
        };
        match (fields.remove("calls"), fields.remove("results")) {
            (Some(calls), None) => Ok(Message::Calls {
                calls: each(calls, "calls", |call, at| MessageCall::of(call, &at))?,
                content: text(&mut fields, "content", "content")?.unwrap_or_default(),
            }),
            (None, Some(results)) => {
                Ok(Message::Results(each(results, "results", |result, at| {
                    MessageResult::of(result, &at)
                })?))
            }
            _ => Err(WireError::NeitherOrBoth),
        }
    }
}

impl MessageCall {
    fn of(mut fields: Map<String, Value>, at: &str) -> Result<MessageCall, WireError> {
        let name_at = format!("{at}.name");
        let name = text(&mut fields, "name", &name_at)?
            .ok_or_else(|| wrong(&name_at, "a string", None))?;
        let arguments = match fields.remove("arguments") {
            None | Some(Value::Null) => "{}".to_owned(),
            Some(object @ Value::Object(_)) => object.to_string(),
            Some(other) => {
                return Err(wrong(&format!("{at}.arguments"), "an object", Some(&other)));
            }
        };
        Ok(MessageCall {
            name,
            arguments,
            id: text(&mut fields, "id", &format!("{at}.id"))?,
            server: text(&mut fields, "server", &format!("{at}.server"))?,
        })
    }
}

impl MessageResult {
    fn of(mut fields: Map<String, Value>, at: &str) -> Result<MessageResult, WireError> {
        let result = fields.remove("result");
        let error = fields.remove("error").filter(|error| !error.is_null());
        let failed = match fields.remove("failed") {
            None | Some(Value::Null) => error.is_some(),
            Some(Value::Bool(failed)) => failed,
            Some(other) => {
                return Err(wrong(
                    &format!("{at}.failed"),
                    "true or false",
                    Some(&other),
                ));
            }
        };
        let (text, is_json) = match error.or(result) {
            None => return Err(wrong(&format!("{at}.result"), "a value", None)),
            Some(Value::String(text)) => (text, false),
            Some(other) => (other.to_string(), true),
        };
        Ok(MessageResult {
            call: MessageCall::of(fields, at)?,
            text,
            is_json,
            failed,
        })
    }
}

fn each<T>(
    value: Value,
    at: &str,
    read: impl Fn(Map<String, Value>, String) -> Result<T, WireError>,
) -> Result<Vec<T>, WireError> {
    let Value::Array(values) = value else {
        return Err(wrong(at, "an array", Some(&value)));
    };
    let item = |(index, value)| {
        let at = format!("{at}[{index}]");
        match value {
            Value::Object(fields) => read(fields, at),
            other => Err(wrong(&at, "an object", Some(&other))),
        }
    };
    values.into_iter().enumerate().map(item).collect()
}

fn text(
    fields: &mut Map<String, Value>,
    field: &str,
    at: &str,
) -> Result<Option<String>, WireError> {
    match fields.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(at, "a string", Some(&other))),
    }
}

fn wrong(at: &str, expected: &'static str, found: Option<&Value>) -> WireError {
    WireError::Field {
        at: at.to_owned(),
        expected,
        found: found.map_or("nothing", kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_keep_their_numbers() {
        let read = Message::read(
            r#"{"calls":[{"name":"f","arguments":{"n":1.10,"m":18446744073709551616}}],"content":"hi"}"#,
        );
        let Ok(Message::Calls { calls, content }) = read else {
            panic!("{read:?}")
        };
        assert_eq!(calls[0].arguments, r#"{"n":1.10,"m":18446744073709551616}"#);
        assert_eq!(content, "hi");
    }

    #[test]
    fn an_error_is_a_failed_result() {
        let read = Message::read(
            r#"{"results":[{"name":"f","error":"no such file"},{"name":"g","result":{"a":1}}]}"#,
        );
        let Ok(Message::Results(results)) = read else {
            panic!("{read:?}")
        };
        assert_eq!(
            (results[0].text.as_str(), results[0].failed),
            ("no such file", true)
        );
        assert_eq!(
            (results[1].text.as_str(), results[1].failed),
            (r#"{"a":1}"#, false)
        );
    }

    #[test]
    fn errors_say_where() {
        let error = |text| {
            Message::read(text)
                .expect_err("it is no message")
                .to_string()
        };
        assert_eq!(
            error(r#"{"calls":[{"arguments":{}}]}"#),
            "`calls[0].name` must be a string, found nothing"
        );
        assert_eq!(
            error(r#"{"calls":[{"name":"f","arguments":[]}]}"#),
            "`calls[0].arguments` must be an object, found an array"
        );
        assert_eq!(error("{}"), "expected either `calls` or `results`");
    }
}
