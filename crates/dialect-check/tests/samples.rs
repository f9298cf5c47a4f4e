//! Sample calls show which calls a dialect carries, and which it does not.

use toolglot_dialect_check::{DialectReport, dialect_report};
use toolglot_engine::{CallText, Dialect, Renderer};
use toolglot_toolset::Toolbox;

fn dialect(rule: &str) -> Dialect {
    let text = format!("dialect mine\n{rule}\n");
    toolglot_dialects::parse(&text)
        .expect("a dialect")
        .remove(0)
}

fn report(rule: &str) -> DialectReport {
    dialect_report(&dialect(rule)).expect("it compiles")
}

fn refused(report: &DialectReport) -> Vec<&str> {
    let refused = report
        .samples
        .iter()
        .filter(|sample| sample.refusal.is_some());
    refused.map(|sample| sample.title).collect()
}

#[test]
fn a_message_may_end_with_an_escape() {
    let report = report(
        "values: schema, escapes(\"\\n  \" = \"\\n\")\ncall = line_start \"### \" name (\"\\n- \" key \":\" \" \"? raw)* eol",
    );
    assert!(!refused(&report).contains(&"a text that ends with a line break"));
}

#[test]
fn the_line_break_that_a_call_needs_is_named() {
    let report =
        report("call = line_start \"event: \" name \"\\n\" (key \": \" line \"\\n\")* eol");
    let refusals = report
        .samples
        .iter()
        .filter_map(|sample| sample.refusal.as_deref());
    assert!(
        refusals
            .into_iter()
            .any(|why| why.contains("each of its lines with `eol`"))
    );
}

#[test]
fn a_dialect_that_carries_all_shows_all() {
    let report = report("call = \"<<call \" name \">>\" ws json ws \"<</call>>\"");
    assert_eq!(refused(&report), [""; 0]);
    assert!(!report.needs_tools && !report.is_dead());
    let texts: Vec<&str> = report
        .samples
        .iter()
        .filter_map(|sample| sample.text.as_deref())
        .collect();
    assert_eq!(texts[0], "<<call ping>>{}<</call>>");
    assert_eq!(texts.len(), 10);
}

#[test]
fn what_a_dialect_cannot_carry_is_shown_with_the_text() {
    let report = report("call = line_start \"$ \" name (\" \" key \"=\" raw)? \"\\n\"");
    assert!(refused(&report).contains(&"two texts"));
    let lines = report
        .samples
        .iter()
        .find(|sample| sample.title == "a text of several lines");
    let lines = lines.expect("it is a sample");
    assert!(lines.refusal.is_some());
    assert_eq!(
        lines.text.as_deref(),
        Some("$ save text=first line\n  second line\n")
    );
}

#[test]
fn a_call_that_ends_in_doubt_is_not_carried() {
    let report = report("call = \"@call \" name (\" \" key \"=\" raw \"line\")* \"!\"");
    let several = [
        "a text of several lines",
        "a text that ends with a line break",
    ];
    assert_eq!(refused(&report), several);
    let lines = &report.samples[2];
    let refusal = lines.refusal.as_deref().expect("the text holds a closer");
    assert!(refusal.contains("`recovered`"), "{refusal}");
    assert_eq!(
        lines.text.as_deref(),
        Some("@call save text=first line\n  second lineline!")
    );
}

#[test]
fn lines_of_keys_and_values_are_carried() {
    let report = report("call = \"@call \" name \"\\n\" (key \": \" raw \"\\n\")* \"@end\"");
    assert!(refused(&report).is_empty());
}

#[test]
fn a_label_needs_known_tools() {
    assert!(report("call = line_start \"# \" name \"\\n\" json").needs_tools);
    for marker in ["[[call:", "[[call: ", "```tool\\nTOOL_NAME: ", "### Tool: "] {
        let rule = format!("call = \"{marker}\" name \"\\n\" json");
        assert!(!report(&rule).needs_tools, "{marker}");
    }
}

#[test]
fn a_dialect_without_calls_is_dead() {
    assert!(report("think = \"<t>\" raw \"</t>\"").is_dead());
}

