//! Records that lie beside the repository, and reading them through the built binary.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolglot_value::Value;

/// Where the records at `path` are; where they are not, says so past the test harness, which keeps what a passing test
/// prints to itself.
pub(crate) fn place(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    let place = root.join(path);
    if !place.exists() {
        let message = format!(
            "SKIPPED: nothing was read, {} is not there",
            place.display()
        );
        let _ = writeln!(io::stderr(), "{message}");
        return None;
    }
    Some(place)
}

/// What `toolglot parse --jsonl`, with these arguments more, says of each line, in order.
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
