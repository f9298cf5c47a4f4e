//! The output of a program: its answer and the text around the answer.

use std::ops::Range;

use toolglot_value::{Map, Value};

use crate::read_json;
use toolglot_tool_signature::BOM;

/// The nesting limit of JSON. Objects at line starts nest in each other, so a byte is read at most this often.
const MAX_DEPTH: usize = 128;

/// The object that a program prints as its answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Printed {
    /// Its members, or why it is not JSON. Other readers accept such an object, so its text must not be lost.
    pub(crate) object: Result<Map<String, Value>, &'static str>,
    says_success: bool,
    span: Range<usize>,
}

impl Printed {
    /// Finds the answer: the object that ends the output, else the last one with `success`.
    ///
    /// An object starts a line and ends a line; it may span several.
    pub(crate) fn find(output: &str) -> Option<Printed> {
        let mut last = None;
        let mut at = if output.starts_with(BOM) {
            BOM.len_utf8()
        } else {
            0
        };
        loop {
            at = output.len() - output[at..].trim_start().len();
            if at == output.len() {
                break;
            }
            match Printed::read(output, at, Strings::InLines) {
                Some(one) if one.ends(output) => return Some(one),
                Some(one) => {
                    at = one.span.end;
                    if one.says_success {
                        last = Some(one);
                    }
                }
                None => at += output[at..].find('\n').map_or(output.len() - at, |n| n + 1),
            }
        }
        last.or_else(|| {
            let start = output.len() - output.trim_start().len();
            let whole = Printed::read(output, start, Strings::OverLines)?;
            whole.ends(output).then_some(whole)
        })
    }

    /// The text before and after the object.
    pub(crate) fn beside(&self, output: &str) -> String {
        let before = &output[..self.span.start];
        let after = output[self.span.end..].trim_start_matches(['\r', '\n']);
        format!("{}{after}", before.strip_prefix(BOM).unwrap_or(before))
    }

    fn ends(&self, output: &str) -> bool {
        output[self.span.end..].trim_start().is_empty()
    }

    /// The object at `start`, if it ends its line.
    fn read(output: &str, start: usize, strings: Strings) -> Option<Printed> {
        let len = extent(&output.as_bytes()[start..], strings).ok()?;
        let span = start..start + len;
        let line = output[span.end..].split('\n').next().unwrap_or_default();
        if !line.trim().is_empty() {
            return None;
        }
        let text = &output[span.clone()];
        let (map, fault) = if let Ok(map) = read_json::<Map<String, Value>>(text) {
            (map, None)
        } else {
            let (text, fault) = lenient(text)?;
            (read_json(&text).ok()?, Some(fault))
        };
        Some(Printed {
            says_success: map.get("success").is_some_and(Value::is_boolean),
            object: fault.map_or(Ok(map), Err),
            span,
        })
    }
}

/// Whether a string may hold an unescaped line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strings {
    InLines,
    OverLines,
}

