//! Texts that mention tools, and JSON that is an answer: none is a call. All dialects are read at once, with every form
//! of the tool's name, and in quoted code too.

use std::collections::BTreeSet;
use std::path::Path;

use toolglot_value::{Value, json};

use crate::recorded;

/// Texts in which a model mentions its tools without a call.
const TEXTS: &[&str] = &[
    // Prose about tools.
    "I could use get_weather for this, but you have not said where.",
    "get_weather(city) returns the weather; search(query) looks things up.",
    "Call `get_weather` with a city, or search with a query.",
    "get_weather: says what the weather is\nsearch: looks things up",
    "The tools are [get_weather, search].",
    "None of the functions fits: get_weather() needs a city.\n",
    "Use the <tool_call> tag for calls; get_weather has one parameter.",
    "With `<function=get_weather>` a call begins, `</function>` ends it.",
    "1. get_weather\n2. search\n",
    "def get_weather(city: str) -> dict:\n    return requests.get(URL, params={'city': city}).json()",
    "weather = client.get_weather(city=\"Oslo\") is how a program would ask.",
    "if get_weather(city == \"Oslo\"):\n    pass",
    // JSON that is an answer.
    r#"{"city": "Oslo", "temperature": 12, "unit": "C"}"#,
    r#"[{"city": "Oslo"}, {"city": "Bergen"}]"#,
    r#"{"name": "Oslo", "country": "Norway", "population": 709037}"#,
    r#"{"name": "John", "arguments": {"for": "yes", "against": "no"}}"#,
    r#"{"result": {"name": "weather", "value": 12}}"#,
    r#"{"name": "get_weather", "description": "Says what the weather is."}"#,
    r#"{"tool": "hammer", "input": "nail"}"#,
    r#"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#,
    "```json\n{\"city\": \"Oslo\", \"temperature\": 12}\n```",
    r#"{"response": "ok", "code": 200}"#,
    r#"{"response": "ok"}"#,
    "```json\n{\"response\": \"a \\\"b\\\"\"}\n```",
    r#"Scores: {"search": 0.9, "get_weather": 0.1}"#,
    r#"{"get_weather": "Says what the weather is", "search": ["cats"]}"#,
    "[1, 2, 3]",
    "['a', 'b']",
    "{'Oslo', 'Bergen'}",
    "[]",
    "{}",
    "null",
    // A name that no tool has, in forms that only the name marks as a call.
    "[get_temperature(city=\"Oslo\")]",
    "get_temperature(city=\"Oslo\")",
    r#"{"name": "get_temperature", "arguments": {"city": "Oslo"}}"#,
    "get_temperature\n{\"city\": \"Oslo\"}",
];

fn tools() -> Value {
    let tool = |name: &str, parameter: &str| {
        json!({"type": "function", "function": {"name": name, "parameters": {
            "type": "object", "properties": {parameter: {"type": "string"}}}}})
    };
    json!([tool("get_weather", "city"), tool("search", "query")])
}

#[test]
fn what_speaks_of_tools_calls_none() {
    let tools = tools();
    let line = |(n, text): (usize, &&str)| json!({"id": n, "dialect": "auto", "tools": tools, "input": text});
    let lines: Vec<Value> = TEXTS.iter().enumerate().map(line).collect();
    for in_code in ["auto", "ignore", "accept"] {
        let documents = recorded::parsed(&["--in-code", in_code], &lines);
        for (text, document) in TEXTS.iter().zip(documents) {
            assert_eq!(document["calls"], json!([]), "{text}");
            // An empty list of calls is markup if it is the whole answer.
            let content = if *text == "[]" { "" } else { *text };
            assert_eq!(document["content"], json!(content), "{text}");
        }
    }
}

