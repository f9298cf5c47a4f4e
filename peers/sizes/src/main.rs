//! Writes the table of `docs/compare.md`: bytes and tokens of the same calls in several dialects.
//!
//! The tokenizer is `o200k_base`, whose vocabulary the crate `tiktoken-rs` embeds.

use serde_json::{Value, json};
use tiktoken_rs::{CoreBPE, o200k_base};
use toolglot_engine::{CallText, Fields, Shape, Tool, ToolSet, render};

/// The dialects of the five systems, one form of each, and `hermes` for comparison.
const DIALECTS: &[&str] = &[
    "roo",
    "forge",
    "forge_hybrid",
    "axe",
    "tool_call",
    "tool_call_xml",
    "rye_invoke",
    "hermes",
];

fn main() {
    let tokenizer = o200k_base().expect("its vocabulary is embedded");
    println!("| dialect | small | nested edit | 40-line file |\n|---|--:|--:|--:|");
    for name in DIALECTS {
        let cells = calls()
            .map(|(name_of_tool, arguments)| cell(&tokenizer, name, name_of_tool, &arguments));
        println!("| `{name}` | {} |", cells.join(" | "));
    }
    let values = calls().map(|(_, arguments)| {
        let text = values(&arguments);
        format!(
            "{} / {}",
            text.len(),
            tokenizer.encode_ordinary(&text).len()
        )
    });
    println!("| the values alone | {} |", values.join(" | "));
}

/// The calls: the tool's name and its arguments. All calls use Roo's name of the tool.
fn calls() -> [(&'static str, Value); 3] {
    let edits = json!([
        {"search": "const LIMIT: usize = 10;", "replace": "const LIMIT: usize = 20;"},
        {"search": "if a < b && c {", "replace": "if a <= b && c {"},
    ]);
    [
        ("read_file", json!({"path": "src/main.rs"})),
        ("apply_diff", json!({"path": "src/main.rs", "edits": edits})),
        (
            "write_to_file",
            json!({"path": "src/table.rs", "content": file()}),
        ),
    ]
}

/// The tools that the reader knows: dialects without types need the schema for a list of edits.
fn tools() -> ToolSet {
    let fields = |names: &[(&str, Shape)]| Fields {
        properties: names
            .iter()
            .map(|(name, shape)| ((*name).to_owned(), shape.clone()))
            .collect(),
        others: None,
    };
    let edit = Shape::Object(fields(&[("search", Shape::Text), ("replace", Shape::Text)]));
    let edits = Shape::Array(Box::new(edit));
    let tool = |name: &str, names: &[(&str, Shape)]| Tool {
        name: name.to_owned(),
        parameters: fields(names),
    };
    ToolSet::new([
        tool("read_file", &[("path", Shape::Text)]),
        tool("apply_diff", &[("path", Shape::Text), ("edits", edits)]),
        tool(
            "write_to_file",
            &[("path", Shape::Text), ("content", Shape::Text)],
        ),
    ])
}

/// Forty lines of Rust with quotation marks, angle brackets, ampersands and a backslash every few lines.
fn file() -> String {
    let block = "/// Row {n}.\npub fn row_{n}(cells: &[&str]) -> Vec<String> {\n    let width = cells.len() * {n};\n    cells\n        .iter()\n        .filter(|cell| cell.len() < width && !cell.is_empty())\n        .map(|cell| format!(\"<td>{cell}</td>\\n\"))\n        .collect()\n}\n\n";
    let file: String = (1..=4)
        .map(|n| block.replace("{n}", &n.to_string()))
        .collect();
    // Dialects that trim values cannot carry the last line break.
    format!("//! Rows of a table.\n{}", file.trim_end())
}

/// `bytes / tokens` of a call as the dialect's renderer writes it.
fn cell(tokenizer: &CoreBPE, dialect: &str, name: &str, arguments: &Value) -> String {
    let dialect = toolglot_dialects::get(dialect).expect("it ships");
    let arguments = arguments.to_string();
    let call = CallText {
        name,
        arguments: &arguments,
        server: None,
        id: None,
    };
    match render(dialect, &tools(), &[call]) {
        Ok(text) => format!(
            "{} / {}",
            text.len(),
            tokenizer.encode_ordinary(&text).len()
        ),
        Err(_) => "not carried".to_owned(),
    }
}

/// All scalars of the arguments, concatenated.
fn values(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(values).collect(),
        Value::Object(members) => members.values().map(values).collect(),
        other => other.to_string(),
    }
}
