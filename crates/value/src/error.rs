//! Why a text is not JSON, or a value does not have the requested type.

use std::borrow::Cow;
use std::fmt;

/// Why a text is not a JSON value, or a value does not have the requested type. The message is the one of `serde_json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Place>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    message: Cow<'static, str>,
    line: usize,
    column: usize,
}

impl Error {
    pub(crate) fn new(message: impl Into<Cow<'static, str>>, line: usize, column: usize) -> Error {
        let message = message.into();
        Error(Box::new(Place {
            message,
            line,
            column,
        }))
    }

    /// The same error without a place: no text was read for the value.
    pub(crate) fn without_place(mut self) -> Error {
        (self.0.line, self.0.column) = (0, 0);
        self
    }

    /// The line of the text, from 1; 0 where the error has no place in a text.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in bytes, from 1; 0 before the first byte of a line, and where the error has no place in a text.
    pub fn column(&self) -> usize {
        self.0.column
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if self.0.line == 0 {
            return Ok(());
        }
        write!(f, " at line {} column {}", self.0.line, self.0.column)
    }
}

impl std::error::Error for Error {}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Error {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let place = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
        Error::new(message, line, column)
    }
}

impl From<Error> for serde_json::Error {
    fn from(error: Error) -> serde_json::Error {
        serde_core::de::Error::custom(error)
    }
}
