//! A case: an input, the options for parsing it, and the expected events. `docs/notation.md` describes the format.

use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;
use toolglot_chat::{ChatError, compile};
use toolglot_engine::{Dialect, Finish, InCode, InReasoning, Parser, Program};
use toolglot_toolset::Toolbox;

use crate::markdown::{Block, Fence, blocks};
use crate::reading::{Cut, Reading};

/// One case of a document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Case {
    /// The heading above it.
    pub title: String,
    /// The line of its input, counted from 1.
    pub line: usize,
    /// How the input is parsed.
    pub options: CaseOptions,
    /// JSON of a tool set, or `builtin:NAME`.
    pub tools: Option<String>,
    /// The model's text.
    pub input: Vec<Part>,
    /// The expected events, a line each. `None`: the document has no events for this input yet.
    pub expected: Option<String>,
    /// The byte range that [`bless`](crate::bless) replaces: the expected events, or the place after the input.
    pub(crate) blessed: Range<usize>,
}

/// A part of the model's text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Part {
    /// Its text.
    pub text: String,
    /// Whether it came as a special token.
    pub special: bool,
}

/// The words after `input`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CaseOptions {
    /// Names of dialects.
    pub dialects: Vec<String>,
    /// Why the model stopped.
    pub finish: Finish,
    /// The policy for a call in quoted code.
    pub in_code: InCode,
    /// The policy for a call in reasoning.
    pub in_reasoning: InReasoning,
    /// Whether the message starts inside reasoning.
    pub reasoning_open: bool,
    /// Whether `\n`, `\r`, `\t`, `\\` and `\u{..}` are escapes for characters, and `\s{..}` for a special token.
    escaped: bool,
}

/// An error in a document of cases.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
#[non_exhaustive]
pub struct CaseError {
    /// The line of the fence, counted from 1.
    pub line: usize,
    /// The kind of the error.
    pub kind: CaseErrorKind,
}

/// The kinds of a [`CaseError`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CaseErrorKind {
    /// An input without a descriptive sentence between its heading and the input.
    #[error("the input has no description; write above it, in one sentence, what the case shows")]
    NoDescription,
    /// A block of events without an input before it.
    #[error("the block `events` has no block `input` before it")]
    NoInput,
    /// An unknown word after `input`.
    #[error(
        "unknown word `{0}` after `input`; the words are dialect=NAME, finish=stop|length|unknown, code=accept, reasoning=accept|open and escaped"
    )]
    UnknownWord(String),
    /// An input without a dialect.
    #[error("the input names no dialect; write `input dialect=hermes`")]
    NoDialect,
    /// An unknown escape.
    #[error(
        "unknown escape `{0}`; the escapes of an `escaped` input are \\n, \\r, \\t, \\\\, \\u{{HEX}} and \\s{{TOKEN}}"
    )]
    UnknownEscape(String),
}

/// Why a case cannot be parsed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// An unknown builtin tool set.
    #[error("unknown builtin tool set `{0}`")]
    UnknownBuiltin(String),
    /// A tool set that is not JSON.
    #[error("the block `tools` is not JSON: {0}")]
    ToolsJson(#[from] serde_json::Error),
    /// An invalid tool set.
    #[error("the block `tools`: {0}")]
    Tools(#[from] toolglot_toolset::ToolError),
    /// Dialects that cannot be compiled together.
    #[error(transparent)]
    Dialects(#[from] ChatError),
}

/// Events that depend on the cut, or do not cover the input: a fault of the parser, not of the dialect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadingError {
    /// Two cuts give different events.
    #[error(
        "the events depend on how the input is cut ({cut:?})\n  whole: {whole}\n  cut:   {pieces}"
    )]
    CutDifference {
        /// The cut.
        cut: Cut,
        /// The events of the whole input.
        whole: String,
        /// The events of the input with that cut.
        pieces: String,
    },
    /// The first byte without an event.
    #[error("byte {0} of the input is in no event")]
    Gap(u64),
}

