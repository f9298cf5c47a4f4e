//! Reads conversations of other APIs as chat messages: Anthropic's blocks, items of OpenAI's Responses, Gemini's parts,
//! ShareGPT.
//!
//! Each message is recognized by its own fields, so a list may mix APIs. An unknown message is unchanged, with a
//! reason.

use toolglot_value::{Map, Value, json};

use super::{freeform, structured};
use crate::WireError;

/// The keys of the list of messages in an object.
const LISTS: &[&str] = &["messages", "conversations", "contents", "input"];

/// A chat message, and the index of its source message.
#[derive(Debug)]
pub(crate) struct ChatMessage {
    pub(crate) at: usize,
    pub(crate) message: Value,
    /// Why the source is not a chat message; it is unchanged then.
    pub(crate) fault: Option<String>,
}

/// The list of messages: the document itself, or a field of [`LISTS`]; `None` if there is no list.
pub(super) fn list(document: &Value) -> Option<(Option<&'static str>, &Vec<Value>)> {
    match document {
        Value::Array(messages) => Some((None, messages)),
        Value::Object(fields) => LISTS.iter().find_map(|name| {
            let messages = fields.get(name)?.as_array()?;
            Some((Some(*name), messages))
        }),
        _ => None,
    }
}

/// The messages of a conversation.
///
/// # Errors
/// If there is no list, or one of its messages is not an object.
pub(super) fn objects(document: &Value) -> Result<&Vec<Value>, WireError> {
    let (name, messages) = list(document).ok_or(WireError::NoMessages)?;
    match messages.iter().position(|message| !message.is_object()) {
        Some(at) => Err(WireError::MessageNotObject {
            list: name.unwrap_or("messages"),
            at,
        }),
        None => Ok(messages),
    }
}

/// Whether a value is a message of any form.
pub(super) fn is_message(value: &Value) -> bool {
    let has = |key: &str| value[key].is_string();
    has("role") || (has("from") && has("value")) || has("type") && is_item(&value["type"])
}

fn is_item(kind: &Value) -> bool {
    let kinds = [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
    ];
    kind.as_str().is_some_and(|kind| kinds.contains(&kind))
}

/// The messages of any API as chat messages, in order.
pub(crate) fn chat(messages: &[Value]) -> Vec<ChatMessage> {
    let mut chat = Chat::default();
    for (at, message) in messages.iter().enumerate() {
        chat.at = at;
        if let Err(why) = chat.add(message) {
            chat.is_open = false;
            chat.messages.push(ChatMessage {
                at,
                message: message.clone(),
                fault: Some(why),
            });
        }
    }
    chat.messages
}

#[derive(Default)]
struct Chat {
    messages: Vec<ChatMessage>,
    at: usize,
    /// Whether the last message is the assistant's, and items of its turn may follow.
    is_open: bool,
}

impl Chat {
    fn add(&mut self, message: &Value) -> Result<(), String> {
        let is_bare = message["role"].is_null() && message["from"].is_null();
        if message["type"].is_string() && (is_bare || message["type"] == "message") {
            return self.item(message);
        }
        self.is_open = false;
        if let (Some(from), Value::String(text)) = (message["from"].as_str(), &message["value"]) {
            return self.share_gpt(message, from, text);
        }
        if message["role"].is_null() {
            return Err("it has no `role`".to_owned());
        }
        match (&message["parts"], &message["content"]) {
            (Value::Array(parts), Value::Null) => self.gemini(message, parts),
            (_, Value::Array(parts)) if parts.iter().any(is_block) => {
                self.anthropic(message, parts)
            }
            _ => {
                self.push(message.clone());
                Ok(())
            }
        }
    }

    fn push(&mut self, message: Value) {
        let at = self.at;
        self.messages.push(ChatMessage {
            at,
            message,
            fault: None,
        });
    }

