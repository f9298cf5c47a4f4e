//! What the compiler of dialects refuses, and how it says so.

use std::sync::Arc;

use toolglot_engine::{
    Dialect, Event, Finish, GrammarError, Input, Limits, Parser, Program, Span, ToolSet,
};

fn compile(file: &str) -> Result<Program, GrammarError> {
    let dialects = Dialect::parse(file, &[])?;
    Program::compile(&dialects, &ToolSet::default(), Limits::default())
}

/// A file, what its error says, the start of the text that the error points at, and a part of the help.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "call = \"<a>\" name \"</a>\"\n",
        "before any `dialect NAME`",
        "call",
        "start the file",
    ),
    (
        "dialect x\ncall = \"<a \" name (\" \" key \" \" length \":\" ws bytes \";\")* \">\"\n",
        "blanks before `bytes` that the bytes may start with",
        "bytes",
        "between the length and the bytes",
    ),
    (
        "dialect x\ncall = \"<a-\" name attrs(args: *) \"/>\"\n",
        "attributes directly after capture `name`",
        "attrs",
        "ws(\" \") attrs(..)",
    ),
    (
        "dialect x\ncall = name \"{\" (key \"=\" value \",\")* (key \"=\" value)? \"}\"\n",
        "a value that may be missing starts as what comes after it",
        "key",
        "(key \"=\" value (\", \" key \"=\" value)*)?",
    ),
    (
        "dialect x\ncall = \"<a \" name (\" \" key \"=\" value (\",\" value)* )* \">\"\n",
        "several values of one key",
        "(",
        "values: schema, repeated",
    ),
    (
        "dialect x\ncall f = \"f\" (\" IN \" value(b))? (\" EXACT\" value(a)?)? \";\"\n",
        "`EXACT` without a value says nothing: `a` would be lost",
        "value",
        "any(a, \"EXACT\")",
    ),
    (
        "dialect x\ncall f = \"f [\" value(a) (\",\" value(a))* \"]\"\n",
        "several values of `a`: only the last counts",
        "(",
        "lists(\",\")",
    ),
    (
        "dialect x\ncall f = \"f\" (\",\" value(a)?)? (\",\" value(b)?)? \";\"\n",
        "a value that may be missing starts as what comes after it",
        "\",\"",
        "put each part that may be missing inside of the one before it",
    ),
    (
        "dialect x\nvalues: schema, repeated\ncall = \"<a \" name (\",\" key \"=\" value (\",\" value)*)* \">\"\n",
        "a value that may be missing starts as what comes after it",
        "\",\"",
        "give the items quotes",
    ),
    (
        "dialect X\n",
        "invalid dialect name",
        "dialect X",
        "lower-case",
    ),
    (
        "dialect a : b\n",
        "builds on `b`",
        "dialect a : b",
        "comes before it",
    ),
    (
        "dialect a\ncolour: red\n",
        "no setting is called `colour`",
        "colour",
        "settings are",
    ),
    (
        "dialect a\nvalue: schema\n",
        "no setting is called `value`",
        "value",
        "did you mean `values`?",
    ),
    (
        "dialect a\ntools: search, ping\n",
        "has a comma in a name",
        "tools",
        "separate names by `|`",
    ),
    (
        "dialect a\nvalues: infer\n",
        "write `schema|infer`",
        "values",
        "schema|infer",
    ),
    (
        "dialect a\nvalues: schema, lists(,)\n",
        "write the text in quotes",
        "values",
        "schema|infer",
    ),
    (
        "dialect a\nvalues: schema, lists(\";\"), escapes(\"\\\\;\" = \";\")\n",
        "an escaped separator would end an item",
        "values",
        "with `repeated`",
    ),
    (
        "dialect a\nvalues: schema, lists(\"; \"), escapes(\"\\\\;\" = \";\")\n",
        "an escaped separator would end an item",
        "values",
        "with `repeated`",
    ),
    (
        "dialect a\nvalues: schema, lists(\"|\"), escapes(\"%7C\" = \"|\")\n",
        "an escaped separator would end an item",
        "values",
        "with `repeated`",
    ),
    (
        "dialect a\nvalues: schema, lists(\"\\\";\\\"\"), escapes(\"\\\"\\\"\" = \"\\\"\")\n",
        "an escaped separator would end an item",
        "values",
        "with `repeated`",
    ),
    (
        "dialect a\nvalues: schema|type(array<string>: json)\n",
        "`type` does not read `array<string>`",
        "values",
        "a type is letters",
    ),
    (
        "dialect a\nvalues: schema, repeated\ncall = \"@\" name (\" \" key \"=\" (\"'\" raw \"'\" | \"'\" raw \"'\" (\",'\" raw \"'\")* | raw))* \";\"\n",
        "an alternative that a list in another one starts with",
        "\"'\"",
        "one item is a single value",
    ),
    (
        "dialect a\ncall = \"<a \" name \">\" xml \"</{name}>\"\n",
        "a closing tag with a hole after `xml`",
        "\"</{name}>",
        "`key` and `raw`",
    ),
    (
        "dialect a\ncall = \"@a \" name \"\\n\" (key \": \" line \";\")* \"@b\"\n",
        "a value of `line` that is not the last of its line",
        "\";\"",
        "`eol`",
    ),
    (
        "dialect a\ncall a = \"<a>\\n\" lines(b, \"> \"|\"- \") \"\\n</a>\"\n",
        "`lines` takes one text",
        "lines",
        "lines(content,",
    ),
    (
        "dialect a\ncall a = \"<a>\" value(b, \"\\\"x\") \"</a>\"\n",
        "does not start with",
        "value",
        "three quotes are a choice",
    ),
    (
        "dialect a\nrefuse: x\n",
        "`refuse` is called `not_tools`",
        "refuse",
        "dialects check --fix",
    ),
    (
        "dialect a\ncall = bol \"<a>\" name \"</a>\"\n",
        "`bol` is called `line_start`",
        "bol",
        "dialects check --fix",
    ),
    (
        "dialect a\ncall = \"<a>\" name \"</a>\"\nwritten = \"<a>\" name\n",
        "`written` is called `write`",
        "written",
        "dialects check --fix",
    ),
    (
        "dialect a\ncall = \"<a\\\"{skip}\" name \"</a>\"\n",
        "`skip` is called `any`",
        "skip",
        "dialects check --fix",
    ),
    (
        "dialect a\ncall = \"<a \" attrs(ns: s, name: n) \">\"\n",
        "`ns` is called `server`",
        "ns",
        "dialects check --fix",
    ),
    (
        "dialect a\nvalues: schema|kind(a: json)\n",
        "`kind` is called `type`",
        "kind",
        "dialects check --fix",
    ),
    (
        "dialect a\ncall = \"<a>\" nmae \">\"\n",
        "no rule is called `nmae`",
        "nmae",
        "did you mean `name`?",
    ),
    (
        "dialect a\ncall = \"<a>\" name parm\nparam = \"x\"\n",
        "no rule is called `parm`",
        "parm",
        "did you mean `param`?",
    ),
    (
        "dialect a\ncall = \"<\" name \">\" json \"</{nam}>\"\n",
        "no capture is called `nam`",
        "nam",
        "write {name}",
    ),
    (
        "dialect a\ncall = \"<a>\" name\nnames = \"x\"\n",
        "the rule `names` looks like the word `name`",
        "names",
        "give the rule a name that is less like it",
    ),
    (
        "dialect a\ncall = \"<a>\" name\nkey = \"x\"\n",
        "`key` is a word of the notation",
        "key",
        "another name",
    ),
    (
        "dialect a\nid_form: letters nine\n",
        "unknown form of an id `id_form: letters nine`",
        "id_form:",
        "letters 9",
    ),
    (
        "dialect a\ncall = \"<a>\" python(\"x\") \"</a>\"\n",
        "`x` is not a quote of Python",
        "python",
        "double quotes",
    ),
    (
        "dialect a\nvalues: guess\n",
        "`values` has no `guess`",
        "values:",
        "schema|infer",
    ),
    (
        "dialect a\ncall = \"<a> name\n",
        "without its closing quote",
        "\"<a> name",
        "on its line",
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
        "dialect a\nthink = \"<t>\" raw* \"</t>\"\n",
        "a loop over what may be nothing",
        "raw",
        "put a literal",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" (xml | json)* \"</a>\"\n",
        "arguments in two places",
        "(",
        "use one of them",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" json \";\" raw(b) \"</a>\"\n",
        "arguments in two places",
        "raw",
        "only `key` and `raw`",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" lines(b) \"\\n</a>\"\n",
        "may start in the middle of a line",
        "lines",
        "the line break before it",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\"-\" key \":\\n\" lines \"\\n\")* \"\\n\"\n",
        "the line after `lines` may start as those of the block",
        r#""\n""#,
        "start what follows with another sign",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\"-\" key \":\\n\" lines \"\\n\" ws(\" \"))* \"</a>\"\n",
        "the line after `lines` may start as those of the block",
        "ws",
        "start what follows with another sign",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\"\\n\" key \":\\n\" lines(\"  \"))* ws(\"\\n\") \"</a>\"\n",
        "the line after `lines` may start as those of the block",
        "ws",
        "start what follows with another sign",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\"-\" key \":\\n\" lines(\"> \") \"\\n\")* \">\"\n",
        "the line after `lines` may start as those of the block",
        r#"">""#,
        "start what follows with another sign",
    ),
    (
        "dialect a\ncall = \"<a>\" name json \"</a>\"\nresult = \"r:\\n\" lines \"\\n\"\n",
        "`lines` in a rule that is not a call",
        "lines",
        "write `raw`",
    ),
    (
        "dialect a\ncall = \"<a>\" object(type = call, name: name) \"</a>\"\n",
        "needs a value in quotes",
        "call",
        "type = \"value\"",
    ),
    (
        "dialect a\ncall = \"<a>\" object(type = \"call\", args: *) \"</a>\"\n",
        "a member beside `args: *`",
        "object",
        "which keys hold the name",
    ),
    (
        "dialect a\ncall = \"<a>\" object(name: tool, args: *) \"</a>\"\n",
        "a member beside `args: *`",
        "object",
        "which keys hold the name",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" raw \"</a>\"\n",
        "the value has no name",
        "raw",
        "raw(path)",
    ),
    (
        "dialect a\nempty_if_absent: content\ncall = \"<a>\" name json \"</a>\"\n",
        "names no tool",
        "empty_if_absent",
        "write_file.content",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" (key \"=\" raw ws)* \"</a>\"\n",
        "`raw` has no closer: a bare name follows it",
        "key",
        "start each parameter with a literal",
    ),
    (
        "dialect a\nvalues: schema|type(int: json, *: string)\ncall = \"<a>\" name (\"<\" key \":\" (\"str\" | type) \">\" raw \";\")* \"</a>\"\n",
        "leaves `values` without a type",
        "type",
        "write `type` alone",
    ),
    (
        "dialect a\ncall = \"<a>\" name json \"</a>\"\nthink = \"<s>\" value \"</s>\"\n",
        "`value` in a rule that is not a call",
        "value",
        "write `raw`",
    ),
    (
        "dialect a\ncall = \"<a>\" (key \"=\" value \";\")* name \"</a>\"\n",
        "the name is after a value",
        "name",
        "read the name first",
    ),
    (
        "dialect a\nvalues: schema, words(\"yes\" = \"true\")\ncall = \"<a>\" name json \"</a>\"\n",
        "each pair is what is written",
        "values",
        "",
    ),
    (
        "dialect a\nvalues: schema, escapes(\"x\" \"y\")\ncall = \"<a>\" name json \"</a>\"\n",
        "each pair is what is written and what that means",
        "values:",
        "the parts have commas",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\" --no-\" false)* \"</a>\"\n",
        "`false` without a key",
        "false",
        "read the name of the parameter before it",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\" \" key \":\" ws(\"\\n\") lines \"\\n\")* \"</a>\"\n",
        "may start in the middle of a line",
        "lines",
        "may read nothing",
    ),
    (
        "dialect a\ncall = \"<a>\" name (ws key \"=\" raw \";\")* \"</a>\"\n",
        "capture `key` directly after capture `name`",
        "key",
        "a literal, or blanks",
    ),
    (
        "dialect a\ncall = \"<a>\" name ws \"end\" json \"</a>\"\n",
        "letters directly after capture `name`",
        "\"end\"",
        "ws(\" \")",
    ),
    (
        "dialect a\ncall = \"<a>\" name xml \"</a>\"\n",
        "a value directly after capture `name`",
        "xml",
        "where the capture ends",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" xml \"@end\"\n",
        "no closing tag follows `xml`",
        "\"@end\"",
        "closing tag",
    ),
    (
        "dialect a\ncall = \"<a>\" name \"\\n\" length \"\\n\" bytes(text) line_start \"</a>\"\n",
        "never the end of a line",
        "line_start",
        "write the line break",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\" \" key \"=\" value)* \"\\\">\"\n",
        "a quote after `value`",
        "\"\\\">\"",
        "another sign",
    ),
    (
        "dialect a\ncall = \"%run \" name \":\" (ws key \"=\" value)* \"\\n\"\n",
        "blanks that end the call",
        "\"\\n\"",
        "end the call with a sign",
    ),
    (
        "dialect a\ncall = line_start \"%run \" name (\" \" ws key (\"=\" value)?)* eol\n",
        "blanks that end the call",
        "eol",
        "end the call with a sign",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" (line_start \"- \" key \": \" raw \";\")* \"</a>\"\n",
        "never the end of a line",
        "line_start",
        "line break before it",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" (\";\" key \"=\" raw nl)* \"\\n\"\n",
        "after `nl`, which takes it",
        "\"\\n\"",
        "leave one of them out",
    ),
    (
        "dialect a\ncall = \"<a>\" name ws \"\\n\" json\n",
        "blanks after `ws`",
        "\"\\n\"",
        "leave one of them out",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" raw(b) nl nl \"</a>\"\n",
        "`nl` twice",
        "nl",
        "`ws`",
    ),
    (
        "dialect a\ncall = \"<a>\" \"</a>\"\n",
        "a `call` without a name",
        "\"<a>\"",
        "fix it",
    ),
    (
        "dialect a\ncall = \"<a>\" nmae \"</a>\"\n",
        "no rule is called `nmae`",
        "nmae",
        "did you mean `name`?",
    ),
    (
        "dialect a\ncall = \"<a>\" NAME \"</a>\"\n",
        "no rule is called `NAME`",
        "NAME",
        "did you mean `name`?",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" parm*\nparam = \"<\" key \">\" raw \"</p>\"\n",
        "no rule is called `parm`",
        "parm",
        "did you mean `param`?",
    ),
    (
        "dialect a\ncall = \"<a>\" name+ \">\"\n",
        "`+` is not part",
        "+",
        "`*` is any number",
    ),
    (
        "dialect a\ncall = /<a>/ name \">\"\n",
        "`/` is not part",
        "/",
        "has no patterns",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" junk\n",
        "no rule is called `junk`",
        "junk",
        "words of the notation",
    ),
    (
        "dialect a\ncall = \"<a>\" name ws(\" \") id\n",
        "never ended",
        "id",
        "put a literal",
    ),
    (
        "dialect a\ncall = \"<a>\" name key \">\" raw \"</a>\"\n",
        "capture `key` directly after capture `name`",
        "key",
        "ws(\" \")",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" raw(x)\n",
        "never ends",
        "raw",
        "closing literal",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" raw(x) \"</x>\"? \"</a>\"\n",
        "optional literal directly after `raw`",
        "\"</x>\"",
        "without `?`",
    ),
    (
        "dialect a\ncall = \"<{name}>\" name \">\"\n",
        "comes before its capture",
        "\"<{name}>\"",
        "capture it first",
    ),
    (
        "dialect a\ncall = \"<a>\" name \"\\n\" (key \"[]=\" raw \"\\n\" | key \"=\" raw \"\\n\")* \">\"\n",
        "cannot distinguish",
        "key",
        "write the key once",
    ),
    (
        "dialect a\ncall = \"<a>\" (name | python) \">\"\n",
        "cannot distinguish",
        "py",
        "start one of them",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\"x\" | \"x\") \">\"\n",
        "there twice",
        "\"x\"",
        "leave one out",
    ),
    (
        "dialect a\ncall = name \"(\" json \")\"\n",
        "starts with no literal",
        "name",
        "start the rule",
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
        "colour",
        "roles are",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\"\nresult = \"<r \" server \">\" raw \"</r>\"\n",
        "a result may have no `server`",
        "server",
        "may be missing",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\"\nresult = \"<r \" any \">\" raw \"</r>\"\n",
        "a result may have no `any`",
        "any",
        "the arguments of its call",
    ),
    (
        "dialect a\ndate: 2026-11\ncall = \"<a>\" name \">\"\n",
        "no setting is called `date`",
        "date",
        "at the end of the source",
    ),
    (
        "dialect a\nbetween_calls: blanks\ncall = \"<a>\" name \">\"\n",
        "`between_calls: blanks` is not known",
        "between_calls:",
        "between_calls: nothing",
    ),
    (
        "dialect a\ncall = \"<a>\" name (\"\") \">\"\n",
        "`|` is missing",
        ")",
        "read and not written",
    ),
    (
        "dialect a\nauto_without: block\ncall = \"<a>\" name \">\"\n",
        "names no such rules",
        "auto_without:",
        "auto_without: say",
    ),
    (
        "dialect a\ncall = \"\" name \">\"\n",
        "matches everywhere",
        "\"\"",
        "leave it out",
    ),
    (
        "dialect a\n\ndialect b\ncall = \"<a>\" name \">\"\n",
        "dialect `a` has no rules",
        "dialect a",
        "how a call is written",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\"\ndialect a\n",
        "there twice",
        "dialect a",
        "another name",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\"\n  json\n",
        "`=` is missing after `json`",
        "",
        "continues the rule with blanks and `|`",
    ),
    (
        "dialect a\ncall = \"<a>\" (name \">\"\n",
        "`)` is missing after the group",
        "",
        "each `(`",
    ),
    (
        "dialect a\ncall = \"<a>\" name ) \">\"\n",
        "unmatched `)`",
        ")",
        "in quotes",
    ),
    (
        "dialect a\ncall = \"<a>\" : \">\"\n",
        "`:` where a term is expected",
        ":",
        "in quotes",
    ),
    (
        "dialect a\ncall = \"<a>\" object(name: ) \">\"\n",
        "`name` needs a key",
        ")",
        "`name: a|b`",
    ),
    (
        "dialect a\ncall = \"<a>\" name raw() \">\"\n",
        "an argument is missing",
        ")",
        "`raw(a)`",
    ),
    (
        "dialect a\ncall = \"<a>\" name \"x\"?* \">\"\n",
        "a second repetition sign",
        "*",
        "`?` means at most one",
    ),
    (
        "dialect a\ncall = \"<a>\" name \">\" json\nresult = \"[\" result\n",
        "`result` refers to itself",
        "result",
        "( .. )*",
    ),
];

