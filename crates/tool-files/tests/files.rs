//! Cases of tool files with their fields and diagnostics: `data/files.txt`.
//!
//! A case is `=== PATH: what it pins`, the file, `---`, and the result: the fields, the schema, and a line for each
//! diagnostic. `TOOLGLOT_BLESS=1` replaces the expected results by the actual ones: read the difference.

use std::fmt::Write as _;
use std::{env, fs};

use toolglot_tool_files::{Executor, ItemId, Language, RULES, SourceLocation, ToolFile};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/files.txt");

struct Case<'a> {
    head: &'a str,
    text: String,
    said: String,
}

fn cases(data: &str) -> Vec<Case<'_>> {
    data.split("\n=== ")
        .skip(1)
        .map(|case| {
            let (head, rest) = case.split_once('\n').expect("a case has lines");
            let rest = format!("\n{rest}");
            let (text, said) = rest.split_once("\n---\n").expect("a case has `---`");
            Case {
                head,
                text: format!("{text}\n").split_off(1),
                said: said.trim_end().to_owned(),
            }
        })
        .collect()
}

fn said(case: &Case<'_>) -> String {
    let path = case.head.split(':').next().expect("a path");
    let (id, extension) = path.rsplit_once('.').expect("an extension");
    let id = ItemId::new(id).expect(path);
    let language = Language::of_extension(extension).expect(path);
    let tool = ToolFile::read(&id, language, &case.text).checked();
    let mut out = String::new();
    let metadata = &tool.metadata;
    for (name, value) in [
        ("type", &metadata.tool_type),
        ("version", &metadata.version),
        ("category", &metadata.category),
        ("description", &metadata.description),
    ] {
        if let Some(value) = value {
            let _ = writeln!(out, "{name} {value:?}");
        }
    }
    match &metadata.executor {
        Executor::Id(id) => {
            let _ = writeln!(out, "executor {id}");
        }
        Executor::Null => out.push_str("executor null\n"),
        Executor::Unsaid => {}
    }
    for (name, value) in [("requires", &metadata.requires), ("tags", &metadata.tags)] {
        if !value.is_empty() {
            let _ = writeln!(out, "{name} {}", value.join(", "));
        }
    }
    if let Some(timeout) = metadata.timeout {
        let _ = writeln!(out, "timeout {timeout:?}");
    }
    if let Some(retry) = metadata.retry {
        let _ = writeln!(out, "retry {retry:?}");
    }
    if let Some(cost) = &metadata.cost {
        let _ = writeln!(out, "cost {cost:?}");
    }
    for (name, value) in [
        ("config", &metadata.config),
        ("documentation", &metadata.documentation),
        ("metadata", &metadata.about),
    ] {
        if let Some(value) = value {
            let _ = writeln!(out, "{name} {value}");
        }
    }
    if tool.schema.input["properties"]
        .as_object()
        .is_some_and(|properties| !properties.is_empty())
    {
        let _ = writeln!(out, "input {}", tool.schema.input);
    }
    if let Some(output) = &tool.schema.output {
        let _ = writeln!(out, "output {output}");
    }
    for action in &tool.actions {
        let _ = writeln!(out, "action {} {}", action.name, action.input);
    }
    for diagnostic in &tool.diagnostics {
        let place = SourceLocation::of(&case.text, diagnostic.span.start);
        let _ = write!(
            out,
            "{}:{} {} {} {}",
            place.line,
            place.column,
            diagnostic.severity.word(),
            diagnostic.rule.code,
            diagnostic.message
        );
        match &diagnostic.help {
            Some(help) => {
                let _ = writeln!(out, " -> {help}");
            }
            None => out.push('\n'),
        }
    }
    out.trim_end().to_owned()
}

