//! What follows a quote inside a string, byte for byte, until it says whether the quote ends the string. Each place that the
//! lookahead can stand in is a function.
//!
//! ```text
//!   Quote --- , --> Comma --- word --> Bare --- : --> Ends
//!    | | |           `------ " , } ] --------------> Ends
//!    | | `-- + --> Plus ---- " --------------------> Joins
//!    | `- word --> Key ----- " : of a known key ---> Key
//!    `--------------------- a letter --------------> Inside
//! ```

use super::Transducer;
use super::quotes::{KEY, WORD, is_name_byte};
use super::state::{Frame, Quote};
use super::words::{is_literal, joins_operands};

/// A quote that may end its string, and how far the bytes after it were read. They are held.
#[derive(Clone, Debug, Default)]
pub(super) struct QuoteLookahead {
    pub(super) state: LookaheadState,
    /// What the string started with whose end is looked for.
    pub(super) quote: Quote,
    /// Where in `held` the quote stands: before it what may be structure, if the quote opens a key.
    pub(super) quote_at: usize,
    /// How many brackets were read after the quote.
    pub(super) n_closed: usize,
}

/// How far what stands after a quote was read, to tell whether the quote ends its string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LookaheadState {
    /// The quote, and blanks.
    #[default]
    Quote,
    /// A comma, and blanks: a member must follow.
    Comma,
    /// `;` in place of the comma.
    Semicolon,
    /// Another quote right after it: one too many, if what can follow the first does.
    Twice,
    /// A bare word after the comma: a key, if a colon follows.
    Bare,
    BareEnd,
    BareQuote,
    /// Dots after the comma: left out, if nothing else stands there.
    Dots,
    /// A quote right after the one that opened the string: written twice, if the next one ends the value.
    Opening,
    OpeningEnd,
    /// A word after a key's quote and a blank: the value, if it is a literal. The colon is missing.
    Literal,
    /// A word right after the quote: the quote opens a key, if another and a colon follow.
    Key,
    KeyEnd,
    /// After the second quote of a key that the object has had: the string may have swallowed another object.
    HadEnd,
    /// It was one, but the string has quotes inside: it may have swallowed a key.
    Doubt,
    /// Closing brackets after the quote of a string with quotes inside: one more quote after them, and it ended none.
    Closing,
    /// A line break after the quote, and what is no member.
    LineEnd,
    /// `+`: if another string follows, both are one.
    Plus,
    /// A blank and another string: a key, if a colon follows, and a part of this one if not.
    Second,
    SecondEnd,
    /// A quote after a comma of a list's string: it opens the next element, if that one's own quote follows.
    Element,
    ElementEnd,
    ElementComma,
    /// `.`: if a name follows, the string is the start of an expression.
    Dot,
    /// The bracket that ends a Python call: one more after it would belong to nothing.
    Bracket,
    /// Several of them: too many, if the list of calls ends or goes on after them.
    Brackets,
    /// A comma after those: a name and its bracket must follow.
    NextCall,
}

impl LookaheadState {
    /// Whether a quote is looked at that may open an element.
    pub(super) fn is_element(self) -> bool {
        matches!(
            self,
            LookaheadState::Element | LookaheadState::ElementEnd | LookaheadState::ElementComma
        )
    }

    /// Whether a second quote was read after one that may open a key.
    pub(super) fn is_key(self) -> bool {
        matches!(
            self,
            LookaheadState::KeyEnd
                | LookaheadState::HadEnd
                | LookaheadState::Doubt
                | LookaheadState::Opening
                | LookaheadState::OpeningEnd
        )
    }
}

/// What a byte of the lookahead says.
#[derive(Clone, Copy)]
pub(super) enum Decision {
    /// More bytes are needed; the lookahead stands here after this one.
    Look(LookaheadState),
    /// The string ends at its quote.
    Ends,
    /// The quote stands inside.
    Inside,
    /// The string ends before its last quote, which opens a key.
    Key,
    /// Another string follows that belongs to this one.
    Joins,
    /// It ends at its quote, and the one after that is one too many.
    Doubled,
    /// Its first quote was written twice.
    Again,
    /// The string is the start of an expression, whose source is the value.
    Expression,
}

