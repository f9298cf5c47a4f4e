//! `doctor --upstream`: the configuration for each kind of server, as a file that `serve` takes.

use std::fs;

use toolglot_value::{Value, json};

use super::gateway::Gateway;
use super::upstream::{Upstream, completion};
use crate::cli::toolglot;

const CALL: &str = "<tool_call>\n{\"name\": \"toolglot_probe\", \"arguments\": {\"text\": \"hello\"}}\n</tool_call>";

/// A server whose models have this owner, with this script for all other requests.
fn upstream(
    owner: &str,
    script: impl Fn(&str, &Value) -> (u16, Value) + Send + Sync + 'static,
) -> Upstream {
    let owner = owner.to_owned();
    Upstream::new(move |path, body| match path {
        "/v1/models" => (200, json!({"data": [{"id": "m\"1", "owned_by": owner}]})),
        _ => script(path, body),
    })
}

/// An answer whose prompt has `n_tokens` tokens.
fn counted(text: &str, n_tokens: u64) -> Value {
    let mut answer = completion(text);
    answer["usage"]["prompt_tokens"] = Value::from(n_tokens);
    answer
}

/// The number of tokens in the prompt of a request: more with tools, if `tools_count`.
fn tokens(body: &Value, tools_count: bool) -> u64 {
    if tools_count && body.get("tools").is_some() {
        90
    } else {
        20
    }
}

#[test]
fn each_kind_of_server_gets_its_mode() {
    let native = |_: &str, _: &Value| {
        let function = json!({"name": "toolglot_probe", "arguments": "{\"text\":\"hello\"}"});
        let call = json!({"id": "x", "type": "function", "function": function});
        let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        (
            200,
            json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}),
        )
    };
    let template = |path: &str, _: &Value| match path {
        "/apply-template" => (
            200,
            json!({"prompt": "toolglot_probe <|im_start|>assistant\n<think>\n"}),
        ),
        _ => (500, json!({})),
    };
    for (name, upstream, found, said) in [
        (
            "vllm",
            upstream("vllm", |_, body| {
                (
                    200,
                    counted(&format!("Hm.\n</think>\n{CALL}"), tokens(body, true)),
                )
            }),
            "mode = \"raw\"\nreasoning-open = true\n",
            "the prompt has 90 tokens with a tool, and 20 without",
        ),
        (
            "vllm that leaves tools out",
            upstream("vllm", |_, body| (200, counted("Hi.", tokens(body, false)))),
            "mode = \"emulate\"\n",
            "the server ignores tools",
        ),
        (
            "llama.cpp",
            upstream("llamacpp", template),
            "mode = \"raw\"\n",
            "The prompt opens the reasoning",
        ),
        (
            "parses",
            upstream("library", native),
            "mode = \"recover\"\n",
            "The upstream parsed the call.",
        ),
        (
            "leaves calls in the text",
            upstream("sglang", |_, body| (200, counted(CALL, tokens(body, true)))),
            "mode = \"recover\"\n# Its calls are read without this line. With it, no other dialect is read:\n# dialect = \"hermes\"\n",
            "a call, in the dialect `hermes`",
        ),
        (
            "a model that does not want to",
            upstream("sglang", |_, body| {
                (200, counted("No.", tokens(body, true)))
            }),
            "mode = \"recover\"\n",
            "so the model wrote none",
        ),
        (
            "ignores",
            upstream("me", |_, body| (200, counted("Hi.", tokens(body, false)))),
            "mode = \"emulate\"\n",
            "the server ignores tools",
        ),
        (
            "refuses",
            upstream("library", |_, body| match body.get("tools") {
                Some(_) => (
                    400,
                    json!({"error": {"message": "m does\nnot support tools"}}),
                ),
                None => (200, completion("Hi.")),
            }),
            "mode = \"emulate\"\n",
            "gave 400: {\"error\":{\"message\":\"m does\\nnot support tools\"}}",
        ),
    ] {
        let ran = toolglot(&["doctor", "--upstream", &upstream.url], "");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        let (_, table) = ran
            .out
            .split_once("[models.\"m\\\"1\"]\n")
            .unwrap_or_else(|| panic!("{}", ran.out));
        assert!(table.contains(found), "{name}:\n{}", ran.out);
        assert!(ran.out.contains(said), "{name}:\n{}", ran.out);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("gateway.toml");
        fs::write(&file, &ran.out).expect("a file");
        let file = file.to_str().expect("UTF-8");
        let gateway = Gateway::start(&upstream.url, &["--config", file], &[]);
        gateway.signal("TERM");
        assert_eq!(gateway.ended().0, Some(0));
    }
}

#[test]
fn models_can_be_named_and_a_silent_server_is_an_error() {
    let upstream = Upstream::new(|path, _| match path {
        "/v1/models" => {
            let models: Vec<Value> = (0..6).map(|n| json!({"id": format!("m{n}")})).collect();
            (200, json!({"data": models}))
        }
        _ => (200, completion(CALL)),
    });
    let ran = toolglot(&["doctor", "--upstream", &upstream.url], "");
    assert_eq!(ran.out.matches("[models.").count(), 4, "{}", ran.out);
    assert!(ran.out.contains("# Not tried: m5."), "{}", ran.out);
    let arguments = ["doctor", "--upstream", &upstream.url, "--model", "m5"];
    let ran = toolglot(&arguments, "");
    assert_eq!(ran.out.matches("[models.").count(), 1, "{}", ran.out);
    assert!(ran.out.contains("[models.\"m5\"]"), "{}", ran.out);
    let ran = toolglot(&["doctor", "--upstream", "http://127.0.0.1:1"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    let expected = "error: the upstream cannot be reached: ";
    assert!(ran.err.starts_with(expected), "{}", ran.err);
}
