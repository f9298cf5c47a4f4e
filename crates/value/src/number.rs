//! A JSON number with its original digits.

use std::fmt;
use std::str::FromStr;

use crate::read::Reader;
use crate::{Decimal, Error};

/// A JSON number with its original digits: `0.10` stays `0.10`, and no number is too large.
///
/// Two numbers are equal if they have the same digits. [`Decimal`] compares their values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// A number from a text that follows the grammar.
    pub(crate) fn of_digits(digits: impl Into<Box<str>>) -> Number {
        Number(digits.into())
    }

    /// An `f64` as a number, in the fewest digits that round-trip; `None` for infinities and NaN.
    pub fn from_f64(value: f64) -> Option<Number> {
        serde_json::Number::from_f64(value).map(|number| Number::from(&number))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The integer, if it is written as one and an `i64` holds it.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The integer, if it is written as one and a `u64` holds it.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The nearest `f64`, if it is finite.
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Whether the number is an integer that an `i64` holds.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Whether the number is an integer that a `u64` holds.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Whether the number has a point or an exponent and is finite as an `f64`.
    pub fn is_f64(&self) -> bool {
        self.0.contains(['.', 'e']) && self.as_f64().is_some()
    }

    /// The exact value of the number, for comparison.
    pub fn decimal(&self) -> Decimal<'_> {
        Decimal::of(&self.0)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({})", self.0)
    }
}

impl FromStr for Number {
    type Err = Error;

    fn from_str(text: &str) -> Result<Number, Error> {
        Reader::new(text.as_bytes()).only_number()
    }
}

macro_rules! of_integers {
    ($($integer:ty)*) => {
        $(
            impl From<$integer> for Number {
                fn from(value: $integer) -> Number {
                    Number(value.to_string().into())
                }
            }
        )*
    };
}

of_integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
