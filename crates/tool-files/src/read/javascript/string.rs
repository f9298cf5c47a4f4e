//! JavaScript's string literals. Source: ECMA-262, section 12.9.4, read 2026-11.

/// The text of a string or of a template without substitutions, or why it has none. `literal` includes the quotes.
pub(in super::super) fn decode(literal: &str) -> Result<String, &'static str> {
    let is_template = literal.starts_with('`');
    let body = literal
        .get(1..literal.len().saturating_sub(1))
        .ok_or("it does not end")?;
    if memchr::memchr2(b'\\', b'\r', body.as_bytes()).is_none() {
        return Ok(body.to_owned());
    }
    let mut out = String::with_capacity(body.len());
    let mut units: Vec<u16> = Vec::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            flush(&mut units, &mut out)?;
            if is_template && c == '\r' {
                chars.next_if_eq(&'\n');
                out.push('\n');
            } else {
                out.push(c);
            }
            continue;
        }
        let Some(escape) = chars.next() else { break };
        let code = match escape {
            'u' => {
                let mut code: u32 = 0;
                if chars.next_if_eq(&'{').is_some() {
                    loop {
                        let c = chars.next().ok_or("an escape lacks digits")?;
                        if c == '}' {
                            break;
                        }
                        let digit = c.to_digit(16).ok_or("an escape lacks digits")?;
                        code = code.saturating_mul(16).saturating_add(digit);
                    }
                } else {
                    for _ in 0..4 {
                        let digit = chars.next().and_then(|c| c.to_digit(16));
                        code = code * 16 + digit.ok_or("an escape lacks digits")?;
                    }
                }
                code
            }
            'x' => {
                let mut code = 0;
                for _ in 0..2 {
                    let digit = chars.next().and_then(|c| c.to_digit(16));
                    code = code * 16 + digit.ok_or("an escape lacks digits")?;
                }
                code
            }
            _ => {
                flush(&mut units, &mut out)?;
                let is_octal = escape == '0' && chars.peek().is_some_and(char::is_ascii_digit);
                match escape {
                    // Old scripts have such escapes; modules and templates do not.
                    '1'..='9' => return Err("a module has no escapes of octal digits"),
                    '0' if is_octal => {
                        return Err("a module has no escapes of octal digits");
                    }
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    'b' => out.push('\u{8}'),
                    'f' => out.push('\u{c}'),
                    'v' => out.push('\u{b}'),
                    '0' => out.push('\0'),
                    '\r' => {
                        chars.next_if_eq(&'\n');
                    }
                    '\n' | '\u{2028}' | '\u{2029}' => {}
                    other => out.push(other),
                }
                continue;
            }
        };
        // The halves of a surrogate pair are two adjacent escapes.
        if let Ok(unit @ 0xD800..=0xDFFF) = u16::try_from(code) {
            units.push(unit);
        } else {
            flush(&mut units, &mut out)?;
            out.push(char::from_u32(code).ok_or("an escape names no character")?);
        }
    }
    flush(&mut units, &mut out)?;
    Ok(out)
}

fn flush(units: &mut Vec<u16>, out: &mut String) -> Result<(), &'static str> {
    for c in char::decode_utf16(units.drain(..)) {
        out.push(c.map_err(|_| "JSON cannot carry half a surrogate pair")?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn every_form_of_a_string_is_read() {
        for (literal, text) in [
            (r#""https://a.b/c""#, "https://a.b/c"),
            (r"'it\'s'", "it's"),
            (r#""don't { key: x }""#, "don't { key: x }"),
            (r#""\u{1F980}\uD83E\uDD80\x41""#, "🦀🦀A"),
            ("`one\r\ntwo`", "one\ntwo"),
            ("'a\\\nb'", "ab"),
            (r#""""#, ""),
        ] {
            assert_eq!(decode(literal).as_deref(), Ok(text), "{literal}");
        }
        for refused in [r#""\uD83E""#, r#""\u12""#, r#""\u{110000}""#] {
            assert!(decode(refused).is_err(), "{refused}");
        }
    }
}
