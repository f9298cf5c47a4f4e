//! `toolglot dialects import`: response templates as dialects, and why some are refused.

use serde::Deserialize;
use toolglot_value::Value;

use super::toolglot;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    read: Vec<Read>,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    what: String,
    template: String,
    message: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    content: String,
    #[serde(default)]
    reasoning: String,
    /// Names and arguments, as JSON.
    calls: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    #[serde(default)]
    what: String,
    template: String,
    says: Vec<String>,
}

fn rows() -> Rows {
    toml::from_str(include_str!("response_templates.toml")).expect("the rows are well formed")
}

#[test]
fn templates_are_read_as_they_say() {
    for row in rows().read {
        let what = &row.what;
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("template.json");
        std::fs::write(&file, &row.template).expect("it is written");
        let path = file.to_str().expect("the path is text");
        let imported = toolglot(&["dialects", "import", path], "");
        assert_eq!(imported.code, 0, "{what}: {}", imported.err);
        let mut words = vec![
            "parse",
            "--dialect",
            path,
            "--format",
            "json",
            "--finish",
            "stop",
        ];
        words.extend(row.options.iter().map(String::as_str));
        let parsed = toolglot(&words, row.message.trim_start_matches('\n'));
        let document = parsed.json();
        let calls: Vec<Value> = document["calls"].as_array().expect("a list").clone();
        let found: Value = calls
            .iter()
            .map(|call| Value::from(vec![call["name"].clone(), call["arguments"].clone()]))
            .collect();
        let wanted: Value = toolglot_value::from_str(&row.calls).expect("the calls are JSON");
        assert_eq!(found, wanted, "{what}: {document}");
        assert!(
            calls.iter().all(|call| call["end"] == "closed"),
            "{what}: {document}"
        );
        for (field, wanted) in [("content", &row.content), ("reasoning", &row.reasoning)] {
            let text = document[field].as_str().expect("text");
            assert_eq!(text.trim(), wanted, "{what}: {document}");
        }
    }
}

#[test]
fn templates_that_cannot_be_said_are_refused_with_what_to_write() {
    for row in rows().refused {
        let ran = toolglot(&["dialects", "import", "-"], &*row.template);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{}{}",
            row.what,
            row.template
        );
        for says in &row.says {
            assert!(
                ran.err.contains(says),
                "{}: {says}\n{}",
                row.template,
                ran.err
            );
        }
    }
}

#[test]
fn templates_of_any_size_are_refused_by_their_limit() {
    let texts: Vec<String> = (0..100_000).map(|n| format!("\"<{n}>\"")).collect();
    let groups = format!("{}a{}", "(?:".repeat(20_000), ")".repeat(20_000));
    let nested = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    for (content, says) in [
        (
            format!(r#"{{"open": [{}], "close": "</c>"}}"#, texts.join(",")),
            "`open` lists more than 256 texts",
        ),
        (
            format!(r#"{{"open_pattern": "{groups}", "close": "</c>"}}"#),
            "`open_pattern`: it is longer than 4096 bytes",
        ),
        (
            format!(
                r#"{{"open_pattern": "{}", "close": "</c>"}}"#,
                "(?:".repeat(1300)
            ),
            "`open_pattern`: at character 97 (`(?:(?:(?:(?:(?:(?:(?:(?:`): more than 32 groups inside each other",
        ),
        (
            format!(
                r#"{{"open_pattern": "{}a{{16}}{}", "close": "</c>"}}"#,
                "(?:".repeat(7),
                "){16}".repeat(7)
            ),
            "`open_pattern`: at character 38 (`{16}){16}){16}){16}){16}`): what it repeats is longer than 4096 characters",
        ),
        (
            format!(r#"{{"open": "{}", "close": "</c>"}}"#, "x".repeat(1 << 20)),
            "is longer than 131072 bytes",
        ),
        (nested, "recursion limit exceeded"),
    ] {
        let config = format!(r#"{{"fields": {{"content": {content}}}}}"#);
        let ran = toolglot(&["dialects", "import", "-"], config);
        assert_eq!(ran.code, 2, "{says}");
        assert!(
            ran.err.contains(says) && ran.err.len() < 1000,
            "{says}: {}",
            ran.err
        );
    }
}

/// A delimiter may be as long as the text that a parser holds.
#[test]
fn a_long_delimiter_is_tried_as_a_short_one() {
    let open = format!("<{}>", "x".repeat(60_000));
    let call = format!(
        r#"{{"open": "{open}", "close": "</c>", "content": "json", "transform":
            {{"type": "function", "function": {{"name": "{{content.name}}", "arguments": "{{content.arguments}}"}}}}}}"#
    );
    let config = format!(r#"{{"fields": {{"tool_calls": {call}}}}}"#);
    let ran = toolglot(&["dialects", "import", "-"], config);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains(&open));
}

/// A tokenizer's configuration with a response template whose calls are `spec`.
fn config(spec: &str) -> String {
    format!(
        r#"{{"response_template": {{"start_anchor": "<|a|>", "fields": {{
            "thinking": {{"open": "<think>", "close": "</think>", "content": "text"}},
            "tool_calls": {spec},
            "content": {{"close": "<|im_end|>", "content": "text"}}}}}}}}"#
    )
}

