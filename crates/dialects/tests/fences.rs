//! The reading of a call in quoted code does not depend on the dialect.

use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Code, Dialect, End, Finish, InCode, Input, Limits, Parser, Place, Program,
    Renderer, ToolSet,
};
use toolglot_toolset::Toolbox;

/// Dialects whose calls are fences, or end with one.
const FENCES: &[&str] = &["axe", "react", "swe_agent", "tool_code"];

struct Subject {
    name: String,
    program: Arc<Program>,
    /// A call, as the dialect writes it.
    call: String,
}

impl Subject {
    fn read(&self, text: &str, why: Finish) -> Calls {
        read(&self.program, text, InCode::Auto, why)
    }

    fn message(&self, shape: &str) -> String {
        shape.replace("CALL", &self.call)
    }
}

fn read(program: &Arc<Program>, text: &str, in_code: InCode, why: Finish) -> Calls {
    let mut whole = Calls::default();
    let mut parser = Parser::new(Arc::clone(program)).in_code(in_code);
    parser.push(Input::Text(text), &mut whole);
    parser.finish(why, &mut whole);
    let mut pieces = Calls::default();
    let mut parser = Parser::new(Arc::clone(program)).in_code(in_code);
    for piece in text.split_inclusive(|_| true) {
        parser.push(Input::Text(piece), &mut pieces);
    }
    parser.finish(why, &mut pieces);
    assert_eq!(whole, pieces, "{text:?}");
    whole
}

fn tools() -> ToolSet {
    Toolbox::builtin("vocabulary")
        .expect("it is built in")
        .tool_set()
}

/// All dialects that write and read a call of a known tool after text, alone and in the union.
fn subjects(tools: &ToolSet) -> Vec<Subject> {
    let known = self::tools();
    let is_fence = |dialect: &Dialect| FENCES.contains(&dialect.name());
    let prose = toolglot_dialects::all()
        .iter()
        .filter(|dialect| !is_fence(dialect));
    let union = Program::compile(prose.clone(), tools, Limits::default());
    let union = Arc::new(union.expect("they compile"));
    let written = |dialect: &'static Dialect| {
        let call = CallText {
            name: "read_file",
            arguments: r#"{"path":"a.rs"}"#,
            server: None,
            id: None,
        };
        let renderer = Renderer::new(dialect, &known).expect("it compiles");
        let call = renderer.calls(&[call]).ok()?;
        let alone = Program::compile([dialect], tools, Limits::default()).expect("it compiles");
        let subject = |name: String, program| Subject {
            name,
            program,
            call: call.trim_matches('\n').to_owned(),
        };
        let reads = |subject: &Subject| {
            let text = subject.message("```json\nCALL\n```");
            read(&subject.program, &text, InCode::Ignore, Finish::Stop)
                .calls
                .len()
                == 1
        };
        let both = [
            subject(dialect.name().to_owned(), Arc::new(alone)),
            subject(format!("{} of all", dialect.name()), Arc::clone(&union)),
        ];
        let is_fence = FENCES.contains(&dialect.name());
        Some(
            both.into_iter()
                .filter(move |subject| !is_fence && reads(subject))
                .collect(),
        )
    };
    let all: Vec<Vec<Subject>> = toolglot_dialects::all()
        .iter()
        .filter_map(written)
        .collect();
    all.into_iter().flatten().collect()
}

/// The subjects that do not read `shape` as expected, each with its result.
fn differing(
    subjects: &[&Subject],
    (shape, why): (&str, Finish),
    is_expected: impl Fn(&Calls) -> bool,
) -> Vec<String> {
    let mut all = Vec::new();
    for subject in subjects {
        let text = subject.message(shape);
        let found = subject.read(&text, why);
        if !is_expected(&found) {
            all.push(format!("{}: {text:?} {found:#?}", subject.name));
        }
    }
    all
}

fn is_noted(found: &Calls, code: Code) -> bool {
    found.notes.iter().any(|note| note.code == code)
}

