//! Depth costs no stack, and long values cost their length.

use std::sync::Arc;

use toolglot_engine::{CallText, Calls, Finish, Input, Parser};

use super::subjects::subjects;
use super::support::reading::{Cut, read};

const DEEP: usize = 100_000;

#[test]
fn deep_nesting_is_read_without_a_crash() {
    for subject in subjects() {
        for literal in &subject.literals {
            for (open, close) in [
                ("{\"a\":", "}"),
                ("[", "]"),
                ("<a>", "</a>"),
                ("(", ")"),
                ("<a><b>", "</b></a>"),
            ] {
                let deep = |n: usize| {
                    format!(
                        "{literal}search{literal}{}1{}",
                        open.repeat(n),
                        close.repeat(n)
                    )
                };
                let text = deep(300);
                read(&subject.program, &text, Cut::Bytes(64), Finish::Unknown)
                    .unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
            }
        }
        if subject.dialects.len() > 1 {
            continue;
        }
        let call = CallText {
            name: "search",
            arguments: r#"{"text":"@@"}"#,
            server: None,
            id: None,
        };
        let Ok(text) = subject.renderer(0).calls(&[call]) else {
            continue;
        };
        for (open, close) in [("{\"a\":", "}"), ("[", "]"), ("<a>", "</a>"), ("(", ",)")] {
            let nested = format!("{}1{}", open.repeat(DEEP), close.repeat(DEEP));
            for text in [
                text.replace("@@", &nested),
                text.replace("\"@@\"", &nested),
                text.replace("@@", &open.repeat(DEEP)),
            ] {
                read(&subject.program, &text, Cut::Bytes(4096), Finish::Stop)
                    .unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
            }
        }
    }
}

/// A value of many bytes comes back whole, from pushes of any size, for the same work a byte.
#[test]
fn long_values_come_back_whole_and_cost_their_length() {
    let bytes = std::env::var("TOOLGLOT_MB")
        .ok()
        .and_then(|mb| mb.parse().ok())
        .map_or(256 << 10, |mb: usize| mb << 20);
    let lines = [
        "fn main() { let x = 1; }\n",
        "a < b && c > d; \"quoted\" \\ \t",
        "]]> ]] {[()]} 日本語 🦀\r\n",
    ];
    for subject in subjects()
        .iter()
        .filter(|subject| subject.dialects.len() == 1)
    {
        for line in lines {
            let content = line.repeat(bytes / line.len());
            let args = toolglot_value::json!({"path": "a.rs", "content": content}).to_string();
            let Ok(text) = subject.renderer(0).calls(&[CallText {
                name: "write_file",
                arguments: &args,
                server: None,
                id: None,
            }]) else {
                continue;
            };
            let mut works = Vec::new();
            for cut in [Cut::Bytes(1), Cut::Bytes(16), Cut::Bytes(64 << 10)] {
                let mut calls = Calls::default();
                let mut parser = Parser::new(Arc::clone(&subject.program));
                cut.pieces(&text)
                    .for_each(|piece| parser.push(Input::Text(piece), &mut calls));
                works.push(parser.work() / text.len() as u64);
                parser.finish(Finish::Stop, &mut calls);
                let read: toolglot_value::Value =
                    toolglot_value::from_str(&calls.calls[0].arguments)
                        .expect("a whole call is JSON");
                assert!(
                    read["content"].as_str() == Some(&content),
                    "{}: {line:?}, {cut:?}",
                    subject.name
                );
            }
            assert!(
                works.iter().all(|&work| work <= 12),
                "{}: {line:?}: {works:?} steps a byte",
                subject.name
            );
        }
    }
}
