//! Doubt: is a call made, or only mentioned?
//!
//! ```text
//!   parser ── CallFacts ──▶ DoubtRule::TABLE ── notes, and the best End ──▶ CallEnd
//! ```
//!
//! The parser measures [`CallFacts`] and draws no conclusion from them. The rules run where the call's bytes end: each
//! that applies emits its note, and the [`CallEnd`](crate::Event::CallEnd) is no better than the rule's end.
//! A new kind of doubt is a row here, with an example that fails without the row.

use alloc::borrow::Cow;

use crate::{Code, End, Place};

/// What the parser measures of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CallFacts {
    /// Where it is in the message.
    pub place: Place,
    /// Only a tool's name makes it a call: no marker, tag or fence of a dialect is before it.
    pub is_bare: bool,
    /// Its entry starts the line.
    pub starts_line: bool,
    /// It is a Python call, and its list's bracket comes right after a word: `rows[f()]`.
    pub follows_word: bool,
    /// It is an item of a list in prose: `- f()`.
    pub is_list_item: bool,
    /// It is a Python call inside a block of code or a long string.
    pub is_enclosed: bool,
    /// Its list of Python calls starts with a call of an unknown tool, or ended before it.
    pub is_in_broken_list: bool,
    /// A value before it ended without its closer: the call may be text of that value.
    pub follows_missing_closer: bool,
    /// Its fence follows other text.
    pub is_in_later_fence: bool,
    /// Text follows that fence. This is known only after the call's bytes: the call's end waits for it.
    pub has_text_after_fence: bool,
    /// The arguments that it gives its tool.
    pub arguments: Arguments,
    /// How the line continues after it, or after the last call of the line.
    pub tail: Tail,
}

/// The arguments that a call gives its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Arguments {
    /// Members, or an object without any.
    #[default]
    Given,
    /// A pair of brackets: `f()`.
    Empty,
    /// Nothing: `{"name": "f"}`.
    Missing,
    /// They start like a JSON Schema, and the tool has no such parameter.
    Schema,
}

/// How a line continues after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Tail {
    /// The line ends, or its rest was not measured.
    #[default]
    Nothing,
    /// Words follow a bare call.
    Words,
    /// A comma and a string follow the last bracket of JSON.
    Member,
}

impl CallFacts {
    /// The facts of a call before anything is measured.
    pub(crate) fn new(place: Place) -> CallFacts {
        CallFacts {
            place,
            starts_line: true,
            ..CallFacts::default()
        }
    }
}

/// Where a rule's note points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DoubtSpan {
    /// At the tool's name.
    Name,
    /// At the start of the arguments.
    Arguments,
    /// At the end of the call's text.
    End,
}

/// One rule: the facts that put a call in doubt, and the end that it then has.
#[derive(Clone, Copy, Debug)]
pub struct DoubtRule {
    /// Its name, for people.
    pub name: &'static str,
    /// Whether it applies.
    pub applies: fn(&CallFacts) -> bool,
    /// The best end of a call that it applies to.
    pub end: End,
    /// The code of its note. `None`: an earlier note reports it.
    pub code: Option<Code>,
    /// Where the note points.
    pub span: DoubtSpan,
    /// The text of the note.
    pub message: &'static str,
    /// A text whose last call this rule puts in doubt, if `read_file` is the only tool.
    pub example: &'static str,
}

