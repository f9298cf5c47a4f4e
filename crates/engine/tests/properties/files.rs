//! Dialect files that were damaged: refused with a place, or compiled to something that reads and writes. Work is counted.

use std::sync::Arc;

use proptest::sample::select;
use toolglot_engine::{
    CallText, Dialect, Finish, GrammarError, Input, Limits, Parser, Program, ToolSet, render,
};

use super::edits::{edited, edits};
use super::subjects::{Subject, each_subject};
use super::support::recorder::Recorder;

/// Terms that a dialect may have, as `docs/notation.md` says.
const TERMS: usize = 4096;
/// Nodes of one term at most: a rule has a begin and an end, an alternative an end of its own.
const NODES: usize = 4;

/// What rules are made of, whole terms of it too: a damaged file shall be refused for its sense, not only for its spelling.
const WORDS: &[&str] = &[
    "?",
    "*",
    "|",
    "(",
    ")",
    " ws ",
    " nl ",
    " line_start ",
    " message_start ",
    " message_end ",
    " name ",
    " key ",
    " id ",
    " raw ",
    " raw(a) ",
    " json ",
    " xml ",
    " python ",
    " any ",
    " type ",
    " call ",
    " block ",
    " param ",
    " object(name: name, args: args) ",
    " attrs(name: a|b, c: d) ",
    "\nblock = call",
    "\ncall = ",
    "\nthink = raw",
    "\ndialect x : ",
    "\nvalues: schema|type(a: json)",
    "\n  | \"<a>\" name",
    "({name})",
    "((ws? | nl?) (ws? | nl?))",
    "\"{any}\" \"{key}\"",
    "\ncase: ignore in call",
    "\u{e9}",
];

#[test]
fn damaged_dialect_files_are_refused_or_read() {
    each_subject(|subject| {
        let ([dialect], true) = (subject.dialects.as_slice(), subject.tools.is_empty()) else {
            return Ok(());
        };
        let all: Vec<&str> = toolglot_dialects::all()
            .iter()
            .map(Dialect::source)
            .collect();
        let words: Vec<String> = WORDS.iter().copied().map(String::from).collect();
        let finish = select(&[Finish::Stop, Finish::Unknown, Finish::Length][..]);
        subject.holds(300, &(edits(&words), finish), |(edits, why)| {
            let file = edited(dialect.source(), &edits, &all);
            check(subject, &file, why).map_err(|fault| format!("{fault}, of\n{file}"))
        })
    });
}

fn check(subject: &Subject, file: &str, why: Finish) -> Result<(), String> {
    let dialects = match Dialect::parse(file, toolglot_dialects::all()) {
        Ok(dialects) => dialects,
        Err(error) => return pointed(&error, file),
    };
    let text = format!(
        "Hm. {} {{\"name\": \"f\", \"arguments\": {{\"a\": 1}}}} f(a=1) {} end",
        subject.literals.join(" f "),
        subject.literals.join("\n")
    );
    for dialect in &dialects {
        let one = std::slice::from_ref(dialect);
        let Ok(program) = Program::compile(one, &ToolSet::default(), Limits::default()) else {
            continue;
        };
        let nodes = nodes(&program);
        if nodes > TERMS * NODES {
            return Err(format!("it compiles to {nodes} nodes"));
        }
        let mut parser = Parser::new(Arc::new(program));
        let mut read = Recorder::default();
        parser.push(Input::Text(&text), &mut read);
        let work = parser.work();
        parser.finish(why, &mut read);
        read.finish(&text, false)?;
        // Each byte is looked at from each position, and again where a candidate was none.
        if work > (5 * text.len() * nodes) as u64 {
            return Err(format!("{work} steps for {} bytes", text.len()));
        }
        let call = CallText {
            name: "f",
            arguments: "{\"a\":\"<x>\",\"b\":[1]}",
            server: None,
            id: None,
        };
        let _ = render(dialect, &ToolSet::default(), &[call, call]);
    }
    Ok(())
}

/// The error points into the file, at whole characters.
fn pointed(error: &GrammarError, file: &str) -> Result<(), String> {
    match file.get(error.span.clone()) {
        Some(_) => Ok(()),
        None => Err(format!("`{error}` points at {:?}", error.span)),
    }
}

/// The nodes of a program, the wrapper's too, as its `Debug` tells them.
fn nodes(program: &Program) -> usize {
    let told = format!("{program:?}");
    let digits = told.split("nodes: ").nth(1).expect("nodes are told");
    let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("nodes are a number")
}
