//! The costs of a reading of a quote, and the limits of readings: all numbers that readings are compared by.

use crate::repair::Repair;

/// The maximum number of readings alive at once.
pub(super) const MAX_LIVE: usize = 4;

/// The longest lookahead of the readings of a stream, in bytes.
pub(super) const STREAM: usize = 1024;

/// Caps the bytes that readings of a document read: a base, and a rate per input byte. A quote counts as `PER_QUOTE`.
pub(super) const BUDGET: u64 = 1 << 15;
pub(super) const PER_BYTE: u64 = 2;
pub(super) const PER_QUOTE: u64 = 16;

/// How many containers a reading copies, from the innermost out.
pub(super) const DEPTH: usize = 64;

/// A reading that costs this much more than the cheapest is dropped.
pub(super) const MARGIN: u32 = 5;

/// The same limit, if the string has no quote inside so far.
pub(super) const NEAR: u32 = 3;

/// If a different reading of a decided quote costs at most this much more, the string is in doubt.
pub(super) const DOUBT: u32 = 1;

/// What a reading is charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    /// A repair. A repair of spelling, which a document may need throughout, is charged once.
    Repair(Repair),
    /// A string ends after an odd number of quotes inside, which normally come in pairs.
    OddQuote,
    /// A letter or digit right after the quote that ends a string.
    GluedLetter,
    /// A comma after a quote inside: the string seems to have swallowed a value.
    InnerComma,
    /// A colon after a quote inside: the string seems to have swallowed a key.
    InnerColon,
    /// The same for a known key of the object that did not occur in it yet.
    KnownColon,
    /// A key that its object is not known to have, or that has a backslash.
    OddKey,
    /// Text after the document, on its line.
    OuterText,
    /// Text after a document that is a string, or a backslash after any document.
    RootText,
}

/// Each charge, its cost, and a text with the result that differs without the row. The text is a document, or, for
/// charges that depend on known keys, a stream whose object is known to have `path` and `content`.
#[rustfmt::skip]
pub(super) const TABLE: &[(Charge, u32, &str, &str)] = &[
    (Charge::Repair(Repair::TruncatedJson), 1, r#"{"key": "a, b"```"#, r#"{"key": "a, b\"```"}"#),
    (Charge::Repair(Repair::MissingComma), 1, r#"{a:"b,c,"d":"e"}"#, r#"{"a":"b,c","d":"e"}"#),
    (Charge::Repair(Repair::UnquotedKey), 1, "{\"a\": \"b\n\"c\": \"d\"}", "{\"a\": \"b\"\n,\"c\": \"d\"}"),
    (Charge::Repair(Repair::UnescapedQuote), 2, r#"{"a": "b" "c"}"#, r#"{"a": "bc"}"#),
    (Charge::Repair(Repair::MissingBracket), 2, r#"{"a": "v"alu"e"} b:"#, r#"{"a": "v\"alu\"e"} "#),
    (Charge::Repair(Repair::MissingQuote), 3, r#"{"" key":"val""#, r#"{"\" key":"val"}"#),
    (Charge::Repair(Repair::MissingValue), 3, r#"{"o": {"k": "l": "m"}}"#, r#"{"o": {"k": "l\": \"m"}}"#),
    (Charge::Repair(Repair::MismatchedBracket), 3, r#"{"h": "(5'3")"}"#, r#"{"h": "(5'3\")"}"#),
    (Charge::Repair(Repair::DuplicateKey), 3, r#"{"path": "a}[N]{"path": "b", "content": "c"}"#, r#"{"path": "a}[N]{\"path\": \"b", "content": "c"}"#),
    (Charge::Repair(Repair::Junk), 3, "{\"a\": \"x\"\n\\d y", "{\"a\": \"x\\\"\\n\\\\d y\"}"),
    (Charge::OddQuote, 2, r#"{"p": ["a, "b"]}"#, r#"{"p": ["a", "b"]}"#),
    (Charge::GluedLetter, 3, r#"{"a":"b,"c":"d"}"#, r#"{"a":"b","c":"d"}"#),
    (Charge::InnerComma, 1, r#"{"p": ["say, "hi" now", "b"]}"#, r#"{"p": ["say, \"hi\" now", "b"]}"#),
    (Charge::InnerColon, 2, r#"{"x": "a, {"k": 1}, "y": 2}"#, r#"{"x": "a, {\"k\": 1}", "y": 2}"#),
    (Charge::KnownColon, 5, r#"{"path": "a.js "content": "x"}"#, r#"{"path": "a.js ","content": "x"}"#),
    (Charge::OddKey, 3, r#"{"a": "x, "b": "y"}"#, r#"{"a": "x, \"b\": \"y"}"#),
    (Charge::OuterText, 3, r#"{"b": "x" true}"#, r#"{"b": "x\" true"}"#),
    (Charge::RootText, 6, r#""The TV is 72"""#, r#""The TV is 72\"""#),
];

/// The cost of `charge`.
pub(super) fn cost(charge: Charge) -> u32 {
    #[cfg(test)]
    if super::tests::is_disabled(charge) {
        return 0;
    }
    let row = TABLE.iter().find(|(of, ..)| *of == charge);
    row.map_or(0, |&(_, cost, ..)| cost)
}
