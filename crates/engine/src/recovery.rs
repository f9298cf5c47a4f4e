//! Error recovery: what the parser does where a message leaves its dialect, as one table.
//!
//! The automaton of the grammar finds the error. A way to continue has a row: the note, the best end that the call may
//! still have, and an example, which is a test. Values that were too long to stay undecided are not in the table. Repairs inside JSON are in [`remark`](crate::remark()).

use alloc::string::String;

use crate::{Code, End, Finish};

macro_rules! recoveries {
    ($($name:ident: $code:ident, $end:ident, $message:literal,
        $dialect:literal, $finish:ident, $example:literal;)*) => {
        /// One way to continue where a message leaves its dialect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Recovery { $(#[doc = $message] $name,)* }

        impl Recovery {
            /// All ways, in the order of the table.
            pub const ALL: &'static [Recovery] = &[$(Recovery::$name,)*];

            /// Its row of the table.
            pub fn rule(self) -> RecoveryRule {
                match self {
                    $(Recovery::$name => RecoveryRule {
                        code: Code::$code,
                        end: End::$end,
                        message: $message,
                        dialect: $dialect,
                        example: $example,
                        finish: Finish::$finish,
                    },)*
                }
            }
        }
    };
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryRule {
    /// The code of its note.
    pub code: Code,
    /// The best end that the call may still have; `Closed` also where no call is open.
    pub end: End,
    /// The message of its note. `{}`: the name or the text concerned.
    pub message: &'static str,
    /// The dialect of its example: the name of a built-in dialect, or the rule of another one.
    pub dialect: &'static str,
    /// A message after which the parser continues in this way, if `read_file(path, limit, options)` is the only tool.
    pub example: &'static str,
    /// How that message ends.
    pub finish: Finish,
}

impl Recovery {
    /// The message of its note, about `what`.
    pub(crate) fn note_text(self, what: &str) -> String {
        self.rule().message.replace("{}", what)
    }
}

#[rustfmt::skip]
recoveries! {
    // Closers that are missing, incomplete, or too many.
    ValueCloser: MissingCloser, Recovered, "the closer of `{}` is missing; it was supplied",
        "roo", Stop, "<read_file>\n<path>a\n</read_file>";
    CallClosers: MissingCloser, Recovered, "the call's closers are incomplete; they were supplied",
        "qwen3_coder", Stop, "<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</tool_call>\n<tool_call>\n<function=read_file>\n</function>\n</tool_call>";
    CallCloser: MissingCloser, Recovered, "the call's closer is missing; it was supplied",
        "cwm", Stop, "<tool: read_file>\n{}\nIt was read.";
    FinalCloser: MissingCloser, Recovered, "the final closer is missing; it was supplied",
        "cwm", Unknown, "<tool: read_file>\n{}";
    StoppedCloser: StrippedStopString, Closed, "the final closer is missing; the model had stopped",
        "cwm", Stop, "<tool: read_file>\n{}";
    NameCloser: MissingCloser, Recovered, "the closer of the name is missing; it was supplied",
        "tool_call_xml", Stop, "<tool_call>\n<tool_name>read_file\n<arguments>{}</arguments>\n</tool_call>";
    MisspeltNameCloser: MissingCloser, Recovered, "the closer of the name is misspelt; it was read as the closer",
        "tool_call_xml", Stop, "<tool_call>\n<tool_name>read_file</tos>\n</tool_call>";
    BlockCloser: MissingCloser, Closed, "the closer of the block does not follow its calls",
        "pythonic", Stop, "[read_file() x ]";
    FinalBlockCloser: MissingCloser, Closed, "the closer of the block is missing; its calls are whole",
        "pythonic", Stop, "[read_file()";
    ElementCloser: MissingCloser, Recovered, "`</{}>` is missing; it was supplied",
        "forge", Stop, "<tool><tool_name>read_file</tool_name><arguments><path></arguments></tool>";
    CdataEnd: MissingCloser, Recovered, "the end of CDATA is incomplete; it was supplied",
        "forge", Stop, "<tool><tool_name>read_file</tool_name><arguments><path><![CDATA[a]</path></arguments></tool>";
    ExtraBracket: MismatchedBracket, Closed, "a closing bracket too many was left out",
        "pythonic", Stop, "[read_file())]";
    ListBracket: MismatchedBracket, Recovered, "the list continues after its bracket, which was left out",
        "pythonic", Stop, r#"[read_file(path="a")], read_file(path="b")]"#;

    // Text that belongs to no part of a call.
    Unexpected: Junk, Recovered, "`{}` belongs to no part of the call",
        "forge", Stop, "<tool><tool_name>read_file</tool_name>oops<arguments></arguments></tool>";
    UnknownElement: Junk, Closed, "`{}` belongs to no part of the call; it was left out",
        "forge", Stop, "<tool><tool_name>read_file</tool_name><note></note><arguments></arguments></tool>";
    Intervening: Junk, Recovered, "text between arguments belongs to none of them",
        "roo", Stop, "<read_file>\n<path>a</path>>\n<limit>3</limit>\n</read_file>";
    ListMember: Junk, Closed, "a member of the list is not an object; it was left out",
        "keyed_json", Stop, r#"[{"read_file": {"path": "b"}}, 3]"#;
    OtherObject: MissingToolName, Closed, "an object of the list names no tool; it is text",
        "xlam", Stop, r#"[{"name": "read_file", "arguments": {}}, {}]"#;
    OtherMember: Junk, Closed, "a key beside the call is not one of its arguments; it was left out",
        "hermes", Stop, r#"<tool_call>{"name": "read_file", "arguments": {}, "note": 1}</tool_call>"#;
    LateParameter: Junk, Recovered, "a parameter after the end of the arguments was left out",
        "hermes", Stop, r#"<tool_call>{"name": "read_file", "arguments": {}, "limit": 3}</tool_call>"#;
    SecondArguments: Junk, Recovered, "the call has arguments already; these are left out",
        "hermes", Stop, r#"<tool_call>{"name": "read_file", "arguments": {}, "arguments": {}}</tool_call>"#;
    LateServer: Junk, Recovered, "the server `{}` comes after the arguments; it was left out",
        r#"call = "!" name "(" json ")@" server "!""#, Stop, "!read_file({})@x!";
    NoValue: Junk, Recovered, "what follows `{}` is not a value of it",
        r#"call = line_start "tool(" name "):" eol ("  " key ":" (" -\n" | " " value eol))*"#, Stop, "tool(read_file):\n  path: a\n  limit:x\n";

    // Arguments that cannot be read, and keys that came before.
    NoJson: MalformedJson, Truncated, "`{}` fits no JSON here; the arguments end",
        "functionary_v31", Stop, "<function=read_file>{>";
    NoObject: MalformedJson, Truncated, "the arguments are not a JSON object",
        "hermes", Stop, r#"<tool_call>{"name": "read_file", "arguments": 3}</tool_call>"#;
    DuplicateKey: DuplicateKey, Recovered, "`{}` came before; the last value counts",
        "roo", Stop, "<read_file>\n<path>a</path>\n<path>b</path>\n</read_file>";

    // Messages that end within a call.
    LengthLimit: LengthLimit, Truncated, "the model stopped at its length limit inside the call",
        "hermes", Length, r#"<tool_call>{"name": "read_file", "arguments": {"#;
    LengthLimitBetween: LengthLimit, Truncated, "the model stopped at its length limit, where the call may continue",
        r#"call = line_start "tool.call=" name eol ("arg." key "=" line eol)*"#, Length, "tool.call=read_file\narg.path=a\n";
    UnclosedCall: UnclosedCall, Truncated, "the message ended inside the call; it is never run",
        "hermes", Stop, r#"<tool_call>{"name": "read_file", "arguments": {"path": ""#;
    Nameless: MissingToolName, Closed, "the message ends before the call has a name",
        "functionary_v32", Stop, ">>>";

    // Values in doubt.
    PassedCloser: AmbiguousValue, Recovered, "a closer was passed over because nothing known follows it; the value may hold too much",
        "roo", Stop, "<read_file>\n<path>a</path> b</path>\n</read_file>";
    OpenerInside: AmbiguousValue, Recovered, "the value holds its own opener without a closer; it may hold too much",
        "forge", Stop, "<tool><tool_name>read_file</tool_name><arguments><path>b<path></path></arguments></tool>";
    MarkerInside: AmbiguousValue, Recovered, "the value holds a marker of its dialect, whole or damaged; it may hold too much",
        "glm45", Stop, "<tool_call>read_file\n<arg_key>path</arg_key> oops\n<arg_value>a</arg_value>\n</tool_call>";
    ShortOpener: AmbiguousValue, Recovered, "the value starts with its opener short of one character; it may hold too much",
        "spark25", Stop, "<tool_call>read_file<arg_key>path</arg_key><ag_value>a</arg_value></tool_call>";
    OpenBracket: AmbiguousValue, Recovered, "the brackets of the text are not balanced; it may hold too much",
        r#"call = line_start "@run " name " (" eol ("  " key " = " value eol)*"#, Stop, "@run read_file (\n  path = [a\n  limit = 3\n\n";
    AnotherCloser: AmbiguousValue, Recovered, "another closer follows the one that ends the value; the value may hold too little",
        "openhands", Stop, "<execute_bash>ls</execute_bash> </execute_bash>";
    AnotherFence: AmbiguousValue, Recovered, "another fence follows the one that ends the value; the value may hold too little",
        "axe", Stop, "```WRITE a\nx\n```\ny\n```\n";
    SplitCharacter: AmbiguousValue, Recovered, "the length of the value ends inside a character",
        r#"call = line_start "CALL " name "\n" (key " " length "\n" bytes "\n")* "END" eol"#, Stop, "CALL read_file\npath 1\né\nEND";
    ShortIndent: AmbiguousValue, Recovered, "a line of the block is indented less than the first; it may hold too much",
        r#"call = "@call " name "\n" (key ":" (" |\n" lines | " " raw) "\n")* "@end""#, Stop, "@call read_file\npath: |\n    a\n  b\n@end";
    UnknownKind: AmbiguousValue, Recovered, "the dialect knows no type `{}`; the value may be read wrong",
        "deepseek_v32", Stop, "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"read_file\">\n<｜DSML｜parameter name=\"options\" string=\"maybe\">{}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>";
    MoreThanJson: MalformedJson, Recovered, "the value holds more than its JSON; the rest was left out",
        "qwen3_coder", Stop, "<tool_call>\n<function=read_file>\n<parameter=options>\n{\"a\": 1} x\n</parameter>\n</function>\n</tool_call>";
}
