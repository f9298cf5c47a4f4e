//! The texts of models, and the answers of each API.

use std::sync::Arc;

use toolglot_engine::{Dialect, End, Event, Finish, Input, Limits, Parser, Program, Span, ToolSet};
use toolglot_value::{Value, json};
use toolglot_wire::{
    Answer, AnswerHead, Api, ApiError, CallFilter, CompleteCall, Decision, Emission, Ending,
    ErrorKind, FinishReason, Request,
};

use crate::case::{self, Block};
use crate::clients;

/// A parser for texts.
pub(crate) struct Model {
    program: Arc<Program>,
}

impl Model {
    pub(crate) fn new<'d>(
        dialects: impl IntoIterator<Item = &'d Dialect>,
        tools: &ToolSet,
    ) -> Model {
        let program = Program::compile(dialects, tools, Limits::default());
        Model {
            program: Arc::new(program.expect("the dialect has a program")),
        }
    }

    /// The answer to a request, from these pieces.
    pub(crate) fn answer<'t>(
        &self,
        request: &Request,
        pieces: impl IntoIterator<Item = &'t str>,
        finish: Finish,
        filter: &mut dyn CallFilter,
    ) -> (Answer, Vec<u8>) {
        let head = AnswerHead {
            seed: b"seed",
            created: 1_700_000_000,
            model: None,
        };
        let mut answer = Answer::new(request, head);
        let mut out = Vec::new();
        let mut parser = Parser::new(Arc::clone(&self.program));
        let mut sink = |_: Span, event: Event<'_>| answer.push(&event, filter, &mut out);
        for piece in pieces {
            parser.push(Input::Text(piece), &mut sink);
        }
        parser.finish(finish, &mut sink);
        let ending = Ending {
            reason: match finish {
                Finish::Length => FinishReason::Length,
                _ => FinishReason::Stop,
            },
            usage: Some(json!({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14})),
            ..Ending::default()
        };
        answer.finish(ending, filter, &mut out);
        (answer, out)
    }
}

/// A request of an API, with these fields besides the required ones.
pub(crate) fn request(api: Api, is_stream: bool, fields: Value) -> Request {
    let user = json!([{"role": "user", "content": "hi"}]);
    let mut body = match api {
        Api::Chat => {
            json!({"model": "m", "messages": user, "stream_options": {"include_usage": true}})
        }
        Api::Responses => json!({"model": "m", "input": user}),
        Api::Messages => json!({"model": "m", "messages": user, "max_tokens": 100}),
    };
    let Value::Object(body) = &mut body else {
        unreachable!()
    };
    body.insert("stream".to_owned(), json!(is_stream));
    if let Value::Object(fields) = fields {
        body.extend(fields);
    }
    let body = Value::Object(body.clone()).to_string();
    Request::read(api, body.as_bytes()).expect("a request")
}

/// Ids without the parts that differ between runs.
fn shown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['_', '-']) {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let hex = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        rest = if hex == 24 {
            out.push_str(after[..8].trim_start_matches('0'));
            out.push('#');
            &after[24..]
        } else {
            after
        };
    }
    out + rest
}

#[test]
fn texts_become_answers() {
    case::check("answers", |blocks: &[Block]| {
        let mut fields = json!({});
        let mut dialect = "hermes".to_owned();
        let (mut finish, mut emission) = (Finish::Stop, Emission::Atomic);
        let mut text = "";
        let mut texts = Vec::new();
        for block in blocks {
            let words: Vec<&str> = block.words.iter().map(String::as_str).collect();
            texts.push(match words.as_slice() {
                ["fields"] => {
                    fields = toolglot_value::from_str(&block.text).expect("JSON");
                    block.text.clone()
                }
                ["text", name, settings @ ..] => {
                    dialect = (*name).to_owned();
                    finish = if settings.contains(&"length") {
                        Finish::Length
                    } else {
                        Finish::Stop
                    };
                    emission = if settings.contains(&"stream") {
                        Emission::Stream
                    } else {
                        Emission::Atomic
                    };
                    text = block.text.strip_suffix('\n').expect("a line break");
                    block.text.clone()
                }
                [form @ ("stream" | "whole"), api] => {
                    let api = Api::ALL
                        .into_iter()
                        .find(|one| one.name() == *api)
                        .expect("an API");
                    let request = request(api, *form == "stream", fields.clone());
                    let dialect = toolglot_dialects::get(&dialect).expect("a dialect");
                    let model = Model::new([dialect], &request.tools().tool_set());
                    let (answer, out) =
                        model.answer(&request, [text], finish, &mut emission.clone());
                    let shown = shown(&match *form {
                        "stream" => String::from_utf8(out).expect("UTF-8"),
                        _ => serde_json::to_string_pretty(&answer.whole()).expect("JSON"),
                    });
                    shown.trim_end().to_owned() + "\n"
                }
                _ => block.text.clone(),
            });
        }
        texts
    });
}

