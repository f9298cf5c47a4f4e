//! Words of programming languages and of models that the engine knows. Each list says where its words come from.

/// Python and JavaScript: words that start a block of code, if its line ends with `:` or `{`.
pub(crate) const BLOCK_KEYWORDS: &[&[u8]] = &[
    b"async",
    b"case",
    b"class",
    b"def",
    b"elif",
    b"else",
    b"except",
    b"finally",
    b"for",
    b"function",
    b"if",
    b"match",
    b"try",
    b"while",
    b"with",
];

/// Python and JavaScript: words before a call, or before the name that its result is assigned to.
pub(crate) const RESULT_KEYWORDS: &[&[u8]] =
    &[b"await", b"const", b"let", b"return", b"var", b"yield"];

/// The longest word of [`BLOCK_KEYWORDS`] and [`RESULT_KEYWORDS`], in bytes.
pub(crate) const LONGEST_KEYWORD: usize = 8;

/// English: words between two calls on a line of prose.
pub(crate) const CONJUNCTIONS: &[&str] = &["and"];

/// Python, and JSON as models mix it in: values that are words.
pub(crate) const VALUE_WORDS: [&str; 6] = ["True", "False", "None", "true", "false", "null"];

/// Name spaces that models put before a tool's name: `functions.f` as in OpenAI's instructions, `default_api.f` as in
/// Google's, `tools.f` as Llama 3 does. If a tool's own name starts with one, it is part of that name.
pub(crate) const NAME_SPACES: &[&str] =
    &["functions.", "function.", "tools.", "tool.", "default_api."];

/// Keys of an envelope that have no meaning and cause no doubt: those of OpenAI's chat API.
pub(crate) const NEUTRAL_KEYS: &[&str] = &["type", "id", "index"];

/// Keys without meaning before the name: a model's thoughts on the call that it writes.
pub(crate) const META_KEYS: &[&str] = &[
    "description",
    "explanation",
    "reasoning",
    "thought",
    "thoughts",
    "tool_call_id",
];

/// Starts of a schema, without blanks: the parameters of a tool's definition, which are not arguments. `dict` is the
/// type that the function lists of Gorilla (BFCL) write.
pub(crate) const SCHEMA_OPENERS: &[&str] = &[
    "{\"type\":\"object\"",
    "{\"type\":\"dict\"",
    "{\"properties\":{",
    "{\"$schema\":\"",
];

/// Signs that continue a sentence, an attribute or a macro: a bracket after one of them holds no call of its own.
pub(crate) const CONTINUATIONS: &[u8] = b",;()]=#[{+-/&|<\\@$%";

/// Signs that continue a sentence after a call that it mentions.
pub(crate) const SENTENCE_SIGNS: &str = "(:=+-*/%&|!>~^?";

/// Signs of other scripts that end a sentence or a statement, as `.` and `;` do: the full stop of Chinese and Japanese,
/// and the wide semicolon. All other characters of those scripts are letters, arrows, dashes or dots.
pub(crate) const WIDE_STOPS: &str = "\u{3002}\u{ff1b}";