/// Look-alikes of calls: the dialect for reading, the text, the note's code, and what the note's help names.
const LOOKALIKES: &[(&str, &str, &str, &str)] = &[
    // Forms of other dialects.
    (
        "hermes",
        "<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>",
        "N071",
        "--dialect qwen3_coder",
    ),
    (
        "hermes",
        "<invoke name=\"get_weather\"><parameter name=\"city\">Oslo</parameter></invoke>",
        "N071",
        "--dialect rye_invoke",
    ),
    (
        "forge",
        "So:\n<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}</tool_call>",
        "N071",
        "--dialect hermes",
    ),
    (
        "hermes",
        "<get_weather>\n<city>Oslo</city>\n</get_weather>",
        "N071",
        "--dialect roo",
    ),
    (
        "mistral",
        "[get_weather(city=\"Oslo\")]",
        "N071",
        "--dialect llama4_pythonic",
    ),
    (
        "roo",
        "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}",
        "N071",
        "--dialect json",
    ),
    // Blocks that `auto` leaves to one system.
    (
        "auto",
        "Now.\n\n```READ lib/cart.js\n```\n",
        "N071",
        "--dialect axe",
    ),
    ("auto", "<bash>ls</bash>", "N071", "--dialect axe"),
    // Forms of no dialect.
    (
        "auto",
        "<tool name=\"get_weather\"><city>Oslo</city></tool>",
        "N071",
        "no dialect",
    ),
    (
        "auto",
        "Sure.\n<tool name='get_weather'>{\"city\": \"Oslo\"}</tool>",
        "N071",
        "no dialect",
    ),
    (
        "hermes",
        "<tool_use><name>get_weather</name><input>{\"city\": \"Oslo\"}</input></tool_use>",
        "N071",
        "no dialect",
    ),
    (
        "hermes",
        "<tool:get_weather>{\"city\": \"Oslo\"}</tool>",
        "N071",
        "--dialect cwm",
    ),
    (
        "hermes",
        "<get_weather city=\"Oslo\"/>",
        "N071",
        "no dialect",
    ),
    (
        "hermes",
        "<get_weather>{\"city\": \"Oslo\"}</get_weather>",
        "N071",
        "no dialect",
    ),
    (
        "auto",
        "{\"tool_to_use\": \"get_weather\", \"with\": {\"city\": \"Oslo\"}}",
        "N071",
        "no dialect",
    ),
    (
        "auto",
        "get_weather: {\"city\": \"Oslo\"}",
        "N071",
        "no dialect",
    ),
    (
        "auto",
        "**Tool:** get_weather\n**Arguments:** {\"city\": \"Oslo\"}",
        "N071",
        "no dialect",
    ),
    (
        "hermes",
        "```xml\n<tool_use>\n<name>get_weather</name>\n<city>Oslo</city>\n</tool_use>\n```",
        "N071",
        "no dialect",
    ),
    (
        "hermes",
        "<|channel|>commentary to=get_weather <|constrain|>json<|message|>{\"city\": \"Oslo\"}<|call|>",
        "N071",
        "--dialect harmony",
    ),
    // Reasoning that the prompt had opened.
    (
        "hermes",
        "It is cold there.\n</think>\n\nIt is 2 degrees.",
        "N072",
        "--reasoning-open",
    ),
    (
        "auto",
        "Ask first.\n</think>\n<tool_call>{\"name\": \"get_weather\", \"arguments\": {}}</tool_call>",
        "N072",
        "--reasoning-open",
    ),
];

/// What a model with tools may answer without a call, beside [`TEXTS`].
const ANSWERS: &[&str] = &[
    "Run it:\n\n```bash\nnpm install\nnpm test\n```\n",
    "```sh\nls -la\n```",
    "The reasoning stands between `<think>` and `</think>`.",
    "The </think> tag ends it.",
    "I looked with get_weather for {\"city\": \"Oslo\"} and found rain.",
    "| tool | parameter |\n|---|---|\n| get_weather | city |\n",
    "- get_weather: needs a city\n- search: needs a query\n",
    "```python\ndef get_weather(city):\n    return {\"city\": city}\n```",
    "```json\n{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"parameters\": {\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}}}}\n```",
    "See `<tool name=\"get_weather\">` in the documents.",
    "> <tool name=\"get_weather\">{\"city\": \"Oslo\"}</tool>\n\nis what it wrote.",
    "<input name=\"search\" type=\"text\">",
    "<form><label>search</label><button>go</button></form>",
    "tool: a hammer\naction: hit",
    "Search: try other words.",
];

