//! Clients as strict as the strictest real ones: they fold the frames of a stream into the whole answer.

use toolglot_value::{Map, Value, json};
use toolglot_wire::{Api, EventStream};

/// The events of a stream, each with its type.
pub(crate) fn events(bytes: &[u8]) -> Vec<(String, String)> {
    let mut events = Vec::new();
    let mut stream = EventStream::default();
    let read = stream.push(bytes, &mut |event| {
        events.push((event.kind.to_owned(), event.data.to_owned()));
        Ok(())
    });
    read.expect("events");
    assert_eq!(stream.held(), 0, "half an event");
    events
}

/// The whole answer of a stream.
pub(crate) fn fold(api: Api, bytes: &[u8]) -> Value {
    let events = events(bytes);
    match api {
        Api::Chat => chat(&events),
        Api::Responses => responses(&events),
        Api::Messages => messages(&events),
    }
}

fn parsed(data: &str) -> Value {
    toolglot_value::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"))
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("a string: {value}"))
}

fn add(fields: &mut Map, key: &str, piece: &str) {
    match fields.entry(key).or_insert(Value::from("")) {
        Value::String(before) => before.push_str(piece),
        other => panic!("{key} is {other}"),
    }
}

fn no_nulls(value: &Value, except: &[&str]) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                assert!(
                    !value.is_null() || except.contains(&&**key),
                    "{key} is null"
                );
                no_nulls(value, except);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| no_nulls(value, except)),
        _ => {}
    }
}

