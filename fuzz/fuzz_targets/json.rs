//! JSON as models write it, in pieces: the output is a prefix of JSON, the same in every cut, and whole once completed.
//!
//! The first byte of the input chooses the root and the cut, the second one the caller's knowledge.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use toolglot_json::{Output, Completeness, Root, Step, Transducer};

#[path = "../../crates/engine/tests/support/prefix.rs"]
#[allow(dead_code)]
mod prefix;

fuzz_target!(|data: &[u8]| {
    let [how, known, text @ ..] = data else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let root = [Root::Object, Root::Keywords, Root::Value][usize::from(*how) % 3];
    let machine = machine(root, *known);
    let whole = read(root, &machine, text, text.len().max(1));
    for size in [1, 2 + usize::from(how >> 4)] {
        assert_eq!(whole, read(root, &machine, text, size), "by {size}");
    }
});

/// A machine with some of the facts that a caller may know.
fn machine(root: Root, known: u8) -> Transducer {
    let is = |bit: u8| known & bit != 0;
    let list = |texts: &[&str]| -> Arc<[String]> { texts.iter().map(|&text| text.into()).collect() };
    let mut machine = Transducer::new(root).with_quote(is(1).then_some("<q>")).within_brackets(is(2));
    if is(4) {
        machine = machine.with_closers(list(&["</x>", "</tool>", "```"]));
    }
    if is(8) {
        machine = machine.with_positions(list(&["a", "b", "path"]));
    }
    if is(16) {
        machine.add_keys(1, list(&["a", "path"]));
    }
    if is(32) {
        machine.add_keys(2, list(&["a", "b"]));
    }
    if is(64) {
        machine.expect_openers(&list(&["CALL:", "f("]));
    }
    machine.watch(usize::from(known >> 7));
    machine
}

/// The JSON text, its completeness, the number of bytes read, and the repairs.
fn read(root: Root, machine: &Transducer, text: &str, size: usize) -> (String, Completeness, usize, Vec<toolglot_json::RepairSpan>) {
    let mut out = Output::default();
    let mut json = machine.clone();
    let mut at = 0;
    let mut step = Step::More;
    while at < text.len() && !matches!(step, Step::Done | Step::Stuck) {
        let end = (at + size..=text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
        let used;
        (used, step) = json.feed(&text[at..end], at as u64, &mut out);
        at += used;
    }
    if matches!(step, Step::Done | Step::Stuck) {
        at = json.held_from().map_or(at, |at| at as usize);
    }
    if root == Root::Keywords {
        out.text.insert(0, '{');
    }
    let mut completed = (json.clone(), out.clone());
    check(root, &out.text, false);
    let rest = json.finish(true, at as u64, &mut out);
    check(root, &out.text, rest != Completeness::Broken);
    completed.0.complete(at as u64, &mut completed.1);
    check(root, &completed.1.text, true);
    (out.text, rest, at, out.repairs)
}

/// A value that is not an object is checked as the member of one.
fn check(root: Root, text: &str, whole: bool) {
    let mut prefix = prefix::Prefix::default();
    if root == Root::Value {
        prefix.push("{\"v\":").expect("it is JSON");
    }
    prefix.push(text).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    if whole {
        if root == Root::Value {
            prefix.push("}").unwrap_or_else(|fault| panic!("{fault}: {text}"));
        }
        assert!(prefix.is_whole(), "not whole: {text}");
    }
}
