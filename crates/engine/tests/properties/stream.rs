//! Total, lossless, chunk-invariant, monotone: whatever the text, however it is cut.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use toolglot_engine::Finish;

use super::special::special;
use super::subjects::each_subject;
use super::support::reading::{Message, read_all_ways};
use super::texts::{damaged, quoted, soup};

#[test]
fn any_text_is_told_whole_and_the_same_in_every_cut() {
    each_subject(|subject| {
        let strategy = (
            prop_oneof![soup(subject, 14), soup(subject, 40)],
            any::<u64>(),
        );
        subject.holds(150, &strategy, |(text, seed)| {
            read_all_ways(&subject.program, &text, seed, Finish::Unknown).map(drop)
        })
    });
}

#[test]
fn damaged_calls_are_told_whole_and_the_same_in_every_cut() {
    each_subject(|subject| {
        let strategy = (damaged(subject, 5), any::<u64>());
        subject.holds(100, &strategy, |(text, seed)| {
            read_all_ways(&subject.program, &text, seed, Finish::Stop).map(drop)
        })
    });
}

#[test]
fn quoted_calls_are_told_whole_and_the_same_in_every_cut() {
    each_subject(|subject| {
        let why = select(&[Finish::Stop, Finish::Unknown, Finish::Length][..]);
        let strategy = (quoted(subject), any::<u64>(), why);
        subject.holds(100, &strategy, |(text, seed, why)| {
            read_all_ways(&subject.program, &text, seed, why).map(drop)
        })
    });
}

#[test]
fn special_tokens_are_told_whole_and_the_same_in_every_cut() {
    each_subject(|subject| {
        let why = select(&[Finish::Stop, Finish::Unknown, Finish::Length][..]);
        let strategy = (
            prop_oneof![soup(subject, 14), damaged(subject, 5)],
            vec(any::<Index>(), 1..6),
            any::<u64>(),
            why,
        );
        subject.holds(150, &strategy, |(text, picks, seed, why)| {
            let tokens = &special(&text, &subject.literals, &picks);
            let message = Message {
                text: &text,
                tokens,
                ..Message::default()
            };
            read_all_ways(&subject.program, message, seed, why)
                .map(drop)
                .map_err(|fault| format!("{fault}, of {message:?} and {why:?}"))
        })
    });
}

/// A name that is as long as one may be, before a letter of several bytes, after each literal.
#[test]
fn long_names_end_between_characters() {
    each_subject(|subject| {
        for (n, literal) in subject.literals.iter().enumerate() {
            let length = 150 + n % 12;
            let text = format!("{literal}{}\u{2581}x\n", "a".repeat(length));
            read_all_ways(&subject.program, text.as_str(), 1, Finish::Stop)?;
        }
        // The name after the kind of the call.
        let call = "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>";
        let texts = (155..162).map(|length| format!("{call}{}\u{2581}x\n", "a".repeat(length)));
        { texts }.try_for_each(|text| {
            read_all_ways(&subject.program, text.as_str(), 1, Finish::Stop).map(drop)
        })
    });
}

/// What a fuzzer found.
#[test]
fn found_texts_are_the_same_in_every_cut() {
    each_subject(|subject| {
        // An opener of reasoning inside a word of what belongs to no part of the call.
        let text = "<invoke name=\"e\">aHere are my reasoning steps:";
        read_all_ways(&subject.program, text, 1, Finish::Stop).map(drop)
    });
}