#[test]
fn a_dialect_of_fixed_tools_shows_those() {
    let report = report("call write_file = \"<write \" raw(path) \">\" raw(content) \"</write>\"");
    assert_eq!(refused(&report), [""; 0]);
    assert_eq!(
        report.samples[0].text.as_deref(),
        Some("<write a.rs>a.rs</write>")
    );
}

#[test]
fn no_embedded_dialect_with_calls_is_dead() {
    for dialect in toolglot_dialects::all() {
        let report = dialect_report(dialect).expect("it compiles");
        assert_eq!(report.is_dead(), dialect.name() == "chat", "{report:?}");
    }
}

#[test]
fn blanks_are_written_as_they_are_spelled() {
    let report = report("call = \"<c>\" ws(\" \") name ws(\"\\n\") json ws(\"\") \"</c>\"");
    assert_eq!(report.samples[0].text.as_deref(), Some("<c> ping\n{}</c>"));
    let error = toolglot_dialects::parse("dialect mine\ncall = \"<c>\" name ws(\"-\") json\n");
    let error = error.expect_err("`-` is no blank");
    assert!(
        error.message.contains("`ws` reads blanks only"),
        "{error:?}"
    );
}

fn text_of(rule: &str, tools: &str, calls: &[(&str, &str)]) -> Result<String, String> {
    let dialect = dialect(rule);
    let toolbox = Toolbox::from_json(&tools.parse().expect("JSON")).expect("a tool list");
    let renderer = Renderer::new(&dialect, &toolbox.tool_set()).expect("it compiles");
    let calls: Vec<CallText<'_>> = calls
        .iter()
        .map(|&(name, arguments)| CallText {
            name,
            arguments,
            server: None,
            id: None,
        })
        .collect();
    renderer.calls(&calls).map_err(|error| error.to_string())
}

const TOOLS: &str = r#"[{"name": "save", "parameters": {"type": "object", "properties": {
    "text": {"type": "string"}, "count": {"type": "integer"}, "ok": {"type": "boolean"}, "items": {"type": "array"}}}},
    {"name": "ping", "parameters": {"type": "object", "properties": {}}}]"#;

#[test]
fn calls_without_ids_are_counted() {
    let rule = "call = \"<c \" id \" \" name \">\" json \"</c>\"";
    let calls = [("ping", "{}"), ("ping", "{}"), ("ping", "{}")];
    let text = text_of(rule, TOOLS, &calls).expect("it carries them");
    assert_eq!(text, "<c 0 ping>{}</c>\n<c 1 ping>{}</c>\n<c 2 ping>{}</c>");
    let rule = format!("id_form: letters 9\n{rule}");
    let text = text_of(&rule, TOOLS, &calls[..1]).expect("it carries it");
    assert_eq!(text, "<c call00000 ping>{}</c>");
}

#[test]
fn each_type_has_its_own_word() {
    let rule = "values: schema|type(integer: json, boolean: json, array: json, *: string)\ncall = \"<c \" name \">\" (\"<\" key \" \" type \">\" raw \"</a>\")* \"</c>\"";
    let all = r#"{"count": 2, "ok": true, "items": ["a"], "text": "b"}"#;
    assert_eq!(
        text_of(rule, TOOLS, &[("save", all)]).expect("it carries them"),
        "<c save><count integer>2</a><ok boolean>true</a><items array>[\"a\"]</a><text string>b</a></c>"
    );
    let rule = rule.replace(", array: json", "");
    let error = text_of(&rule, TOOLS, &[("save", all)]).expect_err("no word is for arrays");
    assert!(error.contains("no word for array"), "{error}");
}

