//! A full disk, and files that may not grow: existing files stay unchanged, and the log is whole.
#![expect(clippy::print_stderr, reason = "skipped tests are reported")]

use std::fs;
use std::process::{Command, Output};

use toolglot_value::json;

/// Runs a script with `$TOOLGLOT`, `$MESSAGE` and an empty `$DIR`. The script itself sets `--allow write` and the log.
fn script(calls: &[toolglot_value::Value], script: &str, unshared: bool) -> Output {
    let base = tempfile::tempdir().expect("a directory");
    let text = calls
        .iter()
        .map(|call| format!("TOOL_CALL: {call}\n"))
        .collect::<Vec<String>>()
        .concat();
    fs::write(base.path().join("message"), text).expect("written");
    fs::create_dir(base.path().join("dir")).expect("made");
    let mut command = if unshared {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "bash", "-c", script]);
        command
    } else {
        let mut command = Command::new("bash");
        command.args(["-c", script]);
        command
    };
    command
        .env("TOOLGLOT", env!("CARGO_BIN_EXE_toolglot"))
        .env("MESSAGE", base.path().join("message"))
        .env("DIR", base.path().join("dir"))
        .env("HOME", base.path())
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME")
        .output()
        .expect("bash runs")
}

fn calls(size: usize) -> Vec<toolglot_value::Value> {
    let content = |letter: &str| letter.repeat(size);
    vec![
        json!({"tool": "write_file", "arguments": {"path": "small", "content": "fits"}}),
        json!({"tool": "write_file", "arguments": {"path": "file", "content": content("b")}}),
        json!({"tool": "append_file", "arguments": {"path": "file", "content": content("c")}}),
        json!({"tool": "edit_file", "arguments": {"path": "file", "old_string": "a", "new_string": content("d")}}),
        json!({"tool": "write_file", "arguments": {"path": "new", "content": content("e")}}),
    ]
}

const RUN: &str = "$TOOLGLOT run --dialect tool_call --allow write --format text --root $DIR/root --audit $DIR/log $MESSAGE > /dev/null 2>&1";

/// The checks afterwards, as a script: `say` prints a failed check.
const CHECKS: &str = r#"
say() { echo "$1"; bad=1; }
test "$(cat $DIR/root/file)" = "old a" || say "the file is neither old nor new: $(wc -c < $DIR/root/file) bytes"
test "$(stat -c %a $DIR/root/file)" = 640 || say "the mode changed"
test ! -e $DIR/root/new || say "half a file was made"
test -z "$(find $DIR/root -name '.toolglot-*')" || say "something was left behind"
test -s $DIR/log || say "there is no log"
$TOOLGLOT audit verify $DIR/log || say "the log is not whole"
exit ${bad:-0}
"#;

/// Whether the script had a file system of its own; reports if not.
fn can_mount(output: &Output) -> bool {
    let code = output.status.code();
    let is_refused = code == Some(77) || code == Some(1) && output.stdout.is_empty();
    if is_refused {
        let why = String::from_utf8_lossy(&output.stderr);
        eprintln!("SKIPPED: no file system of its own can be mounted here: {why}");
    }
    !is_refused
}

fn assert_success(output: &Output) {
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}");
}

#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let mount = "mount -t tmpfs -o size=256k none $DIR || exit 77; mkdir $DIR/root; echo 'old a' > $DIR/root/file; chmod 640 $DIR/root/file;";
    let output = script(
        &calls(400_000),
        &format!(
            "{mount} {RUN}; test \"$(cat $DIR/root/small)\" = fits || {{ echo 'what fits was not written'; exit 1; }}; {CHECKS}"
        ),
        true,
    );
    if can_mount(&output) {
        assert_success(&output);
    }
}

#[test]
fn a_file_that_may_not_grow_stays_as_it_was() {
    let output = script(
        &calls(400_000),
        &format!(
            "mkdir $DIR/root; echo 'old a' > $DIR/root/file; chmod 640 $DIR/root/file; (ulimit -f 128; {RUN}); {CHECKS}"
        ),
        false,
    );
    assert_success(&output);
}

/// The log itself has no room: then nothing is done without a log record.
#[test]
fn without_room_for_the_log_nothing_is_done() {
    let mount = "mount -t tmpfs -o size=64k none $DIR || exit 77; mkdir $DIR/root; echo 'old a' > $DIR/root/file; head -c 1M /dev/zero > $DIR/fill 2> /dev/null;";
    let call = json!({"tool": "delete_file", "arguments": {"path": "file"}});
    let run = RUN.replace("--allow write", "--allow write,delete");
    let output = script(
        &[call],
        &format!("{mount} {run}; test -e $DIR/root/file || {{ echo 'it was done'; exit 1; }}"),
        true,
    );
    if can_mount(&output) {
        assert_success(&output);
    }
}

/// Help and answers that cannot be written are failures; a reader that closes the output early is not.
#[test]
fn what_cannot_be_written_is_a_failure() {
    for words in [&["--help"][..], &["--version"], &["dialects", "list"]] {
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("it can be opened");
        let output = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words)
            .stdout(full)
            .output()
            .expect("the binary starts");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(shown.contains("cannot write to standard output"), "{shown}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words)
            .stdout(writer)
            .output()
            .expect("the binary starts");
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    }
}