    /// Adds an item of the Responses API. The items of a turn become one message.
    fn item(&mut self, item: &Value) -> Result<(), String> {
        match item["type"].as_str().unwrap_or_default() {
            "message" => {
                let mut fields = without(item, &["type", "id", "status"]);
                fields.insert("content".to_owned(), chat_content(&item["content"]));
                let is_open = item["role"] == "assistant";
                match self
                    .turn()
                    .filter(|turn| is_open && turn["content"].is_null())
                {
                    Some(turn) => turn["content"] = chat_content(&item["content"]),
                    None => self.push(Value::Object(fields)),
                }
                self.is_open = is_open;
            }
            "reasoning" => {
                let texts = [&item["content"], &item["summary"]].map(text_of);
                let text = texts.into_iter().find(|text| !text.is_empty());
                let text = text.ok_or("reasoning without a text")?;
                let is_reasoning =
                    |turn: &&mut Value| turn["content"].is_null() && turn["tool_calls"].is_null();
                match self.turn().filter(is_reasoning) {
                    Some(turn) => {
                        let before = turn["reasoning_content"].as_str().unwrap_or_default();
                        turn["reasoning_content"] = Value::String(format!("{before}\n\n{text}"));
                    }
                    None => self.start()["reasoning_content"] = Value::String(text),
                }
            }
            "function_call" => {
                let (Some(id), Some(name)) = (item["call_id"].as_str(), item["name"].as_str())
                else {
                    return Err("a `function_call` without `call_id` or `name`".to_owned());
                };
                let arguments = item["arguments"].as_str().unwrap_or("{}");
                add_call(self.open_turn(), structured(id, name, arguments));
            }
            "custom_tool_call" => {
                let fields = ["call_id", "name", "input"].map(|key| item[key].as_str());
                let [Some(id), Some(name), Some(input)] = fields else {
                    return Err(
                        "a `custom_tool_call` without `call_id`, `name` or `input`".to_owned()
                    );
                };
                add_call(self.open_turn(), freeform(id, name, input));
            }
            kind @ ("function_call_output" | "custom_tool_call_output") => {
                let id = item["call_id"].as_str();
                let id = id.ok_or_else(|| format!("a `{kind}` without `call_id`"))?;
                self.is_open = false;
                self.push(
                    json!({"role": "tool", "tool_call_id": id, "content": chat_content(&item["output"])}),
                );
            }
            kind => {
                return Err(format!(
                    "an item of the type `{kind}` is a form that is not read here"
                ));
            }
        }
        Ok(())
    }

    /// The assistant's message that can still get items.
    fn turn(&mut self) -> Option<&mut Value> {
        let is_open = self.is_open;
        let last = self.messages.last_mut().filter(|_| is_open)?;
        Some(&mut last.message)
    }

    /// A new message of the assistant.
    fn start(&mut self) -> &mut Value {
        self.push(json!({"role": "assistant", "content": null}));
        self.is_open = true;
        &mut self.messages.last_mut().expect("one was added").message
    }

    fn open_turn(&mut self) -> &mut Value {
        if self.is_open {
            &mut self
                .messages
                .last_mut()
                .expect("an open message is there")
                .message
        } else {
            self.start()
        }
    }

    /// `{"from":..,"value":..}`, as in ShareGPT data sets.
    fn share_gpt(&mut self, message: &Value, from: &str, text: &str) -> Result<(), String> {
        let mut fields = without(message, &["from", "value"]);
        let role = match from {
            "system" => "system",
            "human" | "user" => "user",
            "gpt" | "assistant" | "model" | "bot" | "chatgpt" | "function_call" => "assistant",
            "tool" | "observation" | "function" | "function_response" | "ipython" => "tool",
            other => return Err(format!("unknown role `{other}`")),
        };
        fields.insert("role".to_owned(), Value::from(role));
        fields.insert("content".to_owned(), Value::from(text));
        let mut converted = Value::Object(fields);
        if from == "function_call" {
            let calls = match toolglot_value::from_str(text) {
                Ok(Value::Array(calls)) => calls,
                Ok(call) => vec![call],
                Err(_) => Vec::new(),
            };
            for call in &calls {
                let (Some(name), Value::Object(arguments)) =
                    (call["name"].as_str(), &call["arguments"])
                else {
                    return Err("a call without a name or an object of arguments".to_owned());
                };
                converted["content"] = Value::Null;
                add_call(
                    &mut converted,
                    function(None, name, &Value::Object(arguments.clone())),
                );
            }
        }
        self.push(converted);
        Ok(())
    }

    /// Blocks of Anthropic's Messages: results come before other user content.
    fn anthropic(&mut self, message: &Value, parts: &[Value]) -> Result<(), String> {
        let mut converted = Value::Object(without(message, &[]));
        let (mut others, mut reasoning, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part["type"].as_str().unwrap_or_default() {
                "tool_use" => {
                    let (Some(name), input @ Value::Object(_)) =
                        (part["name"].as_str(), &part["input"])
                    else {
                        return Err("a `tool_use` without a name or an object".to_owned());
                    };
                    add_call(&mut converted, function(part["id"].as_str(), name, input));
                }
                "tool_result" => {
                    let id = part["tool_use_id"].as_str();
                    let id = id.ok_or("a `tool_result` without `tool_use_id`")?;
                    let content = chat_content(&part["content"]);
                    let content = if content.is_null() {
                        Value::from("")
                    } else {
                        content
                    };
                    let mut result =
                        json!({"role": "tool", "tool_call_id": id, "content": content});
                    if part["is_error"] == true {
                        result["is_error"] = Value::Bool(true);
                    }
                    results.push(result);
                }
                "thinking" => reasoning.push(part["thinking"].as_str().unwrap_or_default()),
                _ => others.push(part.clone()),
            }
        }
        self.parts(converted, results, &reasoning, others);
        Ok(())
    }

