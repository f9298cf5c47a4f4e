//! The table of recovery: each row's example is read as the row says.

use std::sync::Arc;

use toolglot_engine::{
    Calls, Dialect, Fields, Finish, Input, Limits, Note, Parser, Program, Recovery, Scalars, Shape,
    Tool, ToolSet,
};

/// Reads a message in the dialect of that name, or with that rule.
fn read(dialect: &str, text: &str, finish: Finish) -> Calls {
    let own = || {
        let file = format!("dialect own\n{dialect}\n");
        let mut own = Dialect::parse(&file, &[]).expect("a rule of a dialect");
        own.remove(0)
    };
    let dialect = toolglot_dialects::get(dialect).map_or_else(own, Clone::clone);
    let integer = Scalars {
        integer: true,
        ..Scalars::default()
    };
    let limit = Shape::Scalar(integer);
    let options = Shape::Object(Fields::default());
    let properties = vec![
        ("path".to_owned(), Shape::Text),
        ("limit".to_owned(), limit),
        ("options".to_owned(), options),
    ];
    let tool = Tool {
        name: "read_file".to_owned(),
        parameters: Fields {
            properties,
            others: None,
        },
    };
    let program = Program::compile(&[dialect], &ToolSet::new([tool]), Limits::default())
        .expect("the dialect is right");
    let mut message = Calls::default();
    let mut parser = Parser::new(Arc::new(program));
    parser.push(Input::Text(text), &mut message);
    parser.finish(finish, &mut message);
    message
}

#[test]
fn each_example_is_read_as_its_row_says() {
    let mut wrong = Vec::new();
    for recovery in Recovery::ALL {
        let rule = recovery.rule();
        let message = read(rule.dialect, rule.example, rule.finish);
        let (before, after) = rule.message.split_once("{}").unwrap_or((rule.message, ""));
        let is_own = |note: &Note| {
            note.code == rule.code
                && note.message.starts_with(before)
                && note.message.ends_with(after)
        };
        let worst = message.calls.iter().map(|call| call.end).max();
        if !message.notes.iter().any(is_own) || worst.is_some_and(|end| end != rule.end) {
            wrong.push((recovery, message));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
