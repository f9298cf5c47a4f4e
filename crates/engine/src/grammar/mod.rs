//! Parses dialect files into rules. `docs/notation.md` is the manual of the notation.

mod ast;
pub(crate) mod bounds;
pub(crate) mod check;
mod error;
mod evidence;
pub(crate) mod extent;
mod file;
mod lex;
pub(crate) mod lists;
mod parse;
mod settings;
mod variants;
mod words;

pub(crate) use ast::{Alt, Delimiter, Habit, Indent, Piece, Rule, Term, TermKind};
pub use ast::{
    Attribute, Capture, Envelope, EnvelopeMember, LastBreak, NamedArgument, PythonQuote,
    QuoteStyle, Role,
};
pub use error::GrammarError;
pub use evidence::Evidence;
pub(crate) use settings::{CDATA, without_break};
pub use settings::{IdForm, Typing, Values};

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::render::holds;

/// One dialect: its rules and its header, parsed from a dialect file. A clone shares them.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialect {
    pub(crate) name: String,
    pub(crate) settings: Arc<Vec<(String, String)>>,
    pub(crate) values: Values,
    pub(crate) rules: Arc<Vec<Rule>>,
    pub(crate) source: Arc<String>,
}

impl Dialect {
    /// Parses all dialects of a file. `dialect a : b` may build on a `known` dialect or on an earlier one of the file.
    ///
    /// # Errors
    /// The first text that is not valid notation or exceeds a bound (`docs/notation.md`). The error has the place
    /// in `file` and what to write instead.
    pub fn parse(file: &str, known: &[Dialect]) -> Result<Vec<Dialect>, GrammarError> {
        file::read(file, known)
    }

    /// The dialect's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A setting or header line (`values`, `models`, `source`, ...), as written.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The dialect's lines as written, without inherited rules.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The calls of a dialect whose call rules each fix a tool: each tool, and the arguments that its rule names. `None`
    /// if a call may name any tool.
    pub fn only_calls(&self) -> Option<Vec<(&str, Vec<NamedArgument<'_>>)>> {
        let calls = self.rules.iter().filter(|rule| rule.name == "call");
        let mut all: Vec<_> = calls
            .map(|rule| Some((rule.tool.as_deref()?, rule.alt.arguments(Some(self)))))
            .collect::<Option<_>>()?;
        all.dedup();
        Some(all)
    }

    /// Whether the dialect's calls have values that are lists between brackets.
    pub(crate) fn has_lists(&self) -> bool {
        let calls = self.rules.iter().filter(|rule| rule.name == "call");
        let mut seqs = calls.flat_map(|rule| &rule.alt.0);
        seqs.any(|seq| lists::holds_list(self, seq))
    }

    /// Whether the dialect's calls have parameters with a `key`.
    pub fn has_keys(&self) -> bool {
        let is_key = |kind: &TermKind| matches!(kind, TermKind::Capture(Capture::Key, _));
        let calls = self.rules.iter().filter(|rule| rule.name == "call");
        let mut terms = calls.flat_map(|rule| rule.alt.0.iter().flatten());
        terms.any(|term| holds(self, term, &is_key))
    }

    /// The arguments of the first `call` rule for any tool that names some.
    pub fn named_arguments(&self) -> Vec<NamedArgument<'_>> {
        let is_general = |rule: &&Rule| rule.name == "call" && rule.tool.is_none();
        let mut rules = self.rules.iter().filter(is_general);
        let named =
            rules.find_map(|rule| Some(rule.alt.arguments(None)).filter(|all| !all.is_empty()));
        named.unwrap_or_default()
    }

    /// The JSON value of this text, if `words` of the dialect lists it (`words("yes" = true)`).
    pub fn word(&self, text: &str) -> Option<&str> {
        self.values.word(text)
    }

    /// The argument that holds a shell block, and the argument that each command becomes (`split: shell_lines(a: b)`).
    pub fn split(&self) -> Option<(&str, &str)> {
        let inside = self
            .setting("split")?
            .strip_prefix("shell_lines(")?
            .strip_suffix(')')?;
        let (from, to) = inside.split_once(':')?;
        Some((from.trim(), to.trim()))
    }

    /// How an id is spelled from captures: `functions.{name}:{id}`.
    pub fn id_spelling(&self) -> Option<&str> {
        self.setting("id_spelling")
    }

    /// The text between calls that are not in a block.
    pub(crate) fn between_calls(&self) -> &'static str {
        match self.setting("between_calls") {
            Some(_) => "",
            None => "\n",
        }
    }

    /// How the text of a value becomes JSON.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The form that ids must have for the dialect's models (`id_form: letters 9`), if there is one.
    pub fn id_form(&self) -> Option<IdForm> {
        IdForm::parse(self.setting("id_form")?)
    }

    /// An id for a call without one, made from its `number`.
    pub fn counted_id(&self, name: &str, number: u64) -> String {
        let id = self.id_form().unwrap_or(IdForm::Count).id(number);
        match self.id_spelling() {
            Some(spelling) => spelling.replace("{name}", name).replace("{id}", &id),
            None => id,
        }
    }

    /// The rules with this name and without a fixed tool.
    pub(crate) fn rules_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.rules
            .iter()
            .filter(move |rule| rule.name == name && rule.tool.is_none())
    }

    /// A `|`-separated setting as a list.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let list = self.setting(name).unwrap_or("");
        list.split('|')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(ToString::to_string)
            .collect()
    }

    /// Whether letter case is ignored in this rule (`case: ignore`, `case: ignore in a, b`).
    pub(crate) fn ignores_case(&self, rule: &Rule) -> bool {
        match self.setting("case").map(|value| {
            value
                .split_once(" in ")
                .map_or((value, None), |(a, b)| (a, Some(b)))
        }) {
            Some(("ignore", None)) => true,
            Some(("ignore", Some(names))) => {
                rule.tool.is_none() && names.split(',').any(|name| name.trim() == rule.name)
            }
            _ => false,
        }
    }
}
