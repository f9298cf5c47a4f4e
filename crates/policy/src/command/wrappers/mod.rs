//! Programs that run the rest of their line.

mod rows;

use rows::WRAPPERS;

/// A program that runs the rest of its line.
pub(super) struct Wrapper {
    name: &'static str,
    /// Words that have to stand before, options aside: each with its other spellings, after `|`. One that starts with `*`
    /// may have any words before it.
    path: &'static [&'static str],
    /// Options whose value is the next word; those that stand here twice take two.
    with_value: &'static [&'static str],
    /// Words before the program that are no options.
    n_words: usize,
    /// Whether the rest is a text for a shell, and not a program with its arguments.
    is_text: bool,
}

/// What runs after a program of this name with these arguments.
pub(super) fn behind<'a>(name: &str, arguments: &'a [String]) -> Option<Behind<'a>> {
    // The loader has the machine's name in its own.
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

/// What a wrapper runs.
pub(super) struct Behind<'a> {
    /// Program and arguments; empty where there is none.
    pub(super) words: &'a [String],
    /// Whether they are a text for a shell.
    pub(super) is_text: bool,
}

impl Wrapper {
    /// What follows the path. Before each of its words there may be options, and words that may be an option's value.
    fn below<'a>(&self, arguments: &'a [String]) -> Option<&'a [String]> {
        let mut rest = arguments;
        for names in self.path {
            let (names, may_be_anywhere) = match names.strip_prefix('*') {
                Some(names) => (names, true),
                None => (*names, false),
            };
            let mut may_be_value = false;
            loop {
                let (word, behind) = rest.split_first()?;
                rest = behind;
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

    /// The program that it runs, with its arguments.
    fn behind<'a>(&self, arguments: &'a [String]) -> &'a [String] {
        let mut rest = arguments;
        let mut n_words = self.n_words;
        let mut is_behind_options = false;
        while let Some((word, behind)) = rest.split_first() {
            if word == "--" && !is_behind_options {
                is_behind_options = true;
                rest = behind;
            } else if !is_behind_options && word.starts_with('-') && word.len() > 1 {
                let n_taken = self.n_values(word);
                rest = behind.get(n_taken..).unwrap_or_default();
            } else if word == "-" && self.name == "env" {
                rest = behind;
            } else if n_words > 0 && (self.name != "setarch" || is_machine(word)) {
                n_words -= 1;
                rest = behind;
            } else if is_setting(word) {
                rest = behind;
            } else {
                return rest;
            }
        }
        rest
    }

    /// How many words after this option are its values.
    fn n_values(&self, word: &str) -> usize {
        let n_rows = self.with_value.iter().filter(|known| **known == word);
        n_rows.count().max(usize::from(self.takes_value(word)))
    }

    /// Whether the next word is the value of this option, or of the last of several in one word. A long option may be cut short.
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

/// Whether a word names a kind of machine, which `setarch` takes before its program or not.
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
