//! The word that is being read.

use super::UNKNOWN;

/// The word that is being read, with its quotes removed.
#[derive(Debug, Default)]
pub(super) struct Word {
    text: String,
    /// The offset of the first letter that is quoted, escaped or expanded, in bytes of `text`.
    plain: Option<usize>,
    /// Whether an expansion outside of quotes may split or remove the word.
    pub(super) is_split: bool,
    /// Whether a part of the word is unknown and may be more than a number.
    is_text: bool,
    /// The offset of an open brace, or bracket, outside of quotes.
    brace: Option<usize>,
    bracket: Option<usize>,
    /// Whether a `,` or `..` follows the brace.
    is_list: bool,
}

/// A finished word.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) text: String,
    /// Whether no letter is quoted or expanded: only such a word can be a keyword.
    pub(super) is_plain: bool,
    pub(super) is_split: bool,
    /// The number of bytes before the first letter that is quoted or expanded.
    plain: usize,
    is_text: bool,
}

impl Word {
    /// Adds a quoted letter.
    pub(super) fn quoted(&mut self, c: char) {
        self.quote();
        self.text.push(c);
    }

    /// Records a quote at this position.
    pub(super) fn quote(&mut self) {
        self.plain.get_or_insert(self.text.len());
    }

    /// Adds a part that only the shell knows.
    pub(super) fn unknown(&mut self, is_quoted: bool) {
        self.quote();
        self.is_split |= !is_quoted;
        self.is_text = true;
        self.text.push(UNKNOWN);
    }

    /// Adds a number that only the shell knows.
    pub(super) fn number(&mut self) {
        self.quote();
        self.text.push(UNKNOWN);
    }

    /// Adds a letter outside of quotes.
    pub(super) fn plain(&mut self, c: char) {
        match c {
            '*' | '?' => {
                self.unknown(true);
                return;
            }
            '[' => self.bracket = self.bracket.or(Some(self.text.len())),
            ']' => {
                if let Some(at) = self.bracket.filter(|_| !self.is_index()) {
                    self.bracket = None;
                    self.text.truncate(at);
                    self.unknown(true);
                    return;
                }
            }
            '{' => self.brace = self.brace.or(Some(self.text.len())),
            ',' => self.is_list |= self.brace.is_some(),
            '.' => self.is_list |= self.brace.is_some() && self.text.ends_with('.'),
            _ => {}
        }
        self.text.push(c);
    }

    /// Whether the word has no text so far.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text of the word, if it has no quotes and no expansions.
    pub(super) fn as_plain(&self) -> Option<&str> {
        self.plain.is_none().then_some(self.text.as_str())
    }

    /// Whether the bracket after a name is an index: `name[0]=`.
    fn is_index(&self) -> bool {
        self.bracket
            .is_some_and(|at| at > 0 && is_name(&self.text[..at]))
    }

    pub(super) fn finish(mut self) -> Finished {
        if let Some(at) = self.brace.filter(|_| self.is_list) {
            // `{a,b}` are several words.
            self.text.truncate(at);
            self.is_split = true;
            self.unknown(false);
        }
        if let Some(at) = self.bracket {
            // Brackets after a name are an index only before a `=`.
            let after = self.text[at..]
                .find(']')
                .map(|end| &self.text[at + end + 1..]);
            if after.is_some_and(|rest| !rest.starts_with('=') && !rest.starts_with("+=")) {
                self.text.truncate(at);
                self.unknown(true);
            }
        }
        let plain = self.plain.unwrap_or(self.text.len()).min(self.text.len());
        Finished {
            is_plain: self.plain.is_none(),
            plain,
            is_split: self.is_split,
            is_text: self.is_text,
            text: self.text,
        }
    }
}

/// A variable that a word sets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assignment<'a> {
    pub(super) name: &'a str,
    /// The text in brackets after the name.
    pub(super) index: Option<&'a str>,
    pub(super) value: &'a str,
    /// Whether the value is a number.
    pub(super) is_number: bool,
}

impl Finished {
    /// Reads the word as `name=value`, which it is only if nothing up to the `=` is quoted.
    pub(super) fn assignment(&self) -> Option<Assignment<'_>> {
        let at = self.text.find('=')?;
        let head = self.text[..at].trim_end_matches('+');
        let (name, index) = match head.split_once('[') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(']')?)),
            None => (head, None),
        };
        // An index may be quoted or expanded; the name may not.
        let is_bare = if index.is_some() {
            self.plain >= name.len()
        } else {
            self.plain > at
        };
        if !is_bare || !is_name(name) || self.text[..at].len() > head.len() + 1 {
            return None;
        }
        let value = &self.text[at + 1..];
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '-' | UNKNOWN);
        Some(Assignment {
            name,
            index,
            value,
            is_number: !self.is_text && value.chars().all(is_digit),
        })
    }
}

/// Whether a text is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
