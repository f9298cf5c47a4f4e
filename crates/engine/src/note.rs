//! Notes on the model's text: what was unexpected, repaired or ignored.

use alloc::string::String;

use crate::Span;

/// A diagnostic with a stable code, for people and for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The kind of note.
    pub code: Code,
    /// Where it points in the model's text.
    pub span: Span,
    /// One line: what was found and what was done. Lower case, no full stop.
    pub message: String,
    /// What to write instead, where there is something to write.
    pub help: Option<String>,
}

impl Note {
    /// A note of the kind `code` about the text at `span`.
    pub fn new(code: Code, span: Span, message: impl Into<String>, help: Option<String>) -> Note {
        Note {
            code,
            span,
            message: message.into(),
            help,
        }
    }
}

macro_rules! codes {
    ($($variant:ident = $number:literal, $name:literal, $what:literal;)*) => {
        /// The codes of notes. Numbers and names are stable; `docs/notes.md` has an example of each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $what] $variant,)* }

        impl Code {
            /// All codes, in order of number.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The number, as in `N012`.
            pub fn number(self) -> u16 { match self { $(Code::$variant => $number,)* } }

            /// The name, as in `trailing-comma`.
            pub fn name(self) -> &'static str { match self { $(Code::$variant => $name,)* } }

            /// Its meaning, in one line.
            pub fn what(self) -> &'static str { match self { $(Code::$variant => $what,)* } }
        }
    };
}

