//! How the text of a value becomes JSON.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::internal::{float, from_text, integer, is_number, overflows, quoted, scalar_of};
use toolglot_json::{Output, Root, Shape, Step, Transducer};

use crate::Code;
use crate::body::type_mismatch;
use crate::grammar::{Typing, Values};
use crate::tools::item_of;

/// How a value is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum How {
    /// A string, streamed.
    #[default]
    Text,
    /// Held until the value is complete: a scalar or a union.
    Held(Shape),
    /// Held, with a type that is inferred from the text.
    Infer,
    /// JSON if the whole text is JSON, otherwise a string.
    Json,
    /// JSON, or elements, for an object or an array.
    Structured(Shape),
}

/// How a value of this shape is read; without a shape, the dialect decides.
pub(crate) fn how(shape: Option<&Shape>, typing: &Typing, kind: &str) -> How {
    match shape {
        Some(Shape::Text) => How::Text,
        Some(shape @ (Shape::Scalar(_) | Shape::OneOf(_))) => How::Held(shape.clone()),
        Some(shape @ (Shape::Object(_) | Shape::Array(_))) => How::Structured(shape.clone()),
        _ => match typing {
            Typing::Text => How::Text,
            Typing::Infer => How::Infer,
            Typing::Json => How::Json,
            Typing::Kind(kinds) => {
                let of = |kind: &str| kinds.iter().find(|(value, _)| value == kind);
                if of(kind).or_else(|| of("*")).is_some_and(|(_, json)| *json) {
                    How::Structured(Shape::Any)
                } else {
                    How::Text
                }
            }
        },
    }
}

/// A held text as JSON of the shape; what does not fit stays a string, with a remark. A spelling that the dialect
/// infers is not a repair.
pub(crate) fn typed<'a>(
    text: &'a str,
    shape: &Shape,
    values: &Values,
) -> (Cow<'a, str>, Option<(Code, String)>) {
    let trimmed = text.trim();
    let word = values.word(text);
    if let Some(json) = word.filter(|json| scalar_of(json, shape).is_some()) {
        return (Cow::Owned(json.into()), None);
    }
    if let Some(json) = scalar_of(trimmed, shape) {
        let is_inferred = values.typing == Typing::Infer && infer(trimmed).0 == json;
        let remark = respelt(trimmed, &json).filter(|_| !is_inferred);
        return (json, remark);
    }
    if let Some(item) = item_of(shape, false)
        && let Some(list) = listed(text, item, values)
    {
        return (Cow::Owned(list), None);
    }
    if takes_text(shape) {
        return (Cow::Owned(quoted(text)), None);
    }
    // Templates of tags write Python's `None` for `null`.
    if trimmed == "None" && scalar_of("null", shape).is_some() {
        return (Cow::Borrowed("null"), respelt(trimmed, "null"));
    }
    if let Some(json) = from_text(text, shape) {
        let text = short(trimmed);
        let remark = if json.starts_with('[') {
            let message = format!("`{text}` was read as a list of one");
            (Code::SchemaCoercion, message)
        } else {
            let message = format!("`{text}` is in quotes; it was read as {json}");
            (Code::TypeCoercion, message)
        };
        return (Cow::Owned(json), Some(remark));
    }
    let code = if is_unrepresentable(trimmed) {
        Code::UnrepresentableNumber
    } else {
        Code::WrongType
    };
    let remark = (code, type_mismatch(text, name(shape)));
    (Cow::Owned(quoted(text)), Some(remark))
}

/// The remark about a scalar whose JSON differs from its text.
fn respelt(text: &str, json: &str) -> Option<(Code, String)> {
    let is_number = json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let code = if is_number {
        Code::InvalidNumber
    } else {
        Code::PythonLiteral
    };
    (text != json).then(|| (code, format!("`{}` was read as {json}", short(text))))
}

pub(crate) fn takes_text(shape: &Shape) -> bool {
    match shape {
        Shape::Text | Shape::Any => true,
        Shape::OneOf(shapes) => shapes.iter().any(takes_text),
        _ => false,
    }
}

