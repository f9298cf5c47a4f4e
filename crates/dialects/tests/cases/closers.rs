//! Missing final closers: servers strip the stop string at which a model stopped, and some models stop early.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Code, Dialect, End, Finish, Input, Limits, Parser, Program,
};
use toolglot_engine::{Renderer, ToolSet};

use crate::cases::carried;

const ARGS: &str = "{\"text\": \"a.rs\", \"count\": 2}";

/// The table for `docs/dialects.md`.
///
/// # Panics
/// If a call with complete arguments does not end as the finish reason requires.
pub(crate) fn table() -> String {
    let tools = carried::tools();
    let mut same: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for dialect in toolglot_dialects::all() {
        if let Some(row) = row(dialect, &tools) {
            same.entry(row)
                .or_default()
                .push(format!("`{}`", dialect.name()));
        }
    }
    let mut out = String::from(
        "\n## Closers that may be missing\n\n\
         Where only final closers are missing, the call is `closed` with a note after `--finish stop`, `recovered` after `unknown`, and `truncated` after `length`.\n\
         A call as each dialect writes it, less one closer after the other from its end:\n\n\
         | may be missing | a call without it is `truncated` | dialects |\n|---|---|---|\n",
    );
    for ((missing, needed), dialects) in same {
        writeln!(out, "| {missing} | {needed} | {} |", dialects.join(", "))
            .expect("writing to a string");
    }
    out
}

/// The closers that a call may lack, and the first closer that it needs.
fn row(dialect: &Dialect, tools: &ToolSet) -> Option<(String, String)> {
    let call = CallText {
        name: "save",
        arguments: ARGS,
        server: None,
        id: None,
    };
    let renderer = Renderer::new(dialect, tools).expect("it compiles");
    let text = renderer.calls(&[call]).ok()?;
    let program = Program::compile(std::slice::from_ref(dialect), tools, Limits::default());
    let program = Arc::new(program.expect("it compiles"));
    let literals = dialect.literals();
    let (mut rest, mut missing) = (text.trim_end(), Vec::new());
    let quoted = |closer: &str| match closer.replace('|', "\\|") {
        fence if fence.contains('`') => format!("`` {fence} ``"),
        closer => format!("`{closer}`"),
    };
    while let Some(closer) = closer(&literals, rest) {
        rest = rest[..rest.len() - closer.len()].trim_end();
        if !is_whole(&program, rest, dialect.name()) {
            return Some((missing.join(" "), quoted(closer)));
        }
        missing.push(quoted(closer));
    }
    Some((missing.join(" "), String::new()))
}

/// The closer that `text` ends with.
fn closer<'a>(literals: &[&str], text: &'a str) -> Option<&'a str> {
    let is_one = |tag: &usize| text[*tag..].find('>') == Some(text.len() - tag - 1);
    let tag = text.rfind("</").filter(is_one);
    let literals = literals
        .iter()
        .map(|literal| literal.trim())
        .filter(|one| !one.is_empty() && text.ends_with(one));
    let literal = literals.map(|literal| text.len() - literal.len()).min();
    Some(&text[tag.or(literal)?..])
}

/// Whether the arguments are complete in `text`, which lacks closers.
fn is_whole(program: &Arc<Program>, text: &str, dialect: &str) -> bool {
    let json = |text: &str| toolglot_value::from_str(text).ok();
    let ends = [Finish::Stop, Finish::Unknown, Finish::Length].map(|why| {
        let mut read = Calls::default();
        let mut parser = Parser::new(Arc::clone(program));
        parser.push(Input::Text(text), &mut read);
        parser.finish(why, &mut read);
        let notes = |call: &toolglot_engine::Call| {
            call.notes.iter().map(|note| note.code).collect::<Vec<_>>()
        };
        let call = read.calls.first()?;
        let is_same = json(&call.arguments) == json(ARGS);
        Some((call.end, is_same || call.end == End::Truncated, notes(call)))
    });
    match &ends {
        // The call has ended: the missing closer belongs to the enclosing block.
        [
            Some((End::Closed, true, _)),
            Some((End::Closed, true, _)),
            Some((End::Closed, true, _)),
        ] => true,
        [
            Some((End::Closed, true, stop)),
            Some((End::Recovered, true, unknown)),
            Some((End::Truncated, _, _)),
        ] => {
            assert!(
                stop.contains(&Code::StrippedStopString),
                "{dialect}: {text:?} {stop:?}"
            );
            assert!(
                unknown.contains(&Code::MissingCloser),
                "{dialect}: {text:?} {unknown:?}"
            );
            true
        }
        [stop, unknown, length] => {
            let is_cut = |end: &Option<(End, bool, Vec<Code>)>| {
                end.as_ref().is_none_or(|(end, ..)| *end == End::Truncated)
            };
            assert!(
                [stop, unknown, length].into_iter().all(is_cut),
                "{dialect}: {text:?} {ends:?}"
            );
            false
        }
    }
}
