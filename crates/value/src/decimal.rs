//! The exact value of a number.

use std::borrow::Cow;
use std::cmp::Ordering;

/// The exact value of a [`Number`](crate::Number): an integer of digits times a power of ten. It compares exactly.
///
/// ```
/// use toolglot_value::Number;
///
/// let [short, long, next]: [Number; 3] = ["1e+400", "10.0e399", "12345678901234567890123"].map(|text| text.parse().unwrap());
/// assert_eq!(short.decimal(), long.decimal());
/// assert!(next.decimal() < short.decimal() && next.decimal().is_integer());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal<'n> {
    is_negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: Cow<'n, str>,
    exponent: i64,
}

/// Larger exponents are clamped to this: no text that fits in memory has as many digits.
const MAX_EXPONENT: i64 = i64::MAX / 4;

impl<'n> Decimal<'n> {
    /// Parses a text that follows the grammar of JSON numbers.
    pub(crate) fn of(number: &'n str) -> Decimal<'n> {
        let (is_negative, unsigned) = match number.strip_prefix('-') {
            Some(unsigned) => (true, unsigned),
            None => (false, number),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)),
            None => (unsigned, 0),
        };
        let (digits, n_decimals) = match mantissa.split_once('.') {
            Some((whole, decimals)) => {
                let digits = format!("{whole}{decimals}");
                let digits = digits.trim_start_matches('0').to_owned();
                (Cow::Owned(digits), decimals.len())
            }
            None => (Cow::Borrowed(mantissa.trim_start_matches('0')), 0),
        };
        let n_digits = digits.trim_end_matches('0').len();
        if n_digits == 0 {
            return Decimal {
                is_negative: false,
                digits: Cow::Borrowed(""),
                exponent: 0,
            };
        }
        let n_zeros = digits.len() - n_digits;
        let digits = match digits {
            Cow::Borrowed(digits) => Cow::Borrowed(&digits[..n_digits]),
            Cow::Owned(mut digits) => {
                digits.truncate(n_digits);
                Cow::Owned(digits)
            }
        };
        Decimal {
            is_negative,
            digits,
            exponent: exponent + count(n_zeros) - count(n_decimals),
        }
    }

    /// Whether the number is below zero.
    pub fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// Whether the number has no fraction: true for `1.0` and `1e400`.
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The digits without zeros at either end; empty for zero.
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// The power of ten that the digits are multiplied by.
    pub fn exponent(&self) -> i64 {
        self.exponent
    }
}

/// A number of digits, clamped.
fn count(digits: usize) -> i64 {
    i64::try_from(digits).map_or(MAX_EXPONENT, |digits| digits.min(MAX_EXPONENT))
}

/// An exponent, clamped.
fn exponent_of(text: &str) -> i64 {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let exponent = digits
        .parse()
        .map_or(MAX_EXPONENT, |exponent: i64| exponent.min(MAX_EXPONENT));
    if is_negative { -exponent } else { exponent }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.digits.is_empty(), decimal.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        // The place of the first digit decides between sizes; with equal places, digits compare like letters.
        let first = |decimal: &Self| count(decimal.digits.len()) + decimal.exponent;
        sign(self).cmp(&sign(other)).then_with(|| {
            let size = first(self)
                .cmp(&first(other))
                .then_with(|| self.digits.cmp(&other.digits));
            if self.is_negative {
                size.reverse()
            } else {
                size
            }
        })
    }
}
