//! Recorded cases, which are not part of this repository, and reading messages through the built binary.
//!
//! `build.rs` looks for the cases: the tests that read them are ignored where they are missing.

mod commands;
mod prefixes;
mod repairs;
mod tool_files;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolglot_value::Value;

/// The text of a file of recorded cases.
pub(crate) fn text(path: &str) -> String {
    let place = place(path);
    fs::read_to_string(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()))
}

/// A file or folder of recorded cases. It has to be there: tests that need it are ignored where none are.
pub(crate) fn place(path: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("TOOLGLOT_SHARED").unwrap_or_else(|| "../shared".into());
    let place = workspace.join(shared).join(path);
    assert!(
        place.exists(),
        "no recorded cases: {} is missing; set TOOLGLOT_SHARED",
        place.display()
    );
    place
}

/// The answers of `toolglot parse --jsonl` with these further arguments to the lines, in order.
pub(crate) fn parsed(arguments: &[&str], lines: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(["parse", "--jsonl"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut pipe = child.stdin.take().expect("it was asked for");
    let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    let writer = std::thread::spawn(move || pipe.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("it ends").expect("all is read");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    let documents: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a document a line"))
        .collect();
    assert_eq!(documents.len(), lines.len());
    documents
}