#[test]
fn what_looks_like_a_call_gets_one_note() {
    let lines: Vec<Value> = LOOKALIKES
        .iter()
        .enumerate()
        .map(|(n, (dialect, text, _, help))| {
            // The blocks of that system name no tool of the list, so they are known only without a list.
            let is_of_system = help.ends_with("axe");
            let tools = if is_of_system { Value::Null } else { tools() };
            json!({"id": n, "dialect": dialect, "tools": tools, "input": text})
        })
        .collect();
    let mut failures = Vec::new();
    for ((dialect, text, code, help), document) in
        LOOKALIKES.iter().zip(recorded::parsed(&[], &lines))
    {
        let notes = document["notes"].as_array().expect("a list");
        let is_right = notes.len() == 1
            && notes[0]["code"] == *code
            && notes[0]["help"]
                .as_str()
                .is_some_and(|help_text| help_text.contains(help));
        if !is_right {
            failures.push(format!("{dialect}: {text}: {notes:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn ordinary_answers_get_no_note() {
    let texts = TEXTS.iter().chain(ANSWERS).chain(EMPTY);
    let rows: Vec<(&str, &&str)> = texts
        .flat_map(|text| ["auto", "hermes", "harmony", "mistral"].map(|dialect| (dialect, text)))
        .collect();
    let line = |(n, (dialect, text)): (usize, &(&str, &&str))| json!({"id": n, "dialect": dialect, "tools": tools(), "input": text});
    let lines: Vec<Value> = rows.iter().enumerate().map(line).collect();
    for ((dialect, text), document) in rows.iter().zip(recorded::parsed(&[], &lines)) {
        let notes = document["notes"].as_array().expect("a list");
        let cries = notes
            .iter()
            .find(|note| note["code"] == "N071" || note["code"] == "N072");
        assert_eq!(cries, None, "{dialect}: {text}");
    }
}

/// Texts with empty brackets.
const EMPTY: &[&str] = &[
    "Use x = [] in Python.",
    "- [ ] buy milk\n- [x] sell it\n",
    "The answer: {\"tags\": [], \"n\": {}}",
    "Here it is:\n\n```python\nx = []\ny = f()\n```\n",
    "A pair of (), of [ ], of {} and of `` is no call.",
    // The last word of a message.
    "lru_cache lives in functools",
    "The prompt is >>>",
    "Here is the final",
];

/// Every word of the documentation, a few hundred at a time. No single word is a marker, even if a marker contains it.
fn words() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut words = BTreeSet::new();
    for page in std::fs::read_dir(&docs)
        .expect("the pages are there")
        .flatten()
    {
        if page.path().extension().is_some_and(|ext| ext == "md") {
            let text = std::fs::read_to_string(page.path()).expect("a page is text");
            let all = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.extend(all.filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
    let words: Vec<String> = words.into_iter().collect();
    assert!(words.iter().any(|word| word == "final") && words.len() > 3000);
    words.chunks(400).map(|words| words.join(" ")).collect()
}

#[test]
fn words_and_empty_brackets_stay_in_the_text() {
    let dialects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dialects/dialects");
    let folders = std::fs::read_dir(dialects).expect("the dialects are there");
    let mut names: Vec<String> = folders
        .flatten()
        .filter(|folder| folder.path().join("cases").is_dir())
        .map(|folder| folder.file_name().to_string_lossy().into_owned())
        .collect();
    names.push("auto".to_owned());
    assert!(names.len() > 60, "{names:?}");
    let texts: Vec<String> = words()
        .into_iter()
        .chain(EMPTY.iter().map(|text| (*text).to_owned()))
        .collect();
    let rows: Vec<(&String, &String)> = names
        .iter()
        .flat_map(|name| texts.iter().map(move |text| (name, text)))
        // In `swe_agent`, a fence is a command.
        .filter(|(name, text)| *name != "swe_agent" || !text.contains("```"))
        .collect();
    let line = |(n, (name, text)): (usize, &(&String, &String))| json!({"id": n, "dialect": name, "input": text});
    let lines: Vec<Value> = rows.iter().enumerate().map(line).collect();
    for ((name, text), document) in rows.iter().zip(recorded::parsed(&[], &lines)) {
        assert_eq!(document["content"], json!(text), "{name}");
        assert_eq!(document["calls"], json!([]), "{name}: {text}");
    }
}
