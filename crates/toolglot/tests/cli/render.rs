use toolglot_value::{Value, json};

use crate::cli::toolglot;

#[test]
fn what_is_rendered_is_read_back() {
    let call = json!({"name": "write_file", "arguments": {"path": "a b.txt", "content": "x < y && \"z\"\n</content>\n"}});
    let message = json!({"calls": [call], "content": "Writing."}).to_string();
    for dialect in ["forge", "hermes"] {
        let text = toolglot(&["render", "--dialect", dialect], &message);
        assert_eq!(text.code, 0, "{}", text.err);
        assert!(text.out.starts_with("Writing."), "{}", text.out);
        let document = toolglot(
            &["parse", "--dialect", dialect, "--format", "json"],
            &text.out,
        )
        .json();
        assert_eq!(document["calls"][0]["name"], call["name"], "{dialect}");
        assert_eq!(
            document["calls"][0]["arguments"], call["arguments"],
            "{dialect}"
        );
    }
}

/// A fence that stays open, or a call in the content, would be read differently than intended.
#[test]
fn content_hides_no_calls_and_holds_none() {
    let call = json!({"name": "ping", "arguments": {}});
    let own = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>";
    for (dialect, content, is_carried) in [
        ("hermes", "I look.", true),
        ("hermes", "Code:\n```\nx\n```", true),
        ("hermes", "Here:\n```", false),
        ("hermes", own, false),
        ("generic_json", "I look.", false),
        ("xlam", "I look.", true),
        ("xlam", "", true),
    ] {
        let message = json!({"calls": [call], "content": content}).to_string();
        let text = toolglot(&["render", "--dialect", dialect], &message);
        assert_eq!(
            text.code == 0,
            is_carried,
            "{dialect} {content:?}: {}",
            text.err
        );
        if is_carried {
            let parse = ["parse", "--dialect", dialect, "--format", "json"];
            let document = toolglot(&parse, &text.out).json();
            assert_eq!(document["calls"][0]["name"], "ping", "{}", text.out);
        }
    }
}

#[test]
fn a_value_takes_the_form_that_can_carry_it() {
    let call = json!({"name": "write_file", "arguments": {"path": "a", "content": " x\n"}});
    let message = json!({"calls": [call]}).to_string();
    let text = toolglot(&["render", "--dialect", "minicpm5"], &message);
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(text.out.contains("<![CDATA[ x\n]]>"), "{}", text.out);
    // Several calls have the same forms as one call.
    let message = json!({"calls": [call, call]}).to_string();
    let text = toolglot(&["render", "--dialect", "minicpm5"], &message);
    assert_eq!(text.code, 0, "{}", text.err);
    let n_forms = text.out.matches("<![CDATA[ x\n]]>").count();
    assert_eq!(n_forms, 2, "{}", text.out);
}

#[test]
fn content_does_not_quote_the_calls() {
    let call = json!({"name": "ping", "arguments": {}});
    for (content, code) in [("See:\n```\ncode\n", 2), ("See:\n```\ncode\n```\n", 0)] {
        let message = json!({"calls": [call], "content": content}).to_string();
        let ran = toolglot(&["render", "--dialect", "hermes"], &message);
        assert_eq!(ran.code, code, "{}{}", ran.out, ran.err);
    }
}

#[test]
fn results_are_no_calls() {
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let results =
        json!({"results": [{"name": "read_file", "arguments": {"path": "a"}, "result": text}]});
    let rendered = toolglot(&["render", "--dialect", "hermes"], results.to_string());
    assert_eq!(rendered.code, 0, "{}", rendered.err);
    let document = toolglot(
        &["parse", "--dialect", "hermes", "--format", "json"],
        &rendered.out,
    )
    .json();
    assert_eq!(document["calls"], json!([]), "{}", rendered.out);
}

#[test]
fn lines_keep_their_ids() {
    let lines = "{\"id\":\"a\",\"calls\":[{\"name\":\"f\"}]}\n{\"id\":2,\"calls\":[{}]}\n[]\n";
    let ran = toolglot(&["render", "--dialect", "hermes", "--jsonl"], lines);
    assert_eq!(ran.code, 1);
    let lines = ran.lines();
    assert_eq!(lines[0]["id"], "a");
    assert!(
        lines[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("\"f\"")),
        "{}",
        ran.out
    );
    assert_eq!(
        lines[1],
        json!({"id": 2, "error": "`calls[0].name` must be a string, found nothing"})
    );
    assert_eq!(
        lines[2],
        json!({"id": null, "error": "`document` must be an object, found an array"})
    );
}

#[test]
fn what_is_no_message_is_an_error_of_usage() {
    let ran = toolglot(
        &["render", "--dialect", "hermes"],
        "{\"calls\":[],\"results\":[]}",
    );
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(ran.err, "error: expected either `calls` or `results`\n");
    let ran = toolglot(&["render", "--dialect", "hermes"], "{");
    assert_eq!(
        ran.err,
        "error: not JSON: EOF while parsing an object at line 1 column 1\n"
    );
}

#[test]
fn a_command_that_says_nothing_is_refused() {
    let ran = toolglot(
        &["render", "--dialect", "axe"],
        r#"{"calls":[{"name":"execute_command","arguments":{"command":" "}}]}"#,
    );
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("asks for nothing"), "{}", ran.err);
}

