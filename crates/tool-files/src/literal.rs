//! A literal value of a file, with its place.

use std::ops::Range;

use toolglot_value::{Map, Number, Value};

/// How deep literals may nest. Deeper ones are refused with a diagnostic, so all recursion here is bounded.
pub(crate) const MAX_DEPTH: usize = 64;

/// How many values the literals of one file may have. The values of an alias or a constant count at each use.
pub(crate) const MAX_VALUES: usize = 20_000;

/// A literal and its bytes in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Literal {
    pub(crate) span: Range<usize>,
    pub(crate) content: Content,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Literal>),
    Map(Vec<Member>),
    /// Not a literal. The reader has reported it already, so no rule reports it again.
    Computed,
}

/// A key of a map and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Literal,
}

impl Literal {
    pub(crate) fn new(span: Range<usize>, content: Content) -> Literal {
        Literal { span, content }
    }

    pub(crate) fn computed(span: Range<usize>) -> Literal {
        Literal::new(span, Content::Computed)
    }

    pub(crate) fn is_null(&self) -> bool {
        self.content == Content::Null
    }

    /// Null, or the empty text: TOML has no null.
    pub(crate) fn is_no_executor(&self) -> bool {
        self.is_null() || self.as_text() == Some("")
    }

    pub(crate) fn is_computed(&self) -> bool {
        self.content == Content::Computed
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.content {
            Content::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Literal]> {
        match &self.content {
            Content::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_map(&self) -> Option<&[Member]> {
        match &self.content {
            Content::Map(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        match &self.content {
            Content::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// The value of a key; the last one of equal keys.
    pub(crate) fn get(&self, key: &str) -> Option<&Literal> {
        self.member(key).map(|member| &member.value)
    }

    pub(crate) fn member(&self, key: &str) -> Option<&Member> {
        self.as_map()?.iter().rev().find(|member| member.key == key)
    }

    /// The kind of value, for a message.
    pub(crate) fn kind(&self) -> &'static str {
        match self.content {
            Content::Null => "null",
            Content::Bool(_) => "a boolean",
            Content::Number(_) => "a number",
            Content::Text(_) => "a string",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
            Content::Computed => "computed",
        }
    }

    /// The same value as JSON. A computed value is `null`. The recursion is at most [`MAX_DEPTH`] deep.
    pub(crate) fn to_json(&self) -> Value {
        match &self.content {
            Content::Null | Content::Computed => Value::Null,
            Content::Bool(flag) => Value::Bool(*flag),
            Content::Number(number) => Value::Number(number.clone()),
            Content::Text(text) => Value::String(text.clone()),
            Content::List(items) => Value::Array(items.iter().map(Literal::to_json).collect()),
            Content::Map(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.key.clone(), member.value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// A finite number as JSON writes it. With `whole`, a whole number below 2^53 is an integer.
pub(crate) fn number(value: f64, whole: bool) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if whole && value.fract() == 0.0 && value.abs() < EXACT {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

/// An integer of any length, written in digits of `radix`.
pub(crate) fn integer(digits: &str, radix: u32) -> Option<Number> {
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    if radix == 10 {
        let trimmed = digits.trim_start_matches('0');
        let trimmed = if trimmed.is_empty() { "0" } else { trimmed };
        return trimmed.parse().ok();
    }
    u128::from_str_radix(&digits, radix)
        .ok()?
        .to_string()
        .parse()
        .ok()
}

/// Whether a `_` of a number is anywhere but between two digits. `e` is a digit of hexadecimal numbers only.
pub(crate) fn has_stray_separator(digits: &str, is_hexadecimal: bool) -> bool {
    let mut parts = digits.split('_');
    let is_digit = |c: char| c.is_digit(if is_hexadecimal { 16 } else { 10 });
    let Some(mut before) = parts.next() else {
        return false;
    };
    for after in parts {
        if !(before.ends_with(is_digit) && after.starts_with(is_digit)) {
            return true;
        }
        before = after;
    }
    false
}

/// The negated number.
pub(crate) fn negated(number: &Number) -> Option<Number> {
    let text = number.to_string();
    match text.strip_prefix('-') {
        Some(positive) => positive.parse().ok(),
        None if text == "0" => Some(number.clone()),
        None => format!("-{text}").parse().ok(),
    }
}
