//! Tokens of the code inside a tag of a Jinja template, and how the token beside a string uses the string.

/// Methods whose arguments are searched for, not written.
const TESTS: &[&str] = &[
    "split",
    "rsplit",
    "startswith",
    "endswith",
    "strip",
    "lstrip",
    "rstrip",
    "removeprefix",
    "removesuffix",
    "replace",
    "find",
    "rfind",
    "index",
    "count",
    "get",
    "pop",
    "selectattr",
    "rejectattr",
    "map",
    "attr",
    "raise_exception",
    "strftime_now",
];

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string, with its escapes decoded.
    Text(String),
    /// A name, a number or a keyword.
    Word(String),
    /// `==` and its like.
    Compare,
    Mark(char),
}

#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: usize,
}

pub(super) fn tokens(code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = if matches!(c, '"' | '\'') {
            let (text, length) = string(rest);
            let kind = Kind::Text(text);
            tokens.push(Token { kind, at });
            length
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let word = &rest[..end.unwrap_or(rest.len())];
            let kind = Kind::Word(word.to_owned());
            tokens.push(Token { kind, at });
            word.len()
        } else if ["==", "!=", "<=", ">="]
            .iter()
            .any(|two| rest.starts_with(two))
        {
            let kind = Kind::Compare;
            tokens.push(Token { kind, at });
            2
        } else {
            if !c.is_whitespace() {
                let kind = Kind::Mark(c);
                tokens.push(Token { kind, at });
            }
            c.len_utf8()
        };
        at += length;
    }
    tokens
}

/// The string that `text` starts with, and its length with its quotes.
pub(super) fn string(text: &str) -> (String, usize) {
    let mut out = String::new();
    let quote = text.chars().next();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if Some(c) == quote {
            return (out, at + 1);
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some((_, 'n')) => out.push('\n'),
            Some((_, 't')) => out.push('\t'),
            Some((_, 'r')) => out.push('\r'),
            Some((_, c @ ('\\' | '"' | '\''))) => out.push(c),
            Some((_, c)) => out.extend(['\\', c]),
            None => {}
        }
    }
    (out, text.len())
}

/// Whether the token beside a string is a comparison: such a string is tested, not written.
pub(super) fn compares(beside: Option<&Kind>) -> bool {
    match beside {
        Some(Kind::Compare) => true,
        Some(Kind::Mark(c)) => matches!(c, '<' | '>'),
        Some(Kind::Word(word)) => matches!(word.as_str(), "in" | "is"),
        _ => false,
    }
}

pub(super) fn is_keyword(word: &str) -> bool {
    matches!(word, "if" | "else" | "and" | "or" | "not" | "in" | "is")
}

/// The method or filter whose name ends these tokens.
pub(super) fn method_of(tokens: &[Token]) -> Option<&str> {
    match tokens {
        [.., before, name] if matches!(before.kind, Kind::Mark('.' | '|')) => match &name.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a method's arguments are searched for, not written.
pub(super) fn is_test(method: &str) -> bool {
    TESTS.contains(&method)
}
