//! The caps on what may be undecided, all in bytes of input.

/// The caps. Past a cap the reading that keeps the bytes as data wins, with a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Blanks before a name, and blanks that may be trimmed.
    pub blanks: usize,
    /// A name, a key, an id.
    pub capture: usize,
    /// A value that may still become a number, a boolean or `null`.
    pub scalar: usize,
    /// Arguments before the name, untyped values, `xml` siblings that may repeat, a call in reasoning, what follows a call
    /// that only its name tells, Python calls that go by.
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

/// What becomes of a call in quoted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InCode {
    /// In a fence that names no language, or one of data (`json`, `xml`, `python`, ..), calls of known tools are calls with
    /// `Place::Code` and a note, as long as nothing else stands there. Where text follows the fence, they are `Recovered`.
    /// Any other quoted call is text, with a note.
    #[default]
    Auto,
    /// It is text, with a note.
    Ignore,
    /// It is a call with `Place::Code`.
    Accept,
}

/// What becomes of a call inside reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InReasoning {
    /// Where the reasoning ends behind it, it is reasoning, with a note; where that never ends it is a call with
    /// `Place::Reasoning`. A special token is a call all the same.
    #[default]
    Ignore,
    /// It is a call with `Place::Reasoning`.
    Accept,
}
