//! The inputs of all cases, spliced and damaged: what is written by hand reaches states that no generator thinks of.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use toolglot_engine::Finish;

use super::edits::{edited, edits};
use super::special::special;
use super::subjects::{Subject, each_subject};
use super::support::reading::{Message, read_all_ways};

/// Longest input that is taken, in bytes.
const LONGEST: usize = 3000;

#[test]
fn damaged_inputs_of_cases_are_the_same_in_every_cut() {
    each_subject(|subject| {
        let is_union = subject.dialects.len() > 1;
        let inputs: Vec<&str> = inputs()
            .iter()
            .filter(|(dialect, _)| is_union || dialect == subject.dialects[0].name())
            .map(|(_, input)| input.as_str())
            .collect();
        if inputs.is_empty() {
            return Ok(());
        }
        let why = prop_oneof![
            Just(Finish::Stop),
            Just(Finish::Unknown),
            Just(Finish::Length)
        ];
        // Most come without special tokens.
        let picks = prop_oneof![3 => Just(Vec::new()), 1 => vec(any::<Index>(), 1..5)];
        let edits = edits(&subject.literals);
        let strategy = (any::<Index>(), edits, picks, any::<u64>(), why);
        subject.holds(
            cases(subject),
            &strategy,
            |(of, edits, picks, seed, why)| {
                let text = &edited(inputs[of.index(inputs.len())], &edits, &inputs);
                let tokens = &special(text, &subject.literals, &picks);
                let message = Message {
                    text,
                    tokens,
                    ..Message::default()
                };
                read_all_ways(&subject.program, message, seed, why)
                    .map(drop)
                    .map_err(|fault| format!("{fault}, of {message:?} and {why:?}"))
            },
        )
    });
}

/// The union reads most: it is what finds a dialect where none is named.
fn cases(subject: &Subject) -> u32 {
    if subject.dialects.len() > 1 {
        12_000
    } else {
        300
    }
}

/// The dialect and the text of each `input` fence of the dialects' cases.
fn inputs() -> &'static [(String, String)] {
    static ALL: OnceLock<Vec<(String, String)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dialects/dialects");
        let mut all = Vec::new();
        for dialect in toolglot_dialects::all() {
            let folder = root.join(dialect.name()).join("cases");
            let mut files: Vec<_> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|file| file.path())
                .collect();
            files.sort();
            for file in files {
                let document = fs::read_to_string(file).expect("a case can be read");
                let inputs = fences(&document).filter(|input| input.len() <= LONGEST);
                all.extend(inputs.map(|input| (dialect.name().to_owned(), input.to_owned())));
            }
        }
        assert!(all.len() > 1000, "{} inputs", all.len());
        all
    })
}

/// The texts of the `input` fences.
fn fences(document: &str) -> impl Iterator<Item = &str> {
    let mut rest = document;
    std::iter::from_fn(move || {
        let at = rest.find("```input")?;
        let fence = rest[..at].rfind('\n').map_or(0, |line| line + 1);
        let ticks = &rest[fence..at + 3];
        let body = at + rest[at..].find('\n')? + 1;
        let end = body + rest[body..].find(&format!("\n{ticks}\n"))?;
        let text = &rest[body..end];
        rest = &rest[end + 1 + ticks.len()..];
        Some(text)
    })
}
