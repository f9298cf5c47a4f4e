//! How many lines of code the crate has, without tests, comments and blank lines. The bound may only fall.

use std::fs;
use std::path::Path;

const MOST: usize = 7_194;

fn n_lines(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder of the sources");
    let mut n = 0;
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            n += n_lines(&path);
        } else if !path.ends_with("tests.rs") {
            let source = fs::read_to_string(&path).expect("a source file");
            let code = source.split("#[cfg(test)]\nmod tests {").next();
            let lines = code.unwrap_or_default().lines().map(str::trim);
            let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
            n += lines.filter(is_code).count();
        }
    }
    n
}

#[test]
fn the_crate_does_not_grow() {
    let n = n_lines(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(n <= MOST, "{n} lines of code, not {MOST}");
}
