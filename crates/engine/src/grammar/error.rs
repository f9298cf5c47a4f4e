//! Why a dialect was refused.

use alloc::string::String;
use core::fmt;
use core::ops::Range;

/// Why a dialect file, or a set of dialects, was refused. Points into the dialect file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarError {
    /// What is wrong, naming the thing and its value.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Bytes of the file that was parsed.
    pub span: Range<usize>,
    /// The dialect concerned.
    pub dialect: Option<String>,
    /// The text to write in place of the bytes, where a known word has another name.
    pub replacement: Option<String>,
}

impl GrammarError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> GrammarError {
        GrammarError {
            message: message.into(),
            help: None,
            span,
            dialect: None,
            replacement: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> GrammarError {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn of(mut self, dialect: &str) -> GrammarError {
        self.dialect.get_or_insert_with(|| dialect.into());
        self
    }
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(dialect) = &self.dialect {
            write!(f, "dialect `{dialect}`: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(help) = &self.help {
            write!(f, " (help: {help})")?;
        }
        Ok(())
    }
}

impl core::error::Error for GrammarError {}
