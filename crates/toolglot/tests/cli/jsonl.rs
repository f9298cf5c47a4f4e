use toolglot_value::json;

use crate::cli::toolglot;

#[test]
fn answers_come_in_the_order_of_the_lines() {
    let input = concat!(
        r#"{"id":"a","input":"<tool_call>{\"name\":\"f\",\"arguments\":{\"n\":1.10}}</tool_call>","dialect":"qwen25"}"#,
        "\n",
        "{nothing\n",
        "\n",
        r#"{"id":7,"input":"x","dialect":"no_such"}"#,
        "\n",
        r#"{"id":null,"input":5}"#,
        "\n",
        r#"{"id":"z","input":"plain"}"#,
    );
    let ran = toolglot(&["parse", "--jsonl"], input);
    assert_eq!(ran.code, 1, "a bad line is a fault");
    let lines = ran.lines();
    assert_eq!(lines.len(), 5);
    assert_eq!(
        (&lines[0]["id"], &lines[0]["dialect"]),
        (&json!("a"), &json!("hermes"))
    );
    assert!(
        ran.out.contains(r#""arguments":{"n":1.10}"#),
        "numbers stay as they were written: {}",
        ran.out
    );
    assert_eq!(lines[1]["id"], json!(null));
    assert!(
        lines[1]["error"]
            .as_str()
            .is_some_and(|error| error.starts_with("not JSON"))
    );
    assert_eq!(lines[2]["id"], json!(7));
    assert!(
        lines[2]["error"]
            .as_str()
            .is_some_and(|error| error.contains("`no_such`"))
    );
    assert_eq!(
        lines[3],
        json!({"id": null, "error": "field `input` must be a string, found a number"})
    );
    assert_eq!(
        (&lines[4]["id"], &lines[4]["content"]),
        (&json!("z"), &json!("plain"))
    );
}

#[test]
fn good_lines_are_no_fault() {
    let ran = toolglot(
        &["parse", "--jsonl"],
        "{\"input\":\"a\"}\n{\"input\":\"b\"}\n",
    );
    assert_eq!((ran.code, ran.lines().len()), (0, 2), "{}", ran.err);
}

#[test]
fn who_may_not_call_tools_makes_no_calls() {
    let text = "a <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> b";
    let line = json!({"id": 1, "input": text, "dialect": "hermes", "tool_choice": "none"});
    let document = toolglot(&["parse", "--jsonl"], line.to_string()).json();
    assert_eq!(document["calls"], json!([]));
    assert_eq!(document["content"], "a  b");
    assert_eq!(document["notes"][0]["name"], "unwanted-call");
}

#[test]
fn tools_of_a_line_are_its_own() {
    let text = "<tool_call>{\"name\":\"g\",\"arguments\":{\"n\":\"1\"}}</tool_call>";
    let tools = json!([{"type": "function", "function": {"name": "g", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}}]);
    let with = json!({"id": 1, "input": text, "dialect": "hermes", "tools": tools});
    let without = json!({"id": 2, "input": text, "dialect": "hermes"});
    let ran = toolglot(&["parse", "--jsonl"], format!("{with}\n{without}\n"));
    let lines = ran.lines();
    assert_eq!(lines[1]["notes"], json!([]), "{}", ran.out);
    assert_eq!(lines[1]["calls"][0]["arguments"], json!({"n": "1"}));
}

#[test]
fn the_format_of_lines_is_json_or_events() {
    let line = "{\"input\":\"a\"}\n";
    let json = toolglot(&["parse", "--jsonl", "--format", "json"], line);
    assert_eq!((json.code, json.lines().len()), (0, 1), "{}", json.err);
    let ran = toolglot(&["parse", "--jsonl", "--format", "human"], line);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("`--jsonl`"), "{}", ran.err);
}

#[test]
fn pieces_of_a_line_give_the_events_of_its_text() {
    let text = "I look. <tool_call>{\"name\":\"f\",\"arguments\":{\"n\":[1,2]}}</tool_call>";
    let pieces: Vec<String> = text.chars().map(String::from).collect();
    let whole = json!({"id": 1, "input": text, "dialect": "hermes"});
    let cut = json!({"id": 2, "chunks": pieces, "dialect": "hermes"});
    let input = format!("{whole}\n{cut}\n");
    let documents = toolglot(&["parse", "--jsonl"], &input).lines();
    assert_eq!(documents[0]["calls"], documents[1]["calls"]);
    let ran = toolglot(&["parse", "--jsonl", "--format", "events"], &input);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let joined = |answer: &toolglot_value::Value, kind: &str, field: &str| -> String {
        let events = answer["events"].as_array().expect("events").iter();
        let events = events.filter(|event| event["type"] == kind);
        events.filter_map(|event| event[field].as_str()).collect()
    };
    let answers = ran.lines();
    for answer in &answers {
        assert_eq!(joined(answer, "text", "text"), "I look. ");
        assert_eq!(joined(answer, "args", "json"), "{\"n\":[1,2]}");
        assert_eq!(joined(answer, "call_end", "end"), "closed");
    }
    let n_events = |answer: &toolglot_value::Value| answer["events"].as_array().map(Vec::len);
    assert!(n_events(&answers[1]) > n_events(&answers[0]), "{}", ran.out);
}
