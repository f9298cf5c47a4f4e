//! Whether a short text is what a pattern says: for what was written by the rules, which the template must read.
//!
//! It tries all ways, in a budget of steps; it never runs over a message.

use super::pattern::{Part, Pattern};

/// Steps that a trial may take.
const STEPS: u32 = 200_000;

type Then<'a> = &'a mut dyn FnMut(usize, &mut u32) -> bool;

/// Whether the whole of `text` is what the sequence says.
pub(super) fn is_whole(seq: &[Part], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let end = text.len();
    run(seq, &text, 0, &mut STEPS.clone(), &mut |at, _| at == end)
}

/// Whether the pattern is found in `text`.
pub(super) fn is_found(pattern: &Pattern, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut steps = STEPS;
    (0..=text.len()).any(|at| any(pattern, &text, at, &mut steps, &mut |_, _| true))
}

/// A pattern whose named groups are certain texts.
pub(super) fn filled(pattern: &Pattern, group: &dyn Fn(&str) -> Option<String>) -> Pattern {
    let part = |part: &Part| match part {
        Part::Named(name, inside) => match group(name) {
            Some(text) => Part::Group(vec![text.chars().map(Part::Text).collect()]),
            None => Part::Group(filled(inside, group)),
        },
        Part::Group(inside) => Part::Group(filled(inside, group)),
        part => part.clone(),
    };
    pattern
        .iter()
        .map(|seq| seq.iter().map(part).collect())
        .collect()
}

fn any(all: &Pattern, text: &[char], at: usize, steps: &mut u32, then: Then<'_>) -> bool {
    all.iter().any(|seq| run(seq, text, at, steps, then))
}

fn run(seq: &[Part], text: &[char], at: usize, steps: &mut u32, then: Then<'_>) -> bool {
    let Some((first, rest)) = seq.split_first() else {
        return then(at, steps);
    };
    one(first, text, at, steps, &mut |at, steps| {
        run(rest, text, at, steps, then)
    })
}

fn one(part: &Part, text: &[char], at: usize, steps: &mut u32, then: Then<'_>) -> bool {
    let Some(left) = steps.checked_sub(1) else {
        return false;
    };
    *steps = left;
    let is_word = |at: Option<usize>| {
        let c = at.and_then(|at| text.get(at));
        c.is_some_and(|c| c.is_alphanumeric() || *c == '_')
    };
    match part {
        Part::Text(c) => text.get(at) == Some(c) && then(at + 1, steps),
        Part::Class(class) => text.get(at).is_some_and(|&c| class.has(c)) && then(at + 1, steps),
        Part::Group(all) | Part::Named(_, all) => any(all, text, at, steps, then),
        Part::Repeat(inner, min, max) => repeat(inner, (*min, *max), text, at, steps, then),
        Part::Begin => at == 0 && then(at, steps),
        Part::End => at == text.len() && then(at, steps),
        Part::Boundary => is_word(at.checked_sub(1)) != is_word(Some(at)) && then(at, steps),
        Part::Ahead(all) => any(all, text, at, steps, &mut |_, _| true) && then(at, steps),
    }
}

fn repeat(
    inner: &Part,
    (min, max): (u32, Option<u32>),
    text: &[char],
    at: usize,
    steps: &mut u32,
    then: Then<'_>,
) -> bool {
    if min == 0 && then(at, steps) {
        return true;
    }
    if max == Some(0) {
        return false;
    }
    let left = (min.saturating_sub(1), max.map(|max| max - 1));
    one(inner, text, at, steps, &mut |next, steps| {
        next > at && repeat(inner, left, text, next, steps, then)
    })
}

#[cfg(test)]
mod tests {
    use super::super::pattern::read;
    use super::*;

    #[test]
    fn texts_are_what_their_patterns_say() {
        for (pattern, text, is_it) in [
            (r"<f=(?P<name>\w+)>\s*", "<f=g>\n", true),
            (r"<f=(?P<name>\w+)>", "<f=h>", false),
            (r"<i\b[^>]*?\bname=g>", "<i name=g>", true),
            (r"<i\b[^>]*?\bname=g>", "<iname=g>", false),
            (r"a(?:b|c)?d{2}", "acdd", true),
            (r"a(?:b|c)?d{2}", "acd", false),
            (
                r"(?:a*)*b",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
                false,
            ),
            ("^a$", "a", true),
            ("a(?=b)b", "ab", true),
        ] {
            let name = |name: &str| (name == "name").then(|| "g".to_owned());
            let pattern = filled(&read(pattern).expect(pattern), &name);
            assert_eq!(is_whole(&pattern[0], text), is_it, "{pattern:?} {text}");
            assert_eq!(
                is_found(&pattern, &format!("x{text}")),
                is_it && pattern[0][0] != Part::Begin
            );
        }
    }
}
