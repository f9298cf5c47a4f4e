//! Text that contains none of some strings, for targets without negation: a finite automaton (Aho and Corasick, 1975).

use std::collections::BTreeMap;

use crate::grammar::{CharClass, RawText};

/// A state: the next state for each character class. A missing transition would complete a string.
pub(crate) struct State {
    /// Whether the text may end here.
    pub(crate) is_end: bool,
    pub(crate) next: Vec<(CharClass, usize)>,
}

/// The automaton of such texts, for any length; the first state is the start.
pub(crate) fn states(text: &RawText) -> Vec<State> {
    let states = any_without(&text.without);
    if !text.is_filled && !text.is_plain {
        return states;
    }
    // Each state occurs twice: before the first nonblank character, and after it.
    let n = states.len();
    let first = if text.is_plain {
        CharClass::except(&['[', '{'])
    } else {
        CharClass::except(&[])
    };
    let blank = CharClass::new([' ', '\t', '\r', '\n'].map(|c| (c, c)).to_vec());
    let mut unfilled = Vec::new();
    let mut filled = Vec::new();
    for state in states {
        let mut next = Vec::new();
        for (class, target) in &state.next {
            for (part, target) in [
                (class.and(&blank), *target),
                (class.and(&blank.negated()).and(&first), *target + n),
            ] {
                if !part.is_empty() {
                    next.push((part, target));
                }
            }
        }
        unfilled.push(State {
            is_end: !text.is_filled,
            next,
        });
        filled.push(State {
            is_end: true,
            next: state
                .next
                .into_iter()
                .map(|(class, target)| (class, target + n))
                .collect(),
        });
    }
    unfilled.extend(filled);
    unfilled
}

fn any_without(strings: &[String]) -> Vec<State> {
    let strings: Vec<Vec<char>> = strings
        .iter()
        .map(|text| text.chars().collect())
        .filter(|text: &Vec<char>| !text.is_empty())
        .collect();
    let mut alphabet: Vec<char> = strings.iter().flatten().copied().collect();
    alphabet.sort_unstable();
    alphabet.dedup();
    // A state is the longest prefix of a string that is a suffix of the text.
    let mut prefixes: Vec<Vec<char>> = vec![Vec::new()];
    for text in &strings {
        for n in 1..text.len() {
            if !prefixes.contains(&text[..n].to_vec()) {
                prefixes.push(text[..n].to_vec());
            }
        }
    }
    let index: BTreeMap<&[char], usize> = prefixes
        .iter()
        .enumerate()
        .map(|(n, prefix)| (prefix.as_slice(), n))
        .collect();
    prefixes
        .iter()
        .map(|prefix| {
            let mut by_target: BTreeMap<usize, Vec<(char, char)>> = BTreeMap::new();
            for &c in &alphabet {
                let mut text = prefix.clone();
                text.push(c);
                if strings.iter().any(|string| text.ends_with(string)) {
                    continue;
                }
                let target = (0..=text.len()).find_map(|start| index.get(&text[start..]).copied());
                by_target
                    .entry(target.unwrap_or(0))
                    .or_default()
                    .push((c, c));
            }
            let mut next: Vec<(CharClass, usize)> = by_target
                .into_iter()
                .map(|(target, ranges)| (CharClass::new(ranges), target))
                .collect();
            // All other characters return to the start state.
            let others = CharClass::except(&alphabet);
            match next.iter_mut().find(|(_, target)| *target == 0) {
                Some((class, _)) => {
                    let ranges = [class.ranges.clone(), others.ranges].concat();
                    *class = CharClass::new(ranges);
                }
                None => next.push((others, 0)),
            }
            State { is_end: true, next }
        })
        .collect()
}
