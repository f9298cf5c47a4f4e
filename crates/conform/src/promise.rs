//! What a parser of tool calls can promise.

use std::fmt;
use std::str::FromStr;

/// A promise. A parser need not make all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Promise {
    /// A message gives the calls that it holds, with their arguments by value.
    Calls,
    /// A message gives its calls even if values hold markers, quotes, escapes and other text that drives parsers.
    Hostile,
    /// The text outside the calls comes back, blanks aside, and nothing else does.
    Text,
    /// The calls and the text do not depend on how the message is cut.
    Cuts,
    /// The pieces of a call's arguments make up its arguments; no piece is taken back or comes too late.
    Arguments,
    /// Four times the text takes about four times the time.
    Time,
}

impl Promise {
    /// All promises, in the order of reports.
    pub const ALL: [Promise; 6] = [
        Promise::Calls,
        Promise::Hostile,
        Promise::Text,
        Promise::Cuts,
        Promise::Arguments,
        Promise::Time,
    ];

    /// The name of the promise, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Promise::Calls => "calls",
            Promise::Hostile => "hostile",
            Promise::Text => "text",
            Promise::Cuts => "cuts",
            Promise::Arguments => "arguments",
            Promise::Time => "time",
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Promise {
    type Err = String;

    fn from_str(word: &str) -> Result<Promise, String> {
        let found = Promise::ALL
            .into_iter()
            .find(|promise| promise.name() == word);
        found.ok_or_else(|| {
            let names: Vec<&str> = Promise::ALL.iter().map(|promise| promise.name()).collect();
            format!("unknown promise `{word}`; write {}", names.join(", "))
        })
    }
}
