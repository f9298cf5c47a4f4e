//! Writes many well-formed calls as the five systems' models were taught to, cuts them at random, and counts how many
//! come back equal: `cargo run --release -p toolglot-engine --example soak -- 100000 [SEED] [WRITER]`.
//!
//! The writers here are hand-made on purpose: what the renderer writes was read back once already.

#![expect(clippy::print_stdout, reason = "its report is what it is for")]
#![expect(clippy::cast_precision_loss, reason = "a share for people to read")]
#![expect(
    clippy::explicit_auto_deref,
    reason = "without the `*` the type is not inferred"
)]
#![expect(clippy::format_push_string, reason = "its speed is not the point")]

use std::collections::BTreeMap;
use std::sync::Arc;

use toolglot_engine::{
    Calls, End, Fields, Finish, Input, Limits, Parser, Program, Scalars, Shape, Tool, ToolSet,
};
use toolglot_value::{Map, Value, json};

#[path = "../tests/support/hostile.rs"]
mod hostile;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1000);
    let seed: u64 = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let only = arguments.next();
    for writer in WRITERS
        .iter()
        .filter(|writer| only.as_deref().is_none_or(|only| only == writer.name))
    {
        let score = soak(writer, count, seed);
        let share = |equal: u64, of: u64| 100.0 * equal as f64 / of.max(1) as f64;
        println!(
            "{:<14} {:>7} of {:>7} equal ({:.3} %)",
            writer.name,
            score.plain.0,
            score.plain.1,
            share(score.plain.0, score.plain.1)
        );
        if score.own.1 > 0 {
            println!(
                "{:<14} {:>7} of {:>7} with their own tags inside ({:.3} %); {} wrong and Closed",
                "",
                score.own.0,
                score.own.1,
                share(score.own.0, score.own.1),
                score.wrong
            );
        }
        for (class, (n, example)) in &score.misses {
            println!("    {n:>6} {class}\n           {example}");
        }
    }
}

/// One way to write calls.
struct Writer {
    name: &'static str,
    dialect: &'static str,
    /// Values of other types than strings are written, and read back by the schema.
    typed: bool,
    /// What begins and ends a raw value of a key, where nothing is escaped: values that hold these are told apart by
    /// evidence alone.
    raw: Option<fn(&str) -> [String; 2]>,
    /// Blanks at the ends of a value are the format's, not the value's.
    trims: bool,
    write: fn(&mut Dice, &str, &Map<String, Value>) -> String,
}

const WRITERS: &[Writer] = &[
    Writer {
        name: "roo",
        dialect: "roo",
        typed: true,
        raw: Some(|key| [format!("<{key}>"), format!("</{key}>")]),
        trims: true,
        write: roo,
    },
    Writer {
        name: "forge",
        dialect: "forge",
        typed: true,
        raw: None,
        trims: false,
        write: forge,
    },
    Writer {
        name: "forge_hybrid",
        dialect: "forge_hybrid",
        typed: true,
        raw: None,
        trims: false,
        write: forge_hybrid,
    },
    Writer {
        name: "axe invoke",
        dialect: "axe",
        typed: true,
        raw: Some(|_| ["<parameter".into(), "</parameter>".into()]),
        trims: true,
        write: axe_invoke,
    },
    Writer {
        name: "axe block",
        dialect: "axe",
        typed: false,
        raw: Some(|_| ["```".into(), "</write_file>".into()]),
        trims: true,
        write: axe_block,
    },
    Writer {
        name: "tool_call",
        dialect: "tool_call",
        typed: true,
        raw: None,
        trims: false,
        write: tool_call,
    },
    Writer {
        name: "tool_call_xml",
        dialect: "tool_call_xml",
        typed: true,
        raw: None,
        trims: false,
        write: tool_call_xml,
    },
    Writer {
        name: "rye_invoke",
        dialect: "rye_invoke",
        typed: true,
        raw: Some(|_| ["<parameter".into(), "</parameter>".into()]),
        trims: true,
        write: rye_invoke,
    },
];

#[derive(Default)]
struct Score {
    /// Equal, of all.
    plain: (u64, u64),
    /// The same for calls whose raw values hold their own opener or closer.
    own: (u64, u64),
    /// Of those, other arguments in a call that may run.
    wrong: u64,
    misses: BTreeMap<String, (u64, String)>,
}

