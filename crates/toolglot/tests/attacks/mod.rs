//! Attacks and controls, through the built binary, by their effects: own in `own.rs`, recorded in `recorded.rs`.
//!
//! Rows take turns at the doors of `door.rs`. As root, half of the rows run as root, and the others run as an ordinary
//! user. `TOOLGLOT_ROWS=all` runs all rows as both.
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
use std::sync::OnceLock;

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

/// The turn of a row at its doors: an ordinary user takes another turn than root.
fn turn(row: usize) -> usize {
    row / 2 + 2 * usize::from(is_root())
}

/// Whether all rows run, without turns.
fn is_all() -> bool {
    std::env::var("TOOLGLOT_ROWS").is_ok_and(|rows| rows == "all")
}

/// The variable of a test that root started as an ordinary user.
const STARTED_BY_ROOT: &str = "TOOLGLOT_STARTED_BY_ROOT";

/// Whether this user runs a row. Root leaves the odd rows to an ordinary user, if root can become one.
fn is_due(row: usize) -> bool {
    if is_all() {
        true
    } else if is_root() {
        row.is_multiple_of(2) || !has_setpriv()
    } else {
        !row.is_multiple_of(2) || std::env::var_os(STARTED_BY_ROOT).is_none()
    }
}

fn has_setpriv() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| Command::new("setpriv").arg("--version").output().is_ok())
}

/// If this process is root, runs tests of this binary as an ordinary user.
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
        .env(STARTED_BY_ROOT, "1")
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

/// Whether a call was allowed, ran and succeeded.
fn succeeded(call: &Value) -> bool {
    call["verdict"]["decision"] == "allow"
        && call["state"] == "done"
        && call["result"]["ok"] == true
}
