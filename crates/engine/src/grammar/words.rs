//! The words of the notation: names that a rule must not have, and the nearest word to a misspelled one.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::GrammarError;

/// Words of a rule.
pub(super) const WORDS: &[&str] = &[
    "ws",
    "nl",
    "line_start",
    "message_start",
    "message_end",
    "eol",
    "name",
    "key",
    "id",
    "server",
    "type",
    "any",
    "length",
    "raw",
    "line",
    "lines",
    "bytes",
    "value",
    "false",
    "json",
    "object",
    "xml",
    "python",
    "attrs",
];

/// Names of rules with a meaning.
const RULES: &[&str] = &[
    "call",
    "think",
    "say",
    "stop",
    "result",
    "failure",
    "result_block",
    "not_in_results",
    "write",
    "write_block",
];

/// Settings that have a meaning to the engine or belong to the header.
const SETTINGS: &[&str] = &[
    "values",
    "case",
    "tools",
    "split",
    "not_tools",
    "no_tool",
    "stop_strings",
    "empty_if_absent",
    "between_calls",
    "id_spelling",
    "id_form",
    "models",
    "source",
    "quirks",
    "license",
    "auto_prefers",
    "auto_without",
];

/// Words of other tools and older files, each with the word of the notation.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("bol", "line_start"),
    ("start", "message_start"),
    ("end", "message_end"),
    ("text", "raw"),
    ("py", "python"),
    ("ns", "server"),
    ("kind", "type"),
    ("skip", "any"),
];

/// Names of missing rules, each with the word that the author probably meant.
const MEANT_WORDS: &[(&str, &str)] = &[
    ("arg", "key"),
    ("args", "json"),
    ("arguments", "json"),
    ("function", "name"),
    ("newline", "eol"),
    ("number", "value"),
    ("param", "key"),
    ("parameter", "key"),
    ("string", "value"),
    ("tool", "name"),
];

/// As [`OTHER_WORDS`], for rules with a meaning.
const OTHER_RULES: &[(&str, &str)] = &[
    ("barred", "not_in_results"),
    ("written", "write"),
    ("written_block", "write_block"),
];

/// As [`OTHER_WORDS`], for settings.
const OTHER_SETTINGS: &[(&str, &str)] = &[
    ("none", "no_tool"),
    ("refuse", "not_tools"),
    ("id", "id_spelling"),
    ("ids", "id_form"),
    ("family", "auto_prefers"),
    ("alone", "auto_without"),
];

/// Refuses an unknown name of a setting.
pub(super) fn setting(name: &str, place: Range<usize>) -> Result<(), GrammarError> {
    if SETTINGS.contains(&name) {
        return Ok(());
    }
    if let Some(word) = other(OTHER_SETTINGS, name) {
        return Err(replaced(name, word, place));
    }
    let help = match nearest(name, SETTINGS.iter().copied()) {
        _ if name == "date" => {
            "write it at the end of the source: `source: ADDRESS, 2026-11`".to_string()
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("settings are {}", SETTINGS.join(", ")),
    };
    Err(GrammarError::new(place, format!("no setting is called `{name}`")).help(help))
}

/// Refuses a rule name that is a word of the notation, or looks like one.
pub(super) fn rule_name(name: &str, place: Range<usize>) -> Result<(), GrammarError> {
    if RULES.contains(&name) {
        return Ok(());
    }
    if let Some(rule) = other(OTHER_RULES, name) {
        return Err(replaced(name, rule, place));
    }
    if let Some(word) = other(OTHER_WORDS, name) {
        let message = format!("`{name}` cannot be the name of a rule: it looks like `{word}`");
        return Err(GrammarError::new(place, message).help("give the rule another name"));
    }
    if WORDS.contains(&name) {
        let message = format!("`{name}` is a word of the notation, not the name of a rule");
        return Err(GrammarError::new(place, message).help("give the rule another name"));
    }
    match [WORDS, RULES]
        .concat()
        .iter()
        .find(|word| is_near(name, word))
    {
        Some(near) => {
            let what = if WORDS.contains(near) { "word" } else { "rule" };
            let message = format!("the rule `{name}` looks like the {what} `{near}`");
            let help = format!("write `{near}`, or give the rule a name that is less like it");
            Err(GrammarError::new(place, message).help(help))
        }
        None => Ok(()),
    }
}

/// Refuses a word of another tool or an older file. Any other unknown word is the name of a rule.
pub(super) fn reference(word: &str, place: &Range<usize>) -> Result<(), GrammarError> {
    match other(OTHER_WORDS, word).or_else(|| other(OTHER_RULES, word)) {
        Some(new) => Err(replaced(word, new, place.clone())),
        None => Ok(()),
    }
}

/// The words for captures, which may be in holes and be roles of attributes.
const CAPTURES: &[&str] = &["name", "key", "id", "server", "type", "any", "length"];

/// The capture that other tools or older files call `role`.
pub(super) fn other_capture(role: &str) -> Option<&'static str> {
    other(OTHER_WORDS, role).filter(|word| CAPTURES.contains(word))
}

