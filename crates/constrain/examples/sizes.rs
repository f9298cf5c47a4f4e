//! Bytes, rules and time of the grammars of all dialects, for 1, 10 and 100 tools:
//! `cargo run --release -p toolglot-constrain --example sizes [DIALECT..]`. Without names it prints the minimum, the
//! median and the maximum of all dialects.
#![expect(clippy::print_stdout, reason = "it reports to a person")]

use std::time::{Duration, Instant};

use toolglot_constrain::{Options, Target, ToolChoice, ToolSchema, grammar};
use toolglot_engine::Dialect;
use toolglot_value::{Value, from_str};

/// The time of one grammar is the minimum of this many runs.
const TIMES: usize = 5;

fn main() {
    let list = from_str(include_str!("../tests/data/tools.json")).expect("JSON");
    let list = list.as_array().expect("a list");
    let tools: Vec<(String, &Value)> = (0..100)
        .map(|n| {
            let tool = &list[n % list.len()];
            let name = tool["name"].as_str().expect("a name");
            (format!("{name}_{n}"), &tool["parameters"])
        })
        .collect();
    let tools: Vec<ToolSchema<'_>> = tools
        .iter()
        .map(|(name, parameters)| ToolSchema { name, parameters })
        .collect();
    let names: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "{:24} {:>16} {:>6} {:>10} {:>8} {:>10}",
        "", "format", "tools", "bytes", "rules", "time"
    );
    for (word, target) in [
        ("gbnf", Target::Gbnf),
        ("lark", Target::Lark),
        ("structural-tag", Target::StructuralTag),
    ] {
        for n in [1, 10, 100] {
            let made = toolglot_dialects::all().iter().filter_map(|dialect| {
                Some((dialect.name(), measure(dialect, &tools[..n], target)?))
            });
            let mut made: Vec<(&str, Measure)> = made.collect();
            if names.is_empty() {
                made.sort_by_key(|(_, measure)| measure.time);
                let at = [0, made.len() / 2, made.len() - 1];
                made = at.map(|at| made[at]).to_vec();
            } else {
                made.retain(|(name, _)| names.iter().any(|one| one == name));
            }
            for (name, Measure { bytes, rules, time }) in made {
                println!("{name:24} {word:>16} {n:>6} {bytes:>10} {rules:>8} {time:>10.1?}");
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Measure {
    bytes: usize,
    rules: usize,
    time: Duration,
}

/// `None` where the dialect has no such grammar.
fn measure(dialect: &Dialect, tools: &[ToolSchema<'_>], target: Target) -> Option<Measure> {
    let mut options = Options::new(target);
    options.tool_choice = ToolChoice::Required;
    let mut least = Duration::MAX;
    let mut size = (0, 0);
    for _ in 0..TIMES {
        let start = Instant::now();
        let grammar = grammar(dialect, tools, &options).ok()?;
        least = least.min(start.elapsed());
        size = (grammar.text.len(), grammar.n_rules);
    }
    Some(Measure {
        bytes: size.0,
        rules: size.1,
        time: least,
    })
}