    /// Parts of Gemini's contents.
    fn gemini(&mut self, message: &Value, parts: &[Value]) -> Result<(), String> {
        let mut converted = Value::Object(without(message, &["parts"]));
        let (mut others, mut reasoning, mut results) = (Vec::new(), Vec::new(), Vec::new());
        let either =
            |part: &Value, names: [&str; 2]| names.iter().find_map(|name| part.get(*name).cloned());
        for part in parts {
            if let Some(call) = either(part, ["functionCall", "function_call"]) {
                let name = call["name"]
                    .as_str()
                    .ok_or("a `functionCall` without a name")?;
                add_call(
                    &mut converted,
                    function(call["id"].as_str(), name, &call["args"]),
                );
            } else if let Some(response) = either(part, ["functionResponse", "function_response"]) {
                results.push(gemini_result(&response)?);
            } else if let (Some(text), true) = (part["text"].as_str(), part["thought"] == true) {
                reasoning.push(text);
            } else if let Some(text) = part["text"].as_str() {
                others.push(json!({"type": "text", "text": text}));
            } else {
                others.push(part.clone());
            }
        }
        if converted["role"] == "model" {
            converted["role"] = Value::from("assistant");
        }
        self.parts(converted, results, &reasoning, others);
        Ok(())
    }

    /// Adds the parts of one message: results come before its other content.
    fn parts(
        &mut self,
        mut converted: Value,
        results: Vec<Value>,
        reasoning: &[&str],
        others: Vec<Value>,
    ) {
        let has_results = !results.is_empty();
        for result in results {
            self.push(result);
        }
        if !reasoning.is_empty() {
            converted["reasoning_content"] = Value::String(reasoning.join("\n\n"));
        }
        if !has_results || !others.is_empty() {
            converted["content"] = chat_content(&Value::Array(others));
            self.push(converted);
        }
    }
}

/// Whether a part is a call, a result or reasoning.
fn is_block(part: &Value) -> bool {
    let blocks = ["tool_use", "tool_result", "thinking"];
    part["type"]
        .as_str()
        .is_some_and(|kind| blocks.contains(&kind))
}

/// A function's answer is under `result` or `output`, an error under `error`; any other object is converted to JSON
/// text.
fn gemini_result(response: &Value) -> Result<Value, String> {
    let name = response["name"].as_str();
    let name = name.ok_or("a `functionResponse` without a name")?;
    let value = &response["response"];
    let only = value.as_object().filter(|fields| fields.len() == 1);
    let only = only.and_then(|fields| fields.iter().next());
    let (value, failed) = match only {
        Some((key, value)) if key == "error" => (value, true),
        Some((key, value)) if ["result", "output"].contains(&&**key) => (value, false),
        _ => (value, false),
    };
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let mut converted = json!({"role": "tool", "name": name, "content": text});
    if let Some(id) = response["id"].as_str() {
        converted["tool_call_id"] = Value::from(id);
    }
    if failed {
        converted["is_error"] = Value::Bool(true);
    }
    Ok(converted)
}

/// A content in the form of chat messages: texts joined, other parts in a list, nothing as `null`.
fn chat_content(content: &Value) -> Value {
    let Value::Array(parts) = content else {
        return content.clone();
    };
    if parts.is_empty() {
        return Value::Null;
    }
    if parts.iter().all(|part| part["text"].is_string()) {
        return Value::String(text_of(content));
    }
    let part = |part: &Value| match &part["text"] {
        Value::String(text) => json!({"type": "text", "text": text}),
        _ => part.clone(),
    };
    parts.iter().map(part).collect()
}

/// The texts of a list of parts, one after the other.
fn text_of(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

fn add_call(message: &mut Value, call: Value) {
    match &mut message["tool_calls"] {
        Value::Array(calls) => calls.push(call),
        none => *none = json!([call]),
    }
}

/// A call in the structured form, with its id if it has one.
fn function(id: Option<&str>, name: &str, arguments: &Value) -> Value {
    let arguments = match arguments {
        Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    };
    let mut call = structured(id.unwrap_or_default(), name, &arguments);
    if let (None, Value::Object(fields)) = (id, &mut call) {
        fields.remove("id");
    }
    call
}

fn without(message: &Value, left_out: &[&str]) -> Map<String, Value> {
    let mut fields = message.as_object().cloned().unwrap_or_default();
    fields.retain(|key, _| !left_out.contains(&&**key));
    fields
}
