//! A tool in five minutes, in every language, from an empty folder: written, checked, signed, called, called by a
//! model's text, served to a client.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use toolglot_value::{Value, json};

const LANGUAGES: &[&str] = &["python", "javascript", "typescript", "bash", "yaml", "toml"];

struct World(TempDir);

impl World {
    fn path(&self, name: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(&path).expect("a folder");
        path
    }

    /// The output of `toolglot` in the project, with `stdin` as standard input.
    #[track_caller]
    fn said(&self, words: &[&str], stdin: &str) -> String {
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words)
            .current_dir(self.path("project"))
            .env("USER_SPACE", self.path("home"))
            .env("HOME", self.path("home"))
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(stdin.as_bytes()).expect("it reads");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }
}

#[test]
fn every_language_goes_all_the_way() {
    if !crate::cli::tool_project::can_run() {
        return;
    }
    let world = World(tempfile::tempdir().expect("room for a folder"));
    world.said(&["tools", "keys", "new", "--owner", "Ann"], "");
    for language in LANGUAGES {
        let id = format!("notes/greet-{language}");
        world.said(&["tools", "new", &id, "--language", language], "");
    }
    let checked = world.said(&["tools", "check"], "");
    assert_eq!(checked, "6 tools: 0 errors, 0 warnings\n");
    world.said(&["tools", "sign", "notes/*"], "");
    let listed = world.said(
        &["tools", "list", "--search", "greet", "--format", "json"],
        "",
    );
    let listed: Value = toolglot_value::from_str(&listed).expect("JSON");
    assert_eq!(
        listed["tools"].as_array().map(Vec::len),
        Some(LANGUAGES.len())
    );
    let mut requests = String::from(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
    );
    for (index, language) in LANGUAGES.iter().enumerate() {
        let id = format!("notes/greet-{language}");
        let arguments = json!({"name": "Ann ${HOME}"});
        let greets = |value: &Value| {
            let key = if value.get("output").is_some() {
                "output"
            } else {
                "stdout"
            };
            assert_eq!(value["success"], json!(true), "{language}: {value}");
            assert_eq!(
                value[key].as_str().map(str::trim),
                Some("Hello, Ann ${HOME}!"),
                "{language}: {value}"
            );
        };
        let called = world.said(&["call", &id, "--args", &arguments.to_string()], "");
        greets(&serde_json::from_str(&called).expect("JSON"));
        let message = format!(
            "I greet.\n\n<tool_call>{}</tool_call>\n",
            json!({"name": id, "arguments": arguments})
        );
        let ran = world.said(&["run", "-", "--format", "json"], &message);
        let ran: Value = toolglot_value::from_str(&ran).expect("JSON");
        greets(&ran["calls"][0]["result"]["output"]);
        let request = json!({"jsonrpc": "2.0", "id": index + 1, "method": "tools/call", "params": {"name": id, "arguments": arguments}});
        requests = format!("{requests}{request}\n");
    }
    let served = world.said(&["mcp"], &requests);
    let answers: Vec<Value> = served
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    for (index, language) in LANGUAGES.iter().enumerate() {
        let answer = answers
            .iter()
            .find(|answer| answer["id"] == json!(index + 1));
        let text = answer.expect("it was asked")["result"].to_string();
        assert!(text.contains("Hello, Ann ${HOME}!"), "{language}: {text}");
    }
}