/// Files that are more than a dialect is: what the error says, the start of the text that it points at, a part of the help.
fn too_much() -> Vec<(
    &'static str,
    String,
    &'static str,
    &'static str,
    &'static str,
)> {
    let numbered = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    let doubled = |by: &str| {
        let line = |n: usize| format!("a{} = {}\n", n + 1, by.replace("a_", &format!("a{n}")));
        format!(
            "dialect a\ncall = \"<c>\" name \":\" a40 json\na0 = \"x\"\n{}",
            numbered(40, &line)
        )
    };
    vec![
        (
            "groups in groups",
            format!(
                "dialect a\ncall = \"<c>\" {}name{}\n",
                "(".repeat(20_000),
                ")".repeat(20_000)
            ),
            "64 groups inside each other",
            "(",
            "a rule of their own",
        ),
        (
            "repetition signs after repetition signs",
            format!(
                "dialect a\ncall = \"<c>\" name \"x\"{}\n",
                "?".repeat(20_000)
            ),
            "a second repetition sign",
            "?",
            "one of them",
        ),
        (
            "rules that double",
            doubled("a_ a_"),
            "more than 4096 terms",
            "a",
            "loop",
        ),
        (
            "choices that double",
            doubled("a_ | a_ \"z\""),
            "more than 4096 terms",
            "a",
            "loop",
        ),
        (
            "rules that double, in a loop of a choice before its closer",
            format!(
                "dialect a\na0 = \"x\"\n{}call = \"<c>\" name \":\" ((a40)* | raw) \"</c>\" json\n",
                numbered(40, &|n| format!("a{} = a{n} a{n}\n", n + 1))
            ),
            "more than 4096 terms",
            "a",
            "loop",
        ),
        (
            "a long literal in several places",
            format!(
                "dialect a\ncall = \"<c>\" name{} json\na = \"{}\"\n",
                " a".repeat(1000),
                "x".repeat(120 << 10)
            ),
            "more than 4096 terms",
            "a",
            "loop",
        ),
        (
            "a list in several places",
            format!(
                "dialect a\ncall = \"<c>\" a{} json\na = name({}\"z\")\n",
                " \":\" a".repeat(40),
                numbered(300, &|n| format!("\"n{n}\"|"))
            ),
            "more than 4096 terms",
            "a",
            "loop",
        ),
        (
            "rules in rules",
            format!(
                "dialect a\ncall = \"<c>\" name \":\" a0 json\n{}a900 = \"x\"\n",
                numbered(900, &|n| format!("a{n} = a{}\n", n + 1))
            ),
            "more than 64 groups, loops and rules",
            "a",
            "not through others",
        ),
        (
            "openers",
            format!(
                "dialect a\ncall = ({}\"<c>\") name \":\" json\n",
                numbered(5000, &|n| format!("\"<{n}>\"|"))
            ),
            "more than 4096 terms",
            "call",
            "a rule of its own",
        ),
        (
            "openers in a large file",
            format!(
                "dialect a\ncall = ({}\"<c>\") name \":\" json\n",
                numbered(100_000, &|n| format!("\"<{n}>\"|"))
            ),
            "is longer than 131072 bytes",
            "",
            "a few lines",
        ),
        (
            "rules",
            format!(
                "dialect a\n{}",
                numbered(2500, &|n| format!("call t{n} = \"<{n}>\" json\n"))
            ),
            "more than 4096 terms",
            "call",
            "",
        ),
        (
            "dialects",
            numbered(200, &|n| {
                format!("dialect d{n}\ncall = \"<c>\" name \":\" json\n")
            }),
            "more than 128 dialects",
            "dialect d128",
            "a file of their own",
        ),
        (
            "names",
            format!(
                "dialect a\ntools: {}\ncall = \"<c>\" name \":\" json\n",
                numbered(1000, &|n| format!("t{n}|"))
            ),
            "`tools` lists more than 512 names",
            "tools:",
            "--tools",
        ),
        (
            "ways that meet",
            format!(
                "dialect a\ncall = {}\"<c>\" name \":\" json\n",
                "ws? ".repeat(100)
            ),
            "too many ways into an entry",
            "ws",
            "start the rule with a literal",
        ),
        (
            "ways that pass other rules",
            format!(
                "dialect a\nblock = {}\"<c>\"\nstop = ws\nthink = nl\n",
                "(stop|think) ".repeat(20)
            ),
            "too many ways into an entry",
            "",
            "start the rule with a literal",
        ),
    ]
}

