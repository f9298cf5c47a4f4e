//! Texts that speak of tools, and JSON that is an answer: none is a call, with every dialect read at once, whichever form
//! the tool's name takes, in quoted code too.

#[expect(dead_code, reason = "no record is read here")]
mod recorded;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

/// What a model may say of the tools that it has, and never call.
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
    // A name that no tool has, where nothing but the name marks a call.
    "[get_temperature(city=\"Oslo\")]",
    "get_temperature(city=\"Oslo\")",
    r#"{"name": "get_temperature", "arguments": {"city": "Oslo"}}"#,
    "get_temperature\n{\"city\": \"Oslo\"}",
];

#[test]
fn what_speaks_of_tools_calls_none() {
    let tool = |name: &str, parameter: &str| {
        json!({"type": "function", "function": {"name": name, "parameters": {
            "type": "object", "properties": {parameter: {"type": "string"}}}}})
    };
    let tools = json!([tool("get_weather", "city"), tool("search", "query")]);
    let line = |(n, text): (usize, &&str)| json!({"id": n, "dialect": "auto", "tools": tools, "input": text});
    let lines: Vec<Value> = TEXTS.iter().enumerate().map(line).collect();
    for in_code in ["ignore", "accept"] {
        let documents = recorded::parsed(&["--in-code", in_code], &lines);
        for (text, document) in TEXTS.iter().zip(documents) {
            assert_eq!(document["calls"], json!([]), "{text}");
            // A list of no calls is markup where it is the whole answer.
            let content = if *text == "[]" { "" } else { *text };
            assert_eq!(document["content"], json!(content), "{text}");
        }
    }
}

/// Text in which brackets hold nothing.
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

/// Every word of the documentation, a few hundred at a time. No word is a marker by itself, whatever dialect has it inside one.
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
    let dialects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dialects");
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
        // There a fence is a command.
        .filter(|(name, text)| *name != "swe_agent" || !text.contains("```"))
        .collect();
    let line = |(n, (name, text)): (usize, &(&String, &String))| json!({"id": n, "dialect": name, "input": text});
    let lines: Vec<Value> = rows.iter().enumerate().map(line).collect();
    for ((name, text), document) in rows.iter().zip(recorded::parsed(&[], &lines)) {
        assert_eq!(document["content"], json!(text), "{name}");
        assert_eq!(document["calls"], json!([]), "{name}: {text}");
    }
}
