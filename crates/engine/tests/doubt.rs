//! The rules of doubt: each row's example needs the row.

use std::sync::Arc;

use toolglot_engine::{
    Arguments, Call, Calls, Code, DoubtRule, DoubtSpan, End, Fields, Finish, InReasoning, Input,
    Parser, Program, Shape, Tool, ToolSet,
};

/// The union of all dialects, for one tool: `read_file(path)`.
fn program() -> Arc<Program> {
    let path = ("path".to_owned(), Shape::Text);
    let tool = Tool {
        name: "read_file".to_owned(),
        parameters: Fields {
            properties: vec![path],
            others: None,
        },
    };
    Arc::new(toolglot_dialects::auto().for_tools(&ToolSet::new([tool])))
}

fn last_call(program: &Arc<Program>, rules: Vec<DoubtRule>, text: &str) -> Call {
    let mut message = Calls::default();
    let mut parser = Parser::new(Arc::clone(program)).doubted_by(rules);
    parser.push(Input::Text(text), &mut message);
    parser.finish(Finish::Stop, &mut message);
    let call = message.calls.pop();
    call.unwrap_or_else(|| panic!("no call in {text:?}"))
}

#[test]
fn each_rule_doubts_its_example_and_no_other_does() {
    let program = program();
    for (n, rule) in DoubtRule::TABLE.iter().enumerate() {
        let name = rule.name;
        let call = last_call(&program, DoubtRule::TABLE.to_vec(), rule.example);
        assert_eq!(call.end, rule.end, "{name}");
        let is_noted = |call: &Call| {
            let is_own = |code| call.notes.iter().any(|note| note.code == code);
            rule.code.is_some_and(is_own)
        };
        assert_eq!(
            is_noted(&call),
            rule.code.is_some(),
            "{name}: {:?}",
            call.notes
        );
        let mut others = DoubtRule::TABLE.to_vec();
        others.remove(n);
        let call = last_call(&program, others, rule.example);
        assert_eq!(call.end, End::Closed, "{name}: another rule doubts it, too");
        assert!(!is_noted(&call), "{name}: {:?}", call.notes);
    }
}

#[test]
fn a_host_adds_a_rule() {
    let rule = DoubtRule {
        name: "no arguments",
        applies: |facts| facts.arguments == Arguments::Missing,
        end: End::Truncated,
        code: Some(Code::MentionedCall),
        span: DoubtSpan::Name,
        message: "a call without arguments",
        example: "",
    };
    let rules = [DoubtRule::TABLE, &[rule]].concat();
    let text = "<tool_call>{\"name\": \"read_file\"}</tool_call>";
    let call = last_call(&program(), rules, text);
    assert_eq!(call.end, End::Truncated);
    assert_eq!(&text[call.notes[0].span.range()], "read_file");
}

#[test]
fn an_unjudged_parser_doubts_nothing() {
    for rule in DoubtRule::TABLE {
        let mut message = Calls::default();
        let mut parser = Parser::new(program()).unjudged();
        parser.push(Input::Text(rule.example), &mut message);
        parser.finish(Finish::Stop, &mut message);
        let last = message.calls.last().map(|call| call.end);
        assert_eq!(last, Some(End::Closed), "{}", rule.name);
    }
}

/// The log of positions begins anew at the first call that is known: none may be asked of the log before.
#[test]
fn a_broken_list_in_reasoning_is_read() {
    let mut message = Calls::default();
    let mut parser = Parser::new(program())
        .reasoning_open()
        .in_reasoning(InReasoning::Accept);
    let text = "[other(a=1), read_file(path=\"a\")]";
    parser.push(Input::Text(text), &mut message);
    parser.finish(Finish::Stop, &mut message);
    assert_eq!(message.calls[0].name, "read_file");
    assert_eq!(message.calls[0].end, End::Recovered);
}
