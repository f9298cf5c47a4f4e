//! Repairs of JSON as notes.

use toolglot_json::Repair;

use crate::Code;

/// The code of a repair, and what it did in one line.
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
        Repair::MissingQuote => (
            Code::MissingQuote,
            "the closing quotation mark was supplied",
        ),
        Repair::InnerQuote => (
            Code::InnerQuote,
            "a quotation mark inside the string was escaped",
        ),
        Repair::SwallowedKey => (
            Code::ValueInDoubt,
            "what looks like a key or a keyword was read as text of the string before it",
        ),
        Repair::MissingBracket => (Code::MissingBracket, "a closing bracket was supplied"),
        Repair::WrongBracket => (
            Code::WrongBracket,
            "a closing bracket that fits none was left out",
        ),
        Repair::OtherQuote => (
            Code::OtherQuote,
            "quotation marks other than \" were replaced",
        ),
        Repair::BareKey => (Code::BareKey, "a key without quotation marks was quoted"),
        Repair::BareWord => (
            Code::BareWord,
            "a word without quotation marks was read as a string",
        ),
        Repair::Expression => (
            Code::BareWord,
            "a name or an expression of Python was read as text",
        ),
        Repair::PythonLiteral => (Code::PythonLiteral, "a Python literal became JSON"),
        Repair::RawControl => (
            Code::RawControl,
            "a control character inside the string was escaped",
        ),
        Repair::BadEscape => (
            Code::BadEscape,
            "a backslash that escapes nothing was mended",
        ),
        Repair::BadNumber => (Code::BadNumber, "a number was rewritten as JSON spells it"),
        Repair::UnrepresentableNumber => (
            Code::UnrepresentableNumber,
            "JSON cannot carry such a number; it was kept as a string",
        ),
        Repair::Comment => (Code::Comment, "a comment was left out"),
        Repair::MissingValue => (Code::MissingValue, "the key has no value and got `null`"),
        Repair::DoubleKey => (
            Code::DoubleKey,
            "the key came before; the last value counts",
        ),
        Repair::Prose => (Code::SurroundingText, "text around the JSON was left out"),
        Repair::Fence => (Code::Fence, "a code fence was left out"),
        Repair::Wrapper => (Code::Wrapper, "a call around the value was left out"),
        Repair::Concatenation => (Code::Concatenation, "two strings became one"),
        Repair::Ellipsis => (Code::Ellipsis, "an ellipsis was left out"),
        Repair::SeveralValues => (Code::SeveralValues, "several values became an array"),
        Repair::EscapedDocument => (
            Code::EscapedDocument,
            "the document was escaped once too often",
        ),
        Repair::CutOff => (
            Code::CutOff,
            "the end of the text cuts this off; it was completed or left out",
        ),
        Repair::Junk => (Code::Junk, "this belongs to nothing and was left out"),
        Repair::LoneSurrogate => (Code::LoneSurrogate, "half a surrogate pair became U+FFFD"),
        Repair::OddBlank => (
            Code::RawControl,
            "a blank that JSON does not have became a space",
        ),
        Repair::TypedBySchema => (Code::TypedBySchema, "it was read as the schema's type"),
        Repair::WrappedValue => (Code::FittedToSchema, "a lone value became a list of one"),
        Repair::UnwrappedArguments => (Code::FittedToSchema, "what wrapped the value was left out"),
        Repair::FilledBySchema => (Code::FittedToSchema, "the schema's value was supplied"),
        Repair::DroppedBySchema => (
            Code::FittedToSchema,
            "the schema has no place for it; it was left out",
        ),
        Repair::ColonForEquals => (
            Code::BareKey,
            "a colon behind the argument's name was read as `=`",
        ),
        Repair::PositionalArgument => (
            Code::PositionalArgument,
            "a value without a name got the name of the parameter in its place",
        ),
        Repair::NearName => (Code::NearName, "the key got the schema's spelling"),
        _ => (Code::MalformedJson, "the JSON was mended"),
    }
}
