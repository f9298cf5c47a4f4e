//! Text as JSON of a shape: what a string in the wrong place may stand for.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use crate::shape::{Scalars, Shape};
use crate::word::is_number;

/// `text` as a scalar that the shape admits, as JSON; `None` if it is none, or only a string. Digits are kept.
///
/// Booleans are `true` and `false` in any letter case, never `yes` or `1`; null is exactly `null`.
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
    if scalars.boolean {
        if text.eq_ignore_ascii_case("true") {
            return Some(Cow::Borrowed("true"));
        }
        if text.eq_ignore_ascii_case("false") {
            return Some(Cow::Borrowed("false"));
        }
    }
    if scalars.integer || scalars.number {
        if let Some(integer) = integer(text) {
            return Some(integer);
        }
        if is_number(text) {
            return Some(Cow::Borrowed(text));
        }
        if scalars.number {
            return float(text);
        }
    }
    None
}

/// An integer in decimal digits, exact; a sign and leading zeros are mended.
pub fn integer(text: &str) -> Option<Cow<'_, str>> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if is_number(text) && text != "-0" {
        return Some(Cow::Borrowed(text));
    }
    let digits = digits.trim_start_matches('0');
    Some(match (digits, negative) {
        ("", _) => Cow::Borrowed("0"),
        (digits, true) => Cow::Owned(format!("-{digits}")),
        (digits, false) => Cow::Borrowed(digits),
    })
}

/// A number with a point or an exponent, as JSON spells it (`42.` is 42.0, `.5` is 0.5).
pub fn float(text: &str) -> Option<Cow<'_, str>> {
    if is_number(text) {
        return Some(Cow::Borrowed(text));
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (whole, rest) = rest.split_at(
        rest.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len()),
    );
    let (fraction, exponent) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(
            rest.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len()),
        ),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    let json: String = format!("{sign}{whole}.{fraction}{exponent}");
    is_number(&json).then_some(Cow::Owned(json))
}
