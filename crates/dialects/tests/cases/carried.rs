//! The calls that a dialect can carry: calls of every kind, written in each dialect and read back alone and in the
//! union.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Dialect, End, Finish, Input, Limits, Parser, Program, Renderer, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json};

/// Texts that are markup of some dialect.
const MARKERS: &[&str] = &[
    "<tool_call>{\"name\": \"ping\", \"arguments\": {}}</tool_call>",
    "</arg_value>",
    "</parameter>\n</function>",
    "<|im_end|>",
    "[TOOL_CALLS][]",
    "<|python_tag|>",
    "TOOL_CALL:\n{\"tool\": \"ping\"}",
    "]]>",
];

/// A call, or several, of one kind.
struct Kind {
    name: &'static str,
    calls: Vec<(&'static str, Value)>,
}

/// One argument of `save`.
fn one(name: &'static str, key: &str, value: Value) -> Kind {
    let object: Map<String, Value> = [(key.to_owned(), value)].into_iter().collect();
    Kind {
        name,
        calls: vec![("save", Value::Object(object))],
    }
}

fn text(name: &'static str, text: &str) -> Kind {
    one(name, "text", Value::from(text))
}

/// The kinds of calls, the ordinary ones first; `own` is a call as the dialect writes it.
fn kinds(own: &str) -> Vec<Kind> {
    let deep = (0..40).fold(json!({}), |inner, _| json!({ "k": inner }));
    let number = |digits: &str| serde_json::from_str(digits).expect("it is a number");
    vec![
        text("a line", "a.rs"),
        text(
            "code",
            "fn main() {\n    if a < b && c > d { println!(\"{}\\n\", 'x'); }\n}\n",
        ),
        text("other alphabets", "größer 表 👩‍👩‍👧"),
        text("an empty text", ""),
        text("blanks at its ends", "  a \t"),
        text("line breaks at its ends", "\na\n"),
        text("a carriage return", "a\r\nb"),
        text("quotation marks", "say \"hi\", don't `x`"),
        text("backslashes", "C:\\new\\table \\\" \\u00e9"),
        text("a control character", "a\u{1}b"),
        text("a fence", "```rust\nfn f() {}\n```\n"),
        text("entities", "a &lt; b &amp;&amp; c &#60; d"),
        text("JSON", "{\"a\": [1, \"}\"]}"),
        text("a word of JSON", "true"),
        text("digits", "007"),
        text("markers of others", &MARKERS.join(" ")),
        text("a call of its own", own),
        text(
            "the end of a call of its own",
            own.rsplit_once("a.rs").map_or("", |(_, end)| end),
        ),
        one("an integer", "count", number("42")),
        one("a fraction", "share", json!(-0.5)),
        one("a truth value", "ok", json!(false)),
        one("a list", "items", json!(["a", "b\nc", ""])),
        one(
            "an object",
            "box",
            json!({"a": 1, "b": {"c": [true, null]}}),
        ),
        one("an empty list", "items", json!([])),
        one("an empty object", "box", json!({})),
        one("40 levels", "box", deep),
        one(
            "a key with a blank and a quotation mark",
            "box",
            json!({"a \"b\"": 1}),
        ),
        one("a key with a tag in it", "box", json!({"<a>": 1, "": 2})),
        Kind {
            name: "no arguments",
            calls: vec![("ping", json!({}))],
        },
        Kind {
            name: "a name with a hyphen",
            calls: vec![("find-pages", json!({"text": "a"}))],
        },
        Kind {
            name: "two calls",
            calls: vec![
                ("ping", json!({})),
                ("save", json!({"text": "a", "count": 2})),
            ],
        },
    ]
}

pub(crate) fn tools() -> ToolSet {
    let parameters = json!({"type": "object", "properties": {
        "text": {"type": "string"}, "count": {"type": "integer"}, "share": {"type": "number"},
        "ok": {"type": "boolean"}, "items": {"type": "array", "items": {"type": "string"}}, "box": {"type": "object"},
    }});
    let tools: Vec<Value> = ["save", "find-pages", "ping"]
        .iter()
        .map(|name| {
            let parameters = if *name == "ping" {
                json!({"type": "object", "properties": {}})
            } else {
                parameters.clone()
            };
            json!({"type": "function", "function": {"name": name, "parameters": parameters}})
        })
        .collect();
    Toolbox::from_json(&Value::Array(tools))
        .expect("they are tools")
        .tool_set()
}

/// Whether the text parses to the calls.
fn reads(program: &Arc<Program>, text: &str, calls: &[(&str, Value)]) -> bool {
    let mut read = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    parser.push(Input::Text(text), &mut read);
    parser.finish(Finish::Stop, &mut read);
    read.calls.len() == calls.len()
        && read.calls.iter().zip(calls).all(|(read, (name, args))| {
            read.name == *name
                && read.end != End::Truncated
                && toolglot_value::from_str(&read.arguments).is_ok_and(|read| read == *args)
        })
}

/// Two calls as the dialect writes them; `None` if it only has calls of its own tools.
pub(crate) fn two_calls(dialect: &Dialect) -> Option<String> {
    let args = ["{\"text\": \"a.rs\", \"count\": 2}", "{}"];
    let [save, ping] = ["save", "ping"].map(|name| CallText {
        name,
        arguments: args[usize::from(name == "ping")],
        server: None,
        id: None,
    });
    let renderer = Renderer::new(dialect, &tools()).expect("it compiles");
    renderer.calls(&[save, ping]).ok()
}

/// The table for `docs/dialects.md`.
///
/// # Panics
/// If the dialect itself does not read a rendered text as the calls.
pub(crate) fn table() -> String {
    let tools = tools();
    let union = Arc::new(toolglot_dialects::auto().for_tools(&tools));
    let mut rows = BTreeMap::new();
    let mut n_kinds = 0;
    for dialect in toolglot_dialects::all() {
        let renderer = Renderer::new(dialect, &tools).expect("it compiles");
        let alone = Program::compile(std::slice::from_ref(dialect), &tools, Limits::default());
        let alone = Arc::new(alone.expect("it compiles"));
        let (mut refused, mut others) = (Vec::new(), Vec::new());
        let ordinary = CallText {
            name: "save",
            arguments: "{\"text\": \"a.rs\"}",
            server: None,
            id: None,
        };
        let kinds = kinds(&renderer.calls(&[ordinary]).unwrap_or_default());
        n_kinds = kinds.len();
        for Kind { name, calls } in kinds {
            let args: Vec<String> = calls.iter().map(|(_, args)| args.to_string()).collect();
            let texts: Vec<CallText<'_>> = calls
                .iter()
                .zip(&args)
                .map(|((name, _), args)| CallText {
                    name,
                    arguments: args,
                    server: None,
                    id: None,
                })
                .collect();
            let Ok(text) = renderer.calls(&texts) else {
                refused.push(name);
                continue;
            };
            assert!(
                reads(&alone, &text, &calls),
                "{}, {name}: {text:?} is not read as it was written",
                dialect.name()
            );
            if dialect.split().is_none() && !reads(&union, &text, &calls) {
                others.push(name);
            }
        }
        rows.insert(dialect.name(), (refused, others));
    }
    let mut out = format!(
        "\n## What each can carry\n\n\
         `render` parses what it wrote, and refuses a call that did not come back. Of {n_kinds} kinds of calls to known tools:\n\n\
         | dialect | written | refused | read differently by `auto` |\n|---|--:|---|---|\n"
    );
    for (dialect, (refused, others)) in rows {
        let n_written = n_kinds - refused.len();
        let refused = if n_written == 0 {
            "all: it has no calls of any tool".to_owned()
        } else {
            refused.join("; ")
        };
        writeln!(
            out,
            "| `{dialect}` | {n_written} | {refused} | {} |",
            others.join("; ")
        )
        .expect("writing to a string");
    }
    out
}
