//! The settings of a rule for the arguments after the words that its `argv` lists.

use super::pattern::Word;

/// The settings of a rule for arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Arguments that are allowed; `None` allows all.
    pub(crate) allowed: Option<Vec<Word>>,
    /// Options whose value is the next word, whatever it is.
    pub(crate) with_value: Vec<Word>,
    /// Arguments that are forbidden, in any spelling.
    pub(crate) forbidden: Vec<Word>,
    /// Words that are options exactly as written: they may start like a forbidden option, or contain its letter.
    pub(crate) exact: Vec<Word>,
}

impl Options {
    pub(crate) fn is_any(&self) -> bool {
        self.allowed.is_some()
            || !self.with_value.is_empty()
            || !self.forbidden.is_empty()
            || !self.exact.is_empty()
    }

    /// Whether one of the arguments is forbidden. A value is checked like any other word: without a list of allowed
    /// options it is unknown which option takes the value.
    pub(crate) fn forbid(&self, words: &[String]) -> bool {
        let is_exact = |word: &String| self.exact.iter().any(|pattern| pattern.fits(word));
        let is_forbidden = |word: &String| {
            let is =
                |pattern: &Word| pattern.fits(word) || (pattern.is_option(word) && !is_exact(word));
            self.forbidden.iter().any(is)
        };
        words.iter().any(is_forbidden)
    }

    /// Whether each argument is allowed, read from the left as the program does: the value of an option is not an
    /// option.
    pub(crate) fn allow(&self, words: &[String]) -> bool {
        let Some(allowed) = &self.allowed else {
            return true;
        };
        let mut words = words.iter();
        let mut is_after_dashes = false;
        while let Some(word) = words.next() {
            if !is_after_dashes && self.with_value.iter().any(|pattern| pattern.fits(word)) {
                words.next();
                continue;
            }
            if !allowed.iter().any(|pattern| pattern.fits(word)) {
                return false;
            }
            is_after_dashes |= word == "--";
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, Word};

    fn words(list: &[&str]) -> Vec<Word> {
        list.iter()
            .map(|text| Word::new(text).expect("good"))
            .collect()
    }

    fn split(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_value_of_an_option_is_no_option() {
        let options = Options {
            allowed: Some(words(&["-a", "--", "re:[^-].*"])),
            with_value: words(&["-m", "--message"]),
            ..Options::default()
        };
        for (line, expected) in [
            ("-m x", true),
            ("-m -x", true),
            ("-m --", true),
            ("-m -- -S", false),
            ("--message -m", true),
            ("-m -m -S", false),
            ("-m", true),
            ("-a -m -a f", true),
            ("-S -m", false),
            ("-S", false),
            // After the dashes the word is a file, and takes no value.
            ("-- -m -S", false),
        ] {
            assert_eq!(options.allow(&split(line)), expected, "{line}");
        }
    }

    #[test]
    fn what_stands_as_it_is_is_no_other_cut_short() {
        let options = Options {
            forbidden: words(&["--textconv*", "-O*"]),
            exact: words(&["--text", "-S*"]),
            ..Options::default()
        };
        for (line, expected) in [
            ("--text", false),
            ("--textc", true),
            ("--tex", true),
            ("--textconv", true),
            ("-STODO", false),
            ("-nSO", true),
            ("-O", true),
            ("-Oless", true),
        ] {
            assert_eq!(options.forbid(&split(line)), expected, "{line}");
        }
    }
}
