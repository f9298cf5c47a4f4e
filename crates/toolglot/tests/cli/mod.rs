//! The built binary, driven from outside: standard output and exit codes are what scripts rely on.

#[cfg(unix)]
mod conform;
mod contract;
mod convert;
mod converted_results;
mod corpus;
mod dialects;
mod examples;
mod explain;
mod file_tools;
#[cfg(target_os = "linux")]
mod five_minutes;
mod floor_of_files;
mod freeform;
mod grammar;
mod imports;
#[cfg(target_os = "linux")]
mod interrupt;
mod jsonl;
mod lessons;
mod parse;
mod places;
#[cfg(target_os = "linux")]
mod plain_level;
#[cfg(target_os = "linux")]
mod project_policy;
mod prompt;
mod render;
mod repair;
mod results;
mod run;
#[cfg(unix)]
mod screens;
#[cfg(unix)]
mod serve;
#[cfg(target_os = "linux")]
mod signing;
mod taught;
#[cfg(target_os = "linux")]
mod terminal;
mod tool_calls;
mod tool_files;
mod tool_project;
#[cfg(unix)]
mod undo;
mod words;

use std::io::Write;
use std::process::{Command, Stdio};

use toolglot_value::Value;

/// The result of a run of the binary.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    /// Standard output as one JSON document.
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }

    /// Standard output as lines of JSON.
    #[track_caller]
    fn lines(&self) -> Vec<Value> {
        let line =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(line).collect()
    }
}

/// Runs `toolglot` with these arguments and this standard input.
fn toolglot(arguments: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut pipe = child.stdin.take().expect("it was asked for");
    let stdin = stdin.as_ref().to_vec();
    let writer = std::thread::spawn(move || {
        // The binary may end before it reads all of its input.
        let _ = pipe.write_all(&stdin);
    });
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("writing ends");
    Ran {
        code: output.status.code().expect("no signal ended it"),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}
