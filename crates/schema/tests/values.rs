//! Values coerced to the types of their schema: whole, in pushes of every size, and in calls, by one set of rules.

use std::sync::Arc;

use toolglot_engine::{
    Calls, Dialect, Fields, Finish, Input, Limits, Parser, Program, Shape, Tool, ToolSet,
};
use toolglot_json::coerce;
use toolglot_json::internal::{Fit, Target};
use toolglot_schema::{fields, shape};
use toolglot_value::Value;

/// Pushes are cut into pieces of this many bytes; 0 is one piece.
const SIZES: [usize; 5] = [0, 1, 2, 3, 7];

/// A format whose arguments are JSON, and one whose values are text.
const DIALECTS: &str = r#"
dialect quoted
call = "<call>" ws object(name: name, args: arguments) ws "</call>"

dialect plain
values: schema|string
call = "<call=" name ">" ws param* "</call>"
param = "<arg=" key ">" nl raw nl "</arg>" ws
"#;

/// A schema, and a text with its expected result.
struct Row {
    line: usize,
    schema: Value,
    text: &'static str,
    want: &'static str,
}

/// The rows of a file: blocks of a schema and pairs of lines. A lone `=` means that the value is unchanged.
fn rows(file: &'static str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut schema = Value::Null;
    let mut text = "";
    let mut blank_above = true;
    for (line, content) in file.lines().enumerate() {
        if content.is_empty() || content.starts_with('#') {
            blank_above = true;
        } else if content == "=" || content.starts_with("=> ") {
            rows.push(Row {
                line: line + 1,
                schema: schema.clone(),
                text,
                want: content.strip_prefix("=> ").unwrap_or(text),
            });
        } else if std::mem::take(&mut blank_above) {
            schema = serde_json::from_str(content)
                .unwrap_or_else(|error| panic!("line {}: {error}", line + 1));
        } else {
            text = content;
        }
    }
    rows
}

/// The pieces of `text`, each of `size` bytes or of the character that starts there.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = (size.max(1)..rest.len())
            .find(|&at| rest.is_char_boundary(at))
            .filter(|_| size > 0)
            .unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

/// The arguments of the only call in `message`, as JSON text.
fn parsed(dialect: &str, parameters: Fields, message: &str, size: usize) -> String {
    let dialects = Dialect::parse(DIALECTS, &[]).expect("they are right");
    let dialect = dialects.into_iter().filter(|one| one.name() == dialect);
    let tools = ToolSet::new([Tool {
        name: "f".into(),
        parameters,
    }]);
    let dialects: Vec<Dialect> = dialect.collect();
    let program = Program::compile(&dialects, &tools, Limits::default()).expect("it compiles");
    let mut parser = Parser::new(Arc::new(program));
    let mut calls = Calls::default();
    for piece in pieces(message, size) {
        parser.push(Input::Text(piece), &mut calls);
    }
    parser.finish(Finish::Stop, &mut calls);
    assert_eq!(calls.calls.len(), 1, "{message}");
    calls.calls.remove(0).arguments
}

#[test]
fn json_comes_to_its_schema_however_it_is_pushed() {
    for Row {
        line,
        schema,
        text,
        want,
    } in rows(include_str!("data/values.txt"))
    {
        let whole = coerce(text, &shape(&schema));
        assert_eq!(whole.text, want, "line {line}, held");
        assert_eq!(
            whole.changes.is_empty(),
            text == want,
            "line {line}: it says so"
        );
        assert_eq!(
            coerce(want, &shape(&schema)).text,
            want,
            "line {line}, again"
        );
        let fields = fields(&schema);
        for size in SIZES {
            let mut fit = Fit::new(1 << 16);
            let mut out = String::new();
            for piece in pieces(text, size) {
                fit.feed(Target::Fields(&fields), piece, &mut out);
            }
            fit.finish(Target::Fields(&fields), true, &mut out);
            assert_eq!(out, want, "line {line}, by {size}");
            let message = format!("<call>{{\"name\": \"f\", \"arguments\": {text}}}</call>");
            let args = parsed("quoted", fields.clone(), &message, size);
            assert_eq!(args, want, "line {line}, as a call, by {size}");
        }
    }
}

#[test]
fn text_comes_to_its_schema_however_it_is_pushed() {
    for row in rows(include_str!("data/texts.txt")) {
        let parameters = Fields {
            properties: vec![("value".into(), shape(&row.schema))],
            others: Some(Box::new(Shape::Any)),
        };
        let message = format!("<call=f>\n<arg=value>\n{}\n</arg>\n</call>", row.text);
        for size in SIZES {
            let args = parsed("plain", parameters.clone(), &message, size);
            let want = format!("{{\"value\":{}}}", row.want);
            assert_eq!(
                args.replace("\"value\": ", "\"value\":"),
                want,
                "line {}, by {size}",
                row.line
            );
        }
    }
}

#[test]
fn what_came_out_is_where_the_changes_say() {
    for row in rows(include_str!("data/values.txt")) {
        let coerced = coerce(row.text, &shape(&row.schema));
        for change in &coerced.changes {
            assert!(
                coerced.text[change.at..].starts_with(&change.after) || change.after.is_empty(),
                "line {}: {change:?} in {}",
                row.line,
                coerced.text
            );
            assert!(change.start <= change.end && change.end <= row.text.len());
        }
    }
}
