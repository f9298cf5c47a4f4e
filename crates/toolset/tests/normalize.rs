//! `data/normalize.txt`, and the spans of its notes.

use toolglot_engine::{Call, CallId, Code, End, Place, Span};
use toolglot_toolset::{Canonical, Toolbox, normalize};

/// A call of ten bytes, its name in the first two.
fn call(index: usize, name: &str, args: &str) -> Call {
    let start = index as u64 * 10;
    Call {
        id: CallId(u32::try_from(index).expect("few calls")),
        written_id: None,
        name: name.into(),
        name_span: Span::new(start, start + 2),
        server: None,
        arguments: args.into(),
        span: Span::new(start, start + 10),
        dialect: "test".into(),
        place: Place::Answer,
        end: End::Closed,
        notes: Vec::new(),
    }
}

/// A line of the file: `ns:name! {..}`.
fn written(index: usize, line: &str) -> Call {
    let (name, args) = line
        .split_once(' ')
        .expect("arguments stand behind the name");
    let (ns, name) = match name.split_once(':') {
        Some((ns, name)) => (Some(ns), name),
        None => (None, name),
    };
    let (name, end) = match name.strip_suffix('!') {
        Some(name) => (name, End::Recovered),
        None => name
            .strip_suffix('~')
            .map_or((name, End::Closed), |name| (name, End::Truncated)),
    };
    Call {
        server: ns.map(String::from),
        end,
        ..call(index, name, args)
    }
}

fn line_of(canonical: &Canonical) -> String {
    let arguments = serde_json::to_string(&canonical.arguments).expect("it is JSON");
    let mut line = format!("{} {arguments}", canonical.tool);
    if !canonical.known {
        line += " unknown";
    }
    if let Some(first) = canonical.duplicate_of {
        line.push_str(" of ");
        line.push_str(&first.to_string());
    }
    let codes = canonical
        .notes
        .iter()
        .map(|note| format!(" N{:03}", note.code.number()));
    line.extend(codes);
    line
}

/// The expected line with its arguments in compact JSON.
fn compact(line: &str) -> String {
    let end = line.rfind('}').expect("arguments end") + 1;
    let (name, arguments) = line[..end]
        .split_once(' ')
        .expect("arguments stand behind the name");
    let arguments: toolglot_value::Value =
        toolglot_value::from_str(arguments).expect("arguments are JSON");
    format!("{name} {arguments}{}", &line[end..])
}

#[test]
fn messages_come_to_what_the_file_says() {
    let mut toolbox = Toolbox::default();
    let mut n = 0;
    for block in include_str!("data/normalize.txt").split("\n\n") {
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        let (expected, message): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| line.starts_with("=> "));
        if let [line] = message[..]
            && let Some(name) = line.strip_prefix("toolbox ")
        {
            toolbox = Toolbox::builtin(name).expect("the set is built in");
            continue;
        }
        let calls: Vec<Call> = message
            .iter()
            .enumerate()
            .map(|(i, line)| written(i, line))
            .collect();
        let found: Vec<String> = normalize(&calls, &toolbox).iter().map(line_of).collect();
        let expected: Vec<String> = expected.iter().map(|line| compact(&line[3..])).collect();
        assert_eq!(found, expected, "{block}");
        n += calls.len();
    }
    assert!(n > 50, "only {n} calls were read");
}

#[test]
fn notes_point_at_the_name_or_at_the_call_and_say_both_names() {
    let toolbox = Toolbox::builtin("workspace").expect("it is built in");
    let calls = [
        call(0, "ls", "{}"),
        call(1, "cat", r#"{"file": "a"}"#),
        call(2, "ls", "{}"),
    ];
    let notes: Vec<_> = normalize(&calls, &toolbox)
        .into_iter()
        .flat_map(|canonical| canonical.notes)
        .map(|note| (note.code, note.span, note.message))
        .collect();
    let expected = [
        (
            Code::Alias,
            Span::new(0, 2),
            "`ls` is another name of `list_files`",
        ),
        (
            Code::Alias,
            Span::new(10, 12),
            "`cat` is another name of `read_file`",
        ),
        (
            Code::Alias,
            Span::new(10, 20),
            "`file` is another name of `path`",
        ),
        (
            Code::Alias,
            Span::new(20, 22),
            "`ls` is another name of `list_files`",
        ),
        (
            Code::DuplicateCall,
            Span::new(20, 30),
            "the same `list_files` came before in this message",
        ),
    ]
    .map(|(code, span, message)| (code, span, String::from(message)));
    assert_eq!(notes, expected);
}

#[test]
fn a_name_that_a_rule_fixes_is_no_alias_of_the_model() {
    let toolbox = Toolbox::builtin("axe").expect("it is built in");
    let fixed = Call {
        name_span: Span::empty(3),
        ..call(0, "shell", r#"{"command": "ls"}"#)
    };
    let canonical = normalize(&[fixed], &toolbox);
    assert_eq!(canonical[0].tool, "execute_command");
    assert!(canonical[0].notes.is_empty());
}

#[test]
fn a_call_of_several_reads_is_the_origin_of_each() {
    let toolbox = Toolbox::builtin("roo").expect("it is built in");
    let calls = [
        call(0, "read_file", r#"{"args": "[\"a\", \"b\"]"}"#),
        call(1, "read_file", r#"{"path": "b"}"#),
    ];
    let origins: Vec<_> = normalize(&calls, &toolbox)
        .iter()
        .map(|one| (one.call, one.duplicate_of))
        .collect();
    assert_eq!(origins, [(0, None), (0, None), (1, Some(1))]);
}

/// Nesting beyond the limit of the JSON reader is a note, not a crash.
#[test]
fn arguments_that_nest_too_deep_are_noted() {
    let toolbox = Toolbox::builtin("workspace").expect("it is built in");
    let deep = format!(
        "{{\"path\": {}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let canonical = normalize(&[call(0, "read_file", &deep)], &toolbox);
    assert!(canonical[0].arguments.is_empty());
    assert_eq!(canonical[0].notes[0].code, Code::MalformedJson);
}
