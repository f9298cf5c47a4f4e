//! Repairs of JSON as notes.

use toolglot_json::Repair;

use crate::Code;

/// The code of a repair, and one line on what was done.
pub fn remark(repair: Repair) -> (Code, &'static str) {
    let code = match repair {
        Repair::TrailingComma => Code::TrailingComma,
        Repair::ExtraComma => Code::ExtraComma,
        Repair::MissingComma => Code::MissingComma,
        Repair::MissingColon => Code::MissingColon,
        Repair::MissingQuote => Code::MissingQuote,
        Repair::UnescapedQuote => Code::UnescapedQuote,
        Repair::AmbiguousString => Code::AmbiguousValue,
        Repair::MissingBracket => Code::MissingBracket,
        Repair::MismatchedBracket => Code::MismatchedBracket,
        Repair::NonstandardQuote => Code::NonstandardQuote,
        Repair::UnquotedKey | Repair::ColonForEquals => Code::UnquotedKey,
        Repair::UnquotedString | Repair::Expression => Code::UnquotedString,
        Repair::PythonLiteral => Code::PythonLiteral,
        Repair::ControlCharacter | Repair::OddBlank => Code::ControlCharacter,
        Repair::InvalidEscape => Code::InvalidEscape,
        Repair::LoneSurrogate => Code::LoneSurrogate,
        Repair::InvalidNumber => Code::InvalidNumber,
        Repair::UnrepresentableNumber => Code::UnrepresentableNumber,
        Repair::Concatenation => Code::Concatenation,
        Repair::Comment => Code::Comment,
        Repair::Ellipsis => Code::Ellipsis,
        Repair::Junk => Code::Junk,
        Repair::Prose => Code::SurroundingText,
        Repair::CodeFence => Code::CodeFence,
        Repair::Wrapper => Code::Wrapper,
        Repair::MissingValue => Code::MissingValue,
        Repair::DuplicateKey => Code::DuplicateKey,
        Repair::MultipleValues => Code::MultipleValues,
        Repair::EscapedDocument => Code::EscapedDocument,
        Repair::TruncatedJson => Code::TruncatedJson,
        Repair::TypeCoercion => Code::TypeCoercion,
        Repair::WrappedValue | Repair::UnwrappedArguments | Repair::FilledBySchema => {
            Code::SchemaCoercion
        }
        Repair::NearName => Code::NearName,
        Repair::PositionalArgument => Code::PositionalArgument,
        _ => Code::MalformedJson,
    };
    (code, repair.what())
}
