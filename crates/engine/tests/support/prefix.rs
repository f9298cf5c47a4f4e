//! A strict push validator: is this text a prefix of one JSON object, and is it whole?

/// Where the validator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the root's `{`.
    Begin,
    /// Behind `{`: a key or `}`.
    FirstKey,
    /// Behind a comma in an object.
    Key,
    Colon,
    /// Behind `[`: a value or `]`.
    FirstValue,
    Value,
    After,
    Text {
        key: bool,
    },
    Escape {
        key: bool,
    },
    Hex {
        key: bool,
        left: u8,
    },
    /// Inside a number, a boolean or `null`: its text is in `word`.
    Word,
    Done,
}

/// The validator. One object each.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    state: State,
    /// `true` for an object.
    stack: Vec<bool>,
    word: Vec<u8>,
    read: usize,
}

impl Default for Prefix {
    fn default() -> Prefix {
        Prefix {
            state: State::Begin,
            stack: Vec::new(),
            word: Vec::new(),
            read: 0,
        }
    }
}

impl Prefix {
    /// Reads on.
    ///
    /// # Errors
    /// The first byte that no JSON object can have there.
    pub(crate) fn push(&mut self, json: &str) -> Result<(), String> {
        for byte in json.bytes() {
            self.byte(byte)
                .map_err(|why| format!("byte {} ({:?}): {why}", self.read, char::from(byte)))?;
            self.read += 1;
        }
        Ok(())
    }

    /// Whether one whole object was read.
    pub(crate) fn is_whole(&self) -> bool {
        self.state == State::Done
    }

    fn byte(&mut self, byte: u8) -> Result<(), &'static str> {
        let blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match self.state {
            State::Begin if byte == b'{' => self.open(true),
            State::FirstKey
            | State::Key
            | State::FirstValue
            | State::Value
            | State::Colon
            | State::After
                if blank => {}
            State::FirstKey | State::Key if byte == b'"' => self.state = State::Text { key: true },
            State::FirstKey if byte == b'}' => return self.close(true),
            State::Colon if byte == b':' => self.state = State::Value,
            State::FirstValue if byte == b']' => return self.close(false),
            State::FirstValue | State::Value => match byte {
                b'"' => self.state = State::Text { key: false },
                b'{' => self.open(true),
                b'[' => self.open(false),
                b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                    self.word.clear();
                    self.word.push(byte);
                    self.state = State::Word;
                }
                _ => return Err("no value begins so"),
            },
            State::After => match (byte, self.stack.last()) {
                (b',', Some(true)) => self.state = State::Key,
                (b',', Some(false)) => self.state = State::Value,
                (b'}', _) => return self.close(true),
                (b']', _) => return self.close(false),
                _ => return Err("neither comma nor closer"),
            },
            State::Text { key } => match byte {
                b'"' => self.state = if key { State::Colon } else { State::After },
                b'\\' => self.state = State::Escape { key },
                0..=0x1f => return Err("a control character in a string"),
                _ => {}
            },
            State::Escape { key } => match byte {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                    self.state = State::Text { key }
                }
                b'u' => self.state = State::Hex { key, left: 4 },
                _ => return Err("no escape"),
            },
            State::Hex { key, left } if byte.is_ascii_hexdigit() => {
                self.state = if left == 1 {
                    State::Text { key }
                } else {
                    State::Hex {
                        key,
                        left: left - 1,
                    }
                };
            }
            State::Word if matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') =>
            {
                self.word.push(byte);
            }
            State::Word => {
                if toolglot_value::from_slice(&self.word).is_err() {
                    return Err("the word before it is no JSON");
                }
                self.state = State::After;
                return self.byte(byte);
            }
            _ => return Err("nothing may stand here"),
        }
        Ok(())
    }

    fn open(&mut self, object: bool) {
        self.stack.push(object);
        self.state = if object {
            State::FirstKey
        } else {
            State::FirstValue
        };
    }

    fn close(&mut self, object: bool) -> Result<(), &'static str> {
        if self.stack.pop() != Some(object) {
            return Err("the closer fits another bracket");
        }
        self.state = if self.stack.is_empty() {
            State::Done
        } else {
            State::After
        };
        Ok(())
    }
}
