//! Small changes to a text, token by token: what a model gets wrong, or a stream cuts off.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// One change. Places are tokens, but for those of `Splice` and `CutOff`, which are any.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Drop(Index, usize),
    Double(Index, usize),
    Put(Index, String),
    Exchange(Index, String),
    CutOff(Index),
    /// From a place on another text goes on, from a place in that.
    Splice(Index, Index, Index),
    /// Another text follows.
    Append(Index, &'static str),
}

/// Signs that structure is made of, raw and escaped.
const SIGNS: &[&str] = &[
    "\"", "'", "\\", "\\\"", "`", "```", "{", "}", "[", "]", "(", ")", "<", ">", "</", "/>", ",",
    ":", "=", ".", "...", "#", "//", " ", "\n", "\\n", "null", "x",
];

/// Up to four changes; what is put between tokens is a sign or one of `words`.
pub(crate) fn edits(words: &[String]) -> impl Strategy<Value = Vec<Edit>> + use<> {
    let mut puts: Vec<String> = SIGNS.iter().copied().map(String::from).collect();
    let sign = select(puts.clone());
    puts.extend_from_slice(words);
    let place = any::<Index>;
    let edit = prop_oneof![
        2 => (place(), 1..4usize).prop_map(|(at, n)| Edit::Drop(at, n)),
        1 => (place(), 1..5usize).prop_map(|(at, n)| Edit::Double(at, n)),
        2 => (place(), select(puts)).prop_map(|(at, word)| Edit::Put(at, word)),
        2 => (place(), sign).prop_map(|(at, sign)| Edit::Exchange(at, sign)),
        1 => place().prop_map(Edit::CutOff),
        2 => (place(), place(), place()).prop_map(|(at, of, from)| Edit::Splice(at, of, from)),
        1 => (place(), select(&["", "\n", " or "][..])).prop_map(|(of, sign)| Edit::Append(of, sign)),
    ];
    vec(edit, 0..5)
}

/// `text` with the changes made, the first one first.
pub(crate) fn edited(text: &str, edits: &[Edit], others: &[&str]) -> String {
    let mut text = String::from(text);
    for edit in edits {
        let tokens = tokens(&text);
        let token = |at: &Index| at.index(tokens.len() + 1);
        let behind = |at: usize, n: usize| (at + n).min(tokens.len());
        text = match edit {
            Edit::Drop(at, n) => {
                let at = token(at);
                tokens[..at].concat() + &tokens[behind(at, *n)..].concat()
            }
            Edit::Double(at, n) => {
                let at = token(at);
                tokens[..behind(at, *n)].concat() + &tokens[at..].concat()
            }
            Edit::Put(at, word) => {
                let at = token(at);
                tokens[..at].concat() + word + &tokens[at..].concat()
            }
            Edit::Exchange(at, sign) => {
                let at = token(at);
                tokens[..at].concat() + sign + &tokens[behind(at, 1)..].concat()
            }
            Edit::CutOff(at) => text[..place(&text, *at)].into(),
            Edit::Splice(at, of, from) => {
                let other = others[of.index(others.len())];
                text[..place(&text, *at)].to_owned() + &other[place(other, *from)..]
            }
            Edit::Append(of, sign) => text + sign + others[of.index(others.len())],
        };
    }
    text
}

/// Words, runs of blanks, and single signs.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let goes_on = |c: char| kind(c) == kind(first) && kind(c) > 0;
        let end = rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
        let (token, behind) = rest.split_at(end.max(first.len_utf8()));
        all.push(token);
        rest = behind;
    }
    all
}

fn place(text: &str, index: Index) -> usize {
    let at = index.index(text.len() + 1);
    (at..text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}
