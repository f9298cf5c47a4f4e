//! The commands of the README, with the output below them. `TOOLGLOT_BLESS=1` writes the output anew.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Runs the command after `$ toolglot` in the folder of `examples/`, and returns what a terminal would show.
fn shown(command: &str, directory: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(command.split_whitespace())
        .current_dir(directory)
        .output()
        .expect("the binary starts");
    // `run` writes its report before the answer.
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    text(output.stderr) + &text(output.stdout)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it is made");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            // The output of earlier runs is not part of the examples.
            if entry.file_name() != "out" {
                copy(&entry.path(), &to);
            }
        } else {
            fs::copy(entry.path(), to).expect("it is copied");
        }
    }
}

#[path = "../examples/readme.rs"]
mod library;

#[test]
fn the_library_example_is_that_of_the_readme() {
    library::main();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).expect("it is there");
    let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let mut examples = readme.split("```rust\n").skip(1);
    let (shown, _) = examples
        .next()
        .and_then(|rest| rest.split_once("```\n"))
        .expect("the README has an example");
    let run = lines(include_str!("../examples/readme.rs"));
    assert!(run.contains(&lines(shown)), "{shown}");
    assert!(examples.next().is_none(), "another example is not run");
}

#[test]
fn commands_show_what_the_readme_says() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directory = tempfile::tempdir().expect("a directory");
    copy(
        &repository.join("examples"),
        &directory.path().join("examples"),
    );
    let file = repository.join("README.md");
    let readme = fs::read_to_string(&file).expect("it is there");
    let (mut found, mut n_commands) = (String::new(), 0);
    let mut blocks = readme.split("```console\n");
    found.push_str(blocks.next().unwrap_or_default());
    for block in blocks {
        let (block, rest) = block.split_once("```\n").expect("a block ends");
        found.push_str("```console\n");
        for line in block.lines().filter(|line| line.starts_with("$ ")) {
            let command = line.strip_prefix("$ toolglot ");
            let shown = shown(command.expect("a command of ours"), directory.path());
            writeln!(found, "{line}\n{}", shown.trim_end()).expect("writing to a string");
            n_commands += 1;
        }
        found.push_str("```\n");
        found.push_str(rest);
    }
    if env::var_os("TOOLGLOT_BLESS").is_some() {
        fs::write(&file, &found).expect("it can be written");
    }
    let mut lines = found.lines().zip(readme.lines());
    let differs = lines.find(|(found, readme)| found != readme);
    assert!(
        found == readme,
        "`TOOLGLOT_BLESS=1` writes the output anew; first (shown, README): {differs:?}"
    );
    assert!(n_commands > 1, "only {n_commands} commands were found");
}
