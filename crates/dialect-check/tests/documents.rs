//! Documents of cases: an error names its line, and `bless` writes the emitted events.

use toolglot_dialect_check::{Case, CaseErrorKind, ProgramError, bless, cases, difference};

const INPUT: &str = "## Title\n\nWhat it shows.\n\n```input\n<tool_call>{\"name\": \"ping\", \"arguments\": {}}</tool_call>\n```\n";

const EVENTS: &str = "call ping\nargs {}\nend closed\nmarkup \"</tool_call>\"";

fn events(case: &Case) -> String {
    let find = |name: &str| Ok::<_, ProgramError>(toolglot_chat::dialect_named(name)?.clone());
    let program = case.program(find).expect("a known dialect");
    case.events(&program).expect("the events cover the input")
}

fn error(document: &str) -> (usize, CaseErrorKind) {
    let error = cases(document, None).expect_err("the document is wrong");
    (error.line, error.kind)
}

#[test]
fn an_input_without_events_gets_them() {
    let document = format!("{INPUT}\nMore.\n");
    let read = cases(&document, Some("hermes")).expect("cases");
    assert_eq!(read[0].expected, None);
    let blessed = bless(&document, &[(&read[0], events(&read[0]))]);
    assert_eq!(
        blessed,
        format!("{INPUT}\n```events\n{EVENTS}\n```\n\nMore.\n")
    );
    let again = cases(&blessed, Some("hermes")).expect("cases");
    assert_eq!(again[0].expected.as_ref(), Some(&events(&again[0])));
}

#[test]
fn only_the_events_that_differ_are_replaced() {
    let document =
        format!("{INPUT}\n```events\ncall pong\n```\n\n{INPUT}\n```events\n```\n\nThe end.\n");
    let read = cases(&document, Some("hermes")).expect("cases");
    let found: Vec<(&Case, String)> = read.iter().map(|case| (case, events(case))).collect();
    let right = format!("```events\n{EVENTS}\n```");
    let blessed = bless(&document, &found);
    assert_eq!(
        blessed,
        format!("{INPUT}\n{right}\n\n{INPUT}\n{right}\n\nThe end.\n")
    );
    assert_eq!(
        difference("call pong\nend closed", &events(&read[0])),
        "  - call pong\n  - end closed\n  + call ping\n  + args {}\n  + end closed\n  + markup \"</tool_call>\"\n"
    );
}

#[test]
fn faults_of_a_document_have_their_line() {
    let no_description = INPUT.replace("What it shows.\n", "");
    assert_eq!(error(&no_description), (4, CaseErrorKind::NoDescription));
    assert_eq!(error(INPUT), (5, CaseErrorKind::NoDialect));
    assert_eq!(
        error("## T\n\n```events\n```\n"),
        (3, CaseErrorKind::NoInput)
    );
    let word = INPUT.replace("input", "input dialect=hermes finnish=stop");
    let unknown = CaseErrorKind::UnknownWord("finnish=stop".to_owned());
    assert_eq!(error(&word), (5, unknown));
    let escape = INPUT.replace("input", "input dialect=hermes escaped");
    let escape = escape.replace("<tool_call>", "\\u{d800}");
    let unknown = CaseErrorKind::UnknownEscape("\\u{d800}".to_owned());
    assert_eq!(error(&escape), (5, unknown));
}

#[test]
fn tools_that_are_none_are_named() {
    let program = |tools: &str| {
        let document = INPUT.replace("```input", &format!("```tools\n{tools}\n```\n\n```input"));
        let read = cases(&document, Some("hermes")).expect("cases");
        let find = |name: &str| Ok::<_, ProgramError>(toolglot_chat::dialect_named(name)?.clone());
        read[0]
            .program(find)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert_eq!(program("builtin:workspace"), Ok(()));
    assert_eq!(
        program("builtin:nope"),
        Err("unknown builtin tool set `nope`".to_owned())
    );
    assert!(program("{").is_err_and(|error| error.starts_with("the block `tools` is not JSON")));
}
