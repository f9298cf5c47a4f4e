//! The binary is killed while it writes: files are old or new, never a mixture. The log is whole but for its last line.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use toolglot_value::json;

/// Rounds; each is killed a little later than the one before.
const ROUNDS: u64 = 16;

/// Bytes of the file: enough that writing it takes more than one step.
const SIZE: usize = 100_000;

#[test]
fn a_kill_at_any_point_leaves_old_or_new_and_a_log_that_verifies() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().join("root");
    fs::create_dir(&root).expect("made");
    let (file, log) = (root.join("file"), directory.path().join("log"));
    fs::write(&file, "a".repeat(SIZE)).expect("written");
    let call = |tool: &str, arguments: toolglot_value::Value| {
        format!(
            "TOOL_CALL: {}\n",
            json!({"tool": tool, "arguments": arguments})
        )
    };
    let edit = |old: &str, new: &str| {
        let (old, new) = (old.repeat(SIZE), new.repeat(SIZE));
        call(
            "edit_file",
            json!({"path": "file", "edits": [{"search": old, "replace": new}]}),
        )
    };
    let write = |letter: &str| {
        call(
            "write_file",
            json!({"path": "file", "content": letter.repeat(SIZE)}),
        )
    };
    let message = directory.path().join("message");
    fs::write(
        &message,
        [
            write("a"),
            write("b"),
            edit("b", "c"),
            write("d"),
            edit("d", "a"),
        ]
        .concat(),
    )
    .expect("written");
    let mut n_killed = 0;
    for round in 0..ROUNDS {
        let before = size(&log);
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args([
                "run",
                "--dialect",
                "tool_call",
                "--tools",
                "builtin:vocabulary",
                "--allow",
                "write",
                "--format",
                "text",
                "--root",
            ])
            .arg(&root)
            .arg("--audit")
            .arg(&log)
            .arg(&message)
            .env_remove("XDG_CONFIG_HOME")
            .env("HOME", directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        // The log shows the progress: the point of the kill moves on with each round, within a line as well.
        while size(&log) < before + round * 197
            && child.try_wait().expect("it can be asked").is_none()
        {
            std::hint::spin_loop();
        }
        n_killed += u64::from(child.try_wait().expect("it can be asked").is_none());
        let _ = child.kill();
        child.wait().expect("it ends");
        let content = fs::read(&file).expect("the file is there");
        assert_eq!(content.len(), SIZE, "round {round}");
        assert!(
            content.iter().all(|byte| *byte == content[0]),
            "round {round}: a mixture"
        );
        if size(&log) > 0 {
            let verified = Command::new(env!("CARGO_BIN_EXE_toolglot"))
                .args(["audit", "verify"])
                .arg(&log)
                .output()
                .expect("it runs");
            assert!(
                verified.status.success(),
                "round {round}: {}",
                String::from_utf8_lossy(&verified.stdout)
            );
        }
    }
    assert!(
        n_killed > ROUNDS / 4,
        "only {n_killed} rounds were killed before their end"
    );
}

fn size(log: &Path) -> u64 {
    log.metadata().map_or(0, |metadata| metadata.len())
}
