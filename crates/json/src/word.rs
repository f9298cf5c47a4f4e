//! The JSON values of words without quotes: literals and numbers in many spellings.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::escape::quoted;
use crate::repair::Repair;

/// Whether `word` is a JSON number.
pub fn is_number(word: &str) -> bool {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (whole, rest) = digits(unsigned);
    let is_whole = whole.len() == 1 || !whole.is_empty() && !whole.starts_with('0');
    if rest.is_empty() || !is_whole {
        // Most numbers have no fraction and no exponent.
        return is_whole;
    }
    let (fraction, rest) = rest.strip_prefix('.').map_or(("0", rest), digits);
    let exponent = rest.strip_prefix(['e', 'E']);
    let exponent = exponent.map(|signed| signed.strip_prefix(['+', '-']).unwrap_or(signed));
    !fraction.is_empty() && (rest.is_empty() || exponent.is_some_and(is_digits))
}

/// The decimal digits at the start of `text`, and the rest.
pub(crate) fn digits(text: &str) -> (&str, &str) {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(n_digits)
}

/// Whether `text` is one or more decimal digits.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The length of the number or literal at the start of `bytes`.
pub(crate) fn word_length(bytes: &[u8]) -> usize {
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
    bytes.iter().take_while(is_part).count()
}

/// Whether `byte` ends the number or literal before it.
pub(crate) fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r')
}

/// Whether `word` is `true`, `false`, `null` or a number, as JSON spells them.
pub fn is_scalar(word: &str) -> bool {
    matches!(word, "true" | "false" | "null") || is_number(word)
}

/// A number of at most this many characters without an exponent is finite as an `f64`.
const SURELY_FINITE: usize = 308;

