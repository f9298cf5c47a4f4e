//! JSON text to values, without recursion.
//!
//! The grammar is RFC 8259, and an error has the message and the place that `serde_json` gives.

use crate::{Error, Map, Number, Value};

/// The default maximum nesting of arrays and objects; `serde_json` has the same limit.
const MAX_DEPTH: usize = 127;

/// No option allows deeper nesting: a value is dropped, compared and written by recursion.
const DEEPEST: usize = 1024;

/// Reads a JSON value of at most 127 nested arrays and objects. For a duplicate key the last value counts.
///
/// # Errors
/// If the text is not a JSON value, or nests deeper.
pub fn from_str(text: &str) -> Result<Value, Error> {
    from_slice(text.as_bytes())
}

/// Reads a JSON value from bytes, like [`from_str`].
///
/// # Errors
/// If the bytes are not a JSON value in UTF-8, or nest deeper.
pub fn from_slice(bytes: &[u8]) -> Result<Value, Error> {
    ReadOptions::default().read(bytes)
}

/// The limits of a reader of values.
///
/// ```
/// use toolglot_value::ReadOptions;
///
/// let strict = ReadOptions { max_depth: 1, duplicate_keys: false };
/// assert!(strict.read(b"[1, 2]").is_ok());
/// assert!(strict.read(b"[[1]]").is_err());
/// assert!(strict.read(br#"{"a": 1, "a": 2}"#).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// The maximum number of open arrays and objects; never more than 1024.
    pub max_depth: usize,
    /// Whether an object may have duplicate keys; the last value counts.
    pub duplicate_keys: bool,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            max_depth: MAX_DEPTH,
            duplicate_keys: true,
        }
    }
}

impl ReadOptions {
    /// Reads a JSON value.
    ///
    /// # Errors
    /// If the bytes are not a JSON value in UTF-8, or these options refuse it.
    pub fn read(&self, bytes: &[u8]) -> Result<Value, Error> {
        let mut reader = Reader::new(bytes);
        let value = reader.value(self)?;
        match reader.peek_after_space() {
            None => Ok(value),
            Some(_) => Err(reader.error_at_next("trailing characters")),
        }
    }
}

/// Whether a text is a JSON value that [`from_str`] reads. The value is not built: it may be large.
pub fn is_json(text: &str) -> bool {
    let mut reader = Reader::new(text.as_bytes());
    reader.skip_value(MAX_DEPTH).is_ok() && reader.peek_after_space().is_none()
}

/// An open array or object.
enum Open {
    Array(Vec<Value>),
    /// With the key of the next member.
    Object(Map<String, Value>, String),
}