/// The cases of a Markdown document, in order; a case that names no dialect belongs to `dialect`.
///
/// # Errors
/// An error in the document, with its line.
pub fn cases(document: &str, dialect: Option<&str>) -> Result<Vec<Case>, CaseError> {
    let mut cases: Vec<Case> = Vec::new();
    let mut title = "";
    let mut has_description = false;
    let mut tools: Option<&str> = None;
    // Whether the last case still lacks its events.
    let mut is_open = false;
    for block in blocks(document) {
        match block {
            Block::Heading { title: heading, .. } => {
                title = heading;
                (has_description, tools) = (false, None);
            }
            Block::Prose => has_description = true,
            Block::Fence(fence) => {
                let error = |kind| CaseError {
                    line: fence.line,
                    kind,
                };
                match fence.info.split(' ').next() {
                    Some("tools") => tools = Some(fence.text),
                    Some("input") if !has_description => {
                        return Err(error(CaseErrorKind::NoDescription));
                    }
                    Some("input") => {
                        cases.push(case(&fence, title, tools, dialect).map_err(error)?);
                        is_open = true;
                    }
                    Some("events") => {
                        let case = cases.last_mut().filter(|_| is_open);
                        let case = case.ok_or_else(|| error(CaseErrorKind::NoInput))?;
                        case.expected = Some(fence.text.to_owned());
                        case.blessed = fence.body;
                        is_open = false;
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(cases)
}

/// The case of an input, without its events.
fn case(
    input: &Fence<'_>,
    title: &str,
    tools: Option<&str>,
    dialect: Option<&str>,
) -> Result<Case, CaseErrorKind> {
    let options = CaseOptions::read(input.info, dialect)?;
    Ok(Case {
        title: title.to_owned(),
        line: input.line,
        input: if options.escaped {
            unescaped(input.text)?
        } else {
            vec![Part::plain(input.text)]
        },
        options,
        tools: tools.map(str::to_owned),
        expected: None,
        blessed: input.end..input.end,
    })
}

impl Case {
    /// The tool set of the case.
    ///
    /// # Errors
    /// An unknown builtin, or an invalid tool set.
    pub fn toolbox(&self) -> Result<Option<Toolbox>, ProgramError> {
        let Some(tools) = self.tools.as_deref().map(str::trim) else {
            return Ok(None);
        };
        if let Some(name) = tools.strip_prefix("builtin:") {
            let toolbox = Toolbox::builtin(name);
            let unknown = || ProgramError::UnknownBuiltin(name.to_owned());
            return toolbox.ok_or_else(unknown).map(Some);
        }
        Ok(Some(Toolbox::from_json(&serde_json::from_str(tools)?)?))
    }

    /// The program that parses the input.
    ///
    /// # Errors
    /// An error of `find` about a dialect name; an error of [`Case::toolbox`]; dialects that cannot be compiled
    /// together.
    pub fn program<E: From<ProgramError>>(
        &self,
        find: impl Fn(&str) -> Result<Dialect, E>,
    ) -> Result<Arc<Program>, E> {
        let dialects = self.options.dialects.iter().map(|name| find(name));
        let dialects = dialects.collect::<Result<Vec<Dialect>, E>>()?;
        let toolbox = self.toolbox()?;
        let program = compile(&dialects, toolbox.as_ref());
        program.map_err(|error| ProgramError::from(error).into())
    }

    /// A parser for the input.
    pub fn parser(&self, program: &Arc<Program>) -> Parser {
        let parser = Parser::new(Arc::clone(program))
            .in_code(self.options.in_code)
            .in_reasoning(self.options.in_reasoning);
        if self.options.reasoning_open {
            parser.reasoning_open()
        } else {
            parser
        }
    }

    /// The events, a line each: the same for the whole input and for pieces of one and of three bytes. An input with
    /// special tokens is also cut in two at each byte, since the text between two tokens may come with either token.
    ///
    /// # Errors
    /// Events that depend on the cut, or do not cover the input.
    pub fn events(&self, program: &Arc<Program>) -> Result<String, ReadingError> {
        let whole = Reading::of(program, self, Cut::Whole)?;
        let mut cuts = vec![Cut::Every(1), Cut::Every(3)];
        if self.input.iter().any(|part| part.special) {
            let length = self.input.iter().map(|part| part.text.len()).sum();
            cuts.extend((1..length).map(Cut::At));
        }
        for cut in cuts {
            let pieces = Reading::of(program, self, cut)?;
            if !pieces.same(&whole) {
                return Err(ReadingError::CutDifference {
                    cut,
                    whole: format!("{whole:?}"),
                    pieces: format!("{pieces:?}"),
                });
            }
        }
        Ok(whole.lines())
    }
}

impl CaseOptions {
    fn read(info: &str, dialect: Option<&str>) -> Result<CaseOptions, CaseErrorKind> {
        let mut options = CaseOptions {
            dialects: dialect.map(str::to_owned).into_iter().collect(),
            ..CaseOptions::default()
        };
        for word in info.split_whitespace().skip(1) {
            match word.split_once('=').unwrap_or((word, "")) {
                ("dialect", names) => {
                    options.dialects = names.split(',').map(str::to_owned).collect();
                }
                ("finish", "stop") => options.finish = Finish::Stop,
                ("finish", "length") => options.finish = Finish::Length,
                ("finish", "unknown") => options.finish = Finish::Unknown,
                ("code", "accept") => options.in_code = InCode::Accept,
                ("reasoning", "accept") => options.in_reasoning = InReasoning::Accept,
                ("reasoning", "open") => options.reasoning_open = true,
                ("escaped", "") => options.escaped = true,
                _ => return Err(CaseErrorKind::UnknownWord(word.to_owned())),
            }
        }
        if options.dialects.is_empty() {
            return Err(CaseErrorKind::NoDialect);
        }
        Ok(options)
    }
}

impl Part {
    pub(crate) fn plain(text: &str) -> Part {
        Part {
            text: text.to_owned(),
            special: false,
        }
    }
}

/// Decodes the escapes of an `escaped` input. Line breaks of the document are ignored: the input writes them as
/// escapes.
fn unescaped(text: &str) -> Result<Vec<Part>, CaseErrorKind> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().filter(|&c| c != '\n');
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let escape = chars.next();
        let mut braced = || {
            let inside = chars.by_ref().skip(1).take_while(|&c| c != '}');
            inside.collect::<String>()
        };
        match escape {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('\\') => plain.push('\\'),
            Some('u') => {
                let hex = braced();
                let code = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                let unknown = || CaseErrorKind::UnknownEscape(format!("\\u{{{hex}}}"));
                plain.push(code.ok_or_else(unknown)?);
            }
            Some('s') => {
                parts.push(Part::plain(&std::mem::take(&mut plain)));
                parts.push(Part {
                    text: braced(),
                    special: true,
                });
            }
            other => {
                let escape = other.map_or_else(|| "\\".to_owned(), |c| format!("\\{c}"));
                return Err(CaseErrorKind::UnknownEscape(escape));
            }
        }
    }
    parts.push(Part::plain(&plain));
    Ok(parts)
}