/// Whether the JSON number is too large for an `f64`: `1e999`. Readers of JSON reject such a number, or read infinity,
/// which is not JSON (RFC 8259, section 6).
pub fn overflows(number: &str) -> bool {
    (number.len() > SURELY_FINITE || number.bytes().any(|byte| matches!(byte, b'e' | b'E')))
        && is_number(number)
        && number.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Whether JSON can contain `word` as it is: a scalar, but not a number too large for an `f64`.
pub(crate) fn is_json(word: &str) -> bool {
    is_scalar(word) && !overflows(word)
}

/// The JSON text of a word, and the repair that made it from the word.
///
/// `zeros`: leading zeros are dropped (in a Python call, a bare word is not a zip code).
pub(crate) fn value(word: &str, zeros: bool) -> (Cow<'_, str>, Option<Repair>) {
    let literal = |json| (Cow::Borrowed(json), Some(Repair::PythonLiteral));
    match word {
        _ if is_json(word) => return (Cow::Borrowed(word), None),
        "True" | "TRUE" => return literal("true"),
        "False" | "FALSE" => return literal("false"),
        "None" | "NULL" | "Null" | "undefined" => return literal("null"),
        "NaN" | "Infinity" | "-Infinity" | "+Infinity" | "inf" | "-inf" | "nan" => {
            return unrepresentable(word);
        }
        _ => {}
    }
    let digits = word.trim_start_matches('0');
    let is_padded = zeros && digits.starts_with(|c: char| c.is_ascii_digit());
    match number(if is_padded { digits } else { word }) {
        Some(number) if overflows(&number) => unrepresentable(word),
        Some(number) => (Cow::Owned(number), Some(Repair::InvalidNumber)),
        None => (Cow::Owned(quoted(word)), Some(Repair::UnquotedString)),
    }
}

/// Keeps a number that JSON or its readers cannot represent as text.
fn unrepresentable(word: &str) -> (Cow<'_, str>, Option<Repair>) {
    let repair = Repair::UnrepresentableNumber;
    (Cow::Owned(quoted(word)), Some(repair))
}

/// The sign of a number as JSON writes it, and the digits after it.
pub(crate) fn signed(number: &str) -> (&'static str, &str) {
    match number.as_bytes().first() {
        Some(b'-') => ("-", &number[1..]),
        Some(b'+') => ("", &number[1..]),
        _ => ("", number),
    }
}

/// A number in another spelling (`+1`, `.5`, `5.`, `1_000`, `0x10`) as JSON; decimal digits are kept.
fn number(word: &str) -> Option<String> {
    let (sign, digits) = signed(word);
    let hex = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    if let Some(hex) = hex {
        let value = u64::from_str_radix(hex, 16).ok()?;
        return Some(alloc::format!("{sign}{value}"));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || digits.contains("__")
        || digits.ends_with('_')
    {
        return None;
    }
    let mut plain: String = digits.chars().filter(|&c| c != '_').collect();
    if plain.starts_with('.') {
        plain.insert(0, '0');
    }
    if let Some(dot) = plain.find('.')
        && !plain[dot + 1..].starts_with(|c: char| c.is_ascii_digit())
    {
        plain.insert(dot + 1, '0');
    }
    plain.insert_str(0, sign);
    is_number(&plain).then_some(plain)
}

/// Names of calls that are read as the value inside: `MongoDB` shells, Python reprs.
const WRAPPERS: &[&str] = &[
    "ObjectId",
    "ISODate",
    "NumberLong",
    "NumberInt",
    "NumberDecimal",
    "Timestamp",
    "Date",
    "UUID",
    "BinData",
    "Decimal",
    "Decimal128",
    "OrderedDict",
    "dict",
    "list",
    "tuple",
    "set",
    "frozenset",
    "str",
    "int",
    "float",
    "Path",
    "PosixPath",
];

/// Whether a call of `name` is read as the value in its parentheses.
pub(crate) fn is_wrapper(name: &str) -> bool {
    let base = name.rsplit('.').next().unwrap_or(name);
    WRAPPERS.contains(&base)
}

/// Whether Python writes `word` right before the quote of a string.
pub(crate) fn is_string_prefix(word: &str) -> bool {
    matches!(
        word,
        "r" | "b" | "u" | "f" | "R" | "B" | "U" | "F" | "rb" | "br" | "fr" | "rf"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_json_numbers() {
        for good in [
            "0",
            "-0",
            "12",
            "1.5",
            "1e9",
            "-1.5E-3",
            "123456789012345678901234567890",
        ] {
            assert!(is_number(good), "{good}");
        }
        for bad in [
            "", "-", "01", "1.", ".5", "1e", "+1", "0x1", "1_0", "--1", "1.5.2",
        ] {
            assert!(!is_number(bad), "{bad}");
        }
    }

    #[test]
    fn numbers_beyond_all_are_text() {
        let digits = |n: usize| "9".repeat(n);
        for huge in [
            "1e999",
            "-1E+400",
            "1.8e308",
            "1e99999999999999999999",
            &digits(310),
        ] {
            assert!(is_number(huge) && overflows(huge), "{huge}");
            assert_eq!(value(huge, false).0, quoted(huge));
            assert_eq!(value(huge, false).1, Some(Repair::UnrepresentableNumber));
        }
        assert_eq!(value("+1e999", true).0, "\"+1e999\"");
        assert_eq!(value("01e999", true).0, "\"01e999\"");
        for finite in [
            "1e308",
            "1e-999",
            "0e999",
            "1.7976931348623157e308",
            &digits(308),
        ] {
            assert_eq!(value(finite, false), (Cow::Borrowed(finite), None));
        }
    }

    #[test]
    fn words_become_what_they_stand_for() {
        for (word, json) in [
            ("True", "true"),
            ("None", "null"),
            ("+1", "1"),
            ("-.5", "-0.5"),
            ("5.", "5.0"),
            ("1_000", "1000"),
            ("0x10", "16"),
            ("007", "\"007\""),
            ("hello world", "\"hello world\""),
            ("NaN", "\"NaN\""),
        ] {
            assert_eq!(value(word, false).0, json, "{word}");
            assert!(value(word, false).1.is_some(), "{word}");
        }
    }
}
