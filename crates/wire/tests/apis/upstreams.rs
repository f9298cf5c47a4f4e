//! The answers of upstreams, in any pieces.

use std::fmt::Write;

use toolglot_value::{Value, json};
use toolglot_wire::{
    Answer, AnswerHead, Api, Emission, FinishReason, UpstreamError, UpstreamEvent, UpstreamReader,
};

use crate::answers::request;
use crate::clients::fold;

/// The events of a stream, one per line, and how it ended.
fn read(bytes: &[u8], n_bytes: usize) -> (String, Result<FinishReason, UpstreamError>) {
    let mut lines = String::new();
    let mut sink = |event: UpstreamEvent<'_>| {
        let _ = match event {
            UpstreamEvent::Text(text) => write!(lines, "text {text:?} "),
            UpstreamEvent::Reasoning(text) => write!(lines, "reasoning {text:?} "),
            UpstreamEvent::CallStart { call, name, .. } => write!(lines, "{call}:{name}("),
            UpstreamEvent::Arguments { json, .. } => write!(lines, "{json}"),
            UpstreamEvent::CallEnd { end, .. } => write!(lines, ") {end:?} "),
            _ => unreachable!(),
        };
    };
    let mut reader = UpstreamReader::new();
    for piece in bytes.chunks(n_bytes) {
        if let Err(error) = reader.push(piece, &mut sink) {
            return (lines, Err(error));
        }
    }
    let ending = reader.finish(&mut sink);
    (lines, ending.map(|ending| ending.reason))
}

fn stream(deltas: &[&str], reason: &str) -> String {
    let mut stream = String::new();
    for delta in deltas {
        let _ = write!(
            stream,
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"
        );
    }
    stream
        + &format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":{reason:?}}}]}}\n\ndata: [DONE]\n\n"
        )
}

#[test]
fn streams_are_read_in_any_pieces() {
    let cases: &[(&[&str], &str, &str)] = &[
        (
            &[
                r#"{"role":"assistant","content":null}"#,
                r#"{"content":"a"}"#,
                r#"{"reasoning":"b"}"#,
                r#"{"reasoning_content":"c"}"#,
            ],
            "stop",
            r#"text "a" reasoning "b" reasoning "c" "#,
        ),
        (
            &[
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":""}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}"#,
            ],
            "tool_calls",
            r#"0:f({"a":1}) Closed "#,
        ),
        // The pieces of two calls alternate.
        (
            &[
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{"}},{"index":1,"id":"y","function":{"name":"g","arguments":"{\"b\":"}}]}"#,
                r#"{"tool_calls":[{"index":1,"function":{"arguments":"2}"}},{"index":0,"function":{"arguments":"}"}}]}"#,
            ],
            "tool_calls",
            r#"0:f({}) Closed 1:g({"b":2}) Closed "#,
        ),
        // Without an index, or with one that is always 0.
        (
            &[
                r#"{"tool_calls":[{"id":"x","function":{"name":"f","arguments":"{}"}},{"id":"y","function":{"name":"f","arguments":{"c":3}}}]}"#,
            ],
            "tool_calls",
            r#"0:f({}) Closed 1:f({"c":3}) Closed "#,
        ),
        (
            &[
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}"#,
                r#"{"tool_calls":[{"index":0,"id":"y","function":{"name":"g","arguments":"{}"}}]}"#,
            ],
            "tool_calls",
            "0:f({}) Closed 1:g({}) Closed ",
        ),
        // The name is in each piece.
        (
            &[
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{"}}]}"#,
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"}"}}]}"#,
            ],
            "tool_calls",
            "0:f({}) Closed ",
        ),
        // The name is in a piece after the call has ended.
        (
            &[
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a\":1}"}},{"index":1,"id":"y","function":{"name":"g","arguments":"{}"}}]}"#,
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":""}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"arguments":" "}}]}"#,
                r#"{"tool_calls":[{"index":1,"id":"y","function":{"name":"g","arguments":""}}]}"#,
            ],
            "tool_calls",
            r#"0:f({"a":1}) Closed 1:g({}) Closed "#,
        ),
        (
            &[
                r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}"#,
            ],
            "tool_calls",
            r#"0:f({"a":1}) Closed "#,
        ),
        // Every call has index 0, and none has an id.
        (
            &[
                r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":2}"}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"name":"g"}}]}"#,
            ],
            "tool_calls",
            r#"0:f({"a":1}) Closed 1:f({"a":2}) Closed 2:g({}) Closed "#,
        ),
        // Every call has the same id.
        (
            &[
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"x","function":{"name":"g","arguments":"{}"}},{"index":2,"id":"x","function":{"name":"h","arguments":"{}"}}]}"#,
            ],
            "tool_calls",
            "0:f({}) Closed 1:g({}) Closed 2:h({}) Closed ",
        ),
        // Missing arguments mean none; a truncated call, or one without an object, is not a call.
        (
            &[r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f"}}]}"#],
            "tool_calls",
            "0:f({}) Closed ",
        ),
        (
            &[r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f"}}]}"#],
            "length",
            "0:f() Truncated ",
        ),
        (
            &[r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f"}}]}"#],
            "content_filter",
            "0:f() Truncated ",
        ),
        (
            &[r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f"}}]}"#],
            "a reason of tomorrow",
            "0:f() Truncated ",
        ),
        (
            &[
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a\":1}{\"a\":1}"}}]}"#,
            ],
            "tool_calls",
            r#"0:f({"a":1}{"a":1}) Truncated "#,
        ),
        (
            &[r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"[1]"}}]}"#],
            "tool_calls",
            "0:f([1]) Truncated ",
        ),
    ];
    for (deltas, reason, expected) in cases {
        let stream = stream(deltas, reason);
        for text in [
            stream.clone(),
            stream.replace('\n', "\r\n"),
            stream.replace('\n', "\r"),
        ] {
            for n_bytes in [1, 7, text.len()] {
                let (lines, ending) = read(text.as_bytes(), n_bytes);
                assert_eq!(lines, *expected, "{n_bytes}: {text}");
                assert!(ending.is_ok());
            }
        }
    }
}

