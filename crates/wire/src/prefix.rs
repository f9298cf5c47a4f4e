//! Completes the prefix of a JSON text for display.

/// The longest part of `prefix` that becomes JSON by adding a quote and brackets, with those added.
///
/// A key without a value, a comma and half a word are dropped; half a string and half a number remain.
/// `None` if no value has started. Linear in the length of `prefix`.
///
/// ```text
///  {"path": "src/ma      ->  {"path": "src/ma"}
///  {"path": "a", "con    ->  {"path": "a"}
/// ```
pub(crate) fn complete(prefix: &str) -> Option<String> {
    let mut scan = Scan::default();
    for (at, byte) in prefix.bytes().enumerate() {
        scan.feed(at, byte);
    }
    if scan.kept == 0 {
        return None;
    }
    let mut whole = String::with_capacity(scan.kept + scan.open.len() + 1);
    whole.push_str(prefix.get(..scan.kept)?);
    if scan.kept_in_string {
        whole.push('"');
    }
    whole.extend(scan.open.iter().rev().map(|bracket| match bracket {
        Bracket::Object => '}',
        Bracket::Array => ']',
    }));
    Some(whole)
}

/// Scans JSON that is well formed up to its end.
#[derive(Default)]
struct Scan {
    state: State,
    /// Brackets change only at bytes that may be kept, so these are also the ones open at `kept`.
    open: Vec<Bracket>,
    /// The number of bytes that may be kept.
    kept: usize,
    /// Whether a string is open at `kept`.
    kept_in_string: bool,
}

enum Bracket {
    Object,
    Array,
}

#[derive(Clone, Copy, Default)]
enum State {
    /// A value may start.
    #[default]
    Value,
    /// A key or `}` may start.
    Key,
    /// After a key.
    Colon,
    /// After a value.
    After,
    /// Inside a string.
    Text { key: bool, escape: Escape },
    /// Inside `true`, `false` or `null`, with this many letters to come.
    Word { left: u8 },
    /// Inside a number.
    Number,
}

/// The progress of an escape sequence.
#[derive(Clone, Copy, Default)]
enum Escape {
    #[default]
    None,
    Backslash,
    /// This many hexadecimal digits read, with their value.
    Hex {
        n: u8,
        value: u16,
    },
    /// A high surrogate is complete; its other half must follow.
    High,
    /// The backslash of the other half was read.
    HighBackslash,
}

impl Scan {
    fn feed(&mut self, at: usize, byte: u8) {
        match self.state {
            State::Text { key, escape } => self.text(at, byte, key, escape),
            State::Word { left } => {
                self.state = if left == 1 {
                    State::After
                } else {
                    State::Word { left: left - 1 }
                };
                if left == 1 {
                    self.keep(at, false);
                }
            }
            State::Number if byte.is_ascii_digit() => self.keep(at, false),
            State::Number if matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-') => {}
            State::Value | State::Key | State::Colon | State::After | State::Number => {
                self.between(at, byte);
            }
        }
    }

    fn between(&mut self, at: usize, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.open.push(if byte == b'{' {
                    Bracket::Object
                } else {
                    Bracket::Array
                });
                self.state = if byte == b'{' {
                    State::Key
                } else {
                    State::Value
                };
                self.keep(at, false);
            }
            b'}' | b']' => {
                self.open.pop();
                self.state = State::After;
                self.keep(at, false);
            }
            b',' => {
                self.state = if matches!(self.open.last(), Some(Bracket::Object)) {
                    State::Key
                } else {
                    State::Value
                };
            }
            b':' => self.state = State::Value,
            b'"' => {
                let key = matches!(self.state, State::Key);
                self.state = State::Text {
                    key,
                    escape: Escape::None,
                };
                if !key {
                    self.keep(at, true);
                }
            }
            b't' | b'n' => self.state = State::Word { left: 3 },
            b'f' => self.state = State::Word { left: 4 },
            b'0'..=b'9' => {
                self.state = State::Number;
                self.keep(at, false);
            }
            b'-' => self.state = State::Number,
            _ => {}
        }
    }

    fn text(&mut self, at: usize, byte: u8, key: bool, escape: Escape) {
        let next = match (escape, byte) {
            (Escape::None, b'"') => {
                self.state = if key { State::Colon } else { State::After };
                if !key {
                    self.keep(at, false);
                }
                return;
            }
            (Escape::None, b'\\') => Escape::Backslash,
            (Escape::High, _) => Escape::HighBackslash,
            (Escape::HighBackslash, _) | (Escape::Backslash, b'u') => {
                Escape::Hex { n: 0, value: 0 }
            }
            (Escape::Hex { n, value }, _) => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0) as u16;
                let value = value << 4 | digit;
                match (n, value) {
                    (3, 0xD800..=0xDBFF) => Escape::High,
                    (3, _) => Escape::None,
                    _ => Escape::Hex { n: n + 1, value },
                }
            }
            (Escape::None | Escape::Backslash, _) => Escape::None,
        };
        self.state = State::Text { key, escape: next };
        if !key && matches!(next, Escape::None) {
            self.keep(at, true);
        }
    }

    fn keep(&mut self, at: usize, in_string: bool) {
        self.kept = at + 1;
        self.kept_in_string = in_string;
    }
}

#[cfg(test)]
mod tests {
    use super::complete;

    fn check(prefix: &str, whole: Option<&str>) {
        assert_eq!(complete(prefix).as_deref(), whole, "prefix {prefix:?}");
    }

    #[test]
    fn half_a_string_is_closed() {
        check(r#"{"path":"src/ma"#, Some(r#"{"path":"src/ma"}"#));
        check(r#"{"a":["x","y"#, Some(r#"{"a":["x","y"]}"#));
    }

    #[test]
    fn half_a_pair_is_left_out() {
        check(r#"{"a":1,"b"#, Some(r#"{"a":1}"#));
        check(r#"{"a":1,"b":"#, Some(r#"{"a":1}"#));
        check(r#"{"a":1,"#, Some(r#"{"a":1}"#));
        check(r#"{"a":1,"b":tru"#, Some(r#"{"a":1}"#));
    }

    #[test]
    fn half_an_escape_is_left_out() {
        check(r#"{"a":"x\"#, Some(r#"{"a":"x"}"#));
        check(r#"{"a":"x\u00"#, Some(r#"{"a":"x"}"#));
        check(r#"{"a":"x\ud83d"#, Some(r#"{"a":"x"}"#));
        check(r#"{"a":"x\ud83d\ude"#, Some(r#"{"a":"x"}"#));
        check(r#"{"a":"x\ud83d\ude00"#, Some(r#"{"a":"x\ud83d\ude00"}"#));
    }

    #[test]
    fn nothing_begun_is_nothing() {
        check("", None);
        check("  ", None);
        check("tr", None);
    }

    #[test]
    fn every_prefix_of_a_text_becomes_json() {
        let text = r#"{"a":[1.5e-3,true,{"b\n":null}],"c":"é\ud83d\ude00\\","d":{},"e":-12}"#;
        for (at, _) in text.char_indices().skip(1) {
            let whole = complete(&text[..at]).expect("an object has begun");
            assert!(toolglot_value::from_str(&whole).is_ok(), "{whole}");
        }
        assert_eq!(complete(text).as_deref(), Some(text));
    }
}
