//! Events folded into calls.

use std::sync::Arc;

use toolglot_engine::{
    Calls, End, Event, Finish, Input, Limits, Parser, Program, Sink, Span, ToolSet,
};

/// The calls, and the arguments of all of them as they streamed.
#[derive(Default)]
struct Both {
    calls: Calls,
    streamed: String,
}

impl Sink for Both {
    fn event(&mut self, span: Span, event: Event<'_>) {
        if let Event::Args { json, .. } = event {
            self.streamed.push_str(json);
        }
        self.calls.event(span, event);
    }
}

fn read(arguments: &str) -> Both {
    let hermes = toolglot_dialects::get("hermes").expect("it ships");
    let program = Program::compile([hermes], &ToolSet::default(), Limits::default());
    let mut parser = Parser::new(Arc::new(program.expect("it compiles")));
    let mut both = Both::default();
    let text = format!(r#"<tool_call>{{"name": "f", "arguments": {arguments}"#);
    parser.push(Input::Text(&text), &mut both);
    parser.finish(Finish::Length, &mut both);
    both
}

#[test]
fn of_a_key_that_comes_twice_the_call_has_the_last_value() {
    let arguments = r#"{"a": 1, "b": {"c": 2, "c": 3}, "a": 4}"#;
    let both = read(&format!("{arguments}}}</tool_call>"));
    let call = &both.calls.calls[0];
    assert_eq!(call.end, End::Recovered);
    assert_eq!(both.streamed, arguments);
    assert_eq!(call.arguments, r#"{"b": {"c": 3}, "a": 4}"#);
}

#[test]
fn what_was_cut_off_stays_a_prefix() {
    let both = read(r#"{"a": 1, "a": 4, "b": "#);
    let call = &both.calls.calls[0];
    assert_eq!(call.end, End::Truncated);
    assert_eq!(call.arguments, both.streamed);
}
