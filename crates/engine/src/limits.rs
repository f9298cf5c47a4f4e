//! The caps on what may be undecided, in bytes of input, and on the number of notes.

/// The caps. Past a cap the reading that keeps the bytes as data wins, with a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Blanks before a name, and blanks that may be trimmed.
    pub blanks: usize,
    /// A name, a key, an id.
    pub capture: usize,
    /// A value that may still become a number, a boolean or `null`.
    pub scalar: usize,
    /// Arguments before the name, untyped values, `xml` siblings that may repeat, a call in reasoning, the text after a
    /// bare call, skipped Python calls.
    pub undecided: usize,
    /// Notes kept per code and call; the rest is counted.
    pub notes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            blanks: 4 << 10,
            capture: 160,
            scalar: 64,
            undecided: 64 << 10,
            notes: 64,
        }
    }
}

/// How a call in quoted code is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InCode {
    /// Reads calls of known tools if their fence holds nothing else and names no language, or one of data (`json`,
    /// `xml`, `python`, ..). They have `Place::Code` and a note; if text follows the fence, they are `Recovered`. Any
    /// other quoted call is text, with a note.
    #[default]
    Auto,
    /// It is text, with a note.
    Ignore,
    /// It is a call with `Place::Code`.
    Accept,
}

/// How a call inside reasoning is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InReasoning {
    /// If the reasoning ends after the call, the call is reasoning, with a note. If the reasoning never ends, the call
    /// has `Place::Reasoning`. A special token makes a call in both cases.
    #[default]
    Ignore,
    /// It is a call with `Place::Reasoning`.
    Accept,
}
