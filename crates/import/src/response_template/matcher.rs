//! Matches a short text against a pattern: the template must read what the rules write.
//!
//! It tries all ways, within a budget of steps and of depth; it never runs on a message.

use super::pattern::{Part, Pattern};

/// Parts and alternatives that a match may try.
const STEPS: u32 = 200_000;
/// Parts with several possible ends, nested or in sequence: the parts after each are tried above it on the stack.
/// Without optimization twice as many fit into 2 MiB.
const DEPTH: u32 = 1_000;

/// The rest of the budget.
struct Budget {
    steps: u32,
    depth: u32,
}

impl Budget {
    fn full() -> Budget {
        Budget {
            steps: STEPS,
            depth: DEPTH,
        }
    }

    /// Takes a step; `false` if none is left.
    fn step(&mut self) -> bool {
        let is_left = self.steps > 0;
        self.steps -= u32::from(is_left);
        is_left
    }
}

type Then<'a> = &'a mut dyn FnMut(usize, &mut Budget) -> bool;

/// Whether the sequence matches the whole of `text`.
pub(super) fn is_whole(seq: &[Part], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let end = text.len();
    run(seq, &text, 0, &mut Budget::full(), &mut |at, _| at == end)
}

/// Whether the pattern matches a part of `text`.
pub(super) fn is_found(pattern: &Pattern, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut budget = Budget::full();
    (0..=text.len()).any(|at| any(pattern, &text, at, &mut budget, &mut |_, _| true))
}

/// The pattern with given texts for its named groups.
pub(super) fn filled(pattern: &Pattern, group: &dyn Fn(&str) -> Option<String>) -> Pattern {
    fn of(part: &Part, group: &dyn Fn(&str) -> Option<String>) -> Part {
        match part {
            Part::Named(name, inside) => match group(name) {
                Some(text) => Part::Group(vec![text.chars().map(Part::Text).collect()]),
                None => Part::Group(filled(inside, group)),
            },
            Part::Group(inside) => Part::Group(filled(inside, group)),
            Part::Lookahead(inside) => Part::Lookahead(filled(inside, group)),
            Part::Repeat(inner, min, max) => Part::Repeat(Box::new(of(inner, group)), *min, *max),
            Part::Text(_) | Part::Class(_) | Part::Start | Part::End | Part::Boundary => {
                part.clone()
            }
        }
    }
    let seq = |seq: &Vec<Part>| seq.iter().map(|part| of(part, group)).collect();
    pattern.iter().map(seq).collect()
}

fn any(all: &Pattern, text: &[char], at: usize, budget: &mut Budget, then: Then<'_>) -> bool {
    // A loop, as an iterator's closure takes several frames where nothing is inlined.
    for seq in all {
        if budget.step() && run(seq, text, at, budget, then) {
            return true;
        }
    }
    false
}

/// Matches a sequence. Only a part with several possible ends takes stack.
fn run(seq: &[Part], text: &[char], at: usize, budget: &mut Budget, then: Then<'_>) -> bool {
    let mut at = at;
    for (n, part) in seq.iter().enumerate() {
        match end(part, text, at, budget) {
            Ends::Nowhere => return false,
            Ends::At(next) => at = next,
            Ends::Anywhere => {
                let rest = &seq[n + 1..];
                return choose(part, text, at, budget, &mut |at, budget| {
                    run(rest, text, at, budget, then)
                });
            }
        }
    }
    then(at, budget)
}

/// Where a part ends.
enum Ends {
    Nowhere,
    At(usize),
    /// At several places, which must be tried.
    Anywhere,
}

fn end(part: &Part, text: &[char], at: usize, budget: &mut Budget) -> Ends {
    if !budget.step() {
        return Ends::Nowhere;
    }
    let is_word = |at: Option<usize>| {
        let c = at.and_then(|at| text.get(at));
        c.is_some_and(|c| c.is_alphanumeric() || *c == '_')
    };
    let (is_there, length) = match part {
        Part::Text(c) => (text.get(at) == Some(c), 1),
        Part::Class(class) => (text.get(at).is_some_and(|&c| class.has(c)), 1),
        Part::Start => (at == 0, 0),
        Part::End => (at == text.len(), 0),
        Part::Boundary => (is_word(at.checked_sub(1)) != is_word(Some(at)), 0),
        Part::Group(_) | Part::Named(..) | Part::Repeat(..) | Part::Lookahead(_) => {
            return Ends::Anywhere;
        }
    };
    if is_there {
        Ends::At(at + length)
    } else {
        Ends::Nowhere
    }
}

fn choose(part: &Part, text: &[char], at: usize, budget: &mut Budget, then: Then<'_>) -> bool {
    if budget.depth == 0 {
        return false;
    }
    budget.depth -= 1;
    let is_it = match part {
        Part::Group(all) | Part::Named(_, all) => any(all, text, at, budget, then),
        Part::Lookahead(all) => any(all, text, at, budget, &mut |_, _| true) && then(at, budget),
        Part::Repeat(inner, min, max) => repeat(inner, (*min, *max), text, at, budget, then),
        other => run(std::slice::from_ref(other), text, at, budget, then),
    };
    budget.depth += 1;
    is_it
}

fn repeat(
    inner: &Part,
    times: (u32, Option<u32>),
    text: &[char],
    at: usize,
    budget: &mut Budget,
    then: Then<'_>,
) -> bool {
    let ((mut min, mut max), mut at) = (times, at);
    loop {
        if min == 0 && then(at, budget) {
            return true;
        }
        if max == Some(0) {
            return false;
        }
        (min, max) = (min.saturating_sub(1), max.map(|max| max - 1));
        match end(inner, text, at, budget) {
            Ends::At(next) if next > at => at = next,
            Ends::At(_) | Ends::Nowhere => return false,
            Ends::Anywhere => {
                return choose(inner, text, at, budget, &mut |next, budget| {
                    next > at && repeat(inner, (min, max), text, next, budget, then)
                });
            }
        }
    }
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
                is_it && pattern[0][0] != Part::Start
            );
        }
    }

    #[test]
    fn named_groups_are_filled_wherever_they_stand() {
        for pattern in [
            r"<f=(?P<name>\w+)>",
            r"(?:<f=(?P<name>\w+)>)?",
            r"<f=(?P<name>\w)+>",
            r"(?=<f=(?P<name>\w+)>).+",
        ] {
            let pattern = filled(&read(pattern).expect(pattern), &|_| Some("g".to_owned()));
            assert!(is_whole(&pattern[0], "<f=g>"), "{pattern:?}");
            assert!(!is_whole(&pattern[0], "<f=h>"), "{pattern:?}");
        }
    }

    /// On a stack of 2 MiB, as any thread has it.
    #[test]
    fn a_long_text_takes_no_more_stack_than_a_short_one() {
        let long = "a".repeat(100_000);
        let texts: Vec<Part> = long.chars().map(Part::Text).collect();
        assert!(is_whole(&[Part::Group(vec![texts])], &long));
        for (pattern, is_it) in [
            ("a*", true),
            ("(?:a)*", false),
            ("(?:(?:a|b)*c)*", false),
            ("(?:(?:(?:(?:a|b))))*", false),
        ] {
            let seq = &read(pattern).expect(pattern)[0];
            assert_eq!(is_whole(seq, &long), is_it, "{pattern}");
        }
    }
}