#[test]
fn numbers_and_flags_are_written_without_quotes() {
    let all = r#"{"count": 2, "ok": true, "items": ["a", "b"], "text": "c"}"#;
    // Lists of items in quotes; one item alone is a text.
    let rule = "values: schema, repeated\ncall = \"<c \" name (\" \" key \"=\" (\"'\" raw \"'\" (\",'\" raw \"'\")* | raw))* \" />\"";
    assert_eq!(
        text_of(rule, TOOLS, &[("save", all)]).expect("it carries them"),
        "<c save count=2 ok=true items='a','b' text='c' />"
    );
    // Forms that have keys of their own.
    let rule = "call = \"<c \" name \">\" (\"T \" key \": \\\"\" raw \"\\\"\\n\" | \"N \" key \": \" raw \"\\n\")* \"</c>\"";
    assert_eq!(
        text_of(rule, TOOLS, &[("save", r#"{"count": 2, "text": "c"}"#)]).expect("it carries them"),
        "<c save>N count: 2\nT text: \"c\"\n</c>"
    );
}

#[test]
fn what_nobody_knows_is_not_written() {
    let rule = "call = \"LENGTH \" any \"\\n\" name \" \" json";
    let error = text_of(rule, TOOLS, &[("ping", "{}")]).expect_err("no length is known");
    assert!(error.contains("`any` says no text"), "{error}");
    let rule = "call = \"<c \" type \">\" name \" \" json";
    let error = text_of(rule, TOOLS, &[("ping", "{}")]).expect_err("no kind is known");
    assert!(error.contains("`type` has no word"), "{error}");
    let rule = "call = \"<c \" name \">\" (key \" \" type \":\" raw \"\\n\")* \"</c>\"";
    let error =
        text_of(rule, TOOLS, &[("save", r#"{"text": "a"}"#)]).expect_err("no kind is known");
    assert!(error.contains("`type` of a value"), "{error}");
}

#[test]
fn a_call_is_written_by_the_order_of_its_rule() {
    let two = [("save", r#"{"text": "a"}"#), ("ping", "{}")];
    let cases = [
        // The first alternative, and optional parts.
        (
            "call = \"<c\" (\":\" | \" \") name \"!\"? \">\" json \"</c>\"",
            "<c:save!>{\"text\": \"a\"}</c>\n<c:ping!>{}</c>",
        ),
        // Parts that are only read.
        (
            "call = \"<c \" name (\"\" | \"!\") \">\" (\"\" | \"```json\\n\" ws) json (\"\" | ws \"```\") \"</c>\"",
            "<c save>{\"text\": \"a\"}</c>\n<c ping>{}</c>",
        ),
        // A wildcard text, and an id and a server that the calls do not have.
        (
            "call = \"<c \" name (\" t=\" type)? (\" n=\" any)? (\" id=\" id)? (\" in=\" server)? \">\" json \"</c>\"",
            "<c save>{\"text\": \"a\"}</c>\n<c ping>{}</c>",
        ),
        // A word before the required capture.
        (
            "call = \"<c \" (\"json\" | type) \">\" name \" \" json \"</c>\"",
            "<c json>save {\"text\": \"a\"}</c>\n<c json>ping {}</c>",
        ),
        // Calls without a block.
        (
            "between_calls: nothing\ncall = \"<c \" name \">\" json \"</c>\"",
            "<c save>{\"text\": \"a\"}</c><c ping>{}</c>",
        ),
        // Separators in a loop, and before one.
        (
            "block = \"<cs>\" ws (call ws (\",\" | \";\")? ws(\" \"))* \"</cs>\"\ncall = object(name: f, args: a)",
            "<cs>{\"f\": \"save\", \"a\": {\"text\": \"a\"}}, {\"f\": \"ping\", \"a\": {}}</cs>",
        ),
        (
            "block = \"<cs>\" ws call ws sign? ws(\" \") (call ws sign? ws(\" \"))* \"</cs>\"\nsign = \",\" | \";\"\ncall = object(name: f, args: a)",
            "<cs>{\"f\": \"save\", \"a\": {\"text\": \"a\"}}, {\"f\": \"ping\", \"a\": {}}</cs>",
        ),
        (
            "block = \"<cs>\" ws (call ws (\"\" | \",\") ws(\"\\n\"))* \"</cs>\"\ncall = object(name: f, args: a)",
            "<cs>{\"f\": \"save\", \"a\": {\"text\": \"a\"}}\n{\"f\": \"ping\", \"a\": {}}</cs>",
        ),
        // The first alternative with several calls.
        (
            "block = \"<cs>\" (call | \"[\" (call \",\"?)* \"]\") \"</cs>\"\ncall = object(name: f, args: a)",
            "<cs>[{\"f\": \"save\", \"a\": {\"text\": \"a\"}},{\"f\": \"ping\", \"a\": {}}]</cs>",
        ),
    ];
    for (rule, written) in cases {
        assert_eq!(text_of(rule, TOOLS, &two).as_deref(), Ok(written), "{rule}");
    }
    let (rule, _) = cases[cases.len() - 1];
    let one = text_of(rule, TOOLS, &two[1..]);
    assert_eq!(one.as_deref(), Ok("<cs>{\"f\": \"ping\", \"a\": {}}</cs>"));
}

#[test]
fn a_refusal_has_the_text_up_to_it() {
    let rule =
        "call = \"<c \" name \"><a>\" raw(text) \"</a>\" (\"<b>\" raw(count) \"</b>\")? \"</c>\"";
    let dialect = dialect(rule);
    let toolbox = Toolbox::from_json(&TOOLS.parse().expect("JSON")).expect("a tool list");
    let renderer = Renderer::new(&dialect, &toolbox.tool_set()).expect("it compiles");
    for (arguments, start) in [
        ("{}", "<c save><a>"),
        (r#"{"text": "a", "ok": true}"#, "<c save><a>a</a></c>"),
    ] {
        let call = CallText {
            name: "save",
            arguments,
            server: None,
            id: None,
        };
        let error = renderer.calls(&[call]).expect_err("it has no place");
        assert_eq!(error.text, None);
        assert_eq!(error.start.as_deref(), Some(start), "{error}");
    }
}

#[test]
fn members_inside_others_are_written() {
    let rule = "call = \"<c>\" object(name: command.name, args: command.args, id: id) \"</c>\"";
    assert_eq!(
        text_of(rule, TOOLS, &[("save", r#"{"text": "a"}"#)]).expect("it carries it"),
        "<c>{\"command\": {\"name\": \"save\", \"args\": {\"text\": \"a\"}}}</c>"
    );
}

#[test]
fn embedded_dialects_parse_what_their_grammars_describe() {
    for dialect in toolglot_dialects::all() {
        let report = dialect_report(dialect).expect("it compiles");
        assert!(!report.is_faulty(), "{report:#?}");
    }
}

#[test]
fn each_alternative_is_parsed() {
    let report = report(
        "call = \"[\" name \"]\\n\" (key (\"<<\\n\" raw \"\\n>>\" | \"=\" raw) \"\\n\")* \"[/]\"",
    );
    assert!(!report.is_faulty(), "{:#?}", report.misread);
}

#[test]
fn a_hole_needs_its_capture_in_each_alternative() {
    let rule = "call = \"run \" name \"\\n\" (key \"<<\" (\"EOF\" | any) \"\\n\" raw \"\\n{any}\\n\")* \"done\"";
    let error = toolglot_dialects::parse(&format!("dialect mine\n{rule}\n"));
    let error = error.expect_err("`EOF` is not captured");
    assert!(error.message.contains("no `any`"), "{error:?}");
}

#[test]
fn a_dialect_without_a_place_for_arguments_is_faulty() {
    assert!(report("call = \"<\" name \">\\n\" (key nl)* \"</>\"").is_faulty());
    assert!(!report("call ping = \"<ping/>\"").is_faulty());
}

#[test]
fn a_block_that_also_holds_other_texts_comes_to_an_end() {
    let report = report(
        "block = \"<run>\\n\" (call | \"\\n\")* \"</run>\"\n\
         call = \"% \" name (\" --\" key)? \"\\n\"",
    );
    let refusals = report
        .samples
        .iter()
        .filter_map(|sample| sample.refusal.as_deref());
    assert!(refusals.clone().any(|why| why.contains("writes no call")));
    assert!(refusals.count() < report.samples.len());
}

#[test]
fn a_comma_and_a_blank_are_written_between_calls_only() {
    let report = report(
        "block = \"<calls>[\" (call \", \"?)* \"]</calls>\"\ncall = \"[\\\"\" name \"\\\", \" json \"]\"",
    );
    let texts: Vec<&str> = { report.samples.iter() }
        .filter_map(|sample| sample.text.as_deref())
        .collect();
    assert_eq!(texts[0], "<calls>[[\"ping\", {}]]</calls>");
    assert!(texts.iter().any(|text| text.contains("}], [\"save\"")));
    assert!(!texts.iter().any(|text| text.contains(", ]")));
}
