//! JSON string escapes: writing and reading the inside of a string.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Write as _;

use crate::scan::plain;

/// Whether a JSON string can contain `text` unescaped: no quote, backslash or control character.
pub fn is_plain(text: &str) -> bool {
    plain(text.as_bytes()) == text.len()
}

/// Appends `text` to `out`, escaped for the inside of a JSON string. Linear; runs are copied whole.
pub fn escape_into(out: &mut String, text: &str) {
    // The output is about as long as `text`: one allocation, not one for each doubling.
    out.reserve(text.len());
    let mut rest = text;
    loop {
        let length = plain(rest.as_bytes());
        out.push_str(&rest[..length]);
        let Some(&byte) = rest.as_bytes().get(length) else {
            return;
        };
        escape_byte_into(out, byte);
        rest = &rest[length + 1..];
    }
}

/// Appends the escape of one byte that needs it.
pub fn escape_byte_into(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        _ => {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{byte:04x}");
        }
    }
}

/// Whether a backslash before `byte` is a Markdown escape: `\_`. Escapes that regular expressions share (`\(`, `\*`,
/// `\-`) are excluded: there the backslash counts.
pub(crate) fn is_markdown_escape(byte: u8) -> bool {
    matches!(byte, b'_' | b'#' | b'!' | b'>' | b'&' | b'~')
}

/// `text` as a JSON string, with its quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    escape_into(&mut out, text);
    out.push('"');
    out
}

/// Decodes the inside of a valid JSON string. A lone surrogate becomes U+FFFD.
pub fn unescape(inside: &str) -> Cow<'_, str> {
    if !inside.contains('\\') {
        return Cow::Borrowed(inside);
    }
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (c, used) = unescape_one(&rest[at..]);
        out.push(c);
        rest = &rest[at + used..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Reads one escape at the start of `text`; returns the character and how many bytes were read.
fn unescape_one(text: &str) -> (char, usize) {
    match text.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => match hex4(text.as_bytes(), 2) {
            Some(high @ 0xd800..=0xdbff) => match (text.get(6..8), hex4(text.as_bytes(), 8)) {
                (Some("\\u"), Some(low @ 0xdc00..=0xdfff)) => {
                    let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    (char::from_u32(code).unwrap_or('\u{fffd}'), 12)
                }
                _ => ('\u{fffd}', 6),
            },
            Some(code) => (char::from_u32(code).unwrap_or('\u{fffd}'), 6),
            None => ('u', 2),
        },
        // `\"`, `\\`, `\/`: the character itself. A backslash at the end is kept.
        Some(_) => {
            let c = text[1..].chars().next().unwrap_or('\\');
            (c, 1 + c.len_utf8())
        }
        None => ('\\', 1),
    }
}

/// The value of four hexadecimal digits.
pub(crate) fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let mut code = 0;
    for &byte in bytes.get(at..at + 4)? {
        code = code << 4 | char::from(byte).to_digit(16)?;
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_read_back() {
        for text in ["", "a\"b\\c", "\u{0}\u{1f}\n\r\t", "日本 🦀", "\u{2028}"] {
            let written = quoted(text);
            assert_eq!(unescape(&written[1..written.len() - 1]), text);
        }
    }

    #[test]
    fn a_long_text_is_written_like_its_letters() {
        for length in [63, 64, 65, 127, 128, 129, 200] {
            let text: String = "a\"é\n\\|\u{1}]b".chars().cycle().take(length).collect();
            let letters = text.chars().map(|c| {
                let quoted = quoted(c.encode_utf8(&mut [0; 4]));
                String::from(&quoted[1..quoted.len() - 1])
            });
            assert_eq!(
                quoted(&text),
                alloc::format!("\"{}\"", letters.collect::<String>())
            );
        }
    }

    #[test]
    fn surrogates_pair_or_become_the_replacement() {
        assert_eq!(unescape("\\ud83e\\udd80"), "🦀");
        assert_eq!(unescape("\\ud83e!"), "\u{fffd}!");
        assert_eq!(unescape("\\u00e9\\/"), "é/");
    }
}