/// The byte that the lookahead reads.
struct Next<'a> {
    byte: u8,
    /// The text that it starts.
    rest: &'a str,
    is_blank: bool,
    /// It may be a byte of a name.
    is_word: bool,
    /// How many bytes were read ahead, the quote among them.
    n_ahead: usize,
    /// The container that the string stands in.
    frame: Option<Frame>,
}

impl Transducer {
    /// What the byte says that `rest` starts with.
    pub(super) fn decide(&mut self, byte: u8, rest: &str) -> Decision {
        if byte.is_ascii_alphabetic() && self.is_right_after_inner_quote() {
            return Decision::Inside;
        }
        // Markdown writers escape the underscores of names.
        let is_escape =
            byte == b'\\' && self.context.python && self.lookahead.state != LookaheadState::Quote;
        let next = Next {
            byte,
            rest,
            is_blank: matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
            is_word: is_name_byte(byte) || is_escape,
            n_ahead: self.held.len() - self.lookahead.quote_at,
            frame: self.stack.last().copied(),
        };
        let decision = match self.lookahead.state {
            LookaheadState::Quote => self.after_a_quote(&next),
            LookaheadState::Comma => self.after_a_comma(&next),
            LookaheadState::Semicolon => after_a_semicolon(&next),
            LookaheadState::Twice => self.after_two_quotes(&next),
            LookaheadState::Bare | LookaheadState::BareEnd | LookaheadState::BareQuote => {
                self.after_a_bare_word(&next)
            }
            LookaheadState::Dots => self.after_dots_ahead(&next),
            LookaheadState::Opening | LookaheadState::OpeningEnd => {
                self.in_a_value_opened_twice(&next)
            }
            LookaheadState::Literal => self.in_a_literal(&next),
            LookaheadState::Key => self.in_a_key(&next),
            LookaheadState::KeyEnd | LookaheadState::HadEnd => self.after_a_key(&next),
            LookaheadState::Closing => self.after_a_closer(&next),
            LookaheadState::Plus => self.after_a_plus(&next),
            LookaheadState::Second | LookaheadState::SecondEnd => self.in_a_second_string(&next),
            LookaheadState::Element | LookaheadState::ElementEnd | LookaheadState::ElementComma => {
                self.in_an_element(&next)
            }
            LookaheadState::Dot if byte.is_ascii_lowercase() => Decision::Expression,
            LookaheadState::Bracket if byte != b')' || self.context.bracketed => Decision::Ends,
            LookaheadState::Bracket | LookaheadState::Brackets if byte == b')' => {
                Decision::Look(LookaheadState::Brackets)
            }
            LookaheadState::Brackets if byte == b']' => Decision::Ends,
            LookaheadState::Brackets if byte == b',' => Decision::Look(LookaheadState::NextCall),
            LookaheadState::NextCall => self.before_a_call(&next),
            LookaheadState::Dot
            | LookaheadState::Bracket
            | LookaheadState::Brackets
            | LookaheadState::Doubt
            | LookaheadState::LineEnd => Decision::Inside,
        };
        if let Decision::Look(ahead) = decision {
            self.lookahead.state = ahead;
        }
        decision
    }

