//! Shell blocks become calls.

use toolglot::{Call, CallId, Code, End, Place, Span};
use toolglot_tools::split_calls;

fn block(id: u32, args: &str, end: End) -> Call {
    Call {
        id: CallId(id),
        written_id: Some(format!("id{id}")),
        name: "execute_command".into(),
        name_at: Span::empty(3),
        ns: None,
        args: args.into(),
        span: Span::new(3, 40),
        dialect: "axe".into(),
        place: Place::Answer,
        end,
        notes: Vec::new(),
    }
}

/// Splits and gives id, written id, arguments and notes of each call.
fn split(calls: Vec<Call>) -> Vec<(u32, Option<String>, String, Vec<Code>)> {
    split_calls(calls, |dialect, name| {
        dialect == "axe" && name == "execute_command"
    })
    .into_iter()
    .map(|call| {
        assert_eq!(call.span, Span::new(3, 40));
        (
            call.id.0,
            call.written_id,
            call.args,
            call.notes.iter().map(|note| note.code).collect(),
        )
    })
    .collect()
}

#[test]
fn a_block_becomes_one_call_for_each_command() {
    let calls = vec![
        block(0, r#"{"command":"cd /tmp\nls","timeout":5}"#, End::Closed),
        block(
            1,
            r##"{"command":"# what is left\npwd\n"}"##,
            End::Recovered,
        ),
    ];
    assert_eq!(
        split(calls),
        [
            (
                0,
                Some("id0".into()),
                r#"{"command":"cd /tmp","timeout":5}"#.into(),
                vec![Code::SplitShell]
            ),
            (1, None, r#"{"command":"ls","timeout":5}"#.into(), vec![]),
            (2, Some("id1".into()), r#"{"command":"pwd"}"#.into(), vec![]),
        ]
    );
}

#[test]
fn a_block_without_a_command_is_no_call() {
    let calls = vec![
        block(0, r##"{"command":"# nothing\n\n"}"##, End::Closed),
        block(1, r#"{"command":"ls"}"#, End::Closed),
    ];
    assert_eq!(
        split(calls),
        [(0, Some("id1".into()), r#"{"command":"ls"}"#.into(), vec![])]
    );
}

#[test]
fn other_calls_stay_as_they_are() {
    let truncated = block(0, r#"{"command":"ls\npw"#, End::Truncated);
    let whole_but_truncated = block(1, r#"{"command":"ls\npwd"}"#, End::Truncated);
    let no_command = block(2, r#"{"cmd":"ls\npwd"}"#, End::Closed);
    let no_text = block(3, r#"{"command":["ls","pwd"]}"#, End::Closed);
    let other_name = Call {
        name: "bash".into(),
        ..block(4, r#"{"command":"ls\npwd"}"#, End::Closed)
    };
    let calls = vec![
        truncated,
        whole_but_truncated,
        no_command,
        no_text,
        other_name,
    ];
    let kept = split_calls(calls.clone(), |dialect, name| {
        dialect == "axe" && name == "execute_command"
    });
    assert_eq!(kept, calls);
}