/// Whether a value that starts with `arrived` is a string, whatever follows.
pub(crate) fn is_surely_text(how: &How, arrived: &str) -> bool {
    let takes_text = match how {
        How::Held(shape) => takes_text(shape),
        How::Infer | How::Json => true,
        How::Text | How::Structured(_) => false,
    };
    let text = arrived.trim();
    let Some(first) = text.chars().next().filter(|_| takes_text) else {
        return false;
    };
    if "+-.0123456789".contains(first) {
        // A digit starts a number in any notation.
        let is_of_number = |byte: u8| byte.is_ascii_hexdigit() || b"+-._,xX".contains(&byte);
        return !text.bytes().all(is_of_number);
    }
    let starts = |word: &str| {
        let so_far = word.as_bytes().get(..text.len());
        so_far.is_some_and(|so_far| so_far.eq_ignore_ascii_case(text.as_bytes()))
    };
    !"{[\"'".contains(first) && !["true", "false", "null", "none"].into_iter().any(starts)
}

/// Whether the text is infinity, not-a-number, or a number out of range.
fn is_unrepresentable(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']);
    let names = ["inf", "infinity", "nan"];
    names.iter().any(|name| word.eq_ignore_ascii_case(name)) || overflows(word)
}

/// Infers the JSON of an untyped text (ADR-0019, "Type Inference"): a boolean, `null`, a number, otherwise the trimmed
/// text. Infinity, not-a-number and numbers out of range are strings, with a remark: JSON, or its readers, cannot carry
/// them.
pub(crate) fn infer(text: &str) -> (Cow<'_, str>, Option<(Code, String)>) {
    let text = text.trim();
    for word in ["true", "false", "null"] {
        if text.eq_ignore_ascii_case(word) {
            return (Cow::Borrowed(word), None);
        }
    }
    let number = integer(text).or_else(|| float(text));
    if is_unrepresentable(number.as_deref().unwrap_or(text)) {
        let remark = (Code::UnrepresentableNumber, no_number(text));
        return (Cow::Owned(quoted(text)), Some(remark));
    }
    (number.unwrap_or_else(|| Cow::Owned(quoted(text))), None)
}

/// A list of items of this shape that is written without brackets, by the dialect's setting.
pub(crate) fn listed(text: &str, item: &Shape, values: &Values) -> Option<String> {
    let items = values.items(text)?.into_iter();
    let items: Vec<_> = items.map(|text| typed(text, item, values).0).collect();
    Some(format!("[{}]", items.join(",")))
}

/// The JSON of a text without a declared type, by the dialect's setting.
pub(crate) fn untyped<'t>(
    text: &'t str,
    values: &Values,
) -> (Cow<'t, str>, Option<(Code, String)>) {
    let word = values.word(text).map(|json| Cow::Owned(json.into()));
    match (&values.typing, word) {
        (Typing::Infer | Typing::Json, Some(json)) => (json, None),
        (Typing::Infer, None) => infer(text),
        (Typing::Json, None) => json_or_text(text),
        (Typing::Text | Typing::Kind(_), _) => (Cow::Owned(quoted(text)), None),
    }
}

/// The text as JSON if the whole text is JSON, otherwise as a string; with a remark if it is a number out of range.
pub(crate) fn json_or_text(text: &str) -> (Cow<'_, str>, Option<(Code, String)>) {
    if let Some(json) = plain_json(text) {
        return (Cow::Borrowed(json), None);
    }
    let remark = overflows(text.trim()).then(|| (Code::UnrepresentableNumber, no_number(text)));
    (Cow::Owned(quoted(text)), remark)
}

fn no_number(text: &str) -> String {
    format!(
        "`{}` is a number that JSON cannot carry; it was left as a string",
        short(text.trim())
    )
}

/// The trimmed text if it is JSON without a repair.
pub(crate) fn plain_json(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_json = match text.as_bytes().first()? {
        b'{' | b'[' | b'"' => {
            let mut out = Output::default();
            let mut json = Transducer::new(Root::Value);
            let (used, step) = json.feed(text, 0, &mut out);
            step == Step::Done && used == text.len() && out.repairs.is_empty()
        }
        _ => matches!(text, "true" | "false" | "null") || is_number(text) && !overflows(text),
    };
    is_json.then_some(text)
}