#[test]
fn what_is_no_answer_is_an_error() {
    let whole = stream(&[r#"{"content":"a"}"#], "stop");
    let half = whole
        .split("data: {\"choices\":[{\"index\":0,\"delta\":{},")
        .next();
    let half = half.expect("the start");
    for (bytes, message) in [
        (half.as_bytes().to_vec(), "ended before its answer did"),
        ([half.as_bytes(), b"data: \xff\n\n"].concat(), "not UTF-8"),
        (
            format!("{half}data: nonsense\n\n").into_bytes(),
            "not a chunk of an answer: nonsense",
        ),
        (
            format!("{half}data: [{{\"a\":1}}]\n\n").into_bytes(),
            "not a chunk of an answer",
        ),
        (
            format!("{half}data: {{\"choices\":1}}\n\n").into_bytes(),
            "not a chunk of an answer",
        ),
        (
            stream(&[r#"{"content":"a"}"#], "abort").into_bytes(),
            "it stopped the answer: abort",
        ),
        (
            format!("{whole}data: [DONE]\n\n").into_bytes(),
            "more after `[DONE]`",
        ),
        (
            format!("{half}data: {{\"error\":{{\"message\":\"out of memory\"}}}}\n\n").into_bytes(),
            "reports an error: out of memory",
        ),
        (
            format!("{half}error: {{\"code\":500,\"message\":\"no slot\"}}\n\n").into_bytes(),
            "reports an error: no slot",
        ),
        (
            format!("{half}data: {}\n\n", "é".repeat(1000)).into_bytes(),
            &format!("{}..", "é".repeat(200)),
        ),
    ] {
        for n_bytes in [1, bytes.len()] {
            let (lines, ending) = read(&bytes, n_bytes);
            assert_eq!(lines, "text \"a\" ");
            let error = ending.expect_err("it is no answer").to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}

#[test]
fn events_of_other_kinds_are_skipped() {
    let whole = stream(&[r#"{"content":"a"}"#, r#"{"content":"b"}"#], "stop");
    let (start, end) = whole.split_once("\n\n").expect("two events");
    for event in ["{}", r#"{"type":"ping"}"#, r#"{"choices":null,"usage":{}}"#] {
        let stream = format!("{start}\n\ndata: {event}\n\n{end}");
        let (lines, reason) = read(stream.as_bytes(), 3);
        let expected = (r#"text "a" text "b" "#, Ok(FinishReason::Stop));
        assert_eq!((lines.as_str(), reason), expected, "{event}");
    }
}

#[test]
fn an_answer_that_gives_no_reason_may_have_been_cut_off() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n";
    let (_, reason) = read(stream.as_bytes(), 9);
    let reason = reason.expect("an answer");
    assert_eq!(reason, FinishReason::Unknown);
    assert_eq!(reason.finish(), toolglot_engine::Finish::Unknown);
}

#[test]
fn whole_answers_and_completions_are_read() {
    let mut text = String::new();
    let body = br#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"length","stop_reason":"END"}],
        "usage":{"prompt_tokens":1},"system_fingerprint":"fp","timings":{"ms":1}}"#;
    let ending = UpstreamReader::whole(body, &mut |event| {
        let _ = write!(text, "{event:?}");
    });
    let ending = ending.expect("an answer");
    assert_eq!(text, r#"Text("hi")"#);
    assert_eq!(ending.reason, FinishReason::Length);
    assert_eq!(ending.stop_sequence.as_deref(), Some("END"));
    assert_eq!(ending.usage, Some(json!({"prompt_tokens": 1})));
    assert_eq!(ending.other["timings"], json!({"ms": 1}));

    let stream = "data: {\"content\":\"a\",\"stop\":false}\n\ndata: {\"content\":\"\",\"stop\":true,\"stop_type\":\"limit\",\"tokens_evaluated\":3,\"tokens_predicted\":2}\n\n";
    let (lines, reason) = read(stream.as_bytes(), 5);
    assert_eq!(
        (lines.as_str(), reason),
        ("text \"a\" ", Ok(FinishReason::Length))
    );

    // The last chunk of llama.cpp contains the whole request.
    let last = br#"{"content":"a","stop":true,"stop_type":"eos","prompt":"SECRET","generation_settings":{"seed":1},"timings":{"ms":1}}"#;
    let ending = UpstreamReader::whole(last, &mut |_| ()).expect("an answer");
    assert_eq!(Value::Object(ending.other), json!({"timings": {"ms": 1}}));
}

#[test]
fn native_calls_go_to_clients_of_every_api() {
    let stream = stream(
        &[
            r#"{"reasoning_content":"hm"}"#,
            r#"{"content":"a"}"#,
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a\":"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":1,"id":"x","function":{"name":"g","arguments":"{}"}}]}"#,
        ],
        "tool_calls",
    );
    for api in Api::ALL {
        for mut filter in [Emission::Atomic, Emission::Stream] {
            let request = request(api, true, json!({}));
            let mut answer = Answer::new(&request, AnswerHead::default());
            let mut out = Vec::new();
            let mut reader = UpstreamReader::new();
            let mut sink = |event: UpstreamEvent<'_>| {
                answer.push_upstream(&event, &mut filter, &mut out);
            };
            reader.push(stream.as_bytes(), &mut sink).expect("chunks");
            let ending = reader.finish(&mut sink).expect("an end");
            answer.finish(ending, &mut filter, &mut out);
            assert_eq!(answer.n_calls(), 2);
            let whole = fold(api, &out);
            let text = whole.to_string();
            assert!(text.contains("hm") && !text.contains("\"x\""), "{text}");
        }
    }
}

#[test]
fn arguments_that_are_no_object_are_no_call() {
    let stream = stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a\": nonsense"}}]}"#,
        ],
        "tool_calls",
    );
    for api in Api::ALL {
        let request = request(api, false, json!({}));
        let mut answer = Answer::new(&request, AnswerHead::default());
        let (mut filter, mut out) = (Emission::Atomic, Vec::new());
        let mut reader = UpstreamReader::new();
        let mut sink = |event: UpstreamEvent<'_>| {
            answer.push_upstream(&event, &mut filter, &mut out);
        };
        reader.push(stream.as_bytes(), &mut sink).expect("chunks");
        let ending = reader.finish(&mut sink).expect("an end");
        answer.finish(ending, &mut filter, &mut out);
        let whole = answer.whole().to_string();
        assert!(
            !whole.contains("nonsense") && !whole.contains("\"f\""),
            "{whole}"
        );
        let cut = ["\"length\"", "\"max_output_tokens\"", "\"max_tokens\""];
        assert!(cut.iter().any(|word| whole.contains(word)), "{whole}");
    }
}
