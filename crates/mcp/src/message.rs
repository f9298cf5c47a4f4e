//! Messages of JSON-RPC 2.0, as MCP uses it: one at a time, with case-sensitive keys.

use toolglot_value::{Map, Value, json};

pub use crate::once::read_once;

/// An error of JSON-RPC.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// One of the codes below, or one that the sender defines.
    pub code: i64,
    /// One line.
    pub message: String,
    /// Further details.
    pub data: Option<Box<Value>>,
}

/// The received text is not JSON.
pub const PARSE: i64 = -32_700;
/// The JSON is not a request.
pub const REQUEST: i64 = -32_600;
/// There is no such method.
pub const METHOD: i64 = -32_601;
/// The parameters do not fit.
pub const PARAMS: i64 = -32_602;
/// There is no such resource.
pub const NO_RESOURCE: i64 = -32_002;
/// An internal error.
pub const INTERNAL: i64 = -32_603;

impl Fault {
    /// A fault without data.
    pub fn new(code: i64, message: impl Into<String>) -> Fault {
        Fault {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Reads the `error` of a response.
    pub fn read(error: &Value) -> Fault {
        Fault {
            code: error["code"].as_i64().unwrap_or(INTERNAL),
            message: error["message"].as_str().unwrap_or("no message").to_owned(),
            data: error.get("data").cloned().map(Box::new),
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A message that needs a response.
    Request {
        /// A string or a number.
        id: Value,
        /// The requested method.
        method: String,
        /// An object; empty where none was sent.
        params: Map<String, Value>,
    },
    /// A message that needs no response.
    Notification {
        /// The event.
        method: String,
        /// An object; empty where none was sent.
        params: Map<String, Value>,
    },
    /// The response to a request.
    Response {
        /// The id of the request; `null` if it could not be read.
        id: Value,
        /// The outcome.
        result: Result<Value, Fault>,
    },
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// The fault, with the message's id as far as there is one. Keys are case-sensitive, so a message that only a
    /// lenient reader understands is invalid here.
    pub fn read(value: Value) -> Result<Message, (Value, Fault)> {
        let Value::Object(mut map) = value else {
            let what = if value.is_array() {
                "batches are part of revision 2025-03-26 only"
            } else {
                "a message is an object"
            };
            return Err((Value::Null, Fault::new(REQUEST, what)));
        };
        let id = map.shift_remove("id");
        let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
        let known = id.clone().filter(is_id).unwrap_or_default();
        let bad = |why: &str| Err((known.clone(), Fault::new(REQUEST, why)));
        if map.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return bad("`jsonrpc` is not \"2.0\"");
        }
        if let Some(method) = map.get("method") {
            let Some(method) = method.as_str().map(str::to_owned) else {
                return bad("`method` is not a string");
            };
            let params = match map.shift_remove("params") {
                None => Map::new(),
                Some(Value::Object(params)) => params,
                Some(_) => {
                    return Err((known, Fault::new(PARAMS, "`params` is not an object")));
                }
            };
            return match id {
                None => Ok(Message::Notification { method, params }),
                Some(id) if is_id(&id) => Ok(Message::Request { id, method, params }),
                Some(_) => bad("`id` is neither a string nor a whole number"),
            };
        }
        let id = id.unwrap_or_default();
        match (map.shift_remove("result"), map.shift_remove("error")) {
            (Some(result), None) => Ok(Message::Response {
                id,
                result: Ok(result),
            }),
            (None, Some(error)) => Ok(Message::Response {
                id,
                result: Err(Fault::read(&error)),
            }),
            (Some(_), Some(_)) => bad("a response has a `result` or an `error`, and not both"),
            (None, None) => bad("a message has a `method`, a `result` or an `error`"),
        }
    }

    /// The message in its wire form.
    pub fn write(&self) -> Value {
        match self {
            Message::Request { id, method, params } => {
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            }
            Message::Notification { method, params } if params.is_empty() => {
                json!({"jsonrpc": "2.0", "method": method})
            }
            Message::Notification { method, params } => {
                json!({"jsonrpc": "2.0", "method": method, "params": params})
            }
            Message::Response { id, result } => match result {
                Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Err(fault) => {
                    let mut error = json!({"code": fault.code, "message": fault.message});
                    if let Some(data) = &fault.data {
                        error["data"] = Value::clone(data);
                    }
                    json!({"jsonrpc": "2.0", "id": id, "error": error})
                }
            },
        }
    }

    /// A notification.
    pub fn notification(method: &str, params: Value) -> Message {
        let params = match params {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        Message::Notification {
            method: method.to_owned(),
            params,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_what_their_keys_say_exactly() {
        for (text, is_read) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, true),
            (r#"{"jsonrpc":"2.0","id":"a","result":{}}"#, true),
            (r#"{"jsonrpc":"2.0","method":"x","params":{"a":1}}"#, true),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#,
                true,
            ),
            (r#"{"id":1,"method":"ping"}"#, false),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, false),
            (r#"{"jsonrpc":"2.0","id":1,"Method":"ping"}"#, false),
            (r#"{"jsonrpc":"2.0","id":1,"Result":{}}"#, false),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, false),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, false),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#,
                false,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, false),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, false),
            ("7", false),
        ] {
            let value: Value = toolglot_value::from_str(text).expect(text);
            let read = Message::read(value.clone());
            assert_eq!(read.is_ok(), is_read, "{text}");
            if let Ok(Message::Request { id, method, .. }) = read {
                assert_eq!((&id, method.as_str()), (&value["id"], "ping"));
            }
        }
        // A duplicate key in another letter case changes nothing.
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1},"Params":{"a":2}}"#;
        let Ok(Message::Request { params, .. }) =
            Message::read(serde_json::from_str(text).expect(text))
        else {
            panic!("it is a request");
        };
        assert_eq!(params["a"], 1);
    }
}
