//! Runs the cases of `dialects/*/cases/` and of the documentation.
//!
//! Each is read whole, in pieces of one byte and of three, and with special tokens also cut in two anywhere: the events must
//! be the expected ones, and the same.
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot-dialects --test tests cases::` writes what was read in place of what was expected;
//! read the difference before committing it.

#[path = "../../../engine/tests/properties/edits.rs"]
mod edits;
#[path = "../../../engine/tests/properties/special.rs"]
mod special;
#[path = "../../../engine/tests/support/mod.rs"]
#[expect(dead_code, reason = "the engine's own tests take more of it")]
mod support;

mod carried;
mod case;
mod closers;
mod coverage;
mod damaged;
mod markdown;
mod overview;
mod pages;
mod reading;
mod shared;
mod tokens;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, panic};

use case::Case;
use reading::{Cut, Reading};

#[test]
fn cases_read_as_expected() {
    let cases = case::all();
    let (mut failures, mut blessed) = (Vec::new(), BTreeMap::new());
    for case in &cases {
        let read = panic::catch_unwind(|| found(case));
        match read.unwrap_or_else(|_| Err("reading it panics".to_owned())) {
            Ok(found) if found == case.expected => {}
            Ok(found) => {
                failures.push(difference(&case.expected, &found, case));
                blessed
                    .entry(case.file.clone())
                    .or_insert_with(Vec::new)
                    .push((case, found));
            }
            Err(error) => failures.push(format!("{}\n  {error}\n", place(case))),
        }
    }
    if env::var_os("TOOLGLOT_BLESS").is_some() {
        bless(blessed);
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases differ\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

/// What is read, the same in every cut.
fn found(case: &Case) -> Result<String, String> {
    let program = reading::program(case)?;
    let whole = Reading::of(&program, case, Cut::Whole);
    let lines = whole.lines();
    let mut cuts = vec![Cut::Every(1), Cut::Every(3)];
    if case.input.iter().any(|part| part.special) {
        // What stands between two tokens may come with either.
        let length = case.input.iter().map(|part| part.text.len()).sum();
        cuts.extend((1..length).map(Cut::At));
    }
    for cut in cuts {
        let pieces = Reading::of(&program, case, cut);
        if !pieces.same(&whole) {
            return Err(format!(
                "cut {cut:?} the events differ\n  whole: {whole:?}\n  cut:   {pieces:?}"
            ));
        }
    }
    Ok(lines)
}

fn place(case: &Case) -> String {
    format!("{}:{} {}", case.file.display(), case.line, case.title)
}

/// Both line by line; lines that one of them lacks are marked.
fn difference(expected: &str, found: &str, case: &Case) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let begin = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let n_shorter = old.len().min(new.len()) - begin;
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(n_shorter)
        .take_while(|(a, b)| a == b)
        .count();
    let mut out = format!("{}\n", place(case));
    let marked = [
        ("  ", &old[..begin]),
        ("- ", &old[begin..old.len() - end]),
        ("+ ", &new[begin..new.len() - end]),
        ("  ", &old[old.len() - end..]),
    ];
    for (mark, lines) in marked {
        for line in lines {
            writeln!(out, "  {mark}{line}").expect("writing to a string");
        }
    }
    out
}

/// Writes what was found in place of what was expected, last case first.
fn bless(found: BTreeMap<PathBuf, Vec<(&Case, String)>>) {
    for (file, cases) in found {
        let mut document = fs::read_to_string(&file).expect("it was read before");
        for (case, lines) in cases.into_iter().rev() {
            let lines = if lines.is_empty() {
                lines
            } else {
                format!("{lines}\n")
            };
            document.replace_range(case.body.clone(), &lines);
        }
        fs::write(&file, document).expect("a blessed file can be written");
    }
}