/// The length of an object in bytes, by its brackets. If it has no end, the number of bytes that were read.
fn extent(text: &[u8], strings: Strings) -> Result<usize, usize> {
    if text.first() != Some(&b'{') {
        return Err(0);
    }
    let (mut depth, mut is_string, mut is_escaped) = (0, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\n' if is_string && strings == Strings::InLines => return Err(at),
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'{' | b'[' if depth == MAX_DEPTH => return Err(at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Ok(at + 1),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    Err(text.len())
}

/// The text with replacements for what Python writes and JSON lacks, such as `NaN`, and the first fault.
/// `None` if there is none.
fn lenient(text: &str) -> Option<(String, &'static str)> {
    const NUMBERS: [(&str, &str); 2] = [
        ("NaN", "JSON has no `NaN`"),
        ("Infinity", "JSON has no `Infinity`"),
    ];
    let mut out = String::with_capacity(text.len());
    let (mut fault, mut is_string, mut rest) = (None, false, text);
    while let Some(c) = rest.chars().next() {
        let number = NUMBERS.iter().find(|(name, _)| rest.starts_with(name));
        let mut len = c.len_utf8();
        match (is_string, c, number) {
            (true, '\\', _) => {
                let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
                len += escaped;
                out.push_str(&rest[..len]);
            }
            (_, '"', _) => {
                is_string = !is_string;
                out.push(c);
            }
            (true, _, _) if c < ' ' => {
                fault.get_or_insert("a string holds a control character that is not escaped");
                out.push(' ');
            }
            (false, _, Some((name, why))) => {
                fault.get_or_insert(why);
                out.push('0');
                len = name.len();
            }
            _ => out.push(c),
        }
        rest = &rest[len..];
    }
    Some((out, fault?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The object or its fault, and the text beside it.
    fn told(output: &str) -> Option<(String, String)> {
        let printed = Printed::find(output)?;
        let beside = printed.beside(output);
        let object = match printed.object {
            Ok(map) => Value::Object(map).to_string(),
            Err(fault) => fault.to_owned(),
        };
        Some((object, beside))
    }

    #[test]
    fn the_answer_is_found_wherever_a_program_says_it() {
        for (output, object, beside) in [
            ("{\"a\":1}", "{\"a\":1}", ""),
            ("\u{feff}{\"a\":1}\r\n", "{\"a\":1}", ""),
            ("log\n{\"a\":1}\n\n", "{\"a\":1}", "log\n"),
            (
                "{x\n{\n  \"a\": {\n    \"b\": 1\n  }\n}\n",
                "{\"a\":{\"b\":1}}",
                "{x\n",
            ),
            // With no indentation, and brackets in strings.
            ("{\n\"a\":\n{\"b\":\"}{\"}\n}", "{\"a\":{\"b\":\"}{\"}}", ""),
            ("{\"a\":1}\n  {\"b\":2}\n", "{\"b\":2}", "{\"a\":1}\n  "),
            // Text follows it: only an object with `success` is an answer.
            (
                "log\n{\"success\":false}\ndone\n",
                "{\"success\":false}",
                "log\ndone\n",
            ),
            (
                "{\"success\":false}\n{\"a\":1}\ndone",
                "{\"success\":false}",
                "{\"a\":1}\ndone",
            ),
            (
                "{\"success\":false,\"e\":\"\\ud83d\"}",
                "{\"e\":\"\u{fffd}\",\"success\":false}",
                "",
            ),
            ("{\"a\":NaN}", "JSON has no `NaN`", ""),
            (
                "log\n{\"a\":[-Infinity]}\n",
                "JSON has no `Infinity`",
                "log\n",
            ),
            (
                "{\"a\":\"\tb\"}",
                "a string holds a control character that is not escaped",
                "",
            ),
            (
                "{\"success\":false,\"error\":\"two\nlines\"}\n",
                "a string holds a control character that is not escaped",
                "",
            ),
        ] {
            let expected = Some((object, beside));
            let found = told(output);
            let found = found
                .as_ref()
                .map(|(object, beside)| (normal(object), beside.as_str()));
            let expected = expected.map(|(object, beside)| (normal(object), beside));
            assert_eq!(found, expected, "{output:?}");
        }
    }

    /// The members in one order, whatever features of the JSON library are enabled.
    fn normal(object: &str) -> Result<Value, String> {
        serde_json::from_str(object).map_err(|_| object.to_owned())
    }

    #[test]
    fn text_is_no_answer() {
        for output in [
            "",
            "hi",
            "{",
            "{}x",
            "x {\"success\":false}",
            "[{\"success\":false}]",
            "{'success': False}",
            "{\"a\":1}\ndone",
            "{\"a\": \"NaN\", b}",
            "{a: NaN}",
            "\u{feff}",
        ] {
            assert_eq!(told(output), None, "{output:?}");
        }
    }

    #[test]
    fn no_byte_is_looked_at_more_often_than_objects_nest() {
        let deep = "{\"a\":[\n".repeat(60);
        for output in [
            "{\n".repeat(2_000),
            "{\"a\":[\n".repeat(2_000),
            format!("{deep}{}", "{\"b\":1},\n".repeat(2_000)),
            format!("{{\"a\": \"{}", "{\n".repeat(2_000)),
        ] {
            assert_eq!(told(&output), None);
            let starts = output.match_indices('\n').map(|(at, _)| at + 1);
            let looks = |at: usize| {
                extent(&output.as_bytes()[at..], Strings::InLines).unwrap_or_else(|looked| looked)
            };
            let n_looked: usize = std::iter::once(0).chain(starts).map(looks).sum();
            assert!(n_looked <= MAX_DEPTH * output.len(), "{n_looked}");
        }
    }
}