    fn after_a_quote(&mut self, next: &Next<'_>) -> Decision {
        let Next { byte, frame, .. } = *next;
        let is_right_after = next.n_ahead == 1;
        match byte {
            _ if next.is_blank => Decision::Look(LookaheadState::Quote),
            b':' if self.in_key => Decision::Ends,
            b':' => Decision::Inside,
            b',' if frame.is_some_and(Frame::has_keys) && !self.in_key => {
                Decision::Look(LookaheadState::Comma)
            }
            // `"a"; "b": 1`
            b';' if !(self.context.python || self.in_key || self.string.has_inner) => {
                Decision::Look(LookaheadState::Semicolon)
            }
            // Two quotes in a row, not at the string's start: one of a string inside, and the end.
            b'"' | b'\'' if self.context.python && self.held.as_bytes() == [byte] => {
                Decision::Inside
            }
            // Python joins strings that stand side by side.
            b'"' | b'\'' if self.is_whole_in_python() && frame != Some(Frame::Object) => {
                Decision::Joins
            }
            // `say "hi""`: so is it where the string had one before.
            b'"' if self.string.has_inner && is_right_after => Decision::Inside,
            b'}' | b']' if self.string.has_inner => self.after_a_closer(next),
            // `"a": ""b"`: so was the first one.
            _ if is_right_after && self.is_at_opening() && begins_text(byte) => {
                Decision::Look(LookaheadState::Opening)
            }
            // `"path"": 1`, `"a"", "b": 1`: the quote was doubled.
            b'"' if is_right_after && self.may_be_doubled() => {
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
            // Two strings side by side are one, if the second is no key.
            b'"' | b'\'' if !is_right_after && self.may_be_joined() => {
                Decision::Look(LookaheadState::Second)
            }
            _ if is_right_after && self.may_open_an_element(byte) => {
                Decision::Look(LookaheadState::Element)
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
            _ if next.is_word
                && is_right_after
                && (self.may_open_a_key() || self.is_at_a_line() || self.has_known_keys()) =>
            {
                Decision::Look(LookaheadState::Key)
            }
            // After a blank another argument may start, whose comma is missing.
            _ if next.is_word && !is_right_after && frame == Some(Frame::Keywords) => {
                Decision::Look(LookaheadState::Bare)
            }
            _ if self.may_be_over_after_quote() => Decision::Look(LookaheadState::LineEnd),
            _ => Decision::Inside,
        }
    }

    /// After a comma a member must follow.
    fn after_a_comma(&self, next: &Next<'_>) -> Decision {
        match next.byte {
            _ if next.is_blank => Decision::Look(LookaheadState::Comma),
            _ if !self.context.python && next.rest.starts_with(['.', '\u{2026}']) => {
                Decision::Look(LookaheadState::Dots)
            }
            b'"' | b'\'' | b'}' | b']' | b',' | b'/' | b'#' | 0xe2 => Decision::Ends,
            b'{' if !self.string.has_inner && self.is_object_in_list() => Decision::Ends,
            b')' | b'[' | b'{' | b'(' if next.frame == Some(Frame::Keywords) => Decision::Ends,
            _ if next.is_word => Decision::Look(LookaheadState::Bare),
            _ => Decision::Inside,
        }
    }

    /// `"a", b: 1`, `"a", b": 1`: a key without quotes, or one that lost its first.
    fn after_a_bare_word(&self, next: &Next<'_>) -> Decision {
        let is_quoted = self.lookahead.state == LookaheadState::BareQuote;
        let is_open = self.lookahead.state == LookaheadState::Bare;
        match next.byte {
            b',' | b')' if !is_quoted && self.expects_positions() => Decision::Ends,
            b':' | b'=' => Decision::Ends,
            b'"' if is_open && !self.context.python => Decision::Look(LookaheadState::BareQuote),
            _ if is_open && next.is_word => Decision::Look(LookaheadState::Bare),
            // `"a" if x else "b"`
            _ if is_open && next.is_blank && self.is_after_joining_word() => Decision::Expression,
            _ if next.is_blank && is_quoted => Decision::Look(LookaheadState::BareQuote),
            _ if next.is_blank => Decision::Look(LookaheadState::BareEnd),
            _ => Decision::Inside,
        }
    }

    /// `"a")), f(`: the brackets after the quote are too many, and the list of calls goes on.
    fn before_a_call(&self, next: &Next<'_>) -> Decision {
        let is_named = self
            .held
            .ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        match next.byte {
            b'(' if is_named => Decision::Ends,
            _ if next.is_blank && !is_named => Decision::Look(LookaheadState::NextCall),
            _ if next.is_word && next.n_ahead < WORD => Decision::Look(LookaheadState::NextCall),
            _ => Decision::Inside,
        }
    }

    /// Dots after the comma are left out, if nothing else stands there.
    fn after_dots_ahead(&self, next: &Next<'_>) -> Decision {
        match next.byte {
            b'.' if self.held.ends_with('.') && !self.held.ends_with("...") => {
                Decision::Look(LookaheadState::Dots)
            }
            _ if next.is_blank && self.has_dots() => Decision::Look(LookaheadState::Dots),
            b',' | b'}' | b']' if self.has_dots() => Decision::Ends,
            _ => Decision::Inside,
        }
    }

    fn after_two_quotes(&self, next: &Next<'_>) -> Decision {
        match next.byte {
            _ if next.is_blank => Decision::Look(LookaheadState::Twice),
            b':' if self.in_key => Decision::Doubled,
            b',' | b'}' | b']' if !self.in_key => Decision::Doubled,
            _ => Decision::Ends,
        }
    }

    /// `"a": ""b", "c": 1`: the quote was written twice, if the value that it opens ends as one does.
    fn in_a_value_opened_twice(&mut self, next: &Next<'_>) -> Decision {
        match (self.lookahead.state, next.byte) {
            _ if next.n_ahead >= KEY => {
                self.lookahead.state = LookaheadState::Doubt;
                Decision::Inside
            }
            // The quotes inside are escaped: so was this one to be.
            (LookaheadState::Opening, b'"') if self.is_escaped() => Decision::Inside,
            (LookaheadState::Opening, b'"') => Decision::Look(LookaheadState::OpeningEnd),
            (LookaheadState::Opening, _) => Decision::Look(LookaheadState::Opening),
            _ if next.is_blank => Decision::Look(LookaheadState::OpeningEnd),
            (_, b',' | b'}' | b']') => Decision::Again,
            // `"a": ""b": 1`: an empty string, and a key.
            (_, b':') if self.may_open_a_key() && self.is_known(self.word_ahead()) => Decision::Key,
            _ => Decision::Inside,
        }
    }

    /// The word between the quote and the next one.
    pub(super) fn word_ahead(&self) -> &str {
        let word = &self.held[self.lookahead.quote_at + 1..];
        word.split('"').next().unwrap_or(word)
    }

    /// `"a" true`: the key's colon is missing.
    fn in_a_literal(&self, next: &Next<'_>) -> Decision {
        if next.is_word && next.n_ahead < WORD {
            return Decision::Look(LookaheadState::Literal);
        }
        let word = self.held[self.lookahead.quote_at + 1..].trim_start();
        if is_literal(word) {
            Decision::Ends
        } else {
            Decision::Inside
        }
    }

    fn in_a_key(&self, next: &Next<'_>) -> Decision {
        match next.byte {
            _ if next.is_word && next.n_ahead < WORD => Decision::Look(LookaheadState::Key),
            b'"' if self.is_known(self.word_ahead()) || self.is_known_here(self.word_ahead()) => {
                Decision::Look(LookaheadState::KeyEnd)
            }
            // `{"path": "a.rs}[NEXT]{"path": ..`: a key that the object has had is no end, but doubt.
            b'"' if self.is_had(&self.held[self.lookahead.quote_at + 1..]) => {
                Decision::Look(LookaheadState::HadEnd)
            }
            _ => Decision::Inside,
        }
    }

    fn after_a_key(&mut self, next: &Next<'_>) -> Decision {
        let is_new = self.lookahead.state == LookaheadState::KeyEnd;
        match next.byte {
            _ if next.is_blank => Decision::Look(self.lookahead.state),
            b':' if is_new && (self.may_open_a_key() || self.is_known_here(self.word_ahead())) => {
                Decision::Key
            }
            b':' => {
                self.lookahead.state = LookaheadState::Doubt;
                Decision::Inside
            }
            _ => Decision::Inside,
        }
    }

    /// Brackets after the quote of a string that has quotes inside.
    fn after_a_closer(&mut self, next: &Next<'_>) -> Decision {
        match next.byte {
            b'}' | b']' => {
                let open = &self.stack[..self.stack.len() - self.lookahead.n_closed];
                let Some(fit) = open.iter().rposition(|frame| frame.closer() == next.byte) else {
                    return Decision::Inside;
                };
                // After the last bracket nothing is waited for.
                self.lookahead.n_closed = self.stack.len() - fit;
                if fit == 0 {
                    return Decision::Ends;
                }
                Decision::Look(LookaheadState::Closing)
            }
            _ if next.is_blank => Decision::Look(LookaheadState::Closing),
            b',' | b'/' | b'#' | b'<' => Decision::Ends,
            b')' if self.context.python => Decision::Ends,
            // A line break after the brackets: the rest of them is missing.
            byte if byte != b'"' && self.held.ends_with(['\n', ' ']) => Decision::Ends,
            _ => Decision::Inside,
        }
    }

    fn after_a_plus(&self, next: &Next<'_>) -> Decision {
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

    fn in_a_second_string(&self, next: &Next<'_>) -> Decision {
        let is_open = self.lookahead.state == LookaheadState::Second;
        match next.byte {
            _ if next.n_ahead >= KEY => Decision::Joins,
            byte if is_open && self.ends_second(byte) => Decision::Look(LookaheadState::SecondEnd),
            _ if is_open => Decision::Look(LookaheadState::Second),
            _ if next.is_blank => Decision::Look(LookaheadState::SecondEnd),
            b':' => Decision::Ends,
            _ => Decision::Joins,
        }
    }

    fn in_an_element(&self, next: &Next<'_>) -> Decision {
        match (self.lookahead.state, next.byte) {
            (LookaheadState::Element, b'"') if !self.is_escaped() => {
                Decision::Look(LookaheadState::ElementEnd)
            }
            (LookaheadState::Element, _) => Decision::Look(LookaheadState::Element),
            _ if next.is_blank => Decision::Look(self.lookahead.state),
            (LookaheadState::ElementEnd, b',') => Decision::Look(LookaheadState::ElementComma),
            (_, b']') | (LookaheadState::ElementComma, b'"') => Decision::Key,
            _ => Decision::Inside,
        }
    }

    /// Whether the string that the quote may end is whole in itself, so that what follows is read as Python does.
    fn is_whole_in_python(&self) -> bool {
        self.context.python
            && !self.in_key
            && !self.string.has_inner
            && self.lookahead.quote_at == 0
    }

    /// Whether a word that goes on with an expression stands after a whole string of a Python call.
    fn is_after_joining_word(&self) -> bool {
        self.is_whole_in_python()
            && joins_operands(self.held[self.lookahead.quote_at + 1..].trim_start())
    }

    /// Whether nothing but the quote was read ahead, and no key can start with it: the most common of quotes inside.
    fn is_right_after_inner_quote(&self) -> bool {
        self.lookahead.state == LookaheadState::Quote
            && self.lookahead.quote_at == 0
            && self.held.len() == 1
            && !self.in_key
            && self.context.known.is_empty()
            && !self.is_at_opening()
    }

    /// How many containers are open after the brackets that stand before the quote, and before the comma there.
    #[cold]
    fn depth_before_quote(&self) -> usize {
        let depth = self.stack.len();
        let mut open = depth;
        for byte in self.held[..self.lookahead.quote_at].bytes() {
            match byte {
                b',' => break,
                b'}' | b']' => match self.stack[..open].last() {
                    Some(frame) if frame.closer() == byte => open -= 1,
                    _ => return depth,
                },
                _ => {}
            }
        }
        open
    }

    /// Whether the quote stands right after the one that opened its string, a value.
    fn is_at_opening(&self) -> bool {
        self.held_at == self.token_at + 1
            && self.lookahead.quote_at == 0
            && self.lookahead.quote == Quote::Double
            && !(self.context.python || self.in_key || self.string.has_inner)
    }

    /// Whether a quote right after this one may be one too many.
    fn may_be_doubled(&self) -> bool {
        // An empty value's would have started three.
        let is_empty = self.in_key && self.key.text.is_empty();
        !(self.context.python || self.string.has_inner || is_empty)
            && self.lookahead.quote == Quote::Double
            && self.lookahead.quote_at == 0
    }

    /// Whether a string after this one, and a blank, may be part of it.
    pub(super) fn may_be_joined(&self) -> bool {
        !(self.context.python || self.in_key || self.string.has_inner)
            && matches!(self.stack.last(), Some(Frame::Object | Frame::Call))
    }

    /// Whether the byte is the quote that ends the string after this one.
    fn ends_second(&self, byte: u8) -> bool {
        let second = self.held[self.lookahead.quote_at + 1..].trim_start();
        second.as_bytes().first() == Some(&byte) && !self.is_escaped()
    }

    /// Whether the next byte is escaped by what was read ahead.
    fn is_escaped(&self) -> bool {
        let n_slashes = self.held.len() - self.held.trim_end_matches('\\').len();
        n_slashes % 2 == 1
    }

    /// Whether a quote in the string of a list, with `byte` after it, may open the next element.
    fn may_open_an_element(&self, byte: u8) -> bool {
        self.lookahead.quote_at > 0
            && !(self.in_key || self.string.has_inner)
            && self.stack.last() == Some(&Frame::Array)
            && !self.held[..self.lookahead.quote_at].contains(['}', ']'])
            && !(byte <= b' ' || matches!(byte, b'"' | b',' | b']' | b'}' | b')'))
    }

    /// Whether three dots were read after the comma.
    fn has_dots(&self) -> bool {
        let dots = self.held.trim_end();
        dots.ends_with("...") || dots.ends_with('\u{2026}')
    }

    /// Whether a quote inside a string of the innermost object may open its next key: where keys are known, or a comma
    /// stands before it that no quote explains.
    fn may_open_a_key(&self) -> bool {
        let depth = self.depth_before_quote();
        let is_here = depth == self.stack.len();
        !self.in_key
            && self.stack[..depth].last() == Some(&Frame::Object)
            && (is_here && self.keys_at(depth).is_some()
                || self.lookahead.quote_at > 0
                    && !self.string.has_inner
                    && (self.held[..self.lookahead.quote_at].contains(',')
                        || self.string.balance.is_even()))
    }

    /// Whether the quote stands at the start of a line, and the string has opened no bracket whose key it may start.
    fn is_at_a_line(&self) -> bool {
        self.lookahead.quote_at > 0
            && self.held[..self.lookahead.quote_at].contains('\n')
            && !self.string.balance.is_open()
            && self.stack[..self.depth_before_quote()].last() == Some(&Frame::Object)
    }

    /// Whether the object whose key may come has such a key, and has not had it yet.
    fn is_known(&self, key: &str) -> bool {
        let depth = self.depth_before_quote();
        self.may_have_key_at(depth, key)
            && !(depth == self.stack.len() && self.keys.has(key.as_bytes()))
    }

    /// Whether the keys of the innermost object are known.
    fn has_known_keys(&self) -> bool {
        let depth = self.stack.len();
        !self.in_key && self.stack.last() == Some(&Frame::Object) && self.keys_at(depth).is_some()
    }

    /// Whether the innermost object is known to have the key, has not had it yet, and the one that brackets before the
    /// quote would leave open is not known to: `{"path": "f(x) {}, "mode": ..`. The brackets are text then.
    pub(super) fn is_known_here(&self, key: &str) -> bool {
        self.has_known_keys()
            && self.may_have_key(key)
            && !self.keys.has(key.as_bytes())
            && self.held[..self.lookahead.quote_at].contains(',')
            && !self.is_known_around(key)
    }

    /// Whether brackets stand before the quote, and the object after them is known to have the key.
    fn is_known_around(&self, key: &str) -> bool {
        let depth = self.depth_before_quote();
        depth < self.stack.len()
            && self.keys_at(depth).is_some()
            && self.may_have_key_at(depth, key)
    }

    /// Whether the innermost object is known to have this key.
    fn is_had(&self, key: &str) -> bool {
        let depth = self.stack.len();
        self.depth_before_quote() == depth
            && self.keys_at(depth).is_some()
            && self.may_have_key_at(depth, key)
    }
}

fn after_a_semicolon(next: &Next<'_>) -> Decision {
    match next.byte {
        _ if next.is_blank => Decision::Look(LookaheadState::Semicolon),
        b'"' => Decision::Ends,
        _ => Decision::Inside,
    }
}

/// Whether text may start with the byte.
fn begins_text(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'$' | b'<' | b'\\')
}
