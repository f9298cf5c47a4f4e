//! Python's string literals: prefixes, quotes and escapes.
//! Source: <https://docs.python.org/3/reference/lexical_analysis.html#string-and-bytes-literals>, read 2026-11.

use std::iter::Peekable;
use std::str::Chars;

/// The text of a string literal without replacement fields, or why it has none.
pub(in super::super) fn decode(literal: &str) -> Result<String, &'static str> {
    let quote_at = literal.find(['"', '\'']).ok_or("it is not a string")?;
    let (prefix, quoted) = literal.split_at(quote_at);
    let prefix = prefix.to_ascii_lowercase();
    if prefix.contains('b') {
        return Err("bytes are not text: leave out the `b`");
    }
    if prefix.contains('t') {
        return Err("a template is not text: leave out the `t`");
    }
    if !["", "r", "u", "f", "fr", "rf"].contains(&prefix.as_str()) {
        return Err("Python has no text with those letters before it");
    }
    let quote = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") {
        3
    } else {
        1
    };
    let body = quoted
        .get(quote..quoted.len().saturating_sub(quote))
        .ok_or("it does not end")?;
    // Most strings have neither a prefix nor an escape, and a schema has hundreds.
    if prefix.is_empty() && memchr::memchr2(b'\\', b'\r', body.as_bytes()).is_none() {
        return Ok(body.to_owned());
    }
    // Python reads every line break of its source as a line feed.
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let body = if prefix.contains('f') {
        body.replace("{{", "{").replace("}}", "}")
    } else {
        body
    };
    if prefix.contains('r') {
        return Ok(body);
    }
    unescape(&body)
}

fn unescape(body: &str) -> Result<String, &'static str> {
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(escape) = chars.next() else {
            out.push('\\');
            break;
        };
        match escape {
            '\n' => {}
            '\\' | '\'' | '"' => out.push(escape),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'v' => out.push('\u{b}'),
            '0'..='7' => {
                let mut code = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    chars.next();
                    code = code * 8 + digit;
                }
                out.push(scalar(code)?);
            }
            'x' => out.push(hex(&mut chars, 2)?),
            'u' => out.push(hex(&mut chars, 4)?),
            'U' => out.push(hex(&mut chars, 8)?),
            'N' => {
                return Err(
                    "a character by its name is looked up when the file runs: write the character itself",
                );
            }
            other => {
                out.push('\\');
                out.push(other);
            }
        }
    }
    Ok(out)
}

fn hex(chars: &mut Peekable<Chars<'_>>, n: usize) -> Result<char, &'static str> {
    let mut code = 0;
    for _ in 0..n {
        let digit = chars
            .next()
            .and_then(|c| c.to_digit(16))
            .ok_or("an escape lacks digits")?;
        code = code * 16 + digit;
    }
    scalar(code)
}

fn scalar(code: u32) -> Result<char, &'static str> {
    char::from_u32(code).ok_or("an escape names no character that JSON can carry")
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn every_form_of_a_string_is_read() {
        for (literal, text) in [
            (r#""a""#, "a"),
            (r"'it\'s'", "it's"),
            (r#"r"\d+\n""#, r"\d+\n"),
            (r"R'\x'", r"\x"),
            (r#""\U0001F980""#, "🦀"),
            ("\"\"\"one\r\ntwo\"\"\"", "one\ntwo"),
            ("'''a\\\nb'''", "ab"),
            (r#"f"{{x}}""#, "{x}"),
            (r#""\d \0""#, "\\d \0"),
            (r#""""#, ""),
        ] {
            assert_eq!(decode(literal).as_deref(), Ok(text), "{literal}");
        }
        for refused in [r#"b"a""#, r#""\ud800""#, r#""\N{BULLET}""#, r#""\x4""#] {
            assert!(decode(refused).is_err(), "{refused}");
        }
    }
}
