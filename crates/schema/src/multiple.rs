//! Whether a number is a multiple of another, for numbers of any size.

use toolglot_value::Decimal;

/// Whether `number` is an integer multiple of `unit`, which is above zero. For a unit of more than 38 digits, only
/// itself times a power of ten counts as a multiple.
pub(crate) fn is_multiple(number: &Decimal<'_>, unit: &Decimal<'_>) -> bool {
    if number.digits().is_empty() {
        return true;
    }
    // The digits have no trailing zero, so a number with a smaller exponent than the unit is not a multiple.
    let Ok(shift) = u64::try_from(number.exponent().saturating_sub(unit.exponent())) else {
        return false;
    };
    let Ok(unit_digits) = unit.digits().parse::<u128>() else {
        return number.digits() == unit.digits();
    };
    if unit_digits > u128::MAX / 2 {
        return number.digits() == unit.digits();
    }
    let modulus = Modulus(unit_digits);
    let remainder = number.digits().bytes().fold(0, |remainder, digit| {
        let tenfold = modulus.times(remainder, 10);
        modulus.sum(tenfold, u128::from(digit - b'0') % unit_digits)
    });
    modulus.times(remainder, modulus.power_of_ten(shift)) == 0
}

/// Modular arithmetic with a modulus of at most half of `u128::MAX`.
struct Modulus(u128);

impl Modulus {
    fn sum(&self, a: u128, b: u128) -> u128 {
        (a + b) % self.0
    }

    fn times(&self, a: u128, b: u128) -> u128 {
        if let Some(product) = a.checked_mul(b) {
            return product % self.0;
        }
        let (mut product, mut a, mut b) = (0, a % self.0, b);
        while b > 0 {
            if b & 1 == 1 {
                product = self.sum(product, a);
            }
            a = self.sum(a, a);
            b >>= 1;
        }
        product
    }

    fn power_of_ten(&self, exponent: u64) -> u128 {
        let (mut power, mut base, mut exponent) = (1 % self.0, 10 % self.0, exponent);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.times(power, base);
            }
            base = self.times(base, base);
            exponent >>= 1;
        }
        power
    }
}

#[cfg(test)]
mod tests {
    use super::is_multiple;
    use toolglot_value::Number;

    #[test]
    fn multiples_of_any_size() {
        for (number, unit, holds) in [
            ("0", "3", true),
            ("9", "3", true),
            ("10", "3", false),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("1.10", "0.05", true),
            ("-12", "1.5", true),
            ("1e400", "3", false),
            ("3e400", "3", true),
            ("1e400", "7e-3", false),
            ("12345678901234567890123", "3", true),
            ("12345678901234567890124", "3", false),
            (
                "340282366920938463463374607431768211454",
                "170141183460469231731687303715884105727",
                true,
            ),
            ("36893488147419103234", "18446744073709551617", true),
            ("36893488147419103235", "18446744073709551617", false),
            ("5", "10", false),
            ("1e99999999999999999999", "7", false),
        ] {
            let [a, b] = [number, unit].map(|text| text.parse::<Number>().expect(text));
            assert_eq!(
                is_multiple(&a.decimal(), &b.decimal()),
                holds,
                "{number} {unit}"
            );
        }
    }
}
