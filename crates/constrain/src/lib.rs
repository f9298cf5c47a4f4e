//! Grammars for constrained decoding, from the rules of a dialect and the schemas of the tools.
//!
//! Under such a grammar a model writes only calls that the parser reads, of existing tools, with arguments that fit
//! their schemas. The grammar comes from the same rules that parse and render the dialect ([`toolglot_engine::form`]),
//! so this crate contains no dialect name. It does no input or output.
//! The targets are GBNF (llama.cpp), Lark (llguidance) and structural tags (xgrammar, vLLM, SGLang). Dialects whose
//! calls are JSON and nothing else also have a JSON Schema.
//! JSON and nothing else a JSON Schema.
//!
//! ```
//! use toolglot_constrain::{Options, Target, ToolSchema, grammar};
//! use toolglot_value::json;
//!
//! let dialect = toolglot_dialects::get("hermes").expect("a dialect");
//! let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
//! let tools = [ToolSchema { name: "read_file", parameters: &parameters }];
//! let grammar = grammar(dialect, &tools, &Options::new(Target::Gbnf))?;
//! assert_eq!(grammar.triggers, ["<tool_call>"]);
//! assert!(grammar.text.starts_with("root ::= "));
//! # Ok::<(), toolglot_constrain::GrammarError>(())
//! ```
//!
//! A schema keyword that a target cannot express becomes a [`GrammarNote`] with its JSON pointer. It is never dropped
//! silently.

mod alternatives;
mod around;
mod call;
mod calls;
mod error;
mod frame;
mod grammar;
mod json_schema;
mod members;
mod message;
mod number;
mod pattern;
mod print;
mod schema;
mod text;
mod value_types;
mod values;
mod words;

use toolglot_engine::Dialect;
use toolglot_value::Value;

pub use error::{GrammarError, GrammarNote};

/// The name and schema of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolSchema<'a> {
    /// Its name.
    pub name: &'a str,
    /// JSON Schema of its arguments.
    pub parameters: &'a Value,
}

/// The language in which the grammar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// GBNF: llama.cpp.
    Gbnf,
    /// Lark as llguidance reads it.
    Lark,
    /// A structural tag as JSON: xgrammar, vLLM and SGLang.
    StructuralTag,
    /// A structural tag in its older form, a list of tags with a schema each, for dialects whose calls contain JSON.
    LegacyStructuralTag,
    /// A JSON Schema of a message that is one call, for dialects whose calls are JSON objects and nothing else.
    JsonSchema,
}

/// Which calls a message has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice<'a> {
    /// The model may write text, and calls after it.
    #[default]
    Auto,
    /// The message is a call.
    Required,
    /// The message is a call of this tool.
    Named(&'a str),
    /// The message has no call.
    None,
}

/// The reasoning before the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reasoning {
    /// No reasoning, or reasoning that the dialect takes for text.
    #[default]
    None,
    /// The prompt has opened it; the model closes it.
    Open,
    /// The model may open it, and then closes it.
    Optional,
}

/// The settings of a grammar.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options<'a> {
    /// The language of the grammar.
    pub target: Target,
    /// Which calls a message has.
    pub tool_choice: ToolChoice<'a>,
    /// Whether a message may have more than one call.
    pub parallel: bool,
    /// The reasoning before the answer.
    pub reasoning: Reasoning,
    /// Whether a note is an error.
    pub strict: bool,
    /// Markers that are single tokens in the model's vocabulary, such as `<|tool_call|>`. The grammar names them as
    /// tokens where the target can: in Lark the text of a special token does not match the token.
    pub tokens: &'a [&'a str],
    /// Tools whose single argument has a grammar of its own.
    pub inputs: &'a [InputGrammar<'a>],
}

/// The grammar of a tool's one argument, a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputGrammar<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// `lark` or `regex`.
    pub syntax: &'a str,
    /// The grammar.
    pub definition: &'a str,
}

impl<'a> From<(&'a str, &'a str, &'a str)> for InputGrammar<'a> {
    /// From the tool, the syntax and the grammar.
    fn from((tool, syntax, definition): (&'a str, &'a str, &'a str)) -> InputGrammar<'a> {
        InputGrammar {
            tool,
            syntax,
            definition,
        }
    }
}

impl Options<'_> {
    /// Any choice, several calls, no reasoning.
    pub fn new(target: Target) -> Options<'static> {
        Options {
            target,
            tool_choice: ToolChoice::Auto,
            parallel: true,
            reasoning: Reasoning::None,
            strict: false,
            tokens: &[],
            inputs: &[],
        }
    }
}

/// A grammar, to be sent to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grammar {
    /// The grammar in its language.
    pub text: String,
    /// Texts that start the constraint where free text may precede calls, for the lazy grammars of llama.cpp. Empty
    /// where the grammar constrains the whole message.
    pub triggers: Vec<String>,
    /// The rules of the grammar.
    pub n_rules: usize,
    /// The constraints that the grammar does not express.
    pub notes: Vec<GrammarNote>,
}

/// The grammar of a message in `dialect` that calls `tools`.
///
/// Linear in the size of the schemas. Objects of up to four members allow any order, which costs one rule per subset.
///
/// # Errors
/// A schema that allows no value, has a dangling reference or is too large. A tool without a form in the dialect. A
/// tool choice that names no tool. With [`Options::strict`], also the first note.
pub fn grammar(
    dialect: &Dialect,
    tools: &[ToolSchema<'_>],
    options: &Options<'_>,
) -> Result<Grammar, GrammarError> {
    let grammar = match options.target {
        Target::JsonSchema => json_schema::message(dialect, tools, options)?,
        Target::LegacyStructuralTag => json_schema::legacy_tags(dialect, tools, options)?,
        _ => message::grammar(dialect, tools, options)?,
    };
    match grammar.notes.first() {
        Some(note) if options.strict => Err(GrammarError::Note(note.clone())),
        _ => Ok(grammar),
    }
}

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
