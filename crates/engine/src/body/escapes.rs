//! Decodes values: XML's entities, percent-encoding, and a dialect's own escapes.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::grammar::{Values, without_break};
use crate::thresholds::ENTITY_MAX;

/// The text at an `&`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    /// A character, and the length of its entity in bytes.
    Char(char, usize),
    /// Not an entity: the `&` is text.
    Bare,
    /// More bytes are needed.
    Cut,
}

/// Reads the entity at the start of `text`, which is an `&`: one of XML's five, or a number.
pub(crate) fn entity(text: &[u8], whole: bool) -> Entity {
    let end = text.iter().take(ENTITY_MAX + 1).position(|&b| b == b';');
    let Some(end) = end else {
        let inside = &text[1..text.len().min(ENTITY_MAX + 1)];
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
        let open = inside.iter().all(is_inside);
        return if open && text.len() <= ENTITY_MAX && !whole {
            Entity::Cut
        } else {
            Entity::Bare
        };
    };
    let inside = &text[1..end];
    let c = match inside {
        b"amp" => Some('&'),
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        [b'#', b'x' | b'X', hex @ ..] => number(hex, 16),
        [b'#', decimal @ ..] => number(decimal, 10),
        _ => None,
    };
    c.map_or(Entity::Bare, |c| Entity::Char(c, end + 1))
}

/// A whole text with its entities decoded; an ampersand that starts no entity stays.
pub(crate) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let entities = EscapeDecoder {
        entities: true,
        ..EscapeDecoder::default()
    };
    Cow::Owned(entities.decode(text))
}

/// Decodes a text that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct EscapeDecoder {
    entities: bool,
    percent: bool,
    escapes: Arc<[(String, String)]>,
    /// The text starts a line: an escape that starts with a line break matches without it at the start.
    starts_line: bool,
    /// The start of a possible escape.
    waiting: String,
}

impl EscapeDecoder {
    /// A decoder for what `values` asks for; `None` if that is nothing.
    pub(crate) fn new(values: &Values, starts_line: bool) -> Option<EscapeDecoder> {
        let decoder = EscapeDecoder {
            entities: values.entities,
            percent: values.percent,
            escapes: Arc::clone(&values.escapes),
            starts_line,
            waiting: String::new(),
        };
        (values.entities || values.percent || !values.escapes.is_empty()).then_some(decoder)
    }

    /// From here on only entities are decoded.
    pub(crate) fn only_entities(&mut self) {
        self.percent = false;
        self.escapes = Arc::default();
    }

    /// Decodes a whole text.
    pub(crate) fn decode(mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.feed(text, 0, |text, _| out.push_str(text));
        out.push_str(&self.finish());
        out
    }

    /// Decodes the pending text at the end: an escape that starts a longer one has its own meaning.
    pub(crate) fn finish(mut self) -> String {
        let mut out = String::new();
        while let Some(c) = self.waiting.chars().next() {
            let (mut used, mut buffer) = (c.len_utf8(), [0; 4]);
            let mut meant: &str = c.encode_utf8(&mut buffer);
            let escapes = Arc::clone(&self.escapes);
            if let Some((written, text)) =
                { escapes.iter() }.find(|(written, _)| self.waiting.starts_with(written))
            {
                (used, meant) = (written.len(), text);
            }
            out.push_str(meant);
            let rest = self.waiting.split_off(used);
            self.waiting.clear();
            self.feed(&rest, 0, |text, _| out.push_str(text));
        }
        out
    }

