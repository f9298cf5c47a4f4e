//! Strings whose quote is written twice inside them, as in SQL and CSV.

use alloc::boxed::Box;
use alloc::string::String;

use toolglot_json::internal::escape_into;

/// Rewrites such a string, which comes in pieces, as one of JSON. A value of any other kind passes as it is.
#[derive(Debug)]
pub(super) struct DoubledQuotes {
    /// Those of one character start a string, as `"` does.
    quotes: Box<[String]>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Before,
    Inside(char),
    /// After a quote: the end, unless the next character is one as well.
    AtQuote(char),
    After,
}

impl DoubledQuotes {
    pub(super) fn new(quotes: &[String]) -> DoubledQuotes {
        let (quotes, state) = (quotes.into(), State::Before);
        DoubledQuotes { quotes, state }
    }

    /// Whether the string is over unless a quote comes next.
    pub(super) fn may_be_over(&self) -> bool {
        matches!(self.state, State::AtQuote(_))
    }

    /// Hands on what is decided by now, with the place where each run of it stands. `piece` stands at `at`.
    pub(super) fn feed(&mut self, piece: &str, at: u64, mut write: impl FnMut(&str, u64)) {
        let mut rest = piece;
        while let Some(c) = rest.chars().next() {
            let is_quote = |text: &String| text.chars().eq([c]);
            let (mut json, mut used) = (String::new(), c.len_utf8());
            self.state = match self.state {
                State::Before if c == '"' || self.quotes.iter().any(is_quote) => {
                    json.push('"');
                    State::Inside(c)
                }
                State::Inside(quote) if c == quote => State::AtQuote(quote),
                State::Inside(quote) => {
                    used = rest.find(quote).unwrap_or(rest.len());
                    escape_into(&mut json, &rest[..used]);
                    State::Inside(quote)
                }
                State::AtQuote(quote) if c == quote => {
                    escape_into(&mut json, &rest[..used]);
                    State::Inside(quote)
                }
                State::AtQuote(_) => {
                    used = 0;
                    json.push('"');
                    State::After
                }
                State::Before if c.is_ascii_whitespace() => {
                    json.push(c);
                    State::Before
                }
                State::Before | State::After => {
                    used = rest.len();
                    json.push_str(rest);
                    State::After
                }
            };
            write(&json, at + (piece.len() - rest.len()) as u64);
            rest = &rest[used..];
        }
    }
}
