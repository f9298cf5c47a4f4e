//! Level `plain`, which has no sandbox around programs: their arguments must not lead them to harm the machine. Also
//! levels that are not available.
#![expect(clippy::print_stderr, reason = "skipped tests are reported")]

use std::fs;
use std::process::{Command, Stdio};

/// `git config --global` writes a file beside its target and renames it over the target. As root, this can replace
/// `/dev/null`. The test runs in a mount namespace with its own `/dev`.
#[test]
fn settings_of_git_replace_no_device() {
    let base = tempfile::tempdir().expect("a directory");
    let policy = "version = 1\n[[rule]]\nid = 'git'\ndecision = 'allow'\nargv = [['git', '...']]\n[sandbox]\nlevel = 'plain'\n";
    fs::write(base.path().join("policy.toml"), policy).expect("written");
    fs::create_dir(base.path().join("root")).expect("made");
    let first = "git config --global user.name Ann && git config --global --list";
    let message = format!("<bash>{first}</bash>\n<bash>git config --global --list</bash>");
    fs::write(base.path().join("message"), message).expect("written");
    let script = "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9 || exit 77
        \"$TOOLGLOT\" run --dialect axe --policy policy.toml --root root --format text message
        test -c /dev/null && test \"$(ls /dev | tr '\\n' ' ')\" = 'null urandom ' && echo WHOLE";
    let output = Command::new("unshare")
        .args(["--mount", "bash", "-c", script])
        .current_dir(base.path())
        .env("TOOLGLOT", env!("CARGO_BIN_EXE_toolglot"))
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: there is no `unshare`");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(77) || text.is_empty() {
        // No mounts can be made here, so nothing can be harmed either.
        eprintln!("SKIPPED: no namespace of its own can be made here");
        return;
    }
    assert!(text.contains("WHOLE"), "{text}");
    // A setting holds for its line only.
    assert_eq!(text.matches("user.name=Ann").count(), 1, "{text}");
}

/// Nothing runs without the requested sandbox: neither a command nor a tool that is a file.
#[test]
fn a_level_that_is_not_there_is_refused_by_name() {
    let base = tempfile::tempdir().expect("a directory");
    fs::create_dir_all(base.path().join("root/.ai/tools")).expect("made");
    fs::write(base.path().join("message"), "<bash>touch ran</bash>").expect("written");
    let script = "echo 0 > /proc/sys/user/max_user_namespaces || exit 77
        \"$TOOLGLOT\" call rye/bash/bash --args '{\"command\": \"touch ran\"}' --root root --allow shell.execute,write
        \"$TOOLGLOT\" run --dialect axe --root root --allow exec:touch,write --format text message
        echo WHOLE";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "bash", "-c", script])
        .current_dir(base.path())
        .env("TOOLGLOT", env!("CARGO_BIN_EXE_toolglot"))
        .env("HOME", base.path())
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: there is no `unshare`");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(77) || text.is_empty() {
        eprintln!("SKIPPED: no namespace of its own can be made here");
        return;
    }
    assert!(text.contains("WHOLE"), "{text}");
    assert!(text.contains("\"code\":\"no-sandbox\""), "{text}");
    assert_eq!(text.matches("level `namespaces`").count(), 2, "{text}");
    assert!(!base.path().join("root/ran").exists(), "{text}");
}
