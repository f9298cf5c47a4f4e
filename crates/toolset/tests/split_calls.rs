//! Shell blocks become calls.

use toolglot_engine::{Call, CallId, Calls, Code, End, Place, Span};
use toolglot_toolset::split_calls;

fn call(id: u32, args: &str, end: End) -> Call {
    Call {
        id: CallId(id),
        written_id: Some(format!("id{id}")),
        name: "execute_command".into(),
        name_span: Span::empty(3),
        server: None,
        arguments: args.into(),
        span: Span::new(3, 40),
        dialect: "shelly".into(),
        place: Place::Answer,
        end,
        notes: Vec::new(),
    }
}

/// The message of these calls after splitting, in a dialect with `split: shell_lines(lines: line)`.
fn split(calls: Vec<Call>) -> Calls {
    let mut message = Calls::default();
    message.calls = calls;
    split_calls(&mut message, |dialect| {
        (dialect == "shelly").then_some(("lines", "line"))
    });
    message
}

/// Id, written id and arguments of each call.
fn calls(message: &Calls) -> Vec<(u32, Option<&str>, &str)> {
    let short = |call: &'_ Call| call.id.0;
    message
        .calls
        .iter()
        .map(|call| {
            (
                short(call),
                call.written_id.as_deref(),
                call.arguments.as_str(),
            )
        })
        .collect()
}

fn codes(message: &Calls) -> Vec<Code> {
    message.notes.iter().map(|note| note.code).collect()
}

#[test]
fn a_block_becomes_one_call_for_each_command() {
    let message = split(vec![
        call(0, r#"{"lines":"cd /tmp\nls","timeout":5}"#, End::Closed),
        call(1, r##"{"lines":"# what is left\npwd\n"}"##, End::Recovered),
    ]);
    assert_eq!(
        calls(&message),
        [
            (0, Some("id0"), r#"{"line":"cd /tmp","timeout":5}"#),
            (1, None, r#"{"line":"ls","timeout":5}"#),
            (2, Some("id1"), r#"{"line":"pwd"}"#),
        ]
    );
    assert_eq!(codes(&message), [Code::SplitShell]);
    assert_eq!(message.calls[0].notes, message.notes);
    assert!(message.calls[1].notes.is_empty());
    assert!(
        message
            .calls
            .iter()
            .all(|call| call.span == Span::new(3, 40))
    );
    assert_eq!(message.calls[2].end, End::Recovered);
}

#[test]
fn what_asks_for_nothing_is_dropped_with_a_note() {
    let message = split(vec![
        call(0, r##"{"lines":"# nothing\n\n"}"##, End::Closed),
        call(1, r#"{"line":" \n"}"#, End::Closed),
        call(2, r#"{"line":"ls"}"#, End::Closed),
    ]);
    assert_eq!(calls(&message), [(0, Some("id2"), r#"{"line":"ls"}"#)]);
    assert_eq!(codes(&message), [Code::NotACall; 2]);
}

#[test]
fn half_a_block_is_half_a_command() {
    let message = split(vec![
        call(0, r#"{"lines":"ls\npw"#, End::Truncated),
        call(1, r#"{"line":"#, End::Truncated),
    ]);
    assert_eq!(
        calls(&message),
        [
            (0, Some("id0"), r#"{"line":"ls\npw"#),
            (1, Some("id1"), r#"{"line":"#)
        ]
    );
}

#[test]
fn other_calls_stay_as_they_are() {
    let one_command = call(0, r#"{"line":"ls\npwd"}"#, End::Closed);
    let no_command = call(1, r#"{"path":"ls\npwd"}"#, End::Closed);
    let no_text = call(2, r#"{"lines":["ls","pwd"]}"#, End::Closed);
    let other_dialect = Call {
        dialect: "other".into(),
        ..call(3, r#"{"lines":"ls\npwd"}"#, End::Closed)
    };
    let others = vec![one_command, no_command, no_text, other_dialect];
    let message = split(others.clone());
    assert_eq!(message.calls, others);
    assert_eq!(message.notes, []);
}

#[test]
fn a_command_that_ends_inside_a_quotation_is_in_doubt() {
    for (args, end) in [
        (r#"{"lines":"ls\ngrep \""}"#, End::Recovered),
        (r#"{"lines":"cat > a <<'EOF'\nit's\n"}"#, End::Recovered),
        (r#"{"lines":"cat > a <<'EOF'\nit's\nEOF\nls"}"#, End::Closed),
        (r#"{"line":"echo \""}"#, End::Recovered),
        (r#"{"line":"echo \"a\" # it's"}"#, End::Closed),
        (r#"{"line":"for f in *; do ls"}"#, End::Closed),
    ] {
        let message = split(vec![call(0, args, End::Closed)]);
        let ends: Vec<End> = message.calls.iter().map(|call| call.end).collect();
        assert!(ends.iter().all(|&have| have == end), "{args}: {ends:?}");
        let doubts = codes(&message)
            .iter()
            .filter(|&&code| code == Code::AmbiguousValue)
            .count();
        assert_eq!(doubts, usize::from(end == End::Recovered), "{args}");
    }
}
