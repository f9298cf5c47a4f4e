//! Programs that run the rest of their line.

mod rows;

use rows::WRAPPERS;

/// A program that runs the rest of its line.
pub(super) struct Wrapper {
    name: &'static str,
    /// Words that must come before, besides options: each with its other spellings, after `|`. A word that starts with
    /// `*` may have any words before it.
    path: &'static [&'static str],
    /// Options whose value is the next word; an option that is listed twice takes two.
    with_value: &'static [&'static str],
    /// The number of words before the program that are not options.
    n_words: usize,
    /// Whether the rest is a text for a shell, and not a program with its arguments.
    is_text: bool,
}

/// The command that a program of this name runs with these arguments.
pub(super) fn behind<'a>(name: &str, arguments: &'a [String]) -> Option<Behind<'a>> {
    // The name of the loader contains the name of the machine.
    let name = if name == "ld.so" || (name.starts_with("ld-") && name.contains(".so")) {
        "ld-linux.so.2"
    } else if name.starts_with("qemu-") && !name.starts_with("qemu-system") && name != "qemu-img" {
        "qemu-user"
    } else {
        name
    };
    let mut rows = WRAPPERS.iter().filter(|wrapper| wrapper.name == name);
    rows.find_map(|wrapper| {
        let rest = wrapper.below(arguments)?;
        Some(Behind {
            words: wrapper.behind(rest),
            is_text: wrapper.is_text,
        })
    })
}

/// The command that a wrapper runs.
pub(super) struct Behind<'a> {
    /// Program and arguments; empty if there is no program.
    pub(super) words: &'a [String],
    /// Whether the words are a text for a shell.
    pub(super) is_text: bool,
}

impl Wrapper {
    /// The arguments after the path. Options, and words that may be an option's value, may come before each word of the
    /// path.
    fn below<'a>(&self, arguments: &'a [String]) -> Option<&'a [String]> {
        let mut rest = arguments;
        for names in self.path {
            let (names, may_be_anywhere) = match names.strip_prefix('*') {
                Some(names) => (names, true),
                None => (*names, false),
            };
            let mut may_be_value = false;
            loop {
                let (word, after) = rest.split_first()?;
                rest = after;
                if names.split('|').any(|name| name == word) {
                    break;
                }
                let is_option = word.starts_with('-');
                if !is_option && !may_be_value && !may_be_anywhere {
                    return None;
                }
                may_be_value = is_option && !word.contains('=');
            }
        }
        Some(rest)
    }

    /// The program that the wrapper runs, with its arguments.
    fn behind<'a>(&self, arguments: &'a [String]) -> &'a [String] {
        let mut rest = arguments;
        let mut n_words = self.n_words;
        let mut is_after_options = false;
        while let Some((word, after)) = rest.split_first() {
            if word == "--" && !is_after_options {
                is_after_options = true;
                rest = after;
            } else if !is_after_options && word.starts_with('-') && word.len() > 1 {
                let n_taken = self.n_values(word);
                rest = after.get(n_taken..).unwrap_or_default();
            } else if word == "-" && self.name == "env" {
                rest = after;
            } else if n_words > 0 && (self.name != "setarch" || is_machine(word)) {
                n_words -= 1;
                rest = after;
            } else if is_setting(word) {
                rest = after;
            } else {
                return rest;
            }
        }
        rest
    }

    /// The number of words after this option that are its values.
    fn n_values(&self, word: &str) -> usize {
        let n_rows = self.with_value.iter().filter(|known| **known == word);
        n_rows.count().max(usize::from(self.takes_value(word)))
    }

    /// Whether the next word is the value of this option, or of the last option in a cluster. A long option may be
    /// abbreviated.
    fn takes_value(&self, word: &str) -> bool {
        if let Some(long) = word.strip_prefix("--") {
            let is_it = |known: &&str| {
                known
                    .strip_prefix("--")
                    .is_some_and(|known| known.starts_with(long))
            };
            return !word.contains('=') && self.with_value.iter().any(is_it);
        }
        let Some((at, _)) = word.char_indices().skip(1).find(|(_, letter)| {
            self.with_value
                .iter()
                .any(|known| is_letter(known, *letter))
        }) else {
            return false;
        };
        at + 1 == word.len()
    }
}

/// Whether a word names a kind of machine: `setarch` may take one before its program.
fn is_machine(word: &str) -> bool {
    let starts = [
        "x86", "i", "linux", "aarch", "arm", "ppc", "s390", "sparc", "mips", "riscv", "uname",
    ];
    starts.iter().any(|start| word.starts_with(start))
        && word.contains(|c: char| c.is_ascii_digit())
}

fn is_letter(known: &str, letter: char) -> bool {
    known
        .strip_prefix('-')
        .is_some_and(|rest| rest.chars().eq([letter]))
}

/// Whether a word sets a variable: `NAME=value`.
pub(super) fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
