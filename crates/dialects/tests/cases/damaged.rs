//! Damaged inputs of cases, with special tokens at random places. The case's own program and the union read them in
//! every cut, with the case's tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use toolglot_dialect_check::Case;
use toolglot_engine::{Finish, Program};

use crate::cases::documents::{self, DocumentCase};
use crate::cases::edits::{edited, edits};
use crate::cases::special::special;
use crate::cases::support::hostile::literals;
use crate::cases::support::reading::{Message, read_all_ways_by};

/// The longest input that is used, in bytes.
const LONGEST: usize = 3000;

/// The number of texts for each case and program, unless `TOOLGLOT_CASES` sets it.
const TEXTS: u32 = 2;

#[test]
fn damaged_cases_are_the_same_in_every_cut() {
    let cases: Vec<(DocumentCase, String)> = documents::all()
        .into_iter()
        .map(|case| {
            let input = case
                .case
                .input
                .iter()
                .map(|part| part.text.as_str())
                .collect();
            (case, input)
        })
        .filter(|(_, input): &(DocumentCase, String)| input.len() <= LONGEST)
        .collect();
    let inputs: Vec<&str> = cases.iter().map(|(_, input)| input.as_str()).collect();
    let union = toolglot_dialects::auto();
    let mut unions: BTreeMap<Option<String>, Arc<Program>> = BTreeMap::new();
    let mut faults = Vec::new();
    for (located, input) in &cases {
        let case = &located.case;
        let together = unions
            .entry(case.tools.clone())
            .or_insert_with(|| Arc::new(union.for_tools(&documents::tools(case))));
        let alone = documents::program(case).expect("it is checked when it is read");
        for (how, program) in [("alone", &alone), ("as the union", together)] {
            if let Err(fault) = holds(program, case, input, &inputs) {
                faults.push(format!("{} {how}: {fault}", located.place()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Reads damaged texts of the case, or returns the smallest text that breaks a property.
fn holds(program: &Arc<Program>, case: &Case, input: &str, others: &[&str]) -> Result<(), String> {
    let own = case.options.dialects.iter();
    let own = own.filter_map(|name| toolglot_dialects::get(name));
    let literals: Vec<String> = own.flat_map(literals).collect();
    // Most texts have no special tokens.
    let picks = prop_oneof![2 => Just(Vec::new()), 1 => vec(any::<Index>(), 1..5)];
    let why = select(&[Finish::Stop, Finish::Unknown, Finish::Length][..]);
    let strategy = (edits(&literals), picks, any::<u64>(), why);
    let parser = || case.parser(program);
    let mut runner = runner(case.line as u32);
    let read = runner.run(&strategy, |(edits, picks, seed, why)| {
        let text = &edited(input, &edits, others);
        let tokens = &special(text, &literals, &picks);
        let message = Message {
            text,
            tokens,
            ..Message::default()
        };
        read_all_ways_by(&parser, message, seed, why)
            .map(drop)
            .map_err(|fault| TestCaseError::fail(format!("{fault}, of {message:?} and {why:?}")))
    });
    read.map_err(|error| error.to_string())
}

/// The seed differs per case, and `TOOLGLOT_SEED` changes it.
fn runner(begin: u32) -> TestRunner {
    let number = |variable| std::env::var(variable).ok()?.parse().ok();
    let config = Config {
        cases: number("TOOLGLOT_CASES").unwrap_or(TEXTS),
        failure_persistence: None,
        max_shrink_iters: 5000,
        ..Config::default()
    };
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number("TOOLGLOT_SEED").unwrap_or(7).to_le_bytes());
    seed[4..8].copy_from_slice(&begin.to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}
