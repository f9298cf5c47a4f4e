//! Where a program's words say what it is asked for: after the options that are for all it does.

use super::pattern::Word;
use crate::command::is_unknown;

/// Programs whose options before the subcommand are known: those whose value is the next word.
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

/// Every place where the words that a rule is about may start, after the program's name.
///
/// A rule about an option means it where it stands. A rule about a word means what the program is asked for: options may stand
/// before it. Of a program whose options are not known, each may have the next word for a value, or not.
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
    while let Some((word, behind)) = rest.split_first() {
        // What only a shell knows may be an option.
        if !word.starts_with('-') && !is_unknown(word) {
            break;
        }
        rest = behind;
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
