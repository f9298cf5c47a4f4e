//! Signatures only, until the machine lands.
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use crate::*;

/// One dialect: rules and header, parsed from a dialect file.
#[derive(Clone, Debug)]
pub struct Dialect { name: String }

/// Why a dialect file or a set of dialects was refused; points into the dialect file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarError { pub message: String, pub help: Option<String>, pub span: core::ops::Range<usize>, pub dialect: Option<String> }

impl Dialect {
    /// All dialects of a file. `known` are those that `dialect a : b` may name beside the file's own.
    pub fn parse(file: &str, _known: &[Dialect]) -> Result<Vec<Dialect>, GrammarError> {
        Ok(file.lines().filter_map(|l| l.strip_prefix("dialect ")).map(|l| Dialect { name: l.split_whitespace().next().unwrap_or("").into() }).collect())
    }
    pub fn name(&self) -> &str { &self.name }
    /// A setting or header line (`values`, `models`, `source`, ...), as written.
    pub fn setting(&self, _name: &str) -> Option<&str> { None }
    /// The rules as written, for `dialects show`.
    pub fn source(&self) -> &str { "" }
}

/// A set of dialects compiled for a tool set. Shared between parsers.
#[derive(Debug)]
pub struct Program { _limits: Limits }
impl Program {
    pub fn compile(_dialects: &[Dialect], _tools: &ToolSet, limits: Limits) -> Result<Program, GrammarError> { Ok(Program { _limits: limits }) }
}

/// Reads one message.
#[derive(Debug)]
pub struct Parser { _program: Arc<Program>, pos: u64 }
impl Parser {
    pub fn new(program: Arc<Program>) -> Parser { Parser { _program: program, pos: 0 } }
    pub fn primed(program: Arc<Program>, _prompt_tail: &str) -> Parser { Parser { _program: program, pos: 0 } }
    /// Starts inside the reasoning of the first dialect that has any.
    #[must_use] pub fn reasoning_open(self) -> Parser { self }
    #[must_use] pub fn in_code(self, _in_code: InCode) -> Parser { self }
    #[must_use] pub fn in_reasoning(self, _in_reasoning: InReasoning) -> Parser { self }
    pub fn push(&mut self, input: Input<'_>, sink: &mut dyn Sink) {
        let (Input::Text(text) | Input::Special { text, .. }) = input;
        let start = self.pos; self.pos += text.len() as u64;
        sink.event(Span::new(start, self.pos), Event::Text(text));
    }
    pub fn finish(self, _why: Finish, _sink: &mut dyn Sink) {}
    pub fn held(&self) -> &str { "" }
}

/// A call to be written. `args` is JSON text of one object.
#[derive(Clone, Debug)]
pub struct CallText<'a> { pub name: &'a str, pub args: &'a str, pub ns: Option<&'a str>, pub id: Option<&'a str> }
/// The result of a call, to be written in the shape the dialect's model was taught.
#[derive(Clone, Debug)]
pub struct ResultText<'a> { pub call: CallText<'a>, pub text: &'a str, pub failed: bool }
/// Why a dialect cannot carry a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrenderable { pub why: String }
/// Writes `calls` in `dialect`; refuses what would not be read back equal under `tools`.
pub fn render(_dialect: &Dialect, _tools: &ToolSet, _calls: &[CallText<'_>]) -> Result<String, Unrenderable> { Ok(String::new()) }
/// Writes results; escaped so that no call can be parsed out of them in `dialect`.
pub fn render_results(_dialect: &Dialect, _results: &[ResultText<'_>]) -> String { String::new() }
#[allow(unused)] fn unused(_: Vec<u8>) {}
