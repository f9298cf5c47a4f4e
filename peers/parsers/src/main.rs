//! A comparison of tool-call parsers: the tables of the section "Beside other parsers" of `docs/compare.md`.
//!
//! ```console
//! cargo run --release                          # all of it: about five minutes
//! cargo run --release -- speed --quick         # one part; --quick leaves out 10 MB and measures briefly
//! cargo run --release -- speed hermes mistral  # some dialects
//! cargo run --release -- speed --patience 20   # starts readings of up to 20 expected seconds
//! MISSES=hermes cargo run --release -- conformance   # names the rows that toolglot reads otherwise
//! cargo run --release -- lines tool-parser     # answers the lines of `toolglot conform`
//! ```
//!
//! All parsers get the same texts and the same tools on one thread. Their results are compared before the time is
//! measured.

mod clock;
mod conformance;
mod forms;
mod heap;
mod lines;
mod probes;
mod pushes;
mod readers;
mod reading;
mod speed;
mod table;
mod tools;
mod truncation;

use std::time::Duration;

fn main() {
    probes::hush();
    let mut parts = Vec::new();
    let mut effort = speed::Effort {
        sizes: &[1_000, 10_000, 100_000, 1_000_000, 10_000_000],
        patience: Duration::from_millis(1500),
        cell: Duration::from_millis(30),
        dialects: Vec::new(),
    };
    let mut step = 1;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => {
                effort.sizes = &[1_000, 10_000, 100_000, 1_000_000];
                effort.patience = Duration::from_millis(300);
                effort.cell = Duration::from_millis(10);
                step = 7;
            }
            "--patience" => {
                let seconds = arguments.next().and_then(|text| text.parse().ok());
                effort.patience = Duration::from_secs(seconds.expect("--patience SECONDS"));
            }
            "lines" => {
                let name = arguments.next().expect("lines PARSER");
                return lines::answer(&name);
            }
            "conformance" | "probes" | "speed" => parts.push(argument),
            other if forms::form(other).is_some() => effort.dialects.push(argument),
            other => {
                eprintln!(
                    "what is {other:?}? conformance, probes, speed, --quick, --patience SECONDS, or a dialect"
                );
                std::process::exit(2);
            }
        }
    }
    println!("{}", head());
    let is_wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    if is_wanted("speed") {
        println!("## Speed\n\n{}", speed::run(&effort));
    }
    if is_wanted("probes") {
        println!("## Probes\n\n{}", probes::run(step));
        println!("## Cut off\n\n{}", truncation::run(step));
    }
    if is_wanted("conformance") {
        println!("## Recorded cases\n\n{}", conformance::run());
    }
    eprintln!();
}

/// The head of the page.
fn head() -> String {
    format!(
        "# Beside other parsers, all figures\n\n\
         `cargo run --release` in `peers/parsers` wrote this on {}; docs/compare.md says what it shows.\n\n\
         `tool-parser` 1.10.0, `dynamo-parsers` 11.0.1 and `dynamo-parsers-v2` 0.9.6 are as crates.io has them; *toolglot* has the dialect named, *toolglot, all* reads with every dialect at once and is not told which.\n\
         All read the same texts with the same tools, on one thread, and each parser's state for a message is made anew for each text.\n",
        clock::today()
    )
}
