//! Equality of JSON text by value.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;

use toolglot_json::internal::{Kind, elements, kind, members, string};

/// Deeper values count as different, so a call that deep is never written.
const DEPTH: usize = 256;

/// Whether two valid JSON texts have the same value. Key order is ignored, and the last of duplicate keys counts.
/// Numbers are equal by digits or as doubles, strings exactly.
pub(super) fn same_value(a: &str, b: &str) -> bool {
    same(a, b, 0)
}

fn same(a: &str, b: &str, depth: usize) -> bool {
    if depth > DEPTH || kind(a) != kind(b) {
        return false;
    }
    match kind(a) {
        Kind::Object => {
            let a: BTreeMap<Cow<'_, str>, &str> = members(a).collect();
            let b: BTreeMap<Cow<'_, str>, &str> = members(b).collect();
            a.len() == b.len()
                && a.iter()
                    .zip(&b)
                    .all(|((ka, va), (kb, vb))| ka == kb && same(va, vb, depth + 1))
        }
        Kind::Array => {
            let (mut a, mut b) = (elements(a), elements(b));
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if same(a, b, depth + 1) => {}
                    _ => return false,
                }
            }
        }
        Kind::String => string(a) == string(b),
        Kind::Scalar => {
            let (a, b) = (a.trim(), b.trim());
            // Doubles are compared by their bits. Above 9e15 numbers may differ in digits that a double does not hold.
            let double = |text: &str| {
                text.parse::<f64>()
                    .ok()
                    .filter(|n| n.abs() < 9e15)
                    .map(|n| (n + 0.0).to_bits())
            };
            a == b || matches!((double(a), double(b)), (Some(a), Some(b)) if a == b)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::same_value;

    #[test]
    fn values_not_spellings_are_compared() {
        for (a, b) in [
            (
                r#"{"a":1,"b":[true,null]}"#,
                r#" { "b" : [true, null], "a" : 1.0 } "#,
            ),
            (r#""\u00e9""#, r#""é""#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        ] {
            assert!(same_value(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("1", "\"1\""),
            ("[1]", "[1,2]"),
            ("{}", "[]"),
            ("9007199254740993", "9007199254740992"),
            ("true", "false"),
        ] {
            assert!(!same_value(a, b), "{a} {b}");
        }
    }
}