codes! {
    // Calls, and text that only looks like a call.
    QuotedCall = 1, "quoted-call", "a call in quoted code is text";
    ReasoningCall = 2, "reasoning-call", "a call in reasoning is not read";
    UnknownTool = 3, "unknown-tool", "no tool has this name";
    PlaceholderTag = 4, "placeholder-tag", "a placeholder in place of a tool's name";
    MissingToolName = 5, "missing-tool-name", "the marker of a call without a tool's name";
    NotACall = 6, "not-a-call", "call marker not followed by a call";
    PlainTextMarker = 7, "plain-text-marker", "a marker in plain letters after it came as a special token: text";
    UnknownParameter = 8, "unknown-parameter", "the tool has no such parameter; the value was left out";
    UnclosedCall = 9, "unclosed-call", "the message ended inside a call";
    MissingCloser = 10, "missing-closer", "a closing tag or marker was missing and was supplied";
    Junk = 11, "junk", "bytes inside a call that belong to none of its parts";
    TrailingComma = 12, "trailing-comma", "a comma before a closing bracket was left out";
    DuplicateKey = 13, "duplicate-key", "a key came twice; the last value counts";
    AmbiguousValue = 14, "ambiguous-value", "what closes a value is in doubt; the value may hold too much or too little";
    LengthLimit = 15, "length-limit", "the model stopped at its length limit";
    StrippedStopString = 16, "stripped-stop-string", "the final closer is missing, as servers strip it";
    PositionalArgument = 17, "positional-argument", "a value without a name got the name of the parameter in its place";
    UnnestedArguments = 18, "unnested-arguments", "arguments beside the tool's name were collected";
    UnwantedCall = 19, "unwanted-call", "a call although no tool may be called; it was left out";
    MentionedCall = 67, "mentioned-call", "the model may only be mentioning the call";
    FencedCall = 68, "fenced-call", "a call in a fence that follows other text was read";
    // Values.
    OversizedScalar = 20, "oversized-scalar", "a value was too long to stay undecided and became a string";
    WrongType = 21, "wrong-type", "the value does not fit the parameter's type and was left as it is";
    UnrepresentableNumber = 22, "unrepresentable-number", "JSON cannot carry this number: infinity, not-a-number, or out of range";
    BareAmpersand = 23, "bare-ampersand", "an `&` that starts no entity was read as `&amp;`";
    BareLessThan = 24, "bare-less-than", "a `<` that starts no tag was read as `&lt;`";
    MalformedXml = 25, "malformed-xml", "tags that do not fit each other";
    TooLarge = 26, "too-large", "a limit was reached";
    InvalidUtf8 = 27, "invalid-utf8", "an invalid byte of UTF-8 became U+FFFD";
    // JSON repairs.
    MalformedJson = 30, "malformed-json", "expected a JSON object";
    MissingComma = 31, "missing-comma", "a comma was supplied";
    MissingColon = 32, "missing-colon", "a colon was supplied";
    MissingQuote = 33, "missing-quote", "a quote was supplied";
    MissingBracket = 34, "missing-bracket", "a closing bracket was supplied";
    NonstandardQuote = 35, "nonstandard-quote", "quotes other than JSON's were replaced";
    UnquotedKey = 36, "unquoted-key", "a key without quotes was quoted";
    UnquotedString = 37, "unquoted-string", "a word without quotes was read as a string";
    PythonLiteral = 38, "python-literal", "`True`, `False` or `None` became JSON";
    ControlCharacter = 39, "control-character", "a control character inside a string was escaped";
    InvalidEscape = 40, "invalid-escape", "a backslash that escapes nothing was repaired";
    InvalidNumber = 41, "invalid-number", "a number in a spelling JSON does not have was rewritten";
    Comment = 42, "comment", "a comment was left out";
    MismatchedBracket = 43, "mismatched-bracket", "a closing bracket that fits none was left out or replaced";
    EncodedArguments = 44, "encoded-arguments", "the arguments were a string that holds JSON and were unpacked";
    ExtraComma = 45, "extra-comma", "a comma with nothing before it was left out";
    MissingValue = 46, "missing-value", "a key without a value got `null`";
    SurroundingText = 47, "surrounding-text", "text around the JSON was left out";
    CodeFence = 48, "code-fence", "a code fence around the JSON was left out";
    Wrapper = 49, "wrapper", "a call around a value was left out";
    Concatenation = 50, "concatenation", "strings that were joined became one";
    Ellipsis = 51, "ellipsis", "an ellipsis was left out";
    MultipleValues = 52, "multiple-values", "several values in a row became an array";
    EscapedDocument = 53, "escaped-document", "the document was escaped once too often";
    TruncatedJson = 54, "truncated-json", "what the end of the text cuts off was completed or left out";
    UnescapedQuote = 55, "unescaped-quote", "a quote inside a string was escaped";
    LoneSurrogate = 56, "lone-surrogate", "half a surrogate pair became U+FFFD";
    TypeCoercion = 57, "type-coercion", "a value was read as the type that the schema asks for";
    SchemaCoercion = 58, "schema-coercion", "a value was wrapped, unwrapped, supplied or left out, as the schema asks";
    NearName = 59, "near-name", "a key that misses by a little got the schema's spelling";
    // After parsing: notes of normalize, validate and run.
    Alias = 60, "alias", "a tool or parameter was called by another of its names";
    DuplicateCall = 61, "duplicate-call", "the same command or read came before in this message";
    SplitShell = 62, "split-shell", "a shell block became one call per command";
    MissingParameter = 63, "missing-parameter", "a required parameter is missing";
    InvalidArguments = 64, "invalid-arguments", "the arguments do not fit the tool's schema";
    OneCallOnly = 65, "one-call-only", "this dialect runs one call per message; the others were refused";
    DotDot = 66, "dot-dot", "a path goes up and comes back; it stays inside the root";
    UnmetToolChoice = 70, "unmet-tool-choice", "the answer is not what `tool_choice` asks for";
    UnrecognizedCall = 71, "unrecognized-call", "a tool is named in the form of a call that is not read here";
    UnopenedReasoning = 72, "unopened-reasoning", "the end of reasoning that nothing opened";
    // Results.
    EscapedMarker = 80, "escaped-marker", "a marker of the dialect in a result was escaped";
    RestoredMarker = 81, "restored-marker", "an argument that repeats an escaped marker got what the file holds";
    CopiedCall = 82, "copied-call", "the call is copied word for word from an earlier result of the session";
}
