//! The lookahead after a quote of a key, or of a string of a Python call. The lookahead reads bytes until it is clear
//! whether the quote ends its string. Quotes of other strings fork the machine instead.
//!
//! ```text
//!   Quote --- , --> Comma --- word --> Bare --- : --> Ends
//!      | |           `------ " , ) --------------> Ends
//!      | `-- + --> Plus ---- " ------------------> Joins
//!      `------------------- a letter ------------> Inside
//! ```

use super::Transducer;
use super::state::Frame;
use super::words::{is_literal, joins_operands};
use crate::scan::is_name_byte;
use crate::thresholds::WORD;

/// A quote that may end its string, and how far the held bytes after the quote were read.
#[derive(Clone, Debug, Default)]
pub(super) struct QuoteLookahead {
    pub(super) state: LookaheadState,
    /// Index of the quote in `held`. The bytes before the quote may be structure, if the quote opens a key.
    pub(super) quote_at: usize,
    /// How many open containers the brackets after the quote close.
    pub(super) n_closed: usize,
}

/// What was read after a quote, to decide whether the quote ends its string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LookaheadState {
    /// The quote, and blanks.
    #[default]
    Quote,
    /// A comma, and blanks: a member must follow.
    Comma,
    /// A second quote right after the first: superfluous, if the text after it may follow the first quote.
    Twice,
    /// A bare word after the comma: a key, if a colon follows.
    Bare,
    BareEnd,
    /// A word after a key's quote and a blank: if the word is a literal, it is the value, and the colon is missing.
    Literal,
    /// Closing brackets after a quote in a string with quotes inside: if another quote follows, the string continues.
    Closing,
    /// `+`: if another string follows, the two strings are one.
    Plus,
    /// `.`: if a name follows, the string is the start of an expression.
    Dot,
    /// The bracket that ends a Python call: another bracket after it would close nothing.
    Bracket,
    /// Several such brackets: superfluous, if the list of calls ends or continues after them.
    Brackets,
    /// A comma after such brackets: a name and its bracket must follow.
    NextCall,
}

/// What a byte of the lookahead decides.
#[derive(Clone, Copy)]
pub(super) enum Decision {
    /// More bytes are needed; this is the next state of the lookahead.
    Look(LookaheadState),
    /// The string ends at the quote.
    Ends,
    /// The quote is inside the string.
    Inside,
    /// Another string follows and continues this one.
    Joins,
    /// The string ends at the quote, and the next quote is superfluous.
    Doubled,
    /// The string's first quote is written twice.
    Again,
    /// The string is the start of an expression, whose source is the value.
    Expression,
}

/// The byte that the lookahead reads.
struct Next {
    byte: u8,
    is_blank: bool,
    /// The byte may be part of a name.
    is_word: bool,
}

impl Transducer {
    /// Decides by the next byte, and steps the lookahead.
    pub(super) fn decide(&mut self, byte: u8) -> Decision {
        // Markdown writers escape the underscores of names.
        let is_escape =
            byte == b'\\' && self.context.python && self.lookahead.state != LookaheadState::Quote;
        let next = Next {
            byte,
            is_blank: matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
            is_word: is_name_byte(byte) || is_escape,
        };
        let decision = match self.lookahead.state {
            LookaheadState::Quote => self.after_a_quote(&next),
            LookaheadState::Comma => self.after_a_comma(&next),
            LookaheadState::Twice => after_two_quotes(&next),
            LookaheadState::Bare | LookaheadState::BareEnd => self.after_a_bare_word(&next),
            LookaheadState::Literal => self.in_a_literal(&next),
            LookaheadState::Closing => self.after_a_closer(&next),
            LookaheadState::Plus => self.after_a_plus(&next),
            LookaheadState::Dot if byte.is_ascii_lowercase() => Decision::Expression,
            LookaheadState::Bracket if byte != b')' || self.context.bracketed => Decision::Ends,
            LookaheadState::Bracket | LookaheadState::Brackets if byte == b')' => {
                Decision::Look(LookaheadState::Brackets)
            }
            LookaheadState::Brackets if byte == b']' => Decision::Ends,
            LookaheadState::Brackets if byte == b',' => Decision::Look(LookaheadState::NextCall),
            LookaheadState::NextCall => self.before_a_call(&next),
            LookaheadState::Dot | LookaheadState::Bracket | LookaheadState::Brackets => {
                Decision::Inside
            }
        };
        if let Decision::Look(ahead) = decision {
            self.lookahead.state = ahead;
        }
        decision
    }

