//! `--record`: a recorded message can be read again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use toolglot_value::{Value, json};

use super::gateway::Gateway;
use super::http::post;
use super::upstream::Upstream;
use crate::cli::toolglot;

const CALL: &str = "I look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"secret\",}}\n</tool_call>";

fn request(tools: &Value) -> Value {
    let message = json!({"role": "user", "content": "Look."});
    json!({"model": "m", "messages": [message], "tools": tools})
}

fn tools() -> Value {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    json!([{"type": "function", "function": {"name": "ls", "parameters": schema}}])
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

/// The one file of a directory.
fn file(directory: &Path) -> std::path::PathBuf {
    let mut entries = fs::read_dir(directory).expect("a directory");
    let entry = entries.next().expect("a file").expect("a file");
    assert!(entries.next().is_none());
    entry.path()
}

#[test]
fn messages_are_kept_as_lines_that_parse_reads() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("record");
    let upstream = Upstream::writing(CALL);
    let directory_text = directory.to_str().expect("UTF-8");
    let gateway = Gateway::start(&upstream.url, &["--record", directory_text], &[]);
    let path = "/v1/chat/completions";
    let answer = post(gateway.address, path, &[], &request(&tools()));
    assert_eq!(answer.status(), "200");
    let mut streamed = request(&tools());
    streamed["stream"] = Value::Bool(true);
    streamed["tool_choice"] = Value::from("required");
    post(gateway.address, path, &[], &streamed);
    // Without tools, no message is read.
    post(gateway.address, path, &[], &request(&json!([])));
    gateway.signal("TERM");
    let (code, log) = gateway.ended();
    assert_eq!(code, Some(0));
    assert!(!log.contains("secret"), "{log}");

    let file = file(&directory);
    assert_eq!((mode(&directory), mode(&file)), (0o700, 0o600));
    let text = fs::read_to_string(&file).expect("text");
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert_eq!(rows[0]["input"], CALL);
    assert_eq!(rows[0]["notes"][0]["name"], "trailing-comma");
    assert_eq!(rows[1]["tool_choice"], "required");
    let ran = toolglot(&["parse", "--jsonl", file.to_str().expect("UTF-8")], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (document, row) in ran.lines().iter().zip(&rows) {
        assert_eq!(document["calls"][0]["arguments"], json!({"path": "secret"}));
        assert_eq!(document["notes"], row["notes"]);
        assert_eq!(document["calls"][0]["span"], row["calls"][0]["span"]);
        assert_eq!(document["id"], row["id"]);
    }
}

#[test]
fn a_full_directory_ends_the_record_and_not_the_service() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("record");
    fs::create_dir(&directory).expect("a folder");
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(&directory, private).expect("it is ours");
    fs::write(directory.join("old.jsonl"), vec![b'\n'; 1 << 20]).expect("a file");
    let upstream = Upstream::writing(CALL);
    let arguments = [
        "--record",
        directory.to_str().expect("UTF-8"),
        "--record-max",
        "1",
    ];
    let gateway = Gateway::start(&upstream.url, &arguments, &[]);
    for _ in 0..2 {
        let answer = post(
            gateway.address,
            "/v1/chat/completions",
            &[],
            &request(&tools()),
        );
        assert_eq!(answer.status(), "200");
    }
    gateway.signal("TERM");
    let (_, log) = gateway.ended();
    assert_eq!(log.matches("recording has stopped").count(), 1, "{log}");
    let sizes = fs::read_dir(&directory).expect("a directory");
    let sum: u64 = sizes
        .map(|entry| entry.expect("a file").metadata().expect("a file").len())
        .sum();
    assert_eq!(sum, 1 << 20);
}

#[test]
fn a_directory_of_all_users_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("record");
    fs::create_dir(&directory).expect("a folder");
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&directory, open).expect("it is ours");
    let name = directory.to_str().expect("UTF-8");
    let ran = toolglot(
        &[
            "serve",
            "--upstream",
            "http://127.0.0.1:9",
            "--record",
            name,
        ],
        "",
    );
    assert_eq!(ran.code, 2);
    let row = format!(
        "error: other users can read {name}: messages are only recorded after `chmod 700 {name}`\n"
    );
    assert_eq!(ran.err, row);
}
