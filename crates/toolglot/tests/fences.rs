//! Messages with calls in fences after prose are read or noted, and ordinary answers with code are neither.

use toolglot_value::{Value, json};

use crate::recorded;

/// A call of `read_file`, as each dialect writes it: of models, then of the five systems.
const CALLS: &[(&str, &str)] = &[
    (
        "hermes",
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}\n</tool_call>",
    ),
    (
        "json",
        "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}",
    ),
    (
        "llama3_json",
        "{\"name\": \"read_file\", \"parameters\": {\"path\": \"a.rs\"}}",
    ),
    ("pythonic", "[read_file(path=\"a.rs\")]"),
    (
        "qwen3_coder",
        "<tool_call>\n<function=read_file>\n<parameter=path>\na.rs\n</parameter>\n</function>\n</tool_call>",
    ),
    (
        "anthropic",
        "<function_calls>\n<invoke name=\"read_file\">\n<parameter name=\"path\">a.rs</parameter>\n</invoke>\n</function_calls>",
    ),
    (
        "mistral",
        "[TOOL_CALLS][{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}]",
    ),
    ("roo", "<read_file>\n<path>a.rs</path>\n</read_file>"),
    (
        "forge",
        "<tool>\n<server_name>local</server_name>\n<tool_name>read_file</tool_name>\n<arguments>\n<path>a.rs</path>\n</arguments>\n</tool>",
    ),
    (
        "rye_invoke",
        "<invoke name=\"read_file\">\n<parameter name=\"path\">a.rs</parameter>\n</invoke>",
    ),
    (
        "tool_call",
        "TOOL_CALL:\n{\"tool\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}",
    ),
    (
        "axe",
        "<function_calls>\n<invoke name=\"read_file\">\n<parameter name=\"path\">a.rs</parameter>\n</invoke>\n</function_calls>",
    ),
];

/// The text around a call, and whether it is a call if its tool is known.
const MESSAGES: &[(&str, bool)] = &[
    ("I'll check the file.\n\n```json\nCALL\n```\n", true),
    ("First I read it:\n```xml\nCALL\n```", true),
    (
        "## Plan\n\n1. Read the file.\n\n   ```\nCALL\n   ```\n",
        true,
    ),
    ("Let me look.\n\n~~~python\nCALL\n~~~\n\n", true),
    (
        "Sure!\n\n````text\nCALL\n````\nThat shows what it holds.",
        true,
    ),
    (
        "I read two files.\n```json\nCALL\n```\n\n```json\nCALL\n```\n",
        true,
    ),
    ("I'll check.\r\n\r\n```json\r\nCALL\r\n```\r\n", true),
    ("I'll check.\n```json\nCALL", true),
    ("It would look so:\n\n```yaml\nCALL\n```\n", false),
    ("Like this:\n```\nThe call:\nCALL\n```\n", false),
];

#[test]
fn a_call_in_a_fence_after_prose_is_read_or_noted() {
    let tools =
        json!({"read_file": {"type": "object", "properties": {"path": {"type": "string"}}}});
    let mut rows = Vec::new();
    for (dialect, call) in CALLS {
        for (message, is_call) in MESSAGES {
            let input = message.replace("CALL", call);
            for read_as in [*dialect, "auto"] {
                let row = json!({"id": rows.len(), "dialect": read_as, "input": input});
                let mut with_tools = row.clone();
                with_tools["tools"] = tools.clone();
                rows.push((with_tools, Some(*is_call)));
                rows.push((row, None));
            }
        }
    }
    assert_eq!(rows.len(), 12 * 10 * 4);
    let lines: Vec<Value> = rows.iter().map(|(line, _)| line.clone()).collect();
    let documents = recorded::parsed(&[], &lines);
    for ((line, is_call), document) in rows.iter().zip(documents) {
        let calls = document["calls"].as_array().expect("a list");
        let is_noted = |code: &str| {
            let mut notes = document["notes"].as_array().expect("a list").iter();
            notes.any(|note| note["code"] == code)
        };
        let is_read = !calls.is_empty()
            && calls
                .iter()
                .all(|call| call["name"] == "read_file" && call["place"] == "code");
        let is_right = match is_call {
            Some(true) => is_read && is_noted("N068"),
            Some(false) => calls.is_empty() && is_noted("N001"),
            None => is_read && is_noted("N068") || calls.is_empty() && is_noted("N001"),
        };
        assert!(is_right, "{line}\n{document}");
    }
}

