//! What was repaired, and where.

/// One kind of repair. Each has a note code in the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Repair {
    /// A comma before a closing bracket was left out.
    TrailingComma,
    /// A comma with nothing before it was left out.
    ExtraComma,
    /// A comma was supplied.
    MissingComma,
    /// A colon was supplied, or `=` read as one.
    MissingColon,
    /// A quote was supplied.
    MissingQuote,
    /// A quote inside a string was escaped.
    UnescapedQuote,
    /// A string may start or end elsewhere: what may be structure was read as its text.
    AmbiguousString,
    /// A closing bracket was supplied.
    MissingBracket,
    /// A closing bracket that fits none was left out or replaced.
    MismatchedBracket,
    /// Quotes other than `"` were replaced.
    NonstandardQuote,
    /// A bare key was quoted.
    UnquotedKey,
    /// A bare word was quoted.
    UnquotedString,
    /// A name or an expression of Python was read as text.
    Expression,
    /// `True`, `False`, `None` became JSON.
    PythonLiteral,
    /// A control character inside a string was escaped.
    ControlCharacter,
    /// A backslash that escapes nothing was repaired.
    InvalidEscape,
    /// A number in another spelling was rewritten.
    InvalidNumber,
    /// Infinity or not-a-number became a string.
    UnrepresentableNumber,
    /// A comment was left out.
    Comment,
    /// A key without a value got `null`.
    MissingValue,
    /// A key came twice; both stand in the text.
    DuplicateKey,
    /// Text around the JSON was left out.
    Prose,
    /// A code fence around the JSON was left out.
    CodeFence,
    /// A call around a value was left out: `callback(..)`, `ObjectId(..)`.
    Wrapper,
    /// Strings joined by `+`, or side by side, became one.
    Concatenation,
    /// An ellipsis was left out.
    Ellipsis,
    /// Several values in a row became an array.
    MultipleValues,
    /// The document was escaped once too often.
    EscapedDocument,
    /// What the end of the text cuts off was left out or completed.
    TruncatedJson,
    /// Bytes that belong to nothing were left out.
    Junk,
    /// Half a surrogate pair became U+FFFD.
    LoneSurrogate,
    /// A blank that JSON does not have became a space.
    OddBlank,
    /// A value was read as the type that the schema says.
    TypeCoercion,
    /// A lone value became a list of one.
    WrappedValue,
    /// Arguments that were wrapped once more were unwrapped.
    UnwrappedArguments,
    /// A key that misses by a little got the schema's spelling.
    NearName,
    /// A value that the schema says was supplied.
    FilledBySchema,
    /// What the schema has no place for was left out.
    DroppedBySchema,
    /// A colon after the name of a Python call's argument was read as `=`.
    ColonForEquals,
    /// An argument of a Python call without a name got that of the parameter in its place.
    PositionalArgument,
}

impl Repair {
    /// Whether something that ends a value, or its name, was supplied or contradicted, or only running the source would tell
    /// the value: more than spelling.
    pub fn is_structural(self) -> bool {
        matches!(
            self,
            Repair::MissingQuote
                | Repair::AmbiguousString
                | Repair::MissingBracket
                | Repair::MismatchedBracket
                | Repair::MissingValue
                | Repair::DuplicateKey
                | Repair::PositionalArgument
                | Repair::ColonForEquals
                | Repair::Expression
        )
    }
}

/// A repair and where it was made: bytes of the input, counted as the caller counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairSpan {
    /// What was done.
    pub repair: Repair,
    /// The first byte concerned.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}