#[test]
fn calls_in_a_wrapper_are_calls_wherever_it_stands() {
    let all = subjects(&tools());
    let subjects: Vec<&Subject> = all.iter().collect();
    assert!(subjects.len() > 100, "{}", subjects.len());
    let stop = Finish::Stop;
    let (closed, recovered) = (End::Closed, End::Recovered);
    for (shape, why, n_calls, end) in [
        ("I look.\n\n```\nCALL\n```\n", stop, 1, closed),
        ("I look.\n\n```json\nCALL\n```\n", stop, 1, closed),
        ("I look.\n\n~~~~xml  \nCALL\n~~~~", stop, 1, closed),
        (
            "I look.\r\n\r\n```python\r\nCALL\r\n```\r\n",
            stop,
            1,
            closed,
        ),
        ("1. I look.\n   ```json\n   CALL\n   ```\n", stop, 1, closed),
        ("I look.\n```json\n\nCALL\n\n\n```\n\n", stop, 1, closed),
        ("I look.\n```json\nCALL\n", stop, 1, closed),
        ("I look.\n```json\nCALL\n```", Finish::Unknown, 1, closed),
        ("I look.\n```json\nCALL\n```", Finish::Length, 1, recovered),
        (
            "I look.\n```json\nCALL\n```\n\n```json\nCALL\n```",
            stop,
            2,
            closed,
        ),
        ("I look.\n```json\nCALL\n```\n\n~~~\n\n~~~", stop, 1, closed),
        (
            "I look.\n```json\nCALL\n```\nThis reads it.",
            stop,
            1,
            recovered,
        ),
        ("I look.\n```json\nCALL\n``` so", stop, 1, recovered),
        ("I look.\n```json\nCALL\nso\n```\n", stop, 1, recovered),
        ("I look.\n```json\nCALL\n```\n`a`", stop, 1, recovered),
        (
            "I look.\n```json\nCALL\n```\n```js\nf\n```",
            stop,
            1,
            recovered,
        ),
        (
            "I look.\n```json\nCALL\n```\n```json\n{\"a\": 1}\n```",
            stop,
            1,
            recovered,
        ),
        (
            "I look.\n```json\nCALL\n```\nThen:\n```json\nCALL\n```\n",
            stop,
            2,
            closed,
        ),
    ] {
        let faults = differing(&subjects, (shape, why), |found| {
            let is_fine = |call: &toolglot_engine::Call| {
                // Of several calls only the last one is checked here.
                let is_last = call.id == found.calls[found.calls.len() - 1].id;
                call.place == Place::Code
                    && call.name == "read_file"
                    && call.arguments.contains("a.rs")
                    && (!is_last || call.end == end)
            };
            found.calls.len() == n_calls
                && found.calls.iter().all(is_fine)
                && is_noted(found, Code::FencedCall)
        });
        assert!(
            faults.is_empty(),
            "{} of {}: {}",
            faults.len(),
            subjects.len(),
            faults.join("\n")
        );
    }
}

#[test]
fn what_looks_like_a_call_in_another_quotation_is_text_with_a_note() {
    let all = subjects(&tools());
    let is_line = |subject: &&Subject| !subject.call.contains('\n');
    let (lines, blocks): (Vec<&Subject>, Vec<&Subject>) = all.iter().partition(is_line);
    // Some dialects read a bare call only at the start of the message.
    let anywhere = |subject: &&Subject| {
        let text = subject.message("I look.\nCALL");
        subject.read(&text, Finish::Stop).calls.len() == 1
    };
    let anywhere: Vec<&Subject> = all.iter().filter(anywhere).collect();
    assert!(lines.len() > 50 && blocks.len() > 50 && anywhere.len() > 100);
    let every = &all.iter().collect::<Vec<_>>();
    for (shape, subjects) in [
        ("I look.\n\n```js\nCALL\n```\n", every),
        ("I look.\n\n```json title=\"a\"\nCALL\n```\n", every),
        ("I look.\n\n```json\nHere:\nCALL\n```\n", &anywhere),
        (
            "I look.\n\n~~~javascriptreact\nCALL\n~~~\nThis reads it.",
            every,
        ),
        ("I look.\n<!-- CALL -->", every),
        ("I look.\n\n> CALL\n", &lines),
        ("I look: `CALL`.", &lines),
    ] {
        let faults = differing(subjects, (shape, Finish::Stop), |found| {
            found.calls.is_empty() && is_noted(found, Code::QuotedCall)
        });
        assert!(
            faults.is_empty(),
            "{} of {}: {}",
            faults.len(),
            subjects.len(),
            faults.join("\n")
        );
    }
}

#[test]
fn without_tools_a_call_in_a_wrapper_is_one_only_of_a_tool_that_the_dialect_teaches() {
    let all = subjects(&ToolSet::default());
    let every: Vec<&Subject> = all.iter().collect();
    let message = ("I look.\n\n```json\nCALL\n```\n", Finish::Stop);
    let faults = differing(&every, message, |found| {
        let code = match found.calls.len() {
            0 => Code::QuotedCall,
            _ => Code::FencedCall,
        };
        is_noted(found, code)
    });
    assert!(faults.is_empty(), "{}: {}", faults.len(), faults.join("\n"));
    let reads = |subject: &&Subject| {
        !subject
            .read(&subject.message(message.0), message.1)
            .calls
            .is_empty()
    };
    let taught: Vec<&str> = every
        .iter()
        .copied()
        .filter(reads)
        .map(|subject| subject.name.as_str())
        .collect();
    assert_eq!(taught, ["roo", "roo of all"]);
}
