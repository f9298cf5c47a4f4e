//! A Python call that goes by: up to the name of the next one in its list.

/// The brackets of a call, and the strings between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brackets {
    /// Those that are open.
    depth: u32,
    /// The mark of the open string, and whether it is escaped.
    mark: Option<(u8, bool)>,
    /// The last byte was a backslash that escapes the next one.
    is_escaped: bool,
}

impl Brackets {
    /// From behind the `(` on.
    pub(crate) fn new() -> Brackets {
        Brackets {
            depth: 1,
            mark: None,
            is_escaped: false,
        }
    }

    /// A byte between them. Returns whether it closes the last one.
    pub(crate) fn step(&mut self, byte: u8) -> bool {
        let is_escaped = core::mem::take(&mut self.is_escaped);
        if byte == b'\\' {
            self.is_escaped = !is_escaped;
        } else if let Some(mark) = self.mark {
            if mark == (byte, is_escaped) {
                self.mark = None;
            }
        } else {
            match byte {
                b'"' | b'\'' => self.mark = Some((byte, is_escaped)),
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth -= 1,
                _ => {}
            }
        }
        self.depth == 0
    }
}

/// How far it went by.
#[derive(Debug)]
pub(crate) struct Passing {
    /// Its brackets, until the last of them is closed.
    brackets: Option<Brackets>,
    /// The comma behind the call was read.
    is_after_comma: bool,
}

/// What a byte decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassingStep {
    More,
    /// A name begins with the byte.
    Name,
    /// No further call follows.
    Dead,
}

impl Passing {
    /// From behind the `(` on.
    pub(crate) fn new() -> Passing {
        Passing {
            brackets: Some(Brackets::new()),
            is_after_comma: false,
        }
    }

    pub(crate) fn step(&mut self, byte: u8) -> PassingStep {
        if let Some(brackets) = &mut self.brackets {
            if brackets.step(byte) {
                self.brackets = None;
            }
            return PassingStep::More;
        }
        match byte {
            // A call between marks, which may be escaped.
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'\\' => PassingStep::More,
            b',' | b';' | b'+' if !self.is_after_comma => {
                self.is_after_comma = true;
                PassingStep::More
            }
            _ if self.is_after_comma && (byte.is_ascii_alphabetic() || byte == b'_') => {
                PassingStep::Name
            }
            _ => PassingStep::Dead,
        }
    }
}
