//! Text of the answer that is written as a JSON value (`{"type": "text", "text": "Hello"}`).

use alloc::string::String;

use toolglot_json::internal::unescape;

/// How such a value is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StringText {
    /// Whether the value is a string, which is decoded; the first byte decides.
    is_string: Option<bool>,
}

impl StringText {
    /// Takes the next piece of the value from `json` and decodes it. An incomplete escape stays in `json`.
    pub(super) fn take(&mut self, json: &mut String) -> String {
        let is_first = self.is_string.is_none() && !json.is_empty();
        if is_first {
            self.is_string = Some(json.starts_with('"'));
        }
        if self.is_string != Some(true) {
            return core::mem::take(json);
        }
        let (mut at, mut inside) = (usize::from(is_first), usize::from(is_first)..json.len());
        while let Some(next) = json[at..].find(['"', '\\']) {
            at += next;
            let rest = &json.as_bytes()[at..];
            let length = match rest {
                [b'"', ..] => 0,
                [_, b'u', b'd' | b'D', digit, ..] if b"89abAB".contains(digit) => 12,
                [_, b'u', ..] => 6,
                _ => 2,
            };
            if length == 0 || rest.len() < length {
                inside.end = at;
                break;
            }
            at += length;
        }
        let text = unescape(&json[inside.clone()]).into_owned();
        let has_ended = json[inside.end..].starts_with('"');
        json.drain(..if has_ended { json.len() } else { inside.end });
        text
    }
}
