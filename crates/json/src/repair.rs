//! The kinds of repairs, and the place of a repair.

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
    /// A string may start or end elsewhere: possible structure was read as text of the string.
    AmbiguousString,
    /// A closing bracket was supplied.
    MissingBracket,
    /// A closing bracket that matches no open bracket, or came too early, was left out or replaced.
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
    /// A number in a spelling other than JSON was rewritten.
    InvalidNumber,
    /// Infinity, not-a-number or a number too large for an `f64` became a string.
    UnrepresentableNumber,
    /// A comment was left out.
    Comment,
    /// A key without a value got `null`.
    MissingValue,
    /// A key occurs twice; both members stay in the text.
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
    /// A part that the end of the text cuts off was left out or completed.
    TruncatedJson,
    /// Bytes that are no part of a value were left out.
    Junk,
    /// Half a surrogate pair became U+FFFD.
    LoneSurrogate,
    /// A blank that JSON does not allow became a space.
    OddBlank,
    /// A value was converted to the type in the schema.
    TypeCoercion,
    /// A lone value became a list of one.
    WrappedValue,
    /// Arguments inside an extra wrapper were unwrapped.
    UnwrappedArguments,
    /// A near miss of a key got the schema's spelling.
    NearName,
    /// A value from the schema was supplied.
    FilledBySchema,
    /// A part that the schema does not allow was left out.
    DroppedBySchema,
    /// A colon after the name of a Python call's argument was read as `=`.
    ColonForEquals,
    /// An unnamed argument of a Python call got the name of the parameter in its place.
    PositionalArgument,
}

impl Repair {
    /// Whether the repair is more than spelling: it supplied or contradicted the end or the name of a value, or only
    /// running the source would give the value.
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

/// A repair and its byte range in the input, in the offsets of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairSpan {
    /// The kind of repair.
    pub repair: Repair,
    /// The first byte concerned.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}
