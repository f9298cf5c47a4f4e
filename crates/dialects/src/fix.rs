//! Replaces words in a file that have another name in the notation.

use std::collections::BTreeSet;
use std::ops::Range;

use toolglot_engine::GrammarError;

/// A dialect file with the words of the notation.
#[derive(Clone, Debug)]
pub struct FixedFile {
    /// The file. Literals, comments and the names of its own rules are unchanged.
    pub text: String,
    /// The replacements, in order of place.
    pub replacements: Vec<Replacement>,
    /// The first remaining error of the file, if any, with places in [`text`](FixedFile::text).
    pub error: Option<GrammarError>,
}

/// A word that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The line, from 1.
    pub line: usize,
    /// The word in the input.
    pub found: String,
    /// The word of the notation.
    pub word: String,
}

/// Replaces each word that has another name in the notation, up to the first other error. A file with the words of the
/// notation stays as it is.
///
/// ```
/// let fixed = toolglot_dialects::fix("dialect mine\ncall = bol \"run \" name \" \" json\n");
/// assert_eq!(fixed.text, "dialect mine\ncall = line_start \"run \" name \" \" json\n");
/// assert!(fixed.error.is_none());
/// ```
pub fn fix(file: &str) -> FixedFile {
    let mut text = file.to_owned();
    let mut replacements = Vec::new();
    let error = loop {
        let Err(error) = crate::parse(&text) else {
            break None;
        };
        let Some(word) = error.replacement.clone() else {
            break Some(error);
        };
        let place = error.span.clone();
        if names_a_rule(&text, &place) && rule_names(&text).contains(word.as_str()) {
            let help = format!("the file has a rule `{word}` already: give that another name");
            break Some(GrammarError {
                help: Some(help),
                ..error
            });
        }
        replacements.push(Replacement {
            line: 1 + text[..place.start].matches('\n').count(),
            found: text[place.clone()].to_owned(),
            word: word.clone(),
        });
        text.replace_range(place, &word);
    };
    // Names of rules are replaced before words inside rules.
    replacements.sort_by_key(|replacement| replacement.line);
    FixedFile {
        text,
        replacements,
        error,
    }
}

/// Whether the place is the name that a line defines: the name of a rule or of a setting.
fn names_a_rule(text: &str, place: &Range<usize>) -> bool {
    let line = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    text[line..place.start].trim().is_empty() && !text[place.end..].starts_with(':')
}

fn rule_names(text: &str) -> BTreeSet<&str> {
    let first = |line| str::split_whitespace(line).next();
    text.lines().filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "dialect mine\nnone: text|none\nids: count\nvalues: schema|kind(str: string, *: json)\n\
        # text and bol\n  \ncall = bol \"text bol \" name \"{skip}{name}\" attrs(kind: kind, key: text) \">\" text \"</{kind}>\" part ws\n  \
        | start \"x\" name text(text) end\npart = \"p\" skip \"q\" # skip\nbarred = \"text\"\nwritten_block = written written*\nwritten = \"a\" name json\nresult = text\n";
    const NEW: &str = "dialect mine\nno_tool: text|none\nid_form: count\nvalues: schema|type(str: string, *: json)\n\
        # text and bol\n  \ncall = line_start \"text bol \" name \"{any}{name}\" attrs(type: kind, key: text) \">\" raw \"</{type}>\" part ws\n  \
        | message_start \"x\" name raw(text) message_end\npart = \"p\" any \"q\" # skip\nnot_in_results = \"text\"\nwrite_block = write write*\nwrite = \"a\" name json\nresult = raw\n";

    #[test]
    fn only_words_of_the_notation_are_replaced_and_once() {
        let fixed = fix(OLD);
        assert_eq!(fixed.text, NEW);
        assert_eq!(fixed.replacements.len(), 18);
        let again = fix(NEW);
        assert_eq!((again.text.as_str(), again.replacements), (NEW, Vec::new()));
    }

    #[test]
    fn a_rule_that_would_take_the_meaning_of_another_is_an_error() {
        for (file, message) in [
            (
                "dialect a\nwrite = \"x\"\nwritten = write name json\ncall = \"c\" name json\n",
                "`written` is called",
            ),
            (
                "dialect a\nserver = \"x\" ns\ncall = server name json\n",
                "`server` is a word",
            ),
        ] {
            let fixed = fix(file);
            assert_eq!(fixed.text, file);
            let error = fixed.error.expect("one");
            assert!(error.message.contains(message), "{error}");
        }
    }
}