fn soak(writer: &Writer, count: u64, seed: u64) -> Score {
    let dialect = toolglot_dialects::get(writer.dialect).expect("it ships");
    let markers: Vec<String> = toolglot_dialects::all()
        .iter()
        .flat_map(hostile::literals)
        .collect();
    let program = Arc::new(
        Program::compile(std::slice::from_ref(dialect), &tools(), Limits::default())
            .expect("it compiles"),
    );
    let mut score = Score::default();
    for n in 0..count {
        let mut dice = Dice(
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (n + 1).wrapping_mul(0xd134_2543_de82_ef95)
                | 1,
        );
        let (name, args) = call(&mut dice, writer, &markers);
        let mut text = dice
            .pick(&["", "I will do that.\n\n", "Zuerst: \n", "好的。\n"])
            .to_string();
        text.push_str(&(writer.write)(&mut dice, name, &args));
        text.push_str(*dice.pick(&["", "\n", "\n\nDone.", " and then?"]));
        let mut calls = Calls::default();
        let mut parser = Parser::new(Arc::clone(&program));
        let mut rest = text.as_str();
        let most = *dice.pick(&[1, 4, 64, 4096]);
        while !rest.is_empty() {
            let length = 1 + dice.below(most);
            let end = (length.min(rest.len())..=rest.len())
                .find(|&end| rest.is_char_boundary(end))
                .unwrap_or(rest.len());
            parser.push(Input::Text(&rest[..end]), &mut calls);
            rest = &rest[end..];
        }
        parser.finish(Finish::Stop, &mut calls);
        let holds = |key: &str, value: &Value| {
            writer
                .raw
                .is_some_and(|raw_tags| raw_tags(key).iter().any(|tag| raw(value).contains(tag)))
        };
        let own = args.iter().any(|(key, value)| holds(key, value));
        let of = if own {
            &mut score.own
        } else {
            &mut score.plain
        };
        of.1 += 1;
        match miss(&calls, name, &args) {
            None => of.0 += 1,
            Some(class) => {
                score.wrong +=
                    u64::from(own && calls.calls.iter().any(|call| call.end == End::Closed));
                let class = if own {
                    format!("(own tags) {class}")
                } else {
                    class
                };
                let entry = score
                    .misses
                    .entry(class)
                    .or_insert_with(|| (0, String::new()));
                entry.0 += 1;
                if entry.1.is_empty() || text.len() < entry.1.len() {
                    let read: Vec<_> = calls
                        .calls
                        .iter()
                        .map(|call| format!("{} {} {:?}", call.name, call.arguments, call.end))
                        .collect();
                    entry.1 = format!("{text:?} -> {read:?}");
                }
            }
        }
    }
    score
}

/// What is wrong with what was read, as a class.
fn miss(calls: &Calls, name: &str, args: &Map<String, Value>) -> Option<String> {
    let [call] = calls.calls.as_slice() else {
        return Some(format!("{} calls", calls.calls.len().min(3)));
    };
    if call.name != name {
        return Some("another name".into());
    }
    if call.end == End::Truncated {
        return Some("truncated".into());
    }
    let Ok(read) = serde_json::from_str::<Map<String, Value>>(&call.arguments) else {
        return Some("no object".into());
    };
    if read == *args {
        return None;
    }
    let keys = args
        .keys()
        .filter(|key| read.get(*key) != args.get(*key))
        .count();
    Some(format!(
        "{:?}: {keys} of {} values differ",
        call.end,
        args.len()
    ))
}

