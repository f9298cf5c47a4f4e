//! The commands of the README, with the output that stands under them.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs what stands behind `$ toolglot`, where `examples/` lies, and gives what a terminal would show.
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
            // What earlier runs of the examples wrote is no part of them.
            if entry.file_name() != "out" {
                copy(&entry.path(), &to);
            }
        } else {
            fs::copy(entry.path(), to).expect("it is copied");
        }
    }
}

#[test]
fn commands_show_what_the_readme_says() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directory = tempfile::tempdir().expect("a directory");
    copy(
        &repository.join("examples"),
        &directory.path().join("examples"),
    );
    let readme = fs::read_to_string(repository.join("README.md")).expect("it is there");
    let mut n_commands = 0;
    for block in readme.split("```console\n").skip(1) {
        let (block, _) = block.split_once("\n```\n").expect("a block ends");
        for example in format!("\n{block}").split("\n$ toolglot ").skip(1) {
            let (command, expected) = example.split_once('\n').unwrap_or((example, ""));
            let found = shown(command, directory.path());
            assert_eq!(found.trim_end(), expected.trim_end(), "toolglot {command}");
            n_commands += 1;
        }
    }
    assert!(n_commands > 4, "only {n_commands} commands were found");
}