#[test]
fn a_response_template_is_a_dialect() {
    for (spec, message) in [
        (
            r#"{"open": "<c>", "close": "</c>", "repeats": true, "content": "json",
                "transform": {"type": "function", "function": "{content}"}}"#,
            r#"<c>{"name": "f", "arguments": {"a": "b"}}</c>"#,
        ),
        (
            r#"{"open_pattern": "<\\|call\\|>(?P<name>\\w+)\\s*", "close": "<|end|>", "content": "json",
                "transform": {"function": {"name": "{name}", "arguments": "{content}"}}}"#,
            r#"<|call|>f {"a": "b"}<|end|>"#,
        ),
        (
            r#"{"open": "<|A|>", "close": "<|Z|>", "content": "json", "transform_each": true,
                "transform": {"function": {"name": "{tool}", "arguments": "{parameters}"}}}"#,
            r#"<|A|>[{"tool": "f", "parameters": {"a": "b"}}]<|Z|>"#,
        ),
        (
            r#"{"open_pattern": "<f=(?P<name>[^>]+)>\\s*", "close": "</f>", "content": "xml-inline",
                "content_args": {"tag_pattern": "<p=(?P<key>\\w+)>(?P<value>.*?)</p>"},
                "transform": {"function": {"name": "{name}", "arguments": "{content}"}}}"#,
            "<f=f><p=a>b</p></f>",
        ),
        (
            r#"{"open": "<run>", "close": "</run>", "content": "json",
                "transform": {"function": {"name": "f", "arguments": "{content}"}}}"#,
            r#"<run>{"a": "b"}</run>"#,
        ),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("tokenizer_config.json");
        std::fs::write(&file, config(spec)).expect("it is written");
        let path = file.to_str().expect("the path is text");
        let parsed = toolglot(
            &["parse", "--dialect", path, "--format", "json"],
            format!("<think>hm</think>Hi.{message}<|im_end|>"),
        );
        assert_eq!(parsed.code, 0, "{spec}: {}", parsed.err);
        let document = parsed.json();
        assert_eq!(document["calls"][0]["name"], "f", "{spec}");
        assert_eq!(document["calls"][0]["arguments"]["a"], "b", "{spec}");
        assert_eq!(document["calls"][0]["end"], "closed", "{spec}");
        assert_eq!(
            (&document["content"], &document["reasoning"]),
            (&"Hi.".into(), &"hm".into())
        );
    }
}

