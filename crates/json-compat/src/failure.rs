//! Why a text is refused.

/// Why a document was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expected} (byte {at})")]
#[non_exhaustive]
pub struct RepairFailure {
    /// The place, in bytes of the input.
    pub at: usize,
    /// The expected syntax.
    pub expected: Expected,
}

/// The expected syntax at the place of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// A value, but there is none.
    Value,
    /// A key.
    Key,
    /// A colon after a key.
    Colon,
    /// A character that a string may contain.
    Character,
    /// Four hexadecimal digits.
    Unicode,
    /// The end of the document.
    End,
    /// Less nesting.
    Depth,
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Expected::Value => "expected a value",
            Expected::Key => "expected a key",
            Expected::Colon => "expected a colon between a key and its value",
            Expected::Character => {
                "a string holds a control character that has no short escape; write it as \\u00.."
            }
            Expected::Unicode => "`\\u` should be followed by four hexadecimal digits",
            Expected::End => "the document should end here",
            Expected::Depth => "brackets nest deeper than this preset reads",
        })
    }
}
