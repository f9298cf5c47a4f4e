//! The kinds of repairs, as a table, and the place of a repair.

macro_rules! repairs {
    ($($name:ident: $is_structural:literal, $what:literal, $input:literal, $output:literal;)*) => {
        /// One kind of repair. Each has a note code in the engine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Repair { $(#[doc = $what] $name,)* }

        impl Repair {
            /// All kinds, in the order of the table.
            pub const ALL: &'static [Repair] = &[$(Repair::$name,)*];

            /// What was done, in one line without a full stop.
            pub fn what(self) -> &'static str { match self { $(Repair::$name => $what,)* } }

            /// Whether the repair is more than spelling: it supplied or contradicted the end or the name of a value, or
            /// only running the source would give the value.
            pub fn is_structural(self) -> bool { match self { $(Repair::$name => $is_structural,)* } }

            /// A text that needs the repair, and the JSON that it becomes. Types are those of a schema with the
            /// members `path`, a string; `limit`, an integer, by default 1; `tags`, a list of strings; and `options`, an
            /// object with a required `mode`, which is "r".
            #[doc(hidden)]
            pub fn example(self) -> (&'static str, &'static str) { match self { $(Repair::$name => ($input, $output),)* } }
        }
    };
}

// Each kind: whether it is structural, what was done, and a text with the JSON that it becomes.
#[rustfmt::skip]
repairs! {
    // Commas, colons, quotes and brackets.
    TrailingComma: false, "a comma before the closing bracket was left out", "[1,]", "[1]";
    ExtraComma: false, "a comma with nothing before it was left out", "[, 1]", "[ 1]";
    MissingComma: false, "a comma was supplied", "[1 2]", "[1 ,2]";
    MissingColon: false, "a colon was supplied", r#"{"a" 1}"#, r#"{"a" :1}"#;
    MissingQuote: true, "the closing quote was supplied", r#"{"a": "b}"#, r#"{"a": "b"}"#;
    UnescapedQuote: false, "a quote inside the string was escaped", r#"["say "hi" now"]"#, r#"["say \"hi\" now"]"#;
    AmbiguousString: true, "the string may start or end elsewhere: what may be structure was read as its text", r#"[x"y]"#, r#"["x\"y"]"#;
    MissingBracket: true, "a closing bracket was supplied", "[[1]", "[[1]]";
    MismatchedBracket: true, "a bracket that fits none was left out or replaced", "[1}]", "[1]";
    NonstandardQuote: false, r#"quotes other than " were replaced"#, "['a']", r#"["a"]"#;

    // Words, numbers and strings.
    UnquotedKey: false, "a key without quotes was quoted", "{a: 1}", r#"{"a": 1}"#;
    UnquotedString: false, "a word without quotes was read as a string", "[a]", r#"["a"]"#;
    Expression: true, "a name or an expression of Python was read as text", "path=home)", r#"{"path":"home"}"#;
    PythonLiteral: false, "a Python literal became JSON", "[None]", "[null]";
    ControlCharacter: false, "a control character inside the string was escaped", "[\"a\tb\"]", r#"["a\tb"]"#;
    InvalidEscape: false, "a backslash that escapes nothing was repaired", r#"["\d"]"#, r#"["\\d"]"#;
    LoneSurrogate: false, "half a surrogate pair became U+FFFD", r#"["\ud83e!"]"#, r#"["\ufffd!"]"#;
    InvalidNumber: false, "a number was rewritten as JSON spells it", "[.5]", "[0.5]";
    UnrepresentableNumber: false, "JSON cannot carry such a number; it was left as a string", "[1e999]", r#"["1e999"]"#;
    OddBlank: false, "a blank that JSON does not have became a space", "[1,\u{a0}2]", "[1, 2]";
    Concatenation: false, "two strings became one", r#"["a" + "b"]"#, r#"["ab"]"#;

    // What does not belong to a value, and values that are missing.
    Comment: false, "a comment was left out", "[1 /* one */]", "[1 ]";
    Ellipsis: false, "an ellipsis was left out", "[1, ...]", "[1 ]";
    Junk: false, "this belongs to nothing and was left out", "[1,; 2]", "[1, 2]";
    Prose: false, "text around the JSON was left out", "Here: [1]", "[1]";
    CodeFence: false, "a code fence was left out", "```json\n[1]\n```", "\n[1]\n";
    Wrapper: false, "a call around the value was left out", r#"[ObjectId("a")]"#, r#"["a"]"#;
    MissingValue: true, "the key has no value and got `null`", r#"{"a": }"#, r#"{"a": null}"#;
    DuplicateKey: true, "the key came before; the last value counts", r#"{"a": 1, "a": 2,}"#, r#"{"a": 1, "a": 2}"#;
    MultipleValues: false, "several values became an array", "{\"a\": 1}\n{\"a\": 2}", "[{\"a\": 1},\n{\"a\": 2}]";
    EscapedDocument: false, "the document was escaped once too often", r#"{\"a\": 1}"#, r#"{"a": 1}"#;
    TruncatedJson: false, "the end of the text cuts this off; it was completed or left out", r#"{"a": tr"#, r#"{"a": true}"#;

    // Types of a schema, and arguments of a Python call.
    TypeCoercion: false, "it was read as the schema's type", r#"{"limit": "3"}"#, r#"{"limit": 3}"#;
    WrappedValue: false, "a lone value became a list of one", r#"{"tags": "a"}"#, r#"{"tags": ["a"]}"#;
    UnwrappedArguments: false, "what wrapped the value was left out", r#"{"arguments": {"path": "a"}}"#, r#"{"path": "a"}"#;
    NearName: false, "the key got the schema's spelling", r#"{"Path": "a"}"#, r#"{"path": "a"}"#;
    FilledBySchema: false, "the schema's value was supplied", r#"{"options": {}}"#, r#"{"limit":1,"options":{"mode":"r"}}"#;
    ColonForEquals: true, "a colon after the argument's name was read as `=`", "path: 'a')", r#"{"path": "a"}"#;
    PositionalArgument: true, "a value without a name got the name of the parameter in its place", "'a')", r#"{"path":"a"}"#;
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
