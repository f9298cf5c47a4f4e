//! Runs the cases of `dialects/*/cases/` and of the documentation.
//!
//! Each input is read whole, in pieces of one byte and of three, and with special tokens also cut in two anywhere. The
//! events must be the expected ones in every cut.
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot-dialects --test tests cases::` replaces the expected events by the emitted
//! ones; read the difference before committing it.

#[path = "../../../engine/tests/properties/edits.rs"]
mod edits;
#[path = "../../../engine/tests/properties/special.rs"]
mod special;
#[path = "../../../engine/tests/support/mod.rs"]
#[expect(dead_code, reason = "the engine's own tests take more of it")]
mod support;

mod carried;
mod closers;
mod coverage;
mod damage;
mod damaged;
mod documents;
mod overview;
mod pages;
mod shared;
mod tokens;

use std::collections::BTreeMap;
use std::{env, fs, panic};

use documents::DocumentCase;
use toolglot_dialect_check::{bless, difference};

#[test]
fn cases_read_as_expected() {
    let cases = documents::all();
    let mut failures = Vec::new();
    let mut found_by_file = BTreeMap::new();
    for located in &cases {
        let DocumentCase { file, case } = located;
        let found = panic::catch_unwind(|| found(located));
        match found.unwrap_or_else(|_| Err("parsing it panics".to_owned())) {
            Ok(found) if case.expected.as_ref() == Some(&found) => {}
            Ok(found) => {
                let expected = case.expected.as_deref().unwrap_or_default();
                let difference = difference(expected, &found);
                failures.push(format!("{}\n{difference}", located.place()));
                let of_file = found_by_file.entry(file).or_insert_with(Vec::new);
                of_file.push((case, found));
            }
            Err(error) => failures.push(format!("{}\n  {error}\n", located.place())),
        }
    }
    if env::var_os("TOOLGLOT_BLESS").is_some() {
        for (file, found) in found_by_file {
            let document = fs::read_to_string(file).expect("it was read before");
            fs::write(file, bless(&document, &found)).expect("a blessed file can be written");
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases differ\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

fn found(located: &DocumentCase) -> Result<String, String> {
    let program = documents::program(&located.case).map_err(|error| error.to_string())?;
    let events = located.case.events(&program);
    events.map_err(|error| error.to_string())
}
