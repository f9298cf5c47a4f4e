//! What streams allocates nothing: once a call's buffers have grown, a push costs no memory, whatever it brings.
//!
//! Counted, not timed. The counter is per thread, so tests may run side by side.

use std::sync::Arc;

use allocation_counter::measure;
use toolglot_engine::{Event, Finish, Input, Limits, Parser, Program, Span, ToolSet};

const CODE: &str =
    "fn main() {\n    println!(\"{} < {} && true\", a, 'b');\n}\n// day 1: caf\u{e9}\n";

/// Reads `opening`, then `body` again and again in pushes of `size` bytes, and counts allocations behind a warm-up.
fn allocations(dialect: &str, opening: &str, body: &str, size: usize) -> u64 {
    let dialect = toolglot_dialects::get(dialect).expect("it ships").clone();
    let program = Program::compile(&[dialect], &ToolSet::default(), Limits::default())
        .expect("the dialect compiles");
    let mut parser = Parser::new(Arc::new(program));
    let mut told = 0;
    let mut sink = |_: Span, event: Event<'_>| match event {
        Event::Text(text) | Event::Reasoning(text) | Event::Markup(text) => told += text.len(),
        Event::Args { json, .. } => told += json.len(),
        _ => told += 1,
    };
    let mut pass = |text: &str| {
        let mut rest = text;
        while !rest.is_empty() {
            let end = (size..rest.len())
                .find(|&end| rest.is_char_boundary(end))
                .unwrap_or(rest.len());
            parser.push(Input::Text(&rest[..end]), &mut sink);
            rest = &rest[end..];
        }
    };
    pass(opening);
    // Past every cap behind which a value streams.
    for _ in 0..4 * Limits::default().undecided / body.len() {
        pass(body);
    }
    let count = measure(|| {
        for _ in 0..100 {
            pass(body);
        }
    })
    .count_total;
    parser.finish(Finish::Length, &mut sink);
    assert!(told > 0);
    count
}

#[test]
fn a_push_allocates_nothing_after_the_warm_up() {
    let json = toolglot_json::internal::quoted(CODE);
    let json = &json[1..json.len() - 1];
    let prose = "It says what it means: if x < y, then a[0] is `1`.\nA second line follows.\n";
    let dense = r#"{"id": 12, "ok": true, "xs": [1, 2.5, null, "a"], "o": {"k": "v"}}, "#;
    let entities = CODE.replace('&', "&amp;").replace('<', "&lt;");
    let call = "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"content\": ";
    let forge = "<tool><tool_name>write_file</tool_name><arguments><content>";
    for (dialect, opening, body) in [
        ("hermes", String::new(), prose),
        ("hermes", format!("{call}\""), json),
        ("hermes", format!("{call}["), dense),
        ("forge", format!("{forge}<![CDATA["), CODE),
        ("forge", forge.to_owned(), entities.as_str()),
        (
            "qwen3_coder",
            "<tool_call>\n<function=write_file>\n<parameter=content>\n".to_owned(),
            CODE,
        ),
        ("roo", "<write_to_file>\n<content>\n".to_owned(), CODE),
        ("pythonic", "[write_file(content=\"".to_owned(), json),
    ] {
        for size in [1, 4, 16, 4096] {
            let count = allocations(dialect, &opening, body, size);
            assert_eq!(count, 0, "{dialect}, {opening:?}, {size} bytes a push");
        }
    }
}