    fn after_a_quote(&mut self, next: &Next) -> Decision {
        let (byte, frame) = (next.byte, self.stack.last().copied());
        let is_right_after = self.held.len() == 1;
        match byte {
            _ if next.is_blank => Decision::Look(LookaheadState::Quote),
            b':' if self.in_key => Decision::Ends,
            b':' => Decision::Inside,
            b',' if frame.is_some_and(Frame::has_keys) && !self.in_key => {
                Decision::Look(LookaheadState::Comma)
            }
            // Two quotes in a row, not at the string's start: the first is inside, and the second may end the string.
            b'"' | b'\'' if self.context.python && self.held.as_bytes() == [byte] => {
                Decision::Inside
            }
            // Python joins adjacent strings.
            b'"' | b'\'' if self.is_whole_in_python() && frame != Some(Frame::Object) => {
                Decision::Joins
            }
            // `say "hi""`: the same, if the string already has a quote inside.
            b'"' if self.string.has_inner && is_right_after => Decision::Inside,
            b'}' | b']' if self.string.has_inner => self.after_a_closer(next),
            // `"path"": 1`: the quote is doubled.
            b'"' if self.in_key && is_right_after && !self.key.text.is_empty() => {
                Decision::Look(LookaheadState::Twice)
            }
            // `""path": 1`
            _ if self.in_key && self.key.text.is_empty() && next.is_word && is_right_after => {
                Decision::Again
            }
            b'+' if !self.in_key && !self.string.has_inner => Decision::Look(LookaheadState::Plus),
            b'*' | b'%' if self.is_whole_in_python() => Decision::Expression,
            b'.' if self.is_whole_in_python() && is_right_after => {
                Decision::Look(LookaheadState::Dot)
            }
            // Python has no such comments.
            b'/' if self.context.python => Decision::Inside,
            b',' | b'}' | b']' | b'"' | b'\'' | b'<' | b'/' | b'#' => Decision::Ends,
            b')' => match frame {
                Some(Frame::Tuple | Frame::Call) => Decision::Ends,
                Some(Frame::Keywords) if self.in_key => Decision::Ends,
                Some(Frame::Keywords) => Decision::Look(LookaheadState::Bracket),
                _ => Decision::Inside,
            },
            b'=' | b'{' | b'[' | b'0'..=b'9' | b'-' if self.in_key => Decision::Ends,
            _ if self.in_key && !is_right_after && byte.is_ascii_alphabetic() => {
                Decision::Look(LookaheadState::Literal)
            }
            // After a blank, another argument may start, if its comma is missing.
            _ if next.is_word && !is_right_after && frame == Some(Frame::Keywords) => {
                Decision::Look(LookaheadState::Bare)
            }
            _ => Decision::Inside,
        }
    }

    /// After a comma a member must follow.
    fn after_a_comma(&self, next: &Next) -> Decision {
        match next.byte {
            _ if next.is_blank => Decision::Look(LookaheadState::Comma),
            b'"' | b'\'' | b'}' | b']' | b',' | b'/' | b'#' | 0xe2 => Decision::Ends,
            b'{' if !self.string.has_inner && self.is_object_in_list() => Decision::Ends,
            b')' | b'[' | b'{' | b'(' if self.stack.last() == Some(&Frame::Keywords) => {
                Decision::Ends
            }
            _ if next.is_word => Decision::Look(LookaheadState::Bare),
            _ => Decision::Inside,
        }
    }

    /// Decides whether a bare word is a key: `'a', b=1`.
    fn after_a_bare_word(&self, next: &Next) -> Decision {
        let is_open = self.lookahead.state == LookaheadState::Bare;
        match next.byte {
            b',' | b')' if self.expects_positions() => Decision::Ends,
            b':' | b'=' => Decision::Ends,
            _ if is_open && next.is_word => Decision::Look(LookaheadState::Bare),
            // `"a" if x else "b"`
            _ if is_open && next.is_blank && self.is_after_joining_word() => Decision::Expression,
            _ if next.is_blank => Decision::Look(LookaheadState::BareEnd),
            _ => Decision::Inside,
        }
    }

    /// `"a")), f(`: the brackets after the quote are superfluous, and the list of calls continues.
    fn before_a_call(&self, next: &Next) -> Decision {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_named = self.held.ends_with(is_part);
        match next.byte {
            b'(' if is_named => Decision::Ends,
            _ if next.is_blank && !is_named => Decision::Look(LookaheadState::NextCall),
            _ if next.is_word && self.held.len() < WORD => Decision::Look(LookaheadState::NextCall),
            _ => Decision::Inside,
        }
    }

    /// `"a" true`: the key's colon is missing.
    fn in_a_literal(&self, next: &Next) -> Decision {
        if next.is_word && self.held.len() < WORD {
            return Decision::Look(LookaheadState::Literal);
        }
        match self.held[1..].trim_start() {
            word if is_literal(word) => Decision::Ends,
            _ => Decision::Inside,
        }
    }

    /// Brackets after the quote of a string that has quotes inside.
    fn after_a_closer(&mut self, next: &Next) -> Decision {
        match next.byte {
            b'}' | b']' => {
                let open = &self.stack[..self.stack.len() - self.lookahead.n_closed];
                let Some(fit) = open.iter().rposition(|frame| frame.closer() == next.byte) else {
                    return Decision::Inside;
                };
                self.lookahead.n_closed = self.stack.len() - fit;
                Decision::Look(LookaheadState::Closing)
            }
            _ if next.is_blank => Decision::Look(LookaheadState::Closing),
            b',' | b'/' | b'#' | b'<' => Decision::Ends,
            b')' if self.context.python => Decision::Ends,
            // A line break or a space after the brackets: other brackets are missing.
            byte if byte != b'"' && self.held.ends_with(['\n', ' ']) => Decision::Ends,
            _ => Decision::Inside,
        }
    }

    fn after_a_plus(&self, next: &Next) -> Decision {
        match next.byte {
            _ if next.is_blank => Decision::Look(LookaheadState::Plus),
            b'"' => Decision::Joins,
            b'\'' if self.context.python => Decision::Joins,
            // `'a' + b`, `'a' * 3`, `', '.join(names)`: an expression starts with the string.
            byte if (next.is_word || byte == b'(') && self.is_whole_in_python() => {
                Decision::Expression
            }
            _ => Decision::Inside,
        }
    }

    /// Whether the string before the quote is a complete Python string: then Python's rules apply to the text after it.
    fn is_whole_in_python(&self) -> bool {
        self.context.python && !self.in_key && !self.string.has_inner
    }

    /// Whether a word that continues an expression (`if`) follows a complete string of a Python call.
    fn is_after_joining_word(&self) -> bool {
        self.is_whole_in_python() && joins_operands(self.held[1..].trim_start())
    }
}

fn after_two_quotes(next: &Next) -> Decision {
    match next.byte {
        _ if next.is_blank => Decision::Look(LookaheadState::Twice),
        b':' => Decision::Doubled,
        _ => Decision::Ends,
    }
}