    /// Writes the decided part of the text, each run with its place. `piece` is at `at`.
    pub(crate) fn feed(&mut self, piece: &str, at: u64, mut write: impl FnMut(&str, u64)) {
        let from = at - self.waiting.len() as u64;
        self.waiting.push_str(piece);
        let text = core::mem::take(&mut self.waiting);
        let mut used = 0;
        'text: while let Some(c) = text[used..].chars().next() {
            let (rest, here) = (&text[used..], from + used as u64);
            let own = self.escapes.iter();
            let own = own.map(|(written, meant)| (&**written, &**meant));
            let of_line = self.escapes.iter().filter(|_| self.starts_line);
            for (written, meant) in own.chain(of_line.filter_map(without_break)) {
                if rest.starts_with(written) {
                    write(meant, here);
                    used += written.len();
                    self.starts_line = false;
                    continue 'text;
                }
                if written.starts_with(rest) {
                    return self.waiting.push_str(rest);
                }
            }
            self.starts_line = false;
            let found = match c {
                '&' if self.entities => entity(rest.as_bytes(), false),
                '%' if self.percent => percent(rest.as_bytes()),
                '+' if self.percent => Entity::Char(' ', 1),
                _ => Entity::Bare,
            };
            used += match found {
                Entity::Char(c, length) => {
                    write(c.encode_utf8(&mut [0; 4]), here);
                    length
                }
                Entity::Bare => {
                    let next = rest[c.len_utf8()..].find(|c| self.may_start(c));
                    let run = next.map_or(rest.len(), |next| c.len_utf8() + next);
                    write(&rest[..run], here);
                    run
                }
                Entity::Cut => return self.waiting.push_str(rest),
            };
        }
    }

    fn may_start(&self, c: char) -> bool {
        let starts = |(written, _): &(String, String)| written.starts_with(c);
        c == '&' && self.entities
            || matches!(c, '%' | '+') && self.percent
            || self.escapes.iter().any(starts)
    }
}

/// Reads the character at the start of `text`, a `%`: its bytes in UTF-8, each as `%` and two digits.
fn percent(text: &[u8]) -> Entity {
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let digits = match rest {
            [b'%', digits @ ..] => &digits[..digits.len().min(2)],
            [] => return Entity::Cut,
            _ => return Entity::Bare,
        };
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return Entity::Bare;
        }
        let [high, low] = *digits else {
            return Entity::Cut;
        };
        let digit = |byte| char::from(byte).to_digit(16).unwrap_or(0) as u8;
        bytes.push(digit(high) * 16 + digit(low));
        rest = &rest[3..];
        match core::str::from_utf8(&bytes) {
            Ok(text) => {
                let first = text.chars().next();
                return first.map_or(Entity::Bare, |c| Entity::Char(c, 3 * bytes.len()));
            }
            Err(error) if error.error_len().is_some() => return Entity::Bare,
            Err(_) => {}
        }
    }
}

fn number(digits: &[u8], radix: u32) -> Option<char> {
    let digits = core::str::from_utf8(digits).ok()?;
    let is_number = digits.chars().all(|c| c.is_digit(radix));
    let code = u32::from_str_radix(digits, radix).ok();
    code.filter(|_| is_number).and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_that_begins_as_a_longer_one_is_decoded_at_the_end() {
        let pairs =
            [("~~~", "T"), ("~", "t")].map(|(written, meant)| (written.into(), meant.into()));
        for (text, decoded) in [("a~b~~~c~", "atbTct"), ("a~~", "att"), ("~~~~", "Tt")] {
            let decoder = EscapeDecoder {
                escapes: pairs.to_vec().into(),
                ..EscapeDecoder::default()
            };
            assert_eq!(decoder.decode(text), decoded, "{text}");
        }
    }

    #[test]
    fn a_text_is_decoded_once() {
        assert_eq!(decoded("a&amp;quot;b"), "a&quot;b");
        assert_eq!(decoded("a & b &lt;c"), "a & b <c");
        assert_eq!(decoded("plain"), "plain");
    }

    #[test]
    fn entities_are_read_and_bare_ampersands_told() {
        assert_eq!(entity(b"&amp; b", true), Entity::Char('&', 5));
        assert_eq!(entity(b"&#x1F980;", true), Entity::Char('🦀', 9));
        assert_eq!(entity(b"&#60;", true), Entity::Char('<', 5));
        assert_eq!(entity(b"&& x", false), Entity::Bare);
        assert_eq!(entity(b"& b;", false), Entity::Bare);
        assert_eq!(entity(b"&nbsp;", false), Entity::Bare);
        assert_eq!(entity(b"&#xD800;", false), Entity::Bare);
        assert_eq!(entity(b"&am", false), Entity::Cut);
        assert_eq!(entity(b"&am", true), Entity::Bare);
        assert_eq!(entity(b"&", false), Entity::Cut);
    }
}
