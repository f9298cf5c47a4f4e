//! The text that a signature covers: the file without its signature line.

use sha2::{Digest, Sha256};

use crate::parts::Parts;
use crate::style::{BOM, Item, Style};

/// The text that a signature covers.
///
/// A byte order mark, a shebang and one signature line of any generation are left out, if each is one line for every
/// reader. Nothing else changes, not even line breaks. Where the signature is always line 1, a shebang is below it and
/// is part of the text. (Rye normalizes line breaks when it reads files; here the bytes count, so that a signature
/// covers all of them.)
pub fn body(text: &str, style: Style) -> &str {
    if let Style::Markdown(item) = style {
        return markdown(text, item);
    }
    Parts::of(text.strip_prefix(BOM).unwrap_or(text), style).body
}

fn markdown(text: &str, item: Item) -> &str {
    if item == Item::Directive {
        let start = text.find("<directive").unwrap_or(0);
        let end = text
            .rfind("</directive>")
            .map_or(text.len(), |at| at + "</directive>".len());
        return text.get(start..end).unwrap_or(text).trim();
    }
    let rest = Parts::of(text, Style::Markdown(item)).body;
    match rest.strip_prefix("---") {
        Some(behind) => match behind.find("---") {
            Some(at) => behind[at + 3..].trim(),
            None => rest,
        },
        None => rest,
    }
}

/// The SHA-256 of a body in 64 lower-case hexadecimal digits.
pub fn digest(body: &str) -> String {
    hex(&Sha256::digest(body.as_bytes()))
}

/// Bytes in lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}
