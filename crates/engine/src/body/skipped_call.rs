//! Skips a Python call, up to the name of the next call in its list.

/// The brackets of a call, and the strings between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brackets {
    /// How many brackets are open.
    depth: u32,
    /// The quote of the open string, and whether that quote is escaped.
    quote: Option<(u8, bool)>,
    /// The last byte was a backslash that escapes the next one.
    is_escaped: bool,
}

impl Brackets {
    /// Starts after the `(`.
    pub(crate) fn new() -> Brackets {
        Brackets {
            depth: 1,
            quote: None,
            is_escaped: false,
        }
    }

    /// Reads a byte. Returns whether it closes the last bracket.
    pub(crate) fn step(&mut self, byte: u8) -> bool {
        let is_escaped = core::mem::take(&mut self.is_escaped);
        if byte == b'\\' {
            self.is_escaped = !is_escaped;
        } else if let Some(quote) = self.quote {
            if quote == (byte, is_escaped) {
                self.quote = None;
            }
        } else {
            match byte {
                b'"' | b'\'' => self.quote = Some((byte, is_escaped)),
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth -= 1,
                _ => {}
            }
        }
        self.depth == 0
    }
}

/// How much of the call is skipped.
#[derive(Debug)]
pub(crate) struct SkippedCall {
    /// Its brackets, until the last one is closed.
    brackets: Option<Brackets>,
    /// The separator after the call was read.
    is_after_comma: bool,
}

/// What a byte decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkipStep {
    More,
    /// The byte starts a name.
    Name,
    /// No further call follows.
    Dead,
}

impl SkippedCall {
    /// Starts after the `(`.
    pub(crate) fn new() -> SkippedCall {
        SkippedCall {
            brackets: Some(Brackets::new()),
            is_after_comma: false,
        }
    }

    pub(crate) fn step(&mut self, byte: u8) -> SkipStep {
        if let Some(brackets) = &mut self.brackets {
            if brackets.step(byte) {
                self.brackets = None;
            }
            return SkipStep::More;
        }
        match byte {
            // The call may be in quotes, which may be escaped.
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'\\' => SkipStep::More,
            b',' | b';' | b'+' if !self.is_after_comma => {
                self.is_after_comma = true;
                SkipStep::More
            }
            _ if self.is_after_comma && (byte.is_ascii_alphabetic() || byte == b'_') => {
                SkipStep::Name
            }
            _ => SkipStep::Dead,
        }
    }
}