pub(crate) struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Reader<'t> {
        Reader { text, at: 0 }
    }

    /// The number that is the whole text.
    pub(crate) fn only_number(mut self) -> Result<Number, Error> {
        let number = match self.peek() {
            None => Err(self.error_at_next(END_IN_VALUE)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.error_at_next(INVALID_NUMBER)),
        };
        match self.peek() {
            Some(_) => Err(self.error_at_next(INVALID_NUMBER)),
            None => number,
        }
    }

    fn value(&mut self, options: &ReadOptions) -> Result<Value, Error> {
        let max_depth = options.max_depth.min(DEEPEST);
        let mut open: Vec<Open> = Vec::new();
        loop {
            let next = self.peek_after_space();
            if matches!(next, Some(b'[' | b'{')) && open.len() == max_depth {
                return Err(self.error_at_next("recursion limit exceeded"));
            }
            let mut value = match next {
                None => return Err(self.error_at_next(END_IN_VALUE)),
                Some(b'[') => {
                    self.at += 1;
                    match self.peek_after_space() {
                        None => return Err(self.error_at_next(END_IN_ARRAY)),
                        Some(b']') => {
                            self.at += 1;
                            Value::Array(Vec::new())
                        }
                        Some(_) => {
                            open.push(Open::Array(Vec::new()));
                            continue;
                        }
                    }
                }
                Some(b'{') => {
                    self.at += 1;
                    match self.peek_after_space() {
                        None => return Err(self.error_at_next(END_IN_OBJECT)),
                        Some(b'}') => {
                            self.at += 1;
                            Value::Object(Map::new())
                        }
                        Some(_) => {
                            let members = Map::new();
                            let key = self.key(&members, options)?;
                            open.push(Open::Object(members, key));
                            continue;
                        }
                    }
                }
                Some(byte) => self.scalar(byte)?,
            };
            // The value may complete open containers, level by level, until another value must follow.
            loop {
                match open.pop() {
                    None => return Ok(value),
                    Some(Open::Array(mut items)) => {
                        items.push(value);
                        if self.is_another(b']')? {
                            open.push(Open::Array(items));
                            break;
                        }
                        value = Value::Array(items);
                    }
                    Some(Open::Object(mut members, key)) => {
                        members.insert(key, value);
                        if self.is_another(b'}')? {
                            let key = self.key(&members, options)?;
                            open.push(Open::Object(members, key));
                            break;
                        }
                        value = Value::Object(members);
                    }
                }
            }
        }
    }

    /// Skips a value without building it.
    fn skip_value(&mut self, max_depth: usize) -> Result<(), Error> {
        let mut closers: Vec<u8> = Vec::new();
        loop {
            let closer = match self.peek_after_space() {
                None => return Err(self.error_at_next(END_IN_VALUE)),
                Some(b'[') => Some(b']'),
                Some(b'{') => Some(b'}'),
                Some(b'"') => {
                    self.string_bytes(None)?;
                    None
                }
                Some(byte) => {
                    self.scalar(byte)?;
                    None
                }
            };
            if let Some(closer) = closer {
                if closers.len() == max_depth {
                    return Err(self.error_at_next("recursion limit exceeded"));
                }
                self.at += 1;
                if self.peek_after_space() == Some(closer) {
                    self.at += 1;
                } else {
                    closers.push(closer);
                    if closer == b'}' {
                        self.skip_key()?;
                    }
                    continue;
                }
            }
            loop {
                let Some(&closer) = closers.last() else {
                    return Ok(());
                };
                if self.is_another(closer)? {
                    if closer == b'}' {
                        self.skip_key()?;
                    }
                    break;
                }
                closers.pop();
            }
        }
    }

    /// Skips a key and the colon after it.
    fn skip_key(&mut self) -> Result<(), Error> {
        if self.peek() != Some(b'"') {
            return Err(self.error_at_next("key must be a string"));
        }
        self.string_bytes(None)?;
        if self.peek_after_space() != Some(b':') {
            return Err(self.error_at_next("expected `:`"));
        }
        self.at += 1;
        Ok(())
    }

    /// Whether a comma and another item or key follow; otherwise the closer follows and is skipped.
    fn is_another(&mut self, closer: u8) -> Result<bool, Error> {
        let is_array = closer == b']';
        match self.peek_after_space() {
            Some(b',') => {
                self.at += 1;
                match self.peek_after_space() {
                    None => Err(self.error_at_next(END_IN_VALUE)),
                    Some(byte) if byte == closer => Err(self.error_at_next("trailing comma")),
                    Some(_) => Ok(true),
                }
            }
            Some(byte) if byte == closer => {
                self.at += 1;
                Ok(false)
            }
            Some(_) if is_array => Err(self.error_at_next("expected `,` or `]`")),
            Some(_) => Err(self.error_at_next("expected `,` or `}`")),
            None if is_array => Err(self.error_at_next(END_IN_ARRAY)),
            None => Err(self.error_at_next(END_IN_OBJECT)),
        }
    }

    /// A key and the colon after it.
    fn key(
        &mut self,
        members: &Map<String, Value>,
        options: &ReadOptions,
    ) -> Result<String, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.error_at_next("key must be a string"));
        }
        let key = self.string()?;
        let next = self.peek_after_space();
        if !options.duplicate_keys && members.contains_key(&key) {
            return Err(self.error(format!("duplicate key {key:?} in one object")));
        }
        match next {
            Some(b':') => {
                self.at += 1;
                Ok(key)
            }
            Some(_) => Err(self.error_at_next("expected `:`")),
            None => Err(self.error_at_next(END_IN_OBJECT)),
        }
    }

    fn scalar(&mut self, first: u8) -> Result<Value, Error> {
        match first {
            b'"' => self.string().map(Value::String),
            b'-' | b'0'..=b'9' => self.number().map(Value::Number),
            b'n' => self.word(b"null").map(|()| Value::Null),
            b't' => self.word(b"true").map(|()| Value::Bool(true)),
            b'f' => self.word(b"false").map(|()| Value::Bool(false)),
            _ => Err(self.error_at_next("expected value")),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Error> {
        for &expected in word {
            match self.next() {
                None => return Err(self.error(END_IN_VALUE)),
                Some(byte) if byte != expected => return Err(self.error("expected ident")),
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Number, Error> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.next() {
            None => return Err(self.error(END_IN_VALUE)),
            Some(b'0') if self.is_at_digit() => return Err(self.error_at_next(INVALID_NUMBER)),
            Some(b'0') => {}
            Some(b'1'..=b'9') => self.skip_digits(),
            Some(_) => return Err(self.error(INVALID_NUMBER)),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            match self.peek() {
                None => return Err(self.error_at_next(END_IN_VALUE)),
                Some(b'0'..=b'9') => self.skip_digits(),
                Some(_) => return Err(self.error_at_next(INVALID_NUMBER)),
            }
        }
        let mut digits = self.ascii(start).to_owned();
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            digits.push('e');
            match self.peek() {
                Some(b'-') => {
                    self.at += 1;
                    digits.push('-');
                }
                Some(b'+') => {
                    self.at += 1;
                    digits.push('+');
                }
                _ => digits.push('+'),
            }
            let exponent = self.at;
            match self.next() {
                None => return Err(self.error(END_IN_VALUE)),
                Some(b'0'..=b'9') => self.skip_digits(),
                Some(_) => return Err(self.error(INVALID_NUMBER)),
            }
            digits.push_str(self.ascii(exponent));
        }
        Ok(Number::of_digits(digits))
    }

    /// The text from `start` to here, which is part of a number.
    fn ascii(&self, start: usize) -> &'t str {
        str::from_utf8(&self.text[start..self.at]).unwrap_or_default()
    }

    fn is_at_digit(&self) -> bool {
        self.peek().is_some_and(|byte| byte.is_ascii_digit())
    }

    fn skip_digits(&mut self) {
        while self.is_at_digit() {
            self.at += 1;
        }
    }

    /// A string from its opening quote.
    fn string(&mut self) -> Result<String, Error> {
        // A growing buffer would keep its old copy meanwhile.
        let mut bytes = Vec::with_capacity(self.string_len());
        self.string_bytes(Some(&mut bytes))?;
        let n_bytes = bytes.len();
        String::from_utf8(bytes).map_err(|error| {
            // Approximate after an escape, which is longer than its character.
            let n_after = n_bytes - error.utf8_error().valid_up_to();
            let at = self.at.saturating_sub(n_after);
            self.error_at("invalid unicode code point".into(), at)
        })
    }

    /// The number of bytes before the closing quote of a string, from its opening quote: an upper bound of its length.
    fn string_len(&self) -> usize {
        let inside = self.text.get(self.at + 1..).unwrap_or_default();
        let mut at = 0;
        while let Some(byte) = inside.get(at) {
            match byte {
                b'"' => return at,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        inside.len()
    }

    /// Reads the bytes of a string from its opening quote, and appends them to `out` if given.
    fn string_bytes(&mut self, mut out: Option<&mut Vec<u8>>) -> Result<(), Error> {
        self.at += 1;
        loop {
            let start = self.at;
            let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            let Some(n_plain) = self.text[start..].iter().position(is_special) else {
                self.at = self.text.len();
                return Err(self.error(END_IN_STRING));
            };
            let special = start + n_plain;
            self.at = special + 1;
            if let Some(out) = out.as_deref_mut() {
                out.extend_from_slice(&self.text[start..special]);
            }
            match self.text[special] {
                b'"' => return Ok(()),
                b'\\' => {
                    let char = self.escape()?;
                    if let Some(out) = out.as_deref_mut() {
                        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
                _ => {
                    return Err(self.error(
                        "control character (\\u0000-\\u001F) found while parsing a string",
                    ));
                }
            }
        }
    }

    /// The character of an escape, from after its backslash.
    fn escape(&mut self) -> Result<char, Error> {
        match self.next() {
            None => Err(self.error(END_IN_STRING)),
            Some(byte @ (b'"' | b'\\' | b'/')) => Ok(char::from(byte)),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.unicode_escape(),
            Some(_) => Err(self.error("invalid escape")),
        }
    }

    fn unicode_escape(&mut self) -> Result<char, Error> {
        let first = self.hex()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first).ok_or_else(|| self.error(LONE_SURROGATE));
        }
        for wanted in [b'\\', b'u'] {
            match self.next() {
                None => return Err(self.error(END_IN_STRING)),
                Some(byte) if byte == wanted => {}
                Some(_) => return Err(self.error("unexpected end of hex escape")),
            }
        }
        let second = self.hex()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(self.error(LONE_SURROGATE));
        }
        let code = (((first - 0xD800) << 10) | (second - 0xDC00)) + 0x1_0000;
        char::from_u32(code).ok_or_else(|| self.error(LONE_SURROGATE))
    }

    fn hex(&mut self) -> Result<u32, Error> {
        let Some(digits) = self.text.get(self.at..self.at + 4) else {
            self.at = self.text.len();
            return Err(self.error(END_IN_STRING));
        };
        self.at += 4;
        let code = digits.iter().try_fold(0, |code, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            Some(code * 16 + digit)
        });
        code.ok_or_else(|| self.error("invalid escape"))
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn peek_after_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    /// An error about the byte before this place.
    fn error(&self, message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        self.error_at(message.into(), self.at)
    }

    /// An error about the byte at this place.
    fn error_at_next(&self, message: &'static str) -> Error {
        self.error_at(message.into(), (self.at + 1).min(self.text.len()))
    }

    fn error_at(&self, message: std::borrow::Cow<'static, str>, at: usize) -> Error {
        let before = &self.text[..at];
        let line_start = before
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let lines_before = before[..line_start].iter().filter(|&&byte| byte == b'\n');
        Error::new(message, 1 + lines_before.count(), at - line_start)
    }
}

const END_IN_ARRAY: &str = "EOF while parsing a list";
const END_IN_OBJECT: &str = "EOF while parsing an object";
const END_IN_STRING: &str = "EOF while parsing a string";
const END_IN_VALUE: &str = "EOF while parsing a value";
const INVALID_NUMBER: &str = "invalid number";
const LONE_SURROGATE: &str = "lone leading surrogate in hex escape";