fn name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Scalar(scalars) if scalars.number => "number",
        Shape::Scalar(scalars) if scalars.integer => "integer",
        Shape::Scalar(scalars) if scalars.boolean => "boolean",
        Shape::Object(_) => "object",
        Shape::Array(_) => "array",
        _ => "value of the parameter's type",
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use toolglot_json::Scalars;

    use super::*;

    #[test]
    fn inference_follows_the_table_of_the_adr() {
        for (text, json) in [
            ("TRUE", "true"),
            (" false ", "false"),
            ("Null", "null"),
            ("007", "7"),
            ("-0", "0"),
            ("+5", "5"),
            ("9223372036854775808", "9223372036854775808"),
            ("42.", "42.0"),
            (".5", "0.5"),
            ("1.23e10", "1.23e10"),
            ("1e3", "1e3"),
            ("hello ", "\"hello\""),
            ("\"true\"", "\"\\\"true\\\"\""),
            ("12abc", "\"12abc\""),
            ("", "\"\""),
            ("1_000", "\"1_000\""),
        ] {
            assert_eq!(infer(text), (Cow::Borrowed(json), None), "{text}");
        }
        for text in ["+Inf", "-inf", "NaN", "Infinity", "1e999", "01.e999"] {
            let (json, remark) = infer(text);
            assert_eq!(json, quoted(text));
            assert_eq!(
                remark.map(|(code, _)| code),
                Some(Code::UnrepresentableNumber)
            );
        }
    }

    #[test]
    fn plain_json_is_mended_nowhere() {
        for text in [
            "42",
            " true ",
            "{\"a\": [1, \"x\"]}",
            "\"quoted\"",
            "null",
            "[]",
        ] {
            assert_eq!(plain_json(text), Some(text.trim()), "{text}");
        }
        for text in [
            "", "07", "{a: 1}", "[1,]", "'x'", "{} {}", "True", "\"open", "1e999",
        ] {
            assert_eq!(plain_json(text), None, "{text}");
        }
    }

    #[test]
    fn shapes_decide_before_looks() {
        let integer = Shape::Scalar(Scalars {
            integer: true,
            ..Scalars::default()
        });
        let either = Shape::OneOf(alloc::vec![Shape::Text, integer.clone()]);
        let text_values = Values::default();
        let inferred = Values {
            typing: Typing::Infer,
            ..Values::default()
        };
        assert_eq!(typed("007", &integer, &text_values).0, "7");
        assert_eq!(typed("x", &integer, &text_values).0, "\"x\"");
        assert!(typed("x", &integer, &text_values).1.is_some());
        assert_eq!(typed("42", &either, &text_values).0, "42");
        assert_eq!(
            typed("None", &either, &text_values),
            (Cow::Borrowed("\"None\""), None)
        );
        let nullable = Shape::Scalar(Scalars {
            integer: true,
            null: true,
            ..Scalars::default()
        });
        assert_eq!(typed("None", &nullable, &text_values).0, "null");
        for (text, code) in [
            ("1,000", Code::InvalidNumber),
            ("+5", Code::InvalidNumber),
            ("None", Code::PythonLiteral),
        ] {
            assert_eq!(
                typed(text, &nullable, &text_values).1.unwrap().0,
                code,
                "{text}"
            );
        }
        for (text, remark) in [("007", None), ("0x1F", Some(Code::InvalidNumber))] {
            let (_, found) = typed(text, &nullable, &inferred);
            assert_eq!(found.map(|(code, _)| code), remark, "{text}");
        }
        assert_eq!(
            typed(" -12 ", &nullable, &text_values),
            (Cow::Borrowed("-12"), None)
        );
        assert_eq!(
            typed(" x", &either, &text_values),
            (Cow::Borrowed("\" x\""), None)
        );
    }
}
