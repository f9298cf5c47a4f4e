//! Rows of repairs, spliced and damaged, read in pieces of any size: what is written, repaired and reported is the same, and
//! the place that the machine says it stands at never goes back.

#[path = "../../engine/tests/properties/edits.rs"]
mod edits;

use edits::{edited, edits};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use toolglot_json::{Completeness, Output, RepairSpan, Root, Step, Transducer};

/// What is known of the document.
#[derive(Clone, Copy, Debug)]
struct Manner {
    root: Root,
    /// Members and strings are reported.
    reports: bool,
    /// Keys of the root, and names of a call's parameters.
    knows: bool,
    /// Another document may start on a line.
    expects: bool,
}

/// What came of one reading.
#[derive(Debug, PartialEq)]
struct Told {
    /// What was reported, and where the machine stood.
    steps: Vec<(Step, u64)>,
    text: String,
    repairs: Vec<RepairSpan>,
    rest: Completeness,
}

#[test]
fn damaged_documents_are_the_same_in_every_cut() {
    let rows: Vec<String> = include_str!("data/repairs.jsonl")
        .lines()
        .filter_map(|line| toolglot_value::from_str(line).ok())
        .filter_map(|row| row["input"].as_str().map(String::from))
        .filter(|input| (2..400).contains(&input.len()))
        .collect();
    assert!(rows.len() > 100, "{} rows", rows.len());
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let manner = (
        select(&[Root::Object, Root::Value, Root::Keywords][..]),
        any::<[bool; 3]>(),
    )
        .prop_map(|(root, [reports, knows, expects])| Manner {
            root,
            reports,
            knows,
            expects,
        });
    let words = [
        "</x>",
        "</tool>",
        "path",
        "\"path\":",
        "CALL:",
        "f(",
        "\"\"\"",
        "r'",
    ];
    let words = words.map(String::from);
    let cases = std::env::var("TOOLGLOT_CASES").map_or(12_000, |n| n.parse().unwrap_or(12_000));
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let strategy = (any::<Index>(), edits(&words), manner);
    TestRunner::new_with_rng(config, rng)
        .run(&strategy, |(of, edits, manner)| {
            let text = edited(rows[of.index(rows.len())], &edits, &rows);
            let whole = read(manner, &text, text.len().max(1));
            for size in [1, 2, 3, 7, 19] {
                prop_assert_eq!(
                    &whole,
                    &read(manner, &text, size),
                    "{:?} by {}",
                    &text,
                    size
                );
            }
            prop_assert!(whole.is_ok(), "{:?}: {:?}", text, whole);
            Ok(())
        })
        .unwrap_or_else(|fault| panic!("{fault}"));
}

/// A line break after a blank inside an expression's brackets: its last word starts after both.
#[test]
fn a_place_between_blanks_never_goes_back() {
    let manner = Manner {
        root: Root::Keywords,
        reports: false,
        knows: false,
        expects: false,
    };
    let text = "a=x[1, \n[2] y";
    let whole = read(manner, text, text.len());
    assert!(whole.is_ok(), "{whole:?}");
    assert_eq!(whole, read(manner, text, 1));
}

/// An empty key after a string that ended in a letter: the letter was not the key's.
/// The budget of the readings is spent at a quote; the bracket before it counts as it does in small pieces.
#[test]
fn a_quote_that_is_decided_at_once_leaves_no_bracket_uncounted() {
    let manner = Manner {
        root: Root::Object,
        reports: false,
        knows: false,
        expects: false,
    };
    for n in (300..600).step_by(4) {
        let text = format!("{{name=\"{}{{b=\"a{{\"c\": 1, \"d", "\"x".repeat(n));
        let whole = read(manner, &text, usize::MAX).expect("a reading");
        assert_eq!(read(manner, &text, 1), Ok(whole), "{n} quotes");
    }
}

#[test]
fn a_string_does_not_know_the_last_letter_of_another() {
    let manner = Manner {
        root: Root::Object,
        reports: true,
        knows: true,
        expects: false,
    };
    for rest in ["", "s': 1}", "s', 'b': 2}"] {
        let text = format!("{{a:c,'arguments'{{e=\",l\"''{rest}");
        let whole = read(manner, &text, text.len());
        assert!(whole.is_ok(), "{whole:?}");
        assert_eq!(whole, read(manner, &text, 1), "{text}");
    }
}

fn read(manner: Manner, text: &str, size: usize) -> Result<Told, String> {
    let names: [String; 3] = ["path", "a", "text"].map(String::from);
    let mut out = Output::default();
    let mut json =
        Transducer::new(manner.root).with_closers(["</x>".into(), "</tool>".into()].into());
    if manner.reports {
        json.watch(2);
        json.stop_at_strings();
    }
    if manner.knows {
        json.add_keys(1, names.clone().into());
        json = json.with_positions(names.into());
    }
    if manner.expects {
        json.expect_openers(&["CALL:".to_owned(), "f(".to_owned()].into());
    }
    let (mut at, mut stood, mut steps) = (0, 0, Vec::new());
    while at < text.len() || json.has_reports() {
        let end = (at + size..text.len())
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(text.len());
        let (used, step) = json.feed(&text[at..end], at as u64, &mut out);
        at += used;
        let held = json.held_from().unwrap_or(at as u64);
        if held < stood || held > at as u64 {
            return Err(format!("it is at {held}, after {stood} of {at}"));
        }
        stood = held;
        if matches!(step, Step::Member | Step::Value | Step::Done | Step::Stuck) {
            steps.push((step, held));
        }
        if matches!(step, Step::Done | Step::Stuck) {
            break;
        }
    }
    // Where it is stuck all ends; bytes after that may have been looked at.
    let is_stuck = matches!(steps.last(), Some((Step::Stuck, _)));
    let end = if is_stuck { stood } else { at as u64 };
    let rest = json.finish(true, end, &mut out);
    Ok(Told {
        steps,
        text: out.text,
        repairs: out.repairs,
        rest,
    })
}
