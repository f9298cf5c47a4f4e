//! Writes the emitted events into the document that expected others.

use std::fmt::Write as _;

use crate::case::Case;

/// The document with the emitted events in place of the expected ones; an input without events gets a block.
///
/// `found` are cases of this document, in its order, each with its [events](Case::events).
pub fn bless(document: &str, found: &[(&Case, String)]) -> String {
    let mut blessed = document.to_owned();
    for (case, events) in found.iter().rev() {
        let lines = match events.as_str() {
            "" => String::new(),
            events => format!("{events}\n"),
        };
        let text = match case.expected {
            Some(_) => lines,
            None => format!("\n```events\n{lines}```\n"),
        };
        blessed.replace_range(case.blessed.clone(), &text);
    }
    blessed
}

/// A line diff of both texts: lines that only one of them has start with `-` or `+`.
pub fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let n_shorter = old.len().min(new.len()) - start;
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(n_shorter)
        .take_while(|(a, b)| a == b)
        .count();
    let marked = [
        ("  ", &old[..start]),
        ("- ", &old[start..old.len() - end]),
        ("+ ", &new[start..new.len() - end]),
        ("  ", &old[old.len() - end..]),
    ];
    let mut out = String::new();
    for (mark, lines) in marked {
        for line in lines {
            writeln!(out, "  {mark}{line}").expect("writing to a string");
        }
    }
    out
}
