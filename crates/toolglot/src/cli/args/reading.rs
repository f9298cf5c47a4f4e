//! How a text is read.

use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use toolglot_chat::Reader;
use toolglot_engine::{Finish, InCode, InReasoning, Program};
use toolglot_session::ReadingSettings;

/// How a text is read; `parse` and `run` share it.
#[derive(Debug, Args)]
pub(crate) struct ReadingArguments {
    /// Dialects by name, separated by commas; a path names a dialect file, or a folder that holds one
    #[arg(long, value_name = "NAME[,NAME]|auto", default_value = "auto")]
    pub(crate) dialect: String,
    /// Tools: a file (OpenAI array, MCP `tools/list`, {name: schema}), a directory of such files, or builtin:NAME
    #[arg(long, value_name = "T")]
    pub(crate) tools: Option<String>,
    /// How to read a call in quoted code
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) in_code: QuotedWord,
    /// How to read a call in reasoning
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) in_reasoning: Aside,
    /// The text starts inside reasoning
    #[arg(long)]
    pub(crate) reasoning_open: bool,
    /// Why the model stopped [default: `stop` for `parse`, `unknown` for `run`]
    #[arg(long, value_enum, value_name = "WHY")]
    pub(crate) finish: Option<FinishWord>,
    /// Push the text in pieces of this many bytes; a character is never split
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) chunk: u32,
}

impl ReadingArguments {
    /// The reader that the arguments describe.
    pub(crate) fn reader(&self, program: Arc<Program>) -> Reader {
        Reader {
            in_code: self.in_code.into(),
            in_reasoning: self.in_reasoning.into(),
            reasoning_open: self.reasoning_open,
            finish: self.finish.map_or(Finish::Stop, Finish::from),
            chunk_bytes: self.chunk as usize,
            ..Reader::new(program)
        }
    }

    /// The settings of a session that the arguments describe.
    pub(crate) fn settings(&self) -> ReadingSettings {
        ReadingSettings {
            in_code: self.in_code.into(),
            in_reasoning: self.in_reasoning.into(),
            reasoning_open: self.reasoning_open,
            prompt_suffix: None,
            finish: self.finish.map(Finish::from),
            chunk_bytes: self.chunk as usize,
        }
    }

    /// The files and directories that the arguments name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let tools = self.tools.as_deref();
        let tools = tools.filter(|tools| !tools.starts_with("builtin:"));
        let dialects = self.dialect.split(',').map(str::trim);
        let dialects = dialects.filter(|name| is_file(name));
        tools.into_iter().chain(dialects).map(Path::new)
    }
}

/// How to read a call in quoted code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuotedWord {
    /// In a fence without a language, or with one of data, it is a call if the fence holds only calls of known tools;
    /// elsewhere it gives a note
    #[default]
    Auto,
    /// It is text, with a note
    Ignore,
    /// It is a call
    Accept,
}

/// How to read a call in reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Aside {
    /// It is text, with a note
    #[default]
    Ignore,
    /// It is a call
    Accept,
}

impl From<QuotedWord> for InCode {
    fn from(word: QuotedWord) -> InCode {
        match word {
            QuotedWord::Auto => InCode::Auto,
            QuotedWord::Ignore => InCode::Ignore,
            QuotedWord::Accept => InCode::Accept,
        }
    }
}

impl From<Aside> for InReasoning {
    fn from(word: Aside) -> InReasoning {
        match word {
            Aside::Ignore => InReasoning::Ignore,
            Aside::Accept => InReasoning::Accept,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FinishWord {
    /// It finished
    Stop,
    /// It hit its length limit
    Length,
    /// The reason is not known
    Unknown,
}

impl From<FinishWord> for Finish {
    fn from(word: FinishWord) -> Finish {
        match word {
            FinishWord::Stop => Finish::Stop,
            FinishWord::Length => Finish::Length,
            FinishWord::Unknown => Finish::Unknown,
        }
    }
}

/// Whether an item of a dialect list is a path. The name of a dialect contains no slash and no dot.
pub(crate) fn is_file(name: &str) -> bool {
    name.contains(['/', '\\', '.'])
}
