//! Special tokens at random places of a text: what a tokenizer tells apart, and what it never would.

use std::ops::Range;

use proptest::sample::Index;

use super::edits::tokens;

/// Where special tokens stand in `text`: at some of the places of `spellings`, or of words where it has none of them.
pub(crate) fn special(text: &str, spellings: &[String], picks: &[Index]) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    if !picks.is_empty() {
        for spelling in spellings.iter().map(|spelling| spelling.trim()) {
            let found = text.match_indices(spelling).filter(|_| spelling.len() > 1);
            places.extend(found.map(|(at, _)| at..at + spelling.len()));
        }
        if places.is_empty() {
            let offset = |token: &str| token.as_ptr() as usize - text.as_ptr() as usize;
            let words = tokens(text).into_iter();
            places.extend(words.map(|word| offset(word)..offset(word) + word.len()));
        }
    }
    let mut chosen: Vec<Range<usize>> = Vec::new();
    for pick in picks.iter().filter(|_| !places.is_empty()) {
        let place = &places[pick.index(places.len())];
        if chosen
            .iter()
            .all(|other| other.end <= place.start || place.end <= other.start)
        {
            chosen.push(place.clone());
        }
    }
    chosen.sort_by_key(|token| token.start);
    chosen
}
