//! What the compiler of dialects refuses, and how it says so.

use std::sync::Arc;

use toolglot::{
    Dialect, Event, Finish, GrammarError, Input, Limits, Parser, Program, Span, ToolSet,
};

fn compile(file: &str) -> Result<Program, GrammarError> {
    let dialects = Dialect::parse(file, &[])?;
    Program::compile(&dialects, &ToolSet::default(), Limits::default())
}

/// A file, what its error says, the begin of the text that the error points at, and a part of the help.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "call = \"<a>\" name \"</a>\"\n",
        "before any `dialect NAME`",
        "call",
        "begin the file",
    ),
    (
        "dialect X\n",
        "no name for a dialect",
        "dialect X",
        "lower-case",
    ),
    (
        "dialect a : b\n",
        "builds on `b`",
        "dialect a : b",
        "stands before it",
    ),
    (
        "dialect a\ncolour: red\n",
        "no setting is called `colour`",
        "colour:",
        "settings are",
    ),
    (
        "dialect a\nids: letters nine\n",
        "`ids: letters nine` is no form of an id",
        "ids:",
        "letters 9",
    ),
    (
        "dialect a\ncall = \"<a>\" py(\"x\") \"</a>\"\n",
        "`x` is no quotation mark of Python",
        "py",
        "double marks",
    ),
    (
        "dialect a\nvalues: guess\n",
        "`values` has no `guess`",
        "values:",
        "",
    ),
    (
        "dialect a\ncall = \"<a> name\n",
        "without its closing quotation mark",
        "\"<a> name",
        "",
    ),
    (
        "dialect a\ncall = \"\\q\" name \"x\"\n",
        "a backslash before `q`",
        "\\",
        "\\n",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" (\"x\"? ws)* \"</a>\"\n",
        "a loop over what may be nothing",
        "(",
        "put a literal",
    ),
    (
        "dialect a\ncall = \"<a>\" nam \"</a>\"\n",
        "a `call` without a name",
        "\"<a>\"",
        "fix it",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" junk\n",
        "no rule is called `junk`",
        "junk",
        "words of the notation",
    ),
    (
        "dialect a\ncall = \"<a>\" name ws id\n",
        "never ended",
        "id",
        "put a literal",
    ),
    (
        "dialect a\ncall = \"<a>\" name key \">\"\n",
        "capture `key` right behind capture `name`",
        "key",
        "`ws`",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" text(x)\n",
        "never ends",
        "text",
        "closing literal",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" text(x) \"</x>\"? \"</a>\"\n",
        "optional literal right behind `text`",
        "\"</x>\"",
        "without `?`",
    ),
    (
        "dialect a\ncall = \"<{name}>\" name \">\"\n",
        "stands before its capture",
        "\"<{name}>\"",
        "capture it first",
    ),
    (
        "dialect a\ncall = \"<a>\" (name | py) \">\"\n",
        "cannot tell apart",
        "py",
        "begin one of them",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\"x\" | \"x\") \">\"\n",
        "there twice",
        "\"x\"",
        "leave one out",
    ),
    (
        "dialect a\ncall = name \"(\" json \")\"\n",
        "begins with no literal",
        "name",
        "begin the rule",
    ),
    (
        "dialect a\nx = \"<x>\" y\ny = \"<y>\" x\n",
        "every rule is used by another",
        "x",
        "no rule refers to",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" p\np = \"(\" p \")\"\n",
        "refers to itself",
        "p",
        "( .. )*",
    ),
    (
        "dialect a\ncall = \"<a>\" object(args: arguments) \"</a>\"\n",
        "object() without a name",
        "object",
        "name: name",
    ),
    (
        "dialect a\ncall = \"<a>\" object(colour: red) \"</a>\"\n",
        "no role `colour`",
        "object",
        "roles are",
    ),
    (
        "dialect a\nalone: block\ncall = \"<a>\" name \">\"\n",
        "names no such rules",
        "alone",
        "alone: say",
    ),
    (
        "dialect a\ncall = \"\" name \">\"\n",
        "matches everywhere",
        "\"\"",
        "leave it out",
    ),
];

#[test]
fn refusals_name_the_place_and_what_to_write() {
    for (file, message, place, help) in REFUSED {
        let error = compile(file).expect_err(file);
        assert!(
            error.message.contains(message),
            "{file}\nsays: {error}\nwanted: {message}"
        );
        let pointed = &file[error.span.clone()];
        assert!(
            pointed.starts_with(place),
            "{file}\npoints at `{pointed}`, not at `{place}`: {error}"
        );
        assert!(
            error.help.as_deref().unwrap_or("").contains(help),
            "{file}\nhelps with {:?}",
            error.help
        );
    }
}

#[test]
fn a_dialect_takes_the_rules_of_its_base_and_replaces_its_own() {
    let file = "dialect a\nvalues: schema|infer\ncall = \"<a>\" name \">\" p\np = \"(\" json \")\"\n\ndialect b : a\np = \"[\" json \"]\"\n";
    let dialects = Dialect::parse(file, &[]).unwrap();
    assert_eq!(dialects[1].setting("values"), Some("schema|infer"));
    assert_eq!(
        dialects[1].source(),
        "dialect b : a\np = \"[\" json \"]\"\n"
    );
    Program::compile(&dialects, &ToolSet::default(), Limits::default()).unwrap();
}

#[test]
fn a_part_of_a_replaced_rule_begins_nothing_by_itself() {
    let file = "dialect a\nblock = mark call \"</a>\"\nmark = \"<a>\" | inner\ninner = \"<i>\"\ncall = \"<c>\" name \">\" json\n\ndialect b : a\nblock = \"<b>\" call \"</b>\"\n";
    let dialects = Dialect::parse(file, &[]).unwrap();
    let program = Program::compile(&dialects[1..], &ToolSet::default(), Limits::default()).unwrap();
    let mut parser = Parser::new(Arc::new(program));
    let mut text = String::new();
    let mut sink = |_: Span, event: Event<'_>| {
        if let Event::Text(piece) = event {
            text.push_str(piece);
        }
    };
    parser.push(Input::Text("an <a>, an <i>"), &mut sink);
    parser.finish(Finish::Stop, &mut sink);
    assert_eq!(text, "an <a>, an <i>");
}