fn tools() -> ToolSet {
    let integer = Shape::Scalar(Scalars {
        integer: true,
        ..Scalars::default()
    });
    let boolean = Shape::Scalar(Scalars {
        boolean: true,
        ..Scalars::default()
    });
    let shape = |shapes: &[(&str, Shape)]| Fields {
        properties: shapes
            .iter()
            .map(|(key, shape)| ((*key).into(), shape.clone()))
            .collect(),
        others: None,
    };
    let edit = Shape::Object(shape(&[
        ("search", Shape::Text),
        ("replace", Shape::Text),
        ("line", integer.clone()),
    ]));
    let edit_fields = shape(&[
        ("path", Shape::Text),
        ("content", Shape::Text),
        ("limit", integer),
        ("deep", boolean),
        ("edits", Shape::Array(Box::new(edit.clone()))),
        ("options", edit),
    ]);
    ToolSet::new([
        Tool {
            name: "apply_diff".into(),
            parameters: edit_fields,
        },
        Tool {
            name: "write_file".into(),
            parameters: shape(&[("path", Shape::Text), ("content", Shape::Text)]),
        },
        Tool {
            name: "read_file".into(),
            parameters: shape(&[("path", Shape::Text)]),
        },
        Tool {
            name: "execute_command".into(),
            parameters: shape(&[("command", Shape::Text), ("commands", Shape::Text)]),
        },
    ])
}

fn call(
    dice: &mut Dice,
    writer: &Writer,
    markers: &[String],
) -> (&'static str, Map<String, Value>) {
    let mut text = |dice: &mut Dice| {
        let text = hostile_text(dice, markers);
        Value::from(if writer.trims {
            text.trim().to_owned()
        } else {
            text
        })
    };
    let mut args = Map::new();
    if writer.typed && dice.below(2) == 0 {
        args.insert("path".into(), text(dice));
        args.insert(
            "limit".into(),
            json!(i64::from(dice.below(100_000) as u32) - 500),
        );
        args.insert("deep".into(), json!(dice.below(2) == 0));
        let edit = |dice: &mut Dice, text: &mut dyn FnMut(&mut Dice) -> Value| json!({"search": text(dice), "replace": text(dice), "line": dice.below(900)});
        if dice.below(2) == 0 {
            let edits: Vec<Value> = (0..=dice.below(3)).map(|_| edit(dice, &mut text)).collect();
            args.insert("edits".into(), edits.into());
        }
        if dice.below(2) == 0 {
            args.insert("options".into(), edit(dice, &mut text));
        }
        return ("apply_diff", args);
    }
    args.insert(
        "path".into(),
        if writer.typed {
            text(dice)
        } else {
            json!(format!("src/{}.rs", dice.below(99)))
        },
    );
    if dice.below(3) == 0 {
        return ("read_file", args);
    }
    args.insert("content".into(), text(dice));
    ("write_file", args)
}

fn hostile_text(dice: &mut Dice, markers: &[String]) -> String {
    const WORDS: &[&str] = &[
        "let x = 1;\n",
        "the ",
        "file",
        "naïve",
        "  ",
        "\n",
        "if (a < b) {\n",
        "}\n",
        "end",
        "Größe",
        "ключ",
        "値",
    ];
    let mut text = String::new();
    for _ in 0..dice.below(7) {
        match dice.below(3) {
            0 => text.push_str(*dice.pick(hostile::HOSTILE)),
            1 => text.push_str(dice.pick(markers).as_str()),
            _ => text.push_str(*dice.pick(WORDS)),
        }
    }
    text
}

