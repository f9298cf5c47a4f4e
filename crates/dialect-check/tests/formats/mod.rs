//! Formats that no model was taught, as a reader of the notation would write them. Each has a dialect, and a document
//! of cases next to it. `TOOLGLOT_BLESS=1` writes the parsed events into the document.

use std::path::Path;
use std::{env, fs};

use toolglot_dialect_check::{Case, ProgramError, bless, cases, difference};

#[test]
fn invented_formats_are_parsed_as_their_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let mut failures = Vec::new();
    let mut n_cases = 0;
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    for file in files {
        let grammar = fs::read_to_string(file.with_extension("dialect")).expect("a dialect");
        let dialects = toolglot_dialects::parse(&grammar).expect("a dialect that compiles");
        let find = |_: &str| Ok::<_, ProgramError>(dialects[0].clone());
        let document = fs::read_to_string(&file).expect("a document");
        let all = cases(&document, Some(dialects[0].name())).expect("cases");
        let mut found: Vec<(&Case, String)> = Vec::new();
        for case in &all {
            n_cases += 1;
            let program = case.program(find).expect("a dialect that compiles");
            match case.events(&program) {
                Ok(events) if case.expected.as_ref() == Some(&events) => {}
                Ok(events) => {
                    let expected = case.expected.as_deref().unwrap_or_default();
                    let difference = difference(expected, &events);
                    failures.push(format!("{}:{}\n{difference}", file.display(), case.line));
                    found.push((case, events));
                }
                Err(error) => failures.push(format!("{}:{} {error}", file.display(), case.line)),
            }
        }
        if env::var_os("TOOLGLOT_BLESS").is_some() && !found.is_empty() {
            fs::write(&file, bless(&document, &found)).expect("the document can be written");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(n_cases > 0);
}
