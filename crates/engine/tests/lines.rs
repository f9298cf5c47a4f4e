//! How long the part of the engine is that reads: lines of code, without tests, comments and blank lines. The tables
//! `recovery.rs` and `remark.rs` are not counted.

use std::fs;
use std::path::Path;

/// Lines of the modules that read a message. The figure may only fall.
const LINES: usize = 14_833;

/// What reads a message, below `src`.
const PARTS: &[&str] = &["machine", "body", "program", "doubt.rs", "thresholds.rs"];

#[test]
fn what_reads_a_message_grows_no_longer() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let n_lines: usize = PARTS
        .iter()
        .map(|part| code_lines(&source.join(part)))
        .sum();
    assert!(n_lines <= LINES, "{n_lines} lines of code in {PARTS:?}");
}

fn code_lines(path: &Path) -> usize {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("the folder can be read");
        let paths = entries.map(|entry| entry.expect("the folder can be read").path());
        return paths.map(|path| code_lines(&path)).sum();
    }
    let text = fs::read_to_string(path).expect("the file can be read");
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}
