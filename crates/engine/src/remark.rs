//! Repairs of JSON as notes.

use toolglot_json::Repair;

use crate::Code;

/// The code of a repair, and one line on what was done.
pub fn remark(repair: Repair) -> (Code, &'static str) {
    match repair {
        Repair::TrailingComma => (
            Code::TrailingComma,
            "a comma before the closing bracket was left out",
        ),
        Repair::ExtraComma => (
            Code::ExtraComma,
            "a comma with nothing before it was left out",
        ),
        Repair::MissingComma => (Code::MissingComma, "a comma was supplied"),
        Repair::MissingColon => (Code::MissingColon, "a colon was supplied"),
        Repair::MissingQuote => (Code::MissingQuote, "the closing quote was supplied"),
        Repair::UnescapedQuote => (
            Code::UnescapedQuote,
            "a quote inside the string was escaped",
        ),
        Repair::AmbiguousString => (
            Code::AmbiguousValue,
            "the string may start or end elsewhere: what may be structure was read as its text",
        ),
        Repair::MissingBracket => (Code::MissingBracket, "a closing bracket was supplied"),
        Repair::MismatchedBracket => (
            Code::MismatchedBracket,
            "a closing bracket that fits none was left out",
        ),
        Repair::NonstandardQuote => (Code::NonstandardQuote, "quotes other than \" were replaced"),
        Repair::UnquotedKey => (Code::UnquotedKey, "a key without quotes was quoted"),
        Repair::UnquotedString => (
            Code::UnquotedString,
            "a word without quotes was read as a string",
        ),
        Repair::Expression => (
            Code::UnquotedString,
            "a name or an expression of Python was read as text",
        ),
        Repair::PythonLiteral => (Code::PythonLiteral, "a Python literal became JSON"),
        Repair::ControlCharacter => (
            Code::ControlCharacter,
            "a control character inside the string was escaped",
        ),
        Repair::InvalidEscape => (
            Code::InvalidEscape,
            "a backslash that escapes nothing was repaired",
        ),
        Repair::InvalidNumber => (
            Code::InvalidNumber,
            "a number was rewritten as JSON spells it",
        ),
        Repair::UnrepresentableNumber => (
            Code::UnrepresentableNumber,
            "JSON cannot carry such a number; it was left as a string",
        ),
        Repair::Comment => (Code::Comment, "a comment was left out"),
        Repair::MissingValue => (Code::MissingValue, "the key has no value and got `null`"),
        Repair::DuplicateKey => (
            Code::DuplicateKey,
            "the key came before; the last value counts",
        ),
        Repair::Prose => (Code::SurroundingText, "text around the JSON was left out"),
        Repair::CodeFence => (Code::CodeFence, "a code fence was left out"),
        Repair::Wrapper => (Code::Wrapper, "a call around the value was left out"),
        Repair::Concatenation => (Code::Concatenation, "two strings became one"),
        Repair::Ellipsis => (Code::Ellipsis, "an ellipsis was left out"),
        Repair::MultipleValues => (Code::MultipleValues, "several values became an array"),
        Repair::EscapedDocument => (
            Code::EscapedDocument,
            "the document was escaped once too often",
        ),
        Repair::TruncatedJson => (
            Code::TruncatedJson,
            "the end of the text cuts this off; it was completed or left out",
        ),
        Repair::Junk => (Code::Junk, "this belongs to nothing and was left out"),
        Repair::LoneSurrogate => (Code::LoneSurrogate, "half a surrogate pair became U+FFFD"),
        Repair::OddBlank => (
            Code::ControlCharacter,
            "a blank that JSON does not have became a space",
        ),
        Repair::TypeCoercion => (Code::TypeCoercion, "it was read as the schema's type"),
        Repair::WrappedValue => (Code::SchemaCoercion, "a lone value became a list of one"),
        Repair::UnwrappedArguments => (Code::SchemaCoercion, "what wrapped the value was left out"),
        Repair::FilledBySchema => (Code::SchemaCoercion, "the schema's value was supplied"),
        Repair::DroppedBySchema => (
            Code::SchemaCoercion,
            "the schema has no place for it; it was left out",
        ),
        Repair::ColonForEquals => (
            Code::UnquotedKey,
            "a colon after the argument's name was read as `=`",
        ),
        Repair::PositionalArgument => (
            Code::PositionalArgument,
            "a value without a name got the name of the parameter in its place",
        ),
        Repair::NearName => (Code::NearName, "the key got the schema's spelling"),
        _ => (Code::MalformedJson, "the JSON was repaired"),
    }
}