/// A value as raw text.
fn raw(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn roo(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    let mut text = format!("<{name}>\n");
    for (key, value) in args {
        let gap = if key == "content" || dice.below(3) == 0 {
            "\n"
        } else {
            ""
        };
        text.push_str(&format!("<{key}>{gap}{}{gap}</{key}>\n", raw(value)));
    }
    text + &format!("</{name}>")
}

fn invoke(dice: &mut Dice, quote: char, name: &str, args: &Map<String, Value>) -> String {
    let mut text = format!("<invoke name={quote}{name}{quote}>\n");
    for (key, value) in args {
        let gap = *dice.pick(&["", "\n", "\r\n"]);
        text.push_str(&format!(
            "<parameter name={quote}{key}{quote}>{gap}{}{gap}</parameter>\n",
            raw(value)
        ));
    }
    text + "</invoke>"
}

fn rye_invoke(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    // Its system reads no other quotation marks.
    invoke(dice, '"', name, args)
}

fn axe_invoke(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    let quote = *dice.pick(&['"', '\'']);
    let inside = invoke(dice, quote, name, args);
    format!("<function_calls>\n{inside}\n</function_calls>")
}

fn axe_block(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    let path = raw(&args["path"]);
    match (name, dice.below(2)) {
        ("read_file", 0) => format!("```READ {path}\n```"),
        ("read_file", _) => format!("<read_file>{path}</read_file>"),
        (_, 0) => format!("```WRITE {path}\n{}\n```", raw(&args["content"])),
        _ => format!(
            "<write_file path=\"{path}\">{}</write_file>",
            raw(&args["content"])
        ),
    }
}

fn element(dice: &mut Dice, key: &str, value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            out.push_str(&format!("<{key}>\n"));
            members
                .iter()
                .for_each(|(key, value)| element(dice, key, value, out));
            out.push_str(&format!("</{key}>\n"));
        }
        Value::Array(items) if dice.below(2) == 0 => {
            for item in items {
                element(dice, key, item, out);
            }
        }
        Value::Array(items) => {
            out.push_str(&format!("<{key}>\n"));
            for item in items {
                element(dice, key.trim_end_matches('s'), item, out);
            }
            out.push_str(&format!("</{key}>\n"));
        }
        Value::String(text) if dice.below(2) == 0 => out.push_str(&format!(
            "<{key}><![CDATA[{}]]></{key}>\n",
            text.replace("]]>", "]]]]><![CDATA[>")
        )),
        Value::String(text) => out.push_str(&format!(
            "<{key}>{}</{key}>\n",
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
        )),
        other => out.push_str(&format!("<{key}>{other}</{key}>\n")),
    }
}

fn forge(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    let server = *dice.pick(&["", "<server_name>local</server_name>\n"]);
    let mut text = format!("<tool>\n{server}<tool_name>{name}</tool_name>\n<arguments>\n");
    args.iter()
        .for_each(|(key, value)| element(dice, key, value, &mut text));
    text + "</arguments>\n</tool>"
}

fn spelled(dice: &mut Dice, value: &Value) -> String {
    if dice.below(2) == 0 {
        value.to_string()
    } else {
        serde_json::to_string_pretty(value).unwrap_or_default()
    }
}

fn forge_hybrid(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    let json = spelled(dice, &Value::from(args.clone()));
    match dice.below(3) {
        0 => format!(
            "<tool>{}</tool>",
            spelled(
                dice,
                &json!({"server_name": "local", "tool_name": name, "arguments": args})
            )
        ),
        1 => {
            format!("<tool>\n<tool_name>{name}</tool_name>\n<arguments>{json}</arguments>\n</tool>")
        }
        _ => format!(
            "<tool>\n<tool_name>{name}</tool_name>\n<arguments><![CDATA[\n{}\n]]></arguments>\n</tool>",
            json.replace("]]>", "]]\\u003e")
        ),
    }
}

fn tool_call(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    let key = *dice.pick(&["tool", "name", "tool_name"]);
    let value = *dice.pick(&["arguments", "args", "parameters", "input"]);
    let object = if dice.below(2) == 0 {
        json!({key: name, value: args})
    } else {
        json!({value: args, key: name})
    };
    match dice.below(5) {
        0 => format!("TOOL_CALL:\n{}", spelled(dice, &object)),
        1 => format!("TOOL_CALL:\n```json\n{}\n```", spelled(dice, &object)),
        2 => format!(
            "TOOL_CALL: {}",
            spelled(
                dice,
                &json!({key: name, "arguments": Value::from(args.clone()).to_string()})
            )
        ),
        3 => spelled(dice, &json!({"tool": name, "arguments": args})),
        _ => format!(
            "[TOOL:{name}:{}]",
            spelled(dice, &Value::from(args.clone()))
        ),
    }
}

fn tool_call_xml(dice: &mut Dice, name: &str, args: &Map<String, Value>) -> String {
    let (a, b) = (
        *dice.pick(&["</tool_name>", "</_name>", "</_>", "</>"]),
        *dice.pick(&["</arguments>", "</_>", "</>"]),
    );
    let head = if dice.below(3) == 0 {
        format!("<{name}>{name}</{name}>")
    } else {
        format!("<tool_name>{name}{a}")
    };
    format!(
        "<tool_call>\n{head}\n<arguments>\n{}\n{b}\n</tool_call>",
        spelled(dice, &Value::from(args.clone()))
    )
}

/// Xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % most
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