/// Checks the holes of a text. `written` is the text with its escapes as in the file, and `at` is its offset there.
/// Braces around a word that neither is nor looks like a capture are plain text.
pub(super) fn holes(text: &str, written: &str, at: usize) -> Result<(), GrammarError> {
    for (open, _) in text.match_indices('{') {
        let inside = &text[open + 1..];
        let end = inside.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(0);
        let word = &inside[..end];
        if end == 0 || !inside[end..].starts_with('}') || CAPTURES.contains(&word) {
            continue;
        }
        // A hole contains no escape, so the file has the same text.
        let start = at
            + written
                .find(&["{", word, "}"].concat())
                .map_or(0, |found| found + 1);
        let place = start..start + word.len();
        if let Some(capture) = other_capture(word) {
            return Err(replaced(word, capture, place));
        }
        if let Some(near) = CAPTURES.iter().find(|capture| is_near(word, capture)) {
            return Err(GrammarError::new(place, format!("no capture is called `{word}`")).help(
                format!("write {{{near}}} for what `{near}` read, or cut the text in two: \"{{\" \"{word}}}\""),
            ));
        }
    }
    Ok(())
}

/// The error for a reference to a rule that does not exist.
pub(super) fn no_rule<'r>(
    name: &str,
    rules: impl Iterator<Item = &'r str>,
    place: Range<usize>,
) -> GrammarError {
    let known = rules.chain(WORDS.iter().copied());
    let help = match other(MEANT_WORDS, name)
        .map(String::from)
        .or_else(|| nearest(name, known))
    {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("words of the notation are {}", WORDS.join(" ")),
    };
    GrammarError::new(place, format!("no rule is called `{name}`")).help(help)
}

/// An error that names the word to write, which is also its replacement.
pub(super) fn replaced(found: &str, word: &str, place: Range<usize>) -> GrammarError {
    GrammarError {
        replacement: Some(word.into()),
        ..GrammarError::new(place, format!("`{found}` is called `{word}`"))
    }
    .help("`toolglot dialects check --fix FILE` rewrites the file")
}

fn other(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let found = table.iter().find(|(other, _)| *other == word);
    found.map(|(_, word)| *word)
}

/// The nearest known word, at most two edits away. Short words allow fewer edits.
fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    known
        .map(|known| (distance(&lower, known), known))
        .filter(|(distance, known)| *distance <= 2.min(known.len() / 2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known.to_string())
}

/// Whether a name is one edit away from a word, letter case aside. A change of one letter in two makes another word, so
/// for words of two letters only an extra letter or an exchange counts.
fn is_near(name: &str, word: &str) -> bool {
    let is_same = |(one, other): &(&u8, &u8)| one.eq_ignore_ascii_case(other);
    let (bytes, wanted) = (name.as_bytes(), word.as_bytes());
    let n_front = bytes.iter().zip(wanted).take_while(is_same).count();
    let (bytes, wanted) = (&bytes[n_front..], &wanted[n_front..]);
    let from_back = bytes.iter().rev().zip(wanted.iter().rev());
    let n_back = from_back.take_while(is_same).count();
    let left = [bytes, wanted].map(|bytes| &bytes[..bytes.len() - n_back]);
    match left {
        [[], []] => name != word,
        [[first, second], exchanged] => {
            matches!(exchanged, [one, other] if is_same(&(second, one)) && is_same(&(first, other)))
        }
        [[_], [] | [_]] | [[], [_]] => word.len() > 2 || name.len() > 2,
        _ => false,
    }
}

/// The number of letters to add, leave out, change, or exchange with their neighbor.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = alloc::vec![i];
        for j in 1..=b.len() {
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = core::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, edits) in [
            ("name", "name", 0),
            ("nmae", "name", 1),
            ("nam", "name", 1),
            ("names", "name", 1),
            ("raw", "xml", 3),
            ("", "ws", 2),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }

    #[test]
    fn a_name_near_a_word_is_refused_and_others_are_not() {
        for name in [
            "nmae", "NAME", "jsn", "wss", "sw", "cal", "thnik", "stops", "text", "name",
        ] {
            assert!(rule_name(name, 0..1).is_err(), "{name}");
        }
        for name in ["call", "param", "block", "to", "us", "arguments", "open"] {
            assert_eq!(rule_name(name, 0..1), Ok(()), "{name}");
        }
    }
}
