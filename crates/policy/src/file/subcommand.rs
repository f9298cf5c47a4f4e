//! The position of a subcommand among a program's words: after the global options.

use super::pattern::Word;
use crate::command::is_unknown;

/// Programs whose options before the subcommand are known, with the options whose value is the next word.
const KNOWN: &[(&str, &[&str])] = &[(
    "git",
    &[
        "-C",
        "-c",
        "--attr-source",
        "--config-env",
        "--exec-path",
        "--git-dir",
        "--list-cmds",
        "--namespace",
        "--super-prefix",
        "--work-tree",
    ],
)];

/// Every position after the program's name where the words of a rule may start.
///
/// A rule about an option matches it directly after the name. A rule about a word matches a subcommand: options may
/// come before it. If the options of a program are unknown, each may have the next word as its value, or not.
pub(super) fn starts<'a>(
    program: &str,
    arguments: &'a [String],
    line: &[Vec<Word>],
) -> Vec<&'a [String]> {
    let mut starts = vec![arguments];
    let is_word = line.first().is_some_and(|alternatives| {
        alternatives
            .iter()
            .any(|pattern| !pattern.is_about_options())
    });
    if !is_word {
        return starts;
    }
    let known = KNOWN.iter().find(|(name, _)| *name == program);
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        // An unknown word may be an option.
        if !word.starts_with('-') && !is_unknown(word) {
            break;
        }
        rest = after;
        let takes_next = match known {
            Some((_, with_value)) => with_value.contains(&word.as_str()),
            None => !word.contains('='),
        };
        if known.is_none() || !takes_next {
            starts.push(rest);
        }
        if takes_next
            && rest
                .first()
                .is_some_and(|word| !word.starts_with('-') || known.is_some())
        {
            rest = &rest[1..];
            starts.push(rest);
        }
    }
    starts
}