#[test]
fn what_is_more_than_a_dialect_is_refused_by_its_limit() {
    for (what, file, message, place, help) in too_much() {
        let error = compile(&file).expect_err(what);
        assert!(error.message.contains(message), "{what}: {error}");
        let pointed = &file[error.span.clone()];
        assert!(
            pointed.starts_with(place),
            "{what}: points at `{pointed}`: {error}"
        );
        assert!(
            error.help.as_deref().unwrap_or("").contains(help),
            "{what}: {error}"
        );
    }
}

/// What could be walked in many ways is walked in one.
#[test]
fn choices_that_meet_again_are_followed_once() {
    let behind = "(\"a\"? | \"b\"?) ".repeat(60);
    let before = "(ws | nl)? ".repeat(10);
    let file = format!("dialect a\ncall = {before}\"<c>\" {behind}name \":\" json\n");
    compile(&file).unwrap();
}

#[test]
fn braces_that_are_no_holes_are_read_once() {
    let file = format!(
        "dialect a\ncall = \"<c>\" name \":\" json \"{}\"\n",
        "{".repeat(100_000)
    );
    compile(&file).unwrap();
}

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
    let file = "dialect a\nvalues: schema|infer\ncall = \"<a>\" name \">\" p\np = \"(\" json \")\"\n\ndialect b : a\n# Lists.\np = \"[\" json \"]\"\n";
    let dialects = Dialect::parse(file, &[]).unwrap();
    assert_eq!(dialects[1].setting("values"), Some("schema|infer"));
    assert_eq!(
        dialects[1].source(),
        "dialect b : a\n# Lists.\np = \"[\" json \"]\"\n"
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