#[test]
fn a_response_template_that_does_not_fit_says_why() {
    for (spec, why) in [
        (
            r#"{"close": "</c>", "content": "json"}"#,
            "without an opener",
        ),
        (
            r#"{"open": "<c>", "close": "</c>", "content": "kv-lines"}"#,
            "`kv-lines`",
        ),
        (
            r#"{"open_pattern": "<c (?=x)", "close": "</c>", "content": "json"}"#,
            "lookahead is not supported",
        ),
        (
            r#"{"open": "<c>", "close": "</c>", "content": "json", "transform": {"function": {"arguments": "{content}"}}}"#,
            "`transform.function.name` is missing",
        ),
        (
            r#"{"open": "<c>", "close": "</c>", "content": "json", "when": 1}"#,
            "`when` has no word",
        ),
        (
            r#"{"open": "<c>", "close": "</c>", "content": "json", "optional": false}"#,
            "`optional` is false",
        ),
        (
            r#"{"open": "<c>", "close": "</c>", "content": "json", "join": ", "}"#,
            "`join`: calls are not text",
        ),
        (
            r#"{"open": ["<c>", 1], "close": "</c>", "content": "json"}"#,
            "`open` holds a value that is not a string",
        ),
        (
            r#"{"open_pattern": 1, "close": "</c>", "content": "json"}"#,
            "`open_pattern` is not a string",
        ),
        (
            r#"{"open": "<c>", "close": "</c>", "content": "json", "content_args": {"strip": false}}"#,
            "`content_args`: `strip` has no word",
        ),
        (r#""<c>""#, "it is not an object"),
    ] {
        let ran = toolglot(&["dialects", "import", "-"], config(spec));
        assert_eq!(ran.code, 2, "{spec}: {}", ran.out);
        assert!(
            ran.err.contains("field `tool_calls`") && ran.err.contains(why),
            "{}",
            ran.err
        );
    }
    let ran = toolglot(&["dialects", "import", "-"], "{}");
    assert!(ran.err.contains("no `response_template`"), "{}", ran.err);
}

/// A response template whose content is `content`, with the further fields `template`.
fn of_content(template: &str, content: &str) -> String {
    format!(r#"{{"response_template": {{{template} "fields": {{"content": {content}}}}}}}"#)
}

#[test]
fn what_a_response_template_says_is_never_left_out() {
    for (config, why) in [
        (
            r#"{"response_template": {"fields": {}}}"#.to_owned(),
            "no `fields`",
        ),
        (
            of_content(r#""version": 2,"#, r#"{"open": "<t>", "close": "</t>"}"#),
            "`version` is 2",
        ),
        (
            of_content(
                "",
                r#"{"open": "<t>", "close": "</t>", "content_args": {"strip": 1}}"#,
            ),
            "field `content`",
        ),
    ] {
        let ran = toolglot(&["dialects", "import", "-"], config);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    // Blanks stay with `strip: false`.
    let template = of_content(
        r#""start_anchor": "<|a|>", "defaults": {"role": "assistant"},"#,
        r#"{"open": "<t>", "close": "</t>", "content_args": {"strip": false}}"#,
    );
    let ran = toolglot(&["dialects", "import", "-"], template);
    assert!(
        ran.out.contains("say = \"<t>\" raw \"</t>\""),
        "{}",
        ran.out
    );
}

#[test]
fn a_tag_that_the_template_leaves_open_is_closed_where_a_call_is_written() {
    let spec = r#"{"open_pattern": "<tool_call>\\s*<function=(?P<name>[^>]+)>\\s*", "close": "</tool_call>", "content": "xml-inline",
        "content_args": {"tag_pattern": "<parameter=(?P<key>[^>]+)>\\n?(?P<value>.*?)\\n?</parameter>"},
        "transform": {"function": {"name": "{name}", "arguments": "{content}"}}}"#;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("tokenizer_config.json");
    std::fs::write(&file, config(spec)).expect("it is written");
    let path = file.to_str().expect("the path is text");
    let written = toolglot(
        &["render", "--dialect", path],
        r#"{"calls":[{"name":"f","arguments":{"a":"x"}}]}"#,
    );
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(written.out.contains("</function>"), "{}", written.out);
    for text in [
        written.out.as_str(),
        "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</tool_call>",
    ] {
        let parsed = toolglot(&["parse", "--dialect", path, "--format", "json"], text);
        let document = parsed.json();
        assert_eq!(
            document["calls"][0]["arguments"]["a"], "x",
            "{text}: {document}"
        );
        assert_eq!(document["calls"][0]["end"], "closed", "{text}: {document}");
        let content = document["content"].as_str().expect("text");
        assert_eq!(content.trim(), "", "{text}");
    }
}
