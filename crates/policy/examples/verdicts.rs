//! The cost of a verdict: reading a command or path that is looked up already, and deciding it under a shipped policy.
//! The figures are minima of many runs.
//!
//! `cargo run --release -p toolglot-policy --example verdicts`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use toolglot_engine::End;
use toolglot_policy::{Authority, CommandFact, Effect, Inside, PathFact, Policy, Request, Scope};

const RUNS: u32 = 2_000;

fn minimum(mut run: impl FnMut()) -> Duration {
    (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .min()
        .expect("there are runs")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies/exec-allowlist.toml");
    let text = std::fs::read_to_string(file)?;
    let policy = Policy::parse(&text, Scope::User)?;
    println!(
        "reading the policy       {:?}",
        minimum(|| drop(black_box(Policy::parse(&text, Scope::User))))
    );
    let authority = Authority {
        user: Some(policy),
        ..Authority::default()
    };
    let paths = [PathFact {
        written: "src/main.rs".to_owned(),
        found: Ok(Inside {
            path: "src/main.rs".into(),
            ..Inside::default()
        }),
    }];
    let write = minimum(|| {
        let request = Request::new("write_file", Effect::Write, End::Closed, &paths);
        black_box(authority.judge(&request));
    });
    println!("write_file               {write:?}");
    for line in [
        "git status",
        "cat a.txt | sort | head -n 3",
        "env -i sh -c 'echo $(rm -rf x)' && find . -exec touch {} ';'",
    ] {
        let verdict = minimum(|| {
            let fact = CommandFact::of(line);
            let request = Request {
                command: Some(&fact),
                ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
            };
            black_box(authority.judge(&request));
        });
        println!("{verdict:?}  {line}");
    }
    Ok(())
}
