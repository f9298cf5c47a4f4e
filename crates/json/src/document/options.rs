//! What repairers disagree on, as data.

/// How a whole document is repaired. A preset is a value of this type: [`Options::LLM`], [`Options::JSONREPAIR`],
/// [`Options::JSON_REPAIR`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Which evidence ends a string.
    #[doc(hidden)]
    pub string_end: StringEndRule,
    /// What becomes of a text that no rule explains.
    #[doc(hidden)]
    pub unexplained: UnexplainedText,
    /// What becomes of text around JSON.
    #[doc(hidden)]
    pub surrounding_text: SurroundingText,
    /// What several values in a row are.
    #[doc(hidden)]
    pub multiple_values: MultipleValues,
    /// What a key without a value gets.
    #[doc(hidden)]
    pub missing_value: MissingValue,
    /// What becomes of a backslash that escapes nothing.
    #[doc(hidden)]
    pub invalid_escapes: InvalidEscapes,
    /// How many containers may be open at once; `None` for any number.
    pub depth: Option<usize>,
}

/// Which evidence ends a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StringEndRule {
    /// A quotation mark closes where what follows continues the document: a member, an element, closers that fit. Known
    /// keys, brackets inside the string and the parity of the marks in it decide where two readings remain.
    Evidence,
    /// A quotation mark closes before a delimiter; where it does not, the string is read again up to the first one. As
    /// `jsonrepair` 3 reads.
    Delimiter,
    /// A quotation mark closes unless a look ahead at the marks behind it says otherwise. As `json_repair` 0.6 reads.
    Lookahead,
}

/// What becomes of a text that no rule explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnexplainedText {
    /// The reading that keeps most of it.
    Repair,
    /// An error.
    Refuse,
}

/// What becomes of text around JSON, and of a text that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurroundingText {
    /// Text before and behind is left out; a text without JSON is a string.
    LeaveOut,
    /// It is an error before and behind; a text without JSON is a string.
    Refuse,
    /// It is left out, words and numbers as well; a text without a container is nothing.
    ContainersOnly,
}

/// What several values in a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MultipleValues {
    /// An array of all of them.
    All,
    /// An array, where commas or line breaks separate them.
    Separated,
    /// An array; a value replaces the one before if that is empty or has the same keys and types.
    Newest,
}

/// What a key without a value gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingValue {
    /// `null`.
    Null,
    /// What the shape says is empty; without one, `""`.
    Empty,
}

/// What becomes of a backslash that escapes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidEscapes {
    /// It stays, unless Markdown or another language writes it so: `\d` is a backslash and a `d`, `\_` an underscore.
    Keep,
    /// It goes.
    Drop,
}

impl Options {
    /// What models write: nothing is refused, nothing that was escaped correctly is read otherwise, no value is dropped.
    pub const LLM: Options = Options {
        string_end: StringEndRule::Evidence,
        unexplained: UnexplainedText::Repair,
        surrounding_text: SurroundingText::LeaveOut,
        multiple_values: MultipleValues::All,
        missing_value: MissingValue::Null,
        invalid_escapes: InvalidEscapes::Keep,
        depth: None,
    };

    /// As the JavaScript library `jsonrepair` 3.14 does.
    pub const JSONREPAIR: Options = Options {
        string_end: StringEndRule::Delimiter,
        unexplained: UnexplainedText::Refuse,
        surrounding_text: SurroundingText::Refuse,
        multiple_values: MultipleValues::Separated,
        missing_value: MissingValue::Null,
        invalid_escapes: InvalidEscapes::Drop,
        depth: None,
    };

    /// As the Python library `json_repair` 0.64 does.
    pub const JSON_REPAIR: Options = Options {
        string_end: StringEndRule::Lookahead,
        unexplained: UnexplainedText::Repair,
        surrounding_text: SurroundingText::ContainersOnly,
        multiple_values: MultipleValues::Newest,
        missing_value: MissingValue::Empty,
        invalid_escapes: InvalidEscapes::Keep,
        // CPython's recursion limit leaves it about this many.
        depth: Some(240),
    };
}

impl Default for Options {
    fn default() -> Options {
        Options::LLM
    }
}
