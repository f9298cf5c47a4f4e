//! `toolglot corpus`: exit codes, streams, and a run that is killed.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use toolglot_value::{Value, json};

use crate::cli::toolglot;

const CALL: &str = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";

fn rows(n: usize) -> String {
    let row = |n| json!({"id": n, "text": CALL}).to_string() + "\n";
    (0..n).map(row).collect()
}

#[test]
fn data_is_on_standard_output_and_the_exit_code_says_what_it_is_worth() {
    let fine = toolglot(&["corpus", "check"], rows(2));
    assert_eq!((fine.code, fine.lines().len()), (0, 2), "{}", fine.err);
    assert_eq!(
        fine.err,
        "2 rows: 0 faulty, 0 with notes only, 0 that cannot be read; 2 calls\n"
    );
    let bad = toolglot(&["corpus", "check"], rows(1) + "{\n");
    assert_eq!((bad.code, bad.lines().len()), (1, 2), "{}", bad.err);
    let missing = toolglot(&["corpus", "stats", "no/such/file.jsonl"], "");
    assert_eq!((missing.code, missing.out.as_str()), (2, ""));
    assert!(
        missing.err.contains("no/such/file.jsonl"),
        "{}",
        missing.err
    );
    let unknown = toolglot(&["corpus", "check", "--dialect", "hermse"], rows(1));
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.err.contains("did you mean `hermes`?"),
        "{}",
        unknown.err
    );
}

/// Rows of the form of `parse --jsonl` have its documents.
#[test]
fn a_check_of_lines_has_the_documents_of_parse() {
    let lines = [
        json!({"id": "a", "input": CALL, "dialect": "hermes"}),
        json!({"id": "b", "input": "<tool_call>{'name': 'f', 'arguments': {}", "finish": "length"}),
        json!({"id": "c", "input": CALL, "tools": {"g": {"type": "object"}}}),
        json!({"id": "d", "input": "x", "dialect": "no_such"}),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let input = lines.join("\n") + "\n";
    let parsed = toolglot(&["parse", "--jsonl"], &input).lines();
    let mut checked = toolglot(&["corpus", "check"], &input).lines();
    for (n, row) in checked.iter_mut().enumerate() {
        let fields = row.as_object_mut().expect("an object");
        assert_eq!(fields.remove("row"), Some(json!(n)));
    }
    assert_eq!(checked[..3], parsed[..3]);
    assert_eq!(checked[3]["id"], parsed[3]["id"]);
    assert!(checked[3]["error"].is_string());
}

/// Conversations are converted as `convert --jsonl` converts them.
#[test]
fn conversations_are_converted_as_lines_are() {
    let conversation = json!({"id": 1, "messages": [{"role": "user", "content": "?"},
        {"role": "assistant", "content": CALL}, {"role": "tool", "content": "done"}]});
    let input = format!("{conversation}\n{conversation}\n");
    let lines = toolglot(&["convert", "--jsonl", "--to", "qwen3_coder"], &input);
    let rows = toolglot(&["corpus", "convert", "--to", "qwen3_coder"], &input);
    assert_eq!((rows.code, rows.out), (0, lines.out));
}

/// The command that writes into a folder; the rows come from standard input.
fn into(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolglot"));
    command.args([
        "corpus",
        "repair",
        "--dialect",
        "hermes",
        "--shard-rows",
        "2",
        "--out",
    ]);
    command
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The number of shards that a manifest lists.
fn n_shards(folder: &Path) -> usize {
    let Ok(text) = fs::read_to_string(folder.join("manifest.json")) else {
        return 0;
    };
    let manifest: Value = toolglot_value::from_str(&text).expect("a manifest is there as a whole");
    manifest["shards"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_run_that_was_killed_continues_and_gives_the_same_files() {
    let place = tempfile::tempdir().expect("a folder");
    let (whole, killed) = (place.path().join("whole"), place.path().join("killed"));
    let all = rows(7);
    let run = |folder: &Path| {
        let mut child = into(folder).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(all.as_bytes()).expect("it reads");
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
    };
    run(&whole);
    let mut child = into(&killed).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(rows(5).as_bytes()).expect("it reads");
    // The third shard waits for its second row.
    while n_shards(&killed) < 2 {
        assert!(child.try_wait().expect("it is ours").is_none(), "it runs");
        std::thread::yield_now();
    }
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    assert_eq!(n_shards(&killed), 2);
    run(&killed);
    for name in [
        "manifest.json",
        "stdin-00000.jsonl",
        "stdin-00001.jsonl",
        "stdin-00002.jsonl",
        "stdin-00003.jsonl",
    ] {
        let read = |folder: &Path| fs::read(folder.join(name)).expect("it is there");
        assert!(read(&whole) == read(&killed), "{name}");
    }
}
