//! Attacks that change a file between its check and the effect.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use toolglot_value::json;

use crate::attacks::place::Place;
use crate::attacks::recorded::{Row, policy, run_text};

/// A directory and a link that leads out change places while the binary writes into it, some hundred times.
pub(crate) fn race(row: &Row) -> Result<(), String> {
    let place = Place::new();
    place.bash(&row.setup, &[]);
    let (dir, link, aside) = (
        place.path("ws/a"),
        place.path("ws/l"),
        place.path("ws/aside"),
    );
    std::os::unix::fs::symlink(place.path("out"), &link).expect("made");
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let swap = || {
        for (from, to) in [(&dir, &aside), (&link, &dir), (&dir, &link), (&aside, &dir)] {
            let _ = fs::rename(from, to);
        }
    };
    let escaped = || place.path("out/f").exists();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                swap();
            }
        });
        // The attack fires without protection.
        let n_tries = (0..200_000).find(|_| {
            let _ = fs::write(dir.join("f"), "x");
            escaped()
        });
        let _ = fs::remove_file(place.path("out/f"));
        let calls = (0..600)
            .map(|n| {
                let call = json!({"tool": "write_file", "arguments": {"path": "a/f", "content": format!("{n}")}});
                format!("TOOL_CALL: {call}\n")
            })
            .collect::<Vec<String>>()
            .concat();
        let ran = run_text(&place, &policy(row, &place), &calls, "tool_call", row);
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        let n_done = ran.document["calls"].as_array().map_or(0, |calls| {
            calls
                .iter()
                .filter(|call| call["result"]["ok"] == true)
                .count()
        });
        if n_tries.is_none() {
            return Err("the race never fired without protection".to_owned());
        }
        if n_done == 0 {
            return Err("nothing was written at all".to_owned());
        }
        if escaped() {
            return Err("a write went out of the root".to_owned());
        }
        Ok(())
    })
}

/// On a terminal, the file changes while its owner reads the question; then the same without a change.
pub(crate) fn approval(row: &Row) -> Result<(), String> {
    for (changes, expected) in [(true, "theirs"), (false, "new")] {
        let place = Place::new();
        fs::write(place.path("ws/a"), "old").expect("written");
        let rule =
            "version = 1\n[[rule]]\nid = 'ask'\ndecision = 'ask'\ncapabilities = ['write']\n";
        fs::write(place.path("policy.toml"), rule).expect("written");
        let call = json!({"tool": "write_file", "arguments": {"path": "a", "content": "new"}});
        fs::write(place.path("message"), format!("TOOL_CALL: {call}\n")).expect("written");
        let line = format!(
            "{} run --dialect tool_call --policy {} --root {} {}",
            env!("CARGO_BIN_EXE_toolglot"),
            place.text("policy.toml"),
            place.text("ws"),
            place.text("message")
        );
        let child = Command::new("script")
            .args(["-qefc", &line, "/dev/null"])
            .env("HOME", place.path("home"))
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!(
                "SKIPPED: {}: there is no `script` to make a terminal",
                row.id
            );
            return Ok(());
        };
        let mut shown = Vec::new();
        let mut from = child.stdout.take().expect("asked for");
        let mut byte = [0];
        while !shown.ends_with(b"[y/N]") && from.read(&mut byte).is_ok_and(|n| n > 0) {
            shown.extend(byte);
        }
        if changes {
            fs::write(place.path("ws/a"), "theirs").expect("written");
        }
        let mut to = child.stdin.take().expect("asked for");
        to.write_all(b"y\n").expect("written");
        let _ = from.read_to_end(&mut shown);
        child.wait().expect("it ends");
        let found = fs::read_to_string(place.path("ws/a")).expect("there");
        if found != expected {
            return Err(format!(
                "the file holds {found:?}: {}",
                String::from_utf8_lossy(&shown)
            ));
        }
    }
    Ok(())
}
