//! Depth costs no stack, and long values cost their length.

use std::sync::Arc;

use toolglot_engine::{CallText, Calls, Finish, Input, Parser};

use super::subjects::{Subject, is_due, subjects};
use super::support::reading::{Cut, read};

const DEEP: usize = 20_000;

/// A stack in which no frame of [`DEEP`] has thirty bytes.
const STACK: usize = 512 << 10;

/// Each literal meets one of the nestings, and each dialect three of the deep texts, by turns.
#[test]
fn deep_nesting_is_read_without_a_crash() {
    let subjects = subjects();
    let deep = std::thread::Builder::new().stack_size(STACK);
    let deep = deep.spawn(|| read_nested(subjects));
    assert!(deep.expect("a thread").join().is_ok());
}

fn read_nested(subjects: &[Subject]) {
    for (n_subject, subject) in subjects.iter().enumerate() {
        for (n_literal, literal) in subject.literals.iter().enumerate() {
            let nestings = [
                ("{\"a\":", "}"),
                ("[", "]"),
                ("<a>", "</a>"),
                ("(", ")"),
                ("<a><b>", "</b></a>"),
            ];
            let turn = n_subject + n_literal;
            let nestings = nestings.iter().enumerate();
            for (_, (open, close)) in nestings.filter(|(n, _)| is_due(n + turn, 5)) {
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
        let nestings = [("{\"a\":", "}"), ("[", "]"), ("<a>", "</a>"), ("(", ",)")];
        for (n, (open, close)) in nestings.into_iter().enumerate() {
            let nested = format!("{}1{}", open.repeat(DEEP), close.repeat(DEEP));
            let texts = [
                text.replace("@@", &nested),
                text.replace("\"@@\"", &nested),
                text.replace("@@", &open.repeat(DEEP)),
            ];
            let texts = texts.iter().enumerate();
            for (_, text) in texts.filter(|(m, _)| is_due(n_subject + n + 2 * m, 4)) {
                read(&subject.program, text, Cut::Bytes(4096), Finish::Stop)
                    .unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
            }
        }
    }
}

/// A value of many bytes comes back whole, from pushes of any size, for the same work a byte. Lines take turns.
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
    let subjects = subjects().iter();
    let subjects = subjects.filter(|subject| subject.dialects.len() == 1);
    for (turn, subject) in subjects.enumerate() {
        let lines = lines.iter().enumerate();
        for (_, line) in lines.filter(|(n, _)| is_due(n + turn, 3)) {
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