/// A filter that converts recovered calls to text.
struct Cautious;

impl CallFilter for Cautious {
    fn streams(&mut self, _: &str) -> bool {
        false
    }

    fn decide(&mut self, call: &CompleteCall<'_>) -> Decision {
        match call.end {
            End::Closed => Decision::Send,
            _ => Decision::Text(format!("[{} {}]", call.name, call.arguments)),
        }
    }
}

#[test]
fn a_filter_decides_what_becomes_of_a_call() {
    let hermes = toolglot_dialects::get("hermes").expect("it is built in");
    let request = request(Api::Chat, false, json!({}));
    let model = Model::new([hermes], &ToolSet::default());
    let text = "a <tool_call>{\"name\": \"f\", \"arguments\": {\"x\": 1, \"x\": 2}}</tool_call>";
    let (answer, _) = model.answer(&request, [text], Finish::Stop, &mut Cautious);
    let message = &answer.whole()["choices"][0]["message"];
    assert_eq!(message["content"], "a [f {\"x\": 1, \"x\": 2}]");
    let (answer, _) = model.answer(&request, [text], Finish::Stop, &mut Emission::Atomic);
    let whole = answer.whole();
    let call = &whole["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], r#"{"x":2}"#);
}

#[test]
fn an_error_ends_a_stream_in_the_words_of_its_api() {
    for (api, last) in [
        (
            Api::Chat,
            r#"data: {"error":{"message":"gone","type":"server_error"}}"#,
        ),
        (
            Api::Messages,
            r#"data: {"type":"error","error":{"type":"api_error","message":"gone"}}"#,
        ),
    ] {
        let mut answer = Answer::new(&request(api, true, json!({})), AnswerHead::default());
        let mut out = Vec::new();
        answer.text("half", &mut out);
        answer.error(&ApiError::new(ErrorKind::Upstream, "gone"), &mut out);
        answer.error(&ApiError::new(ErrorKind::Upstream, "again"), &mut out);
        let out = String::from_utf8(out).expect("UTF-8");
        assert_eq!(out.trim_end().lines().last(), Some(last));
    }
    let request = request(Api::Responses, true, json!({}));
    let mut answer = Answer::new(&request, AnswerHead::default());
    let mut out = Vec::new();
    answer.text("half", &mut out);
    answer.error(&ApiError::new(ErrorKind::Upstream, "gone"), &mut out);
    let events = clients::events(&out);
    let kinds: Vec<&str> = events.iter().map(|(kind, _)| &**kind).collect();
    assert_eq!(kinds[kinds.len() - 2..], ["error", "response.failed"]);
}

#[test]
fn ids_differ_from_all_that_the_conversation_has() {
    let fields = json!({});
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let hermes = toolglot_dialects::get("hermes").expect("it is built in");
    let model = Model::new([hermes], &ToolSet::default());
    let id = |request: &Request| {
        let (answer, _) = model.answer(request, [text], Finish::Stop, &mut Emission::Atomic);
        let id = answer.whole()["choices"][0]["message"]["tool_calls"][0]["id"].clone();
        id.as_str().expect("an id").to_owned()
    };
    let first = id(&request(Api::Chat, false, fields));
    let call =
        json!({"id": first, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let messages = json!([
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": first, "content": "ok"}]);
    // The same seed, and a conversation that contains the id.
    let second = id(&request(Api::Chat, false, json!({"messages": messages})));
    assert_ne!(first, second);
}
