//! What holds for every text: JSON comes out, comes out again as it is, and costs work linear in the text.

use proptest::prelude::*;

use crate::PRESETS;
use crate::promises::{check, most_work};
use crate::texts::{adversaries, damaged, json, soup};

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_becomes_json(text in soup()) {
        check(&text);
    }

    #[test]
    fn damaged_json_becomes_json(text in damaged()) {
        check(&text);
    }

    #[test]
    fn any_characters_become_json(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn json_stays_as_it_is(value in json(), is_pretty: bool) {
        let text = if is_pretty { format!("{value:#}") } else { value.to_string() };
        for &(preset, repair) in PRESETS {
            let repaired = repair(&text).expect("it is JSON");
            prop_assert_eq!(&repaired.text, &text, "{}", preset);
            prop_assert!(repaired.edits.is_empty());
        }
    }
}

/// The start of a comment, or the end of a path: it is left out, and an edit says so.
#[test]
fn a_slash_at_the_end_is_not_lost_silently() {
    for text in ["\"ab\"/", "\"a{}b\"/", "[\"a\"/", "{\"a\": 1 /"] {
        check(text);
    }
}

#[test]
fn work_is_linear_on_every_adversary() {
    for n in [4_000, 64_000] {
        for (name, text) in adversaries(n) {
            for &(preset, repair) in PRESETS {
                if let Some(repaired) = repair(&text) {
                    assert!(
                        repaired.work <= most_work(text.len()),
                        "{preset}, {name}: {} for {} bytes",
                        repaired.work,
                        text.len()
                    );
                    assert!(
                        repaired.text.len() <= 40 * text.len() + 1000,
                        "{preset}, {name}: {} bytes of {}",
                        repaired.text.len(),
                        text.len()
                    );
                }
            }
        }
    }
}

#[test]
fn what_looking_ahead_never_names_has_a_note_as_well() {
    for text in [
        "",
        "\"pa",
        "{\"a\": [1, 2] \"d\": null}",
        "{\"a\": 1,, \"b\": 2}",
        "{\"a\": 01}",
        "{\"a\u{0}\": 1}",
        "{\"a\":\u{a0}1}",
        "[1, +2]",
    ] {
        check(text);
    }
}

#[test]
fn a_comma_that_is_escaped_ends_the_string_all_the_same() {
    check("\"a\\,\"b");
    check("[\"a\\,\"b\"]");
}

#[test]
fn bytes_that_are_no_element_leave_no_comma_behind() {
    for text in ["[I\u{b}", "[1 \u{b}]", "[1, \u{b}, 2]", "(1, \u{b})"] {
        check(text);
    }
}
