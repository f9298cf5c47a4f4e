//! Attacks and controls, through the built binary, by their effects; as this user and, where this is root, as an ordinary one
//! too. Ours are in `own.rs`, recorded ones in `recorded.rs`. Rows go through the doors of `door.rs` by turns.
#![expect(clippy::print_stderr, reason = "the score is for people")]

mod door;
mod keys;
mod library;
mod own;
mod place;
mod recorded;
mod row;
mod server;
pub(crate) mod spelling;
mod timing;

use std::process::Command;

use toolglot_value::Value;

fn walls_stand() -> bool {
    let doctor = place::toolglot(&["doctor"]).output().expect("it runs");
    if !doctor.status.success() {
        eprintln!(
            "SKIPPED: the walls cannot be built here:\n{}",
            String::from_utf8_lossy(&doctor.stdout)
        );
    }
    doctor.status.success()
}

fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    status.lines().any(|line| line.starts_with("Uid:\t0\t0\t"))
}

/// Whose turn it is among the doors of a row: an ordinary user takes another one than root.
fn turn(row: usize) -> usize {
    row + usize::from(is_root())
}

/// Runs tests of this binary without being root, where this is root.
fn as_an_ordinary_user(tests: &[&str]) {
    if !is_root() {
        return;
    }
    let own = std::env::current_exe().expect("this test");
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(own)
        .args(tests)
        .arg("--nocapture")
        .env("TMPDIR", "/tmp")
        .env("HOME", "/nonexistent")
        .output();
    match output {
        Err(error) => eprintln!("SKIPPED: there is no `setpriv`: {error}"),
        Ok(output) => {
            let text = [output.stdout, output.stderr]
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .concat();
            eprintln!("as an ordinary user:\n{text}");
            assert!(output.status.success());
        }
    }
}

/// Whether a call was done, and did what it was to.
fn succeeded(call: &Value) -> bool {
    call["verdict"]["decision"] == "allow"
        && call["state"] == "done"
        && call["result"]["ok"] == true
}