impl DoubtRule {
    /// The rules of every [`Parser`](crate::Parser) that is not given others.
    pub const TABLE: &'static [DoubtRule] = &[
        DoubtRule {
            name: "words after the call",
            applies: |facts| facts.is_bare && facts.tail == Tail::Words,
            end: End::Recovered,
            code: Some(Code::MentionedCall),
            span: DoubtSpan::End,
            message: "text follows the call on the same line; the model may only be mentioning it",
            example: "read_file(path=\"a\") would overwrite it",
        },
        DoubtRule {
            name: "members after the arguments",
            applies: |facts| facts.tail == Tail::Member,
            end: End::Recovered,
            code: Some(Code::MismatchedBracket),
            span: DoubtSpan::End,
            message: "members follow the arguments' bracket: it may be one too many",
            example: "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}, \"n\": 5}",
        },
        DoubtRule {
            name: "subscript",
            applies: |facts| facts.follows_word,
            end: End::Recovered,
            code: Some(Code::MentionedCall),
            span: DoubtSpan::Name,
            message: "the bracket follows a word: it may be a subscript",
            example: "rows[read_file(path=\"a\")]",
        },
        DoubtRule {
            name: "list of tools",
            applies: |facts| facts.is_list_item && facts.arguments == Arguments::Empty,
            end: End::Recovered,
            code: Some(Code::MentionedCall),
            span: DoubtSpan::Name,
            message: "an item of a list that gives no arguments: it may say which tools there are",
            example: "- read_file()\n",
        },
        DoubtRule {
            name: "name within a line",
            applies: |facts| {
                facts.is_bare && !facts.starts_line && facts.arguments == Arguments::Missing
            },
            end: End::Recovered,
            code: Some(Code::MentionedCall),
            span: DoubtSpan::Name,
            message: "a name within a line, without arguments: the model may only be mentioning it",
            example: "The tool is {\"name\": \"read_file\"}",
        },
        DoubtRule {
            name: "definition of a tool",
            applies: |facts| facts.arguments == Arguments::Schema,
            end: End::Recovered,
            code: Some(Code::MentionedCall),
            span: DoubtSpan::Arguments,
            message: "the arguments are a schema: the tool may be described, and not called",
            example: "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"type\": \"object\", \"properties\": {}}}</tool_call>",
        },
        DoubtRule {
            name: "block of code",
            applies: |facts| facts.is_bare && facts.is_enclosed,
            end: End::Recovered,
            code: Some(Code::MentionedCall),
            span: DoubtSpan::Name,
            message: "the call is in a block of code that may not run, or in a long string",
            example: "def run():\n    read_file(path=\"a\")\n",
        },
        DoubtRule {
            name: "broken list",
            applies: |facts| facts.is_bare && facts.is_in_broken_list,
            end: End::Recovered,
            code: None,
            span: DoubtSpan::Name,
            message: "",
            example: "[other(a=1), read_file(path=\"a\")]",
        },
        DoubtRule {
            name: "missing closer before",
            applies: |facts| facts.follows_missing_closer,
            end: End::Recovered,
            code: Some(Code::MentionedCall),
            span: DoubtSpan::Name,
            message: "the closer of a value before the call is missing: the call may be text of that value",
            example: "<function=read_file><parameter=path>a</function><function=read_file><parameter=path>b</parameter></function>",
        },
        DoubtRule {
            name: "later fence",
            applies: |facts| facts.is_in_later_fence,
            end: End::Closed,
            code: Some(Code::FencedCall),
            span: DoubtSpan::Name,
            message: "the call is in a fence that follows other text",
            example: "Here:\n```python\nread_file(path=\"a\")\n```",
        },
        DoubtRule {
            name: "text after the fence",
            applies: |facts| facts.has_text_after_fence,
            end: End::Recovered,
            code: None,
            span: DoubtSpan::End,
            message: "",
            example: "Here:\n```python\nread_file(path=\"a\")\n```\nThat reads it.",
        },
    ];
}

/// The doubt rules of a parser.
#[derive(Clone, Debug)]
pub(crate) struct Doubts(pub(crate) Cow<'static, [DoubtRule]>);

impl Default for Doubts {
    fn default() -> Doubts {
        Doubts(Cow::Borrowed(DoubtRule::TABLE))
    }
}

impl Doubts {
    /// The rules that apply.
    pub(crate) fn of(&self, facts: CallFacts) -> impl Iterator<Item = &DoubtRule> {
        self.0.iter().filter(move |rule| (rule.applies)(&facts))
    }

    /// The best end that the rules allow.
    pub(crate) fn end(&self, facts: CallFacts) -> End {
        let ends = self.of(facts).map(|rule| rule.end);
        ends.max().unwrap_or(End::Closed)
    }
}
