//! Strings in other quotes than JSON's, with quotes inside them.

use alloc::boxed::Box;
use alloc::string::String;

use toolglot_json::internal::escape_into;

use crate::grammar::QuoteStyle;

/// Rewrites such a string, which comes in pieces, as a JSON string. A value of any other kind passes unchanged.
#[derive(Debug)]
pub(super) struct QuotedString {
    quotes: Box<[QuoteStyle]>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Before,
    Inside(QuoteStyle),
    /// After a quote: the end, unless the next character is a quote, too.
    AtQuote(QuoteStyle),
    /// After a backslash.
    Escape(QuoteStyle),
    After,
}

impl QuotedString {
    pub(super) fn new(quotes: &[QuoteStyle]) -> QuotedString {
        let (quotes, state) = (quotes.into(), State::Before);
        QuotedString { quotes, state }
    }

    /// Whether the string has ended unless a quote comes next.
    pub(super) fn may_be_over(&self) -> bool {
        matches!(self.state, State::AtQuote(_))
    }

    /// Writes the decided part, each run with its position. `piece` is at `at`.
    pub(super) fn feed(&mut self, piece: &str, at: u64, mut write: impl FnMut(&str, u64)) {
        let mut rest = piece;
        while let Some(c) = rest.chars().next() {
            let (mut json, mut used) = (String::new(), c.len_utf8());
            let opened = self.quotes.iter().find(|quote| quote.sign == c);
            self.state = match (self.state, opened) {
                (State::Before, Some(&quote)) => {
                    json.push('"');
                    State::Inside(quote)
                }
                (State::Before, None) if c.is_ascii_whitespace() => {
                    json.push(c);
                    State::Before
                }
                (State::Inside(quote), _) if c == quote.sign && quote.is_doubled => {
                    State::AtQuote(quote)
                }
                (State::Inside(quote), _) if c == quote.sign => {
                    json.push('"');
                    State::After
                }
                (State::Inside(quote), _) if c == '\\' && !quote.is_doubled => State::Escape(quote),
                (State::Inside(quote), _) => {
                    let next = rest[used..].find([quote.sign, '\\']);
                    used = next.map_or(rest.len(), |n| used + n);
                    escape_into(&mut json, &rest[..used]);
                    State::Inside(quote)
                }
                (State::AtQuote(quote) | State::Escape(quote), _) if c == quote.sign => {
                    escape_into(&mut json, &rest[..used]);
                    State::Inside(quote)
                }
                (State::Escape(quote), _) => {
                    json.extend(['\\', c]);
                    State::Inside(quote)
                }
                (State::AtQuote(_), _) => {
                    used = 0;
                    json.push('"');
                    State::After
                }
                (State::Before | State::After, _) => {
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