fn chat(events: &[(String, String)]) -> Value {
    let (last, events) = events.split_last().expect("events");
    assert_eq!(last.1, "[DONE]");
    let mut message = Map::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut reason: Option<String> = None;
    let mut whole: Option<Map> = None;
    for (kind, data) in events {
        assert_eq!(kind, "");
        let chunk = parsed(data);
        no_nulls(&chunk, &["finish_reason"]);
        assert_eq!(chunk["object"], "chat.completion.chunk");
        let Value::Object(mut fields) = chunk else {
            panic!("{data}")
        };
        let choices = fields.remove("choices").expect("choices");
        match &mut whole {
            None => whole = Some(fields),
            Some(whole) => {
                assert_eq!(whole["id"], fields["id"]);
                whole.extend(fields);
            }
        }
        let Some(choice) = choices.as_array().expect("a list").first() else {
            assert!(reason.is_some(), "the usage comes last");
            continue;
        };
        assert_eq!(choice["index"], 0);
        assert!(reason.is_none(), "nothing follows the reason: {data}");
        let delta = &choice["delta"];
        if message.is_empty() {
            assert_eq!(delta["role"], "assistant", "the first chunk has the role");
        }
        for (key, value) in delta.as_object().expect("a delta") {
            match &**key {
                "role" => {
                    assert!(message.insert(key.clone(), value.clone()).is_none());
                }
                "content" | "reasoning_content" => add(&mut message, key, text(value)),
                "tool_calls" => {
                    for call in value.as_array().expect("calls") {
                        chat_call(&mut calls, call);
                    }
                }
                other => panic!("{other}"),
            }
        }
        if !choice["finish_reason"].is_null() {
            assert_eq!(*delta, json!({}));
            reason = Some(text(&choice["finish_reason"]).to_owned());
        }
    }
    let reason = reason.expect("a reason");
    if reason == "length" {
        // A truncated call is not a call.
        calls.retain(|call| is_whole(&call["function"]["arguments"]));
    }
    if !message.contains_key("content") {
        let content = if calls.is_empty() {
            json!("")
        } else {
            Value::Null
        };
        message.insert("content".to_owned(), content);
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    let mut whole = whole.expect("a chunk");
    whole.insert("object".to_owned(), json!("chat.completion"));
    let choice = json!({"index": 0, "message": message, "finish_reason": reason});
    whole.insert("choices".to_owned(), json!([choice]));
    Value::Object(whole)
}

fn is_whole(arguments: &Value) -> bool {
    arguments.as_str().is_none_or(toolglot_value::is_json)
}

fn chat_call(calls: &mut Vec<Value>, call: &Value) {
    let index = call["index"].as_u64().expect("an index") as usize;
    if index == calls.len() {
        let mut fields = call.as_object().expect("a call").clone();
        fields.remove("index");
        let kind = text(&call["type"]).to_owned();
        assert!(text(&call["id"]).starts_with("call_"));
        assert!(!text(&call[&*kind]["name"]).is_empty());
        let body = if kind == "custom" {
            "input"
        } else {
            "arguments"
        };
        assert_eq!(call[&*kind][body], "", "the name comes first");
        calls.push(Value::Object(fields));
        return;
    }
    assert_eq!(index + 1, calls.len(), "dense, and one call after another");
    let known = calls.last_mut().expect("a call");
    let kind = text(&known["type"]).to_owned();
    let body = if kind == "custom" {
        "input"
    } else {
        "arguments"
    };
    let piece = text(&call[&*kind][body]).to_owned();
    assert_eq!(
        *call,
        json!({"index": index, (kind.as_str()): {body: piece.as_str()}})
    );
    let fields = known[&*kind].as_object_mut().expect("a function");
    add(fields, body, &piece);
}

fn responses(events: &[(String, String)]) -> Value {
    let mut output: Vec<Value> = Vec::new();
    let mut open: Option<(u64, Value)> = None;
    let mut last: Option<Value> = None;
    for (n, (kind, data)) in events.iter().enumerate() {
        assert!(last.is_none(), "nothing follows the last event: {data}");
        let event = parsed(data);
        no_nulls(&event, &[]);
        assert_eq!(event["type"], kind.as_str());
        assert_eq!(event["sequence_number"], n as u64);
        let place = event["output_index"].as_u64();
        match (n, kind.as_str()) {
            (0, "response.created") | (1, "response.in_progress") => {
                assert_eq!(event["response"]["status"], "in_progress");
                continue;
            }
            (_, "response.output_item.added") => {
                // A truncated item has no end.
                let before = open
                    .as_ref()
                    .map_or(output.len() as u64, |(place, _)| place + 1);
                assert!(place >= Some(before), "dense: {data}");
                assert_eq!(event["item"]["status"], "in_progress");
                open = Some((place.expect("a place"), event["item"].clone()));
                continue;
            }
            (_, "response.completed" | "response.incomplete") => {
                last = Some(event["response"].clone());
                continue;
            }
            _ => {}
        }
        let (at, item) = open.as_mut().expect("an item is open");
        assert_eq!(place, Some(*at));
        let id = item["id"].clone();
        if kind != "response.output_item.done" {
            assert_eq!(event["item_id"], id);
        }
        match kind.as_str() {
            "response.content_part.added" => item["content"] = json!([event["part"]]),
            "response.output_text.delta" | "response.reasoning_text.delta" => {
                let part = item["content"][0].as_object_mut().expect("a part");
                add(part, "text", text(&event["delta"]));
            }
            "response.output_text.done" | "response.reasoning_text.done" => {
                assert_eq!(item["content"][0]["text"], event["text"]);
            }
            "response.content_part.done" => assert_eq!(item["content"][0], event["part"]),
            "response.function_call_arguments.delta" => {
                let item = item.as_object_mut().expect("an item");
                add(item, "arguments", text(&event["delta"]));
            }
            "response.custom_tool_call_input.delta" => {
                let item = item.as_object_mut().expect("an item");
                add(item, "input", text(&event["delta"]));
            }
            "response.function_call_arguments.done" => {
                assert_eq!(item["arguments"], event["arguments"]);
                assert_eq!(item["name"], event["name"]);
            }
            "response.custom_tool_call_input.done" => assert_eq!(item["input"], event["input"]),
            "response.output_item.done" => {
                item["status"] = json!("completed");
                assert_eq!(*item, event["item"]);
                output.push(item.clone());
                open = None;
            }
            other => panic!("{other}"),
        }
    }
    let last = last.expect("the last event");
    assert_eq!(last["output"], Value::Array(output));
    last
}

fn messages(events: &[(String, String)]) -> Value {
    let mut message = Map::new();
    let mut content: Vec<Value> = Vec::new();
    let mut open: Option<(u64, Value, String)> = None;
    let mut n_blocks = 0;
    let mut is_over = false;
    for (n, (kind, data)) in events.iter().enumerate() {
        assert!(!is_over, "nothing follows the end: {data}");
        let event = parsed(data);
        no_nulls(&event, &["stop_reason", "stop_sequence"]);
        assert_eq!(event["type"], kind.as_str());
        match kind.as_str() {
            "message_start" => {
                assert_eq!(n, 0);
                message = event["message"].as_object().expect("a message").clone();
            }
            "content_block_start" => {
                assert_eq!(event["index"], n_blocks, "dense");
                n_blocks += 1;
                let block = event["content_block"].clone();
                open = Some((n_blocks - 1, block, String::new()));
            }
            "content_block_delta" => {
                let (at, block, json) = open.as_mut().expect("a block is open");
                assert_eq!(event["index"], *at);
                let delta = &event["delta"];
                match text(&delta["type"]) {
                    "text_delta" => {
                        let block = block.as_object_mut().expect("a block");
                        add(block, "text", text(&delta["text"]));
                    }
                    "thinking_delta" => {
                        let block = block.as_object_mut().expect("a block");
                        add(block, "thinking", text(&delta["thinking"]));
                    }
                    "input_json_delta" => json.push_str(text(&delta["partial_json"])),
                    other => panic!("{other}"),
                }
            }
            "content_block_stop" => {
                let (at, mut block, json) = open.take().expect("a block is open");
                assert_eq!(event["index"], at);
                if block["type"] == "tool_use" {
                    assert!(text(&block["id"]).starts_with("toolu_"));
                    assert_eq!(block["input"], json!({}));
                    block["input"] = parsed(&json);
                }
                content.push(block);
            }
            "message_delta" => {
                for part in ["delta", "usage"] {
                    let fields = event[part].as_object().expect("an object").clone();
                    if part == "delta" {
                        message.extend(fields);
                    } else {
                        message.insert("usage".to_owned(), Value::Object(fields));
                    }
                }
                for (key, value) in event.as_object().expect("an object") {
                    if !["type", "delta", "usage"].contains(&&**key) {
                        message.insert(key.clone(), value.clone());
                    }
                }
            }
            "message_stop" => is_over = true,
            other => panic!("{other}"),
        }
    }
    assert!(is_over);
    message.insert("content".to_owned(), Value::Array(content));
    Value::Object(message)
}