#[test]
fn files_are_read_as_the_cases_say() {
    let data = fs::read_to_string(DATA).expect("the cases");
    let (mut wrong, mut blessed) = (Vec::new(), String::new());
    blessed.push_str(data.split("\n=== ").next().unwrap_or_default());
    for case in cases(&data) {
        let said = said(&case);
        if said != case.said {
            wrong.push(format!(
                "{}\n{said}\ninstead of\n{}\n",
                case.head, case.said
            ));
        }
        let _ = write!(blessed, "\n=== {}\n{}---\n{said}\n", case.head, case.text);
    }
    if env::var_os("TOOLGLOT_BLESS").is_some() {
        fs::write(DATA, blessed).expect("the cases can be written");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule that no case breaks has never been seen to work.
#[test]
fn every_rule_has_a_case() {
    let data = fs::read_to_string(DATA).expect("the cases");
    let said: Vec<String> = cases(&data).iter().map(said).collect();
    for rule in RULES {
        let code = format!(" {} ", rule.code);
        assert!(
            said.iter().any(|said| said.contains(&code)),
            "no case breaks {} {}",
            rule.code,
            rule.name
        );
    }
}

/// A file that is cut anywhere is read without a panic, with or without diagnostics.
#[test]
fn files_cut_anywhere_are_read() {
    let data = fs::read_to_string(DATA).expect("the cases");
    for case in cases(&data) {
        let path = case.head.split(':').next().expect("a path");
        let (id, extension) = path.rsplit_once('.').expect("an extension");
        let (id, language) = (
            ItemId::new(id).expect(path),
            Language::of_extension(extension).expect(path),
        );
        let n = case.text.len();
        for at in (0..n).step_by(1 + n / 60) {
            if case.text.is_char_boundary(at) {
                let tool = ToolFile::read(&id, language, &case.text[..at]);
                for diagnostic in &tool.diagnostics {
                    assert!(
                        diagnostic.span.end <= n && diagnostic.span.start <= diagnostic.span.end
                    );
                }
            }
        }
    }
}

/// Nesting uses no stack: beyond the limit there is a diagnostic.
#[test]
fn deep_files_are_refused() {
    let deep = 20_000;
    let id = ItemId::new("a/b-c").expect("an id");
    for (language, text) in [
        (
            Language::Python,
            format!("CONFIG_SCHEMA = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        ),
        (
            Language::Python,
            format!("__version__ = {}\"1\"", "\"1\" + ".repeat(deep)),
        ),
        (
            Language::JavaScript,
            format!(
                "export const CONFIG_SCHEMA = {}1{}",
                "[".repeat(deep),
                "]".repeat(deep)
            ),
        ),
        (
            Language::Yaml,
            format!("config: {}1{}", "[".repeat(deep), "]".repeat(deep)),
        ),
        (
            Language::Toml,
            format!("config = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        ),
    ] {
        let tool = ToolFile::read(&id, language, &text);
        assert!(tool.errors().next().is_some(), "{}", language.name());
    }
    let many = (0..12_000).map(|i| format!("\"k{i}\": {i}, "));
    let many = format!("CONFIG_SCHEMA = {{{}}}\n", many.collect::<String>());
    let tool = ToolFile::read(&id, Language::Python, &many);
    assert!(tool.errors().any(|error| error.rule.code == "F02"));
    let mut bomb = String::new();
    for i in 0..40 {
        let _ = writeln!(bomb, "const a{i} = [...a{}, ...a{}];", i + 1, i + 1);
    }
    let bomb = format!("{bomb}const a40 = [1];\nexport const CONFIG_SCHEMA = {{ enum: a0 }};\n");
    let tool = ToolFile::read(&id, Language::JavaScript, &bomb);
    assert!(tool.errors().any(|error| error.rule.code == "F02"));
    let mut bomb = String::from("config:\n  a0: &a0 [1]\n");
    for i in 1..40 {
        let _ = writeln!(bomb, "  a{i}: &a{i} [*a{}, *a{}]", i - 1, i - 1);
    }
    let tool = ToolFile::read(&id, Language::Yaml, &bomb);
    assert!(tool.errors().any(|error| error.rule.code == "F01"));
}