/// The contents of ordinary answers, by the language of the fence: no row has the shape of a call.
const CODE: &[(&str, &str)] = &[
    (
        "json",
        "{\n  \"name\": \"demo\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\"test\": \"jest\"}\n}",
    ),
    (
        "json",
        "{\"compilerOptions\": {\"strict\": true, \"paths\": {\"@/*\": [\"src/*\"]}}}",
    ),
    (
        "json",
        "[\n  {\"id\": 1, \"path\": \"a.rs\"},\n  {\"id\": 2, \"path\": \"b.rs\"}\n]",
    ),
    (
        "json",
        "{\"type\": \"object\", \"properties\": {\"path\": {\"type\": \"string\"}}, \"required\": [\"path\"]}",
    ),
    (
        "json",
        "{\"name\": \"Ada\", \"role\": \"admin\", \"tags\": [\"x\", \"y\"]}",
    ),
    (
        "json",
        "{\"error\": {\"code\": 404, \"message\": \"not found\"}}",
    ),
    ("json", "{}"),
    ("json", "[]"),
    ("", "{\"a\": [1, 2, {\"b\": null}]}"),
    ("jsonc", "{\n  // tabs\n  \"editor.tabSize\": 2,\n}"),
    ("json5", "{unquoted: 'yes', trailing: true,}"),
    (
        "yaml",
        "name: ci\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest",
    ),
    ("toml", "[package]\nname = \"demo\"\nversion = \"0.1.0\""),
    ("bash", "git clone https://example.org/a.git\ncd a && make"),
    ("sh", "ls -la | grep \"rs$\" > out.txt"),
    ("shell", "$ cargo test --all\n$ echo \"done\""),
    ("console", "$ npm install\nadded 12 packages"),
    ("", "cat a.rs\nhead -n 3 a.rs"),
    (
        "xml",
        "<project>\n  <modelVersion>4.0.0</modelVersion>\n</project>",
    ),
    (
        "xml",
        "<?xml version=\"1.0\"?>\n<note><to>Ada</to><body>Hi</body></note>",
    ),
    (
        "xml",
        "<configuration>\n  <path>a.rs</path>\n  <!-- here -->\n</configuration>",
    ),
    ("html", "<ul>\n  <li><a href=\"#a\">One</a></li>\n</ul>"),
    ("svg", "<svg width=\"1\"><path d=\"M0 0\"/></svg>"),
    (
        "python",
        "import os\n\nfor name in os.listdir('.'):\n    print(name)",
    ),
    (
        "python",
        "def read(path: str) -> str:\n    with open(path) as f:\n        return f.read()",
    ),
    ("python", "x = [f(y) for y in range(3)]\nprint(sum(x))"),
    ("python", "print(\"hello\")"),
    (
        "python",
        "class A:\n    def run(self):\n        return self.go(a=1, b=[2, 3])",
    ),
    (
        "python",
        "result = client.get(url=\"https://example.org\", timeout=3)",
    ),
    ("py", "assert add(1, 2) == 3"),
    ("python", "df.groupby('a').agg(total=('b', 'sum'))"),
    (
        "python",
        "data = {\"name\": \"x\", \"value\": 1}\nsave(data)",
    ),
    ("", "main()\n  parse(args)\n  run(plan)"),
    (
        "rust",
        "fn main() {\n    println!(\"{}\", vec![1, 2].len());\n}",
    ),
    ("rust", "#[derive(Debug)]\nstruct A { path: String }"),
    (
        "js",
        "const a = await fetch('/api', {method: 'POST', body: JSON.stringify({name: 'x'})});",
    ),
    (
        "javascript",
        "export default function f(a) {\n  return `${a}`;\n}",
    ),
    ("ts", "type A = { name: string; arguments?: string[] };"),
    ("go", "func main() {\n\tfmt.Println(\"hi\")\n}"),
    ("c", "int main(void) { return puts(\"hi\") < 0; }"),
    (
        "cpp",
        "std::vector<int> v{1, 2};\nauto f = [](int x) { return x; };",
    ),
    (
        "java",
        "List<String> a = List.of(\"x\");\nfor (String s : a) run(s);",
    ),
    ("sql", "SELECT name, count(*) FROM calls GROUP BY name;"),
    ("diff", "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-old\n+new"),
    (
        "dockerfile",
        "FROM rust:1\nCOPY . /app\nRUN [\"cargo\", \"build\"]",
    ),
    ("makefile", "all:\n\tcargo build"),
    ("css", "a:hover { color: #fff; }"),
    ("text", "src/\n  main.rs\n  lib.rs"),
    ("plaintext", "a: 1\nb: [2, 3]"),
    ("tex", "\\begin{tabular}{ll} a & b \\\\ \\end{tabular}"),
];

/// The text around the code.
const ANSWERS: &[&str] = &[
    "Here is how it is done:\n\n```LANG\nCODE\n```\n\nAdjust the values to your needs.",
    "You can use this.\n\n```LANG\nCODE\n```\n",
    "1. Open the file.\n2. Write:\n   ```LANG\nCODE\n   ```\n3. Run `make` and see.\n",
    "**Before** and after:\n~~~LANG\nCODE\n~~~\n\n```\nCODE\n```\n> It's the same `code`, only *shorter*.",
];

#[test]
fn an_answer_with_code_calls_nothing_and_has_no_notes() {
    let tools = json!({
        "read_file": {"type": "object", "properties": {"path": {"type": "string"}}},
        "list_files": {"type": "object", "properties": {"path": {"type": "string"}}},
        "get_weather": {"type": "object", "properties": {"city": {"type": "string"}}},
    });
    let texts: Vec<String> = CODE
        .iter()
        .flat_map(|(language, code)| {
            let fill = move |answer: &&str| answer.replace("LANG", language).replace("CODE", code);
            ANSWERS.iter().map(fill)
        })
        .collect();
    assert_eq!(texts.len(), 200);
    for tools in [Some(tools), None] {
        let line = |(n, text): (usize, &String)| {
            if let Some(tools) = &tools {
                json!({"id": n, "dialect": "auto", "tools": tools, "input": text})
            } else {
                json!({"id": n, "dialect": "auto", "input": text})
            }
        };
        let lines: Vec<Value> = texts.iter().enumerate().map(line).collect();
        for (text, document) in texts.iter().zip(recorded::parsed(&[], &lines)) {
            assert_eq!(document["calls"], json!([]), "{text}");
            assert_eq!(document["notes"], json!([]), "{text}");
            assert_eq!(document["content"], json!(text));
        }
    }
}
