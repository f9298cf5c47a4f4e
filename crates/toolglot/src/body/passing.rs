//! A Python call that goes by: up to the name of the next one in its list.

/// How far it went by.
#[derive(Debug)]
pub(crate) struct Passing {
    /// Brackets that are open.
    depth: u32,
    /// The mark of the open string, and whether it is escaped.
    mark: Option<(u8, bool)>,
    /// The last byte was a backslash that escapes the next one.
    is_escaped: bool,
    /// The comma behind the call was read.
    is_behind_comma: bool,
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
            depth: 1,
            mark: None,
            is_escaped: false,
            is_behind_comma: false,
        }
    }

    pub(crate) fn step(&mut self, byte: u8) -> PassingStep {
        let is_escaped = core::mem::take(&mut self.is_escaped);
        if byte == b'\\' && !is_escaped {
            self.is_escaped = true;
            return PassingStep::More;
        }
        if let Some(mark) = self.mark {
            if mark == (byte, is_escaped) {
                self.mark = None;
            }
            return PassingStep::More;
        }
        match byte {
            b'"' | b'\'' if self.depth > 0 => self.mark = Some((byte, is_escaped)),
            b'(' | b'[' | b'{' if self.depth > 0 => self.depth += 1,
            b')' | b']' | b'}' if self.depth > 0 => self.depth -= 1,
            _ if self.depth > 0 => {}
            // A call between marks.
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' => {}
            b',' | b';' | b'+' if !self.is_behind_comma => self.is_behind_comma = true,
            _ if self.is_behind_comma && (byte.is_ascii_alphabetic() || byte == b'_') => {
                return PassingStep::Name;
            }
            _ => return PassingStep::Dead,
        }
        PassingStep::More
    }
}
