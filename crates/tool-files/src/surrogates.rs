//! JSON with unpaired surrogates in its texts, which JavaScript and Python may write.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Reads JSON. An unpaired surrogate, which no Rust string can hold, becomes U+FFFD.
///
/// # Errors
/// If the text is otherwise not JSON.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match whole(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => serde_json::from_str(&text),
    })
}

/// The same text with `\\ufffd` for each escape that is an unpaired surrogate.
fn whole(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = text[at..].find('\\') {
        let start = at + found;
        let Some(unit) = unit(&text[start..]) else {
            // Neither a backslash nor the character that it escapes starts another escape.
            at = start + 1;
            at += text[at..].chars().next().map_or(0, char::len_utf8);
            continue;
        };
        at = start + 6;
        let is_pair = (0xD800..0xDC00).contains(&unit)
            && self::unit(&text[at..]).is_some_and(|next| (0xDC00..0xE000).contains(&next));
        if is_pair {
            at += 6;
        } else if (0xD800..0xE000).contains(&unit) {
            out.push_str(&text[copied..start]);
            out.push_str("\\ufffd");
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The code unit of an escape `\uXXXX` at the start of a text.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use toolglot_value::{Value, json};

    use super::read_json;

    #[test]
    fn half_a_pair_is_replaced_and_nothing_else() {
        for (text, value) in [
            (r#""ok \ud83d""#, json!("ok \u{fffd}")),
            (
                r#"{"\udc80": "\ud83d\ud83d\ude00"}"#,
                json!({"\u{fffd}": "\u{fffd}\u{1f600}"}),
            ),
            (r#"["\\ud83d", "\ude00x"]"#, json!(["\\ud83d", "\u{fffd}x"])),
            (r#""\ud83d\n""#, json!("\u{fffd}\n")),
            (r#""\ud83d\ude00""#, json!("\u{1f600}")),
        ] {
            assert_eq!(read_json::<Value>(text).expect(text), value);
        }
        for bad in [r#""\ud8"#, r#""\ud83d"#, "\\", r#""\u12é4""#] {
            assert!(read_json::<Value>(bad).is_err(), "{bad}");
        }
    }
}
