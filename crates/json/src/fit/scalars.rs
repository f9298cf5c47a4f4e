//! Converts text to the scalar that it spells, as JSON.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use crate::repair::Repair;
use crate::shape::{Scalars, Shape};
use crate::word::{self, digits, is_digits, is_number, overflows, signed};

/// `text` as a JSON scalar that the shape allows; `None` if `text` spells no such scalar. Decimal digits are kept.
///
/// Booleans are `true` and `false` in any letter case, never `yes` or `1`; null is exactly `null`. An integer may be
/// spelled `42.0` or `1e3`, as in JSON Schema; `42.5` is not an integer.
pub fn scalar_of<'a>(text: &'a str, shape: &Shape) -> Option<Cow<'a, str>> {
    match shape {
        Shape::Scalar(scalars) => scalar(text, *scalars),
        Shape::OneOf(shapes) => shapes.iter().find_map(|shape| scalar_of(text, shape)),
        _ => None,
    }
}

fn scalar(text: &str, scalars: Scalars) -> Option<Cow<'_, str>> {
    if scalars.null && text == "null" {
        return Some(Cow::Borrowed("null"));
    }
    let is_word = |word: &&str| scalars.boolean && text.eq_ignore_ascii_case(word);
    if let Some(word) = ["true", "false"].into_iter().find(is_word) {
        return Some(Cow::Borrowed(word));
    }
    if !scalars.integer && !scalars.number {
        return None;
    }
    let number = number(text).filter(|number| !overflows(number))?;
    // `1.000` is a thousand in many countries.
    let is_integer = || is_integral(&number) && !is_thousands(text);
    (scalars.number || is_integer()).then_some(number)
}

/// A number in any common spelling: signs, leading zeros, digits in groups.
fn number(text: &str) -> Option<Cow<'_, str>> {
    let grouped = || is_grouped(text).then(|| Cow::Owned(text.replace(',', "")));
    let other = || match word::value(text, false) {
        (json, Some(Repair::InvalidNumber)) => Some(json),
        _ => None,
    };
    let decimal = integer(text).or_else(|| float(text));
    decimal.or_else(grouped).or_else(other)
}

/// Whether a JSON number is an integer in the sense of JSON Schema: `42.0` and `1.5e3` are integers.
pub(super) fn is_integral(number: &str) -> bool {
    let (digits, exponent) = match number.find(['e', 'E']) {
        Some(at) => (&number[..at], number[at + 1..].parse::<i64>()),
        None => (number, Ok(0)),
    };
    let Ok(exponent) = exponent else {
        return false;
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() && exponent < 0 {
        let zeros = whole.len() - whole.trim_end_matches('0').len();
        return zeros as u64 >= exponent.unsigned_abs() || whole.trim_start_matches('-') == "0";
    }
    exponent >= 0 && fraction.len() as u64 <= exponent.unsigned_abs() || fraction.is_empty()
}

/// Whether exactly three characters follow the first point, as in `1.000`.
fn is_thousands(text: &str) -> bool {
    let fraction = text.split_once('.').map(|(_, fraction)| fraction);
    fraction.is_some_and(|fraction| fraction.len() == 3)
}

/// Whether `text` is a number with digits in groups of three: `12,345.6`.
pub(super) fn is_grouped(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut groups = whole.strip_prefix('-').unwrap_or(whole).split(',');
    let is_first = |first: &str| is_digits(first) && first.len() <= 3 && first != "0";
    groups.next().is_some_and(is_first)
        && whole.contains(',')
        && groups.all(|group| group.len() == 3 && is_digits(group))
        && is_digits(fraction)
}

/// An integer in decimal digits, exact; a sign and leading zeros are repaired.
pub fn integer(text: &str) -> Option<Cow<'_, str>> {
    let (sign, digits) = signed(text);
    if !is_digits(digits) {
        return None;
    }
    if is_number(text) && text != "-0" {
        return Some(Cow::Borrowed(text));
    }
    let digits = digits.trim_start_matches('0');
    Some(match (sign, digits) {
        (_, "") => Cow::Borrowed("0"),
        ("", digits) => Cow::Borrowed(digits),
        (sign, digits) => Cow::Owned(format!("{sign}{digits}")),
    })
}

/// A number with a point or an exponent, as JSON spells it (`42.` is 42.0, `.5` is 0.5).
pub fn float(text: &str) -> Option<Cow<'_, str>> {
    if is_number(text) {
        return Some(Cow::Borrowed(text));
    }
    let (sign, rest) = signed(text);
    let (whole, rest) = digits(rest);
    let (fraction, exponent) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    let json: String = format!("{sign}{whole}.{fraction}{exponent}");
    is_number(&json).then_some(Cow::Owned(json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_what_json_schema_calls_so() {
        for good in [
            "0", "-7", "42.0", "1e3", "1.5e1", "1.50e1", "100e-2", "0e-9", "1E+2", "-0.0",
        ] {
            assert!(is_integral(good), "{good}");
        }
        for bad in ["4.5", "1e-1", "1.25e1", "105e-2", "1e99999999999999999999"] {
            assert!(!is_integral(bad), "{bad}");
        }
    }

    #[test]
    fn numbers_in_text_keep_their_digits() {
        let number = Shape::Scalar(Scalars {
            number: true,
            ..Scalars::default()
        });
        let integer = Shape::Scalar(Scalars {
            integer: true,
            ..Scalars::default()
        });
        for (text, as_number, as_integer) in [
            ("42", Some("42"), Some("42")),
            ("007", Some("7"), Some("7")),
            ("+5", Some("5"), Some("5")),
            ("1.10", Some("1.10"), None),
            ("1.000", Some("1.000"), None),
            ("42.0", Some("42.0"), Some("42.0")),
            ("1e3", Some("1e3"), Some("1e3")),
            (".5", Some("0.5"), None),
            ("1_000", Some("1000"), Some("1000")),
            ("12,345", Some("12345"), Some("12345")),
            ("12,34", None, None),
            ("0x10", Some("16"), Some("16")),
            (
                "123456789012345678901234567890",
                Some("123456789012345678901234567890"),
                Some("123456789012345678901234567890"),
            ),
            ("", None, None),
            ("five", None, None),
            ("NaN", None, None),
            ("1e999", None, None),
            ("true", None, None),
        ] {
            assert_eq!(scalar_of(text, &number).as_deref(), as_number, "{text}");
            assert_eq!(scalar_of(text, &integer).as_deref(), as_integer, "{text}");
        }
    }
}