/// Strings have the quotes that the models were taught; any quotes are read.
#[test]
fn python_strings_stand_in_the_marks_of_their_dialect() {
    let arguments = json!({"a": "it's \"x\" \\n\n", "b": ["q\"r"]});
    let message = json!({"calls": [{"name": "f", "arguments": arguments}]}).to_string();
    for (dialect, expected) in [
        ("lfm2", r#"[f(a='it\'s "x" \\n\n', b=["q\"r"])]"#),
        ("olmo3", r#"f(a="it's \"x\" \\n\n", b=["q\"r"])"#),
    ] {
        let text = toolglot(&["render", "--dialect", dialect], &message);
        assert!(text.out.contains(expected), "{dialect}: {}", text.out);
    }
}

/// Forge's own struct reads `edits>edit`; if no schema declares a list, elements repeat.
#[test]
fn forge_wraps_the_items_of_a_list_with_a_plural_name() {
    let edit = |n: &str| json!({"search": n, "replace": "x"});
    let call =
        json!({"name": "apply_diff", "arguments": {"path": "a", "edits": [edit("b"), edit("c")]}});
    let search =
        json!({"name": "search_files", "arguments": {"pattern": "a", "exclude": ["b", "c"]}});
    let message = json!({"calls": [call, search]}).to_string();
    let tools = ["--dialect", "forge", "--tools", "builtin:forge"];
    let text = toolglot(&[&["render"], &tools[..]].concat(), &message);
    assert_eq!(text.code, 0, "{}", text.err);
    for part in [
        "<server_name>local</server_name>",
        "  <edits>\n    <edit>\n      <search>b</search>\n",
        "    </edit>\n    <edit>\n",
        "    </edit>\n  </edits>\n",
        "  <exclude>b</exclude>\n  <exclude>c</exclude>\n",
    ] {
        assert!(text.out.contains(part), "{part:?} in {}", text.out);
    }
    let parse = [&["parse", "--format", "json", "--strict"], &tools[..]].concat();
    let document = toolglot(&parse, &text.out).json();
    assert_eq!(document["calls"][0]["arguments"], call["arguments"]);
    let function = json!({"name": "apply_diff", "arguments": call["arguments"].to_string()});
    let asked = json!({"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": function}]});
    let convert = ["convert", "--to", "forge", "--tools", "builtin:forge"];
    let converted = toolglot(&convert, json!([asked]).to_string()).json();
    let written = converted[0]["content"].as_str().unwrap_or_default();
    assert!(text.out.starts_with(written.trim_end()), "{written}");
    let without = toolglot(&["render", "--dialect", "forge"], &message);
    assert!(
        without.out.contains("  </edits>\n  <edits>\n"),
        "{}",
        without.out
    );
}

/// A text that reads back with doubt is written with a warning, and a form without doubt is preferred.
#[test]
fn doubt_in_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let one = "dialect one\ncall = \"<call \" name \">\" (\"<\" key \">\" raw \"</{key}>\")* \"</call>\"\n";
    let two = one.replace("raw", "(raw | \"<![CDATA[\" raw \"]]>\")");
    std::fs::write(root.join("one"), one).expect("it is written");
    std::fs::write(root.join("two"), two.replace("dialect one", "dialect two"))
        .expect("it is written");
    let at = |name: &str| root.join(name).display().to_string();
    let message = json!({"calls": [{"name": "f", "arguments": {"a": "x</a>y"}}]}).to_string();
    let text = toolglot(&["render", "--dialect", &at("one")], &message);
    assert_eq!(text.code, 0, "{}", text.err);
    assert_eq!(text.out, "<call f><a>x</a>y</a></call>\n");
    assert!(
        text.err
            .contains("warning: call 0 reads back as `recovered`"),
        "{}",
        text.err
    );
    let line = toolglot(&["render", "--jsonl", "--dialect", &at("one")], &message).json();
    assert_eq!(line["recovered"], json!([0]));
    let text = toolglot(&["render", "--dialect", &at("two")], &message);
    assert_eq!(text.out, "<call f><a><![CDATA[x</a>y]]></a></call>\n");
    assert_eq!(text.err, "");
}

/// Types are missing only where a value needs one.
#[test]
fn types_are_asked_for_where_a_value_has_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine");
    let mine = "dialect mine\ncall = \"<call \" name \">\" (\"<\" key \">\" raw \"</{key}>\")* \"</call>\"\n";
    std::fs::write(&file, mine).expect("it is written");
    let refusal = |argument: Value| {
        let call = json!({"name": "f", "arguments": {"a": argument}});
        let message = json!({"calls": [call]}).to_string();
        let dialect = file.display().to_string();
        toolglot(&["render", "--dialect", &dialect], &message).err
    };
    assert!(refusal(json!(3)).contains("give the tools' schemas"));
    let text = "</a></call>\n<call g></call>\n<call f><a>";
    let twice = refusal(json!(text));
    assert!(twice.contains("calls instead of 1"), "{twice}");
    assert!(!twice.contains("schemas"), "{twice}");
}

/// Of two loops of parameters the second writes what the first cannot.
#[test]
fn a_later_loop_writes_what_an_earlier_one_cannot() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mail");
    let mail = r#"dialect mail
call = line_start "To: " name ("\nArg-" key ": " line)* ("\nBody-" key ":\n\n" raw)? "\n." eol
"#;
    std::fs::write(&file, mail).expect("it is written");
    let file = file.display().to_string();
    let render = |arguments: Value| {
        let call = json!({"name": "f", "arguments": arguments});
        toolglot(
            &["render", "--dialect", &file],
            json!({"calls": [call]}).to_string(),
        )
    };
    let text = render(json!({"a": "x\ny", "b": "z"}));
    assert_eq!(text.code, 0, "{}", text.err);
    assert_eq!(text.out, "To: f\nArg-b: z\nBody-a:\n\nx\ny\n.\n");
    let both = render(json!({"a": "x\ny", "b": "z\nw"}));
    assert_ne!(both.code, 0, "{}", both.out);
    let why = "the rule has no place for the argument `b`";
    assert!(both.err.contains(why), "{}", both.err);
}
