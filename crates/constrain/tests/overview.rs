//! The table of all dialects in `docs/grammars.md`: the formats of each dialect, and the triggers of its calls.
//!
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot-constrain --test tests overview` regenerates it.

use std::fmt::Write as _;
use std::path::Path;

use toolglot_constrain::{Grammar, GrammarError, Options, Target, ToolChoice, ToolSchema, grammar};
use toolglot_engine::Dialect;
use toolglot_value::json;

const START: &str = "| dialect | a call starts with | `structural-tag` beside text | `legacy-structural-tag` | `json-schema` |\n";
const END: &str = "\n## ";

#[test]
fn the_table_of_dialects_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/grammars.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let start = page.find(START).expect("the table");
    let end = page[start..]
        .find(END)
        .map_or(page.len(), |end| start + end);
    let page_now = format!("{}{}{}", &page[..start], table(), &page[end..]);
    if std::env::var_os("TOOLGLOT_BLESS").is_some() {
        std::fs::write(&path, page_now).expect("the page is writable");
        return;
    }
    assert!(
        page == page_now,
        "docs/grammars.md is not up to date: TOOLGLOT_BLESS=1 writes it"
    );
}

fn table() -> String {
    let mut table = format!("{START}|---|---|:-:|:-:|:-:|\n");
    for dialect in toolglot_dialects::all() {
        let Ok(gbnf) = made(dialect, Target::Gbnf, ToolChoice::Auto) else {
            continue;
        };
        let starts: Vec<String> = gbnf.triggers.iter().map(|start| code(start)).collect();
        let answer = |target, choice| match made(dialect, target, choice) {
            Ok(_) => "yes",
            Err(_) => "",
        };
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} | {} |",
            dialect.name(),
            starts.join(", "),
            answer(Target::StructuralTag, ToolChoice::Auto),
            answer(Target::LegacyStructuralTag, ToolChoice::Auto),
            answer(Target::JsonSchema, ToolChoice::Required),
        );
    }
    table
}

fn made(
    dialect: &Dialect,
    target: Target,
    choice: ToolChoice<'_>,
) -> Result<Grammar, GrammarError> {
    let schema =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let tools = [ToolSchema {
        name: "read_file",
        parameters: &schema,
    }];
    let mut options = Options::new(target);
    options.tool_choice = choice;
    options.parallel = target != Target::JsonSchema;
    grammar(dialect, &tools, &options)
}

/// A text in a cell: line breaks and bars are escaped.
fn code(text: &str) -> String {
    let text = text.replace('\n', "\\n").replace('|', "\\|");
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}
