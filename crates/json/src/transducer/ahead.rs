//! What follows a mark inside a string, byte for byte, until it says whether the mark ends the string. Each place that the
//! look ahead can stand in is a function.
//!
//! ```text
//!   Mark --- , --> Comma --- word --> Bare --- : --> Ends
//!    | | |           `------ " , } ] --------------> Ends
//!    | | `-- + --> Plus ---- " --------------------> Joins
//!    | `- word --> Key ----- " : of a known key ---> Key
//!    `--------------------- a letter --------------> Inside
//! ```

use super::Transducer;
use super::marks::{KEY, WORD, is_name_byte};
use super::state::{Frame, Quote};
use super::words::{is_literal, joins_operands};

/// A quote that may end its string, and how far the bytes after it were read. They are held.
#[derive(Clone, Debug, Default)]
pub(super) struct QuoteLookahead {
    pub(super) state: Ahead,
    /// What the string began with whose end is looked for.
    pub(super) quote: Quote,
    /// Where in `held` the quote stands: before it what may be structure, if the quote opens a key.
    pub(super) quote_at: usize,
    /// How many brackets were read after the quote.
    pub(super) n_closed: usize,
}

/// How far what stands behind a quotation mark was read, to tell whether the mark ends its string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ahead {
    /// The mark, and blanks.
    #[default]
    Mark,
    /// A comma, and blanks: a member must follow.
    Comma,
    /// `;` in place of the comma.
    Semicolon,
    /// Another mark right behind it: one too many, if what can follow the first does.
    Twice,
    /// A bare word behind the comma: a key, if a colon follows.
    Bare,
    BareEnd,
    BareMark,
    /// Dots behind the comma: left out, if nothing else stands there.
    Dots,
    /// A mark right behind the one that opened the string: written twice, if the next one ends the value.
    Opening,
    OpeningEnd,
    /// A word behind a key's mark and a blank: the value, if it is a literal. The colon is missing.
    Literal,
    /// A word right behind the mark: the mark opens a key, if another and a colon follow.
    Key,
    KeyEnd,
    /// Behind the second mark of a key that the object has had: the string may have swallowed another object.
    HadEnd,
    /// It was one, but the string has marks inside: it may have swallowed a key.
    Doubt,
    /// Closing brackets behind the mark of a string with marks inside: one more mark behind them, and it ended none.
    Closing,
    /// A line break behind the mark, and what is no member.
    Beyond,
    /// `+`: if another string follows, both are one.
    Plus,
    /// A blank and another string: a key, if a colon follows, and a part of this one if not.
    Second,
    SecondEnd,
    /// A mark behind a comma of a list's string: it opens the next element, if that one's own mark follows.
    Element,
    ElementEnd,
    ElementComma,
    /// `.`: if a name follows, the string is the begin of an expression.
    Dot,
    /// The bracket that ends a Python call: one more behind it would belong to nothing.
    Bracket,
    /// Several of them: too many, if the list of calls ends or goes on behind them.
    Brackets,
    /// A comma behind those: a name and its bracket must follow.
    NextCall,
}

impl Ahead {
    /// Whether a mark is looked at that may open an element.
    pub(super) fn is_element(self) -> bool {
        matches!(
            self,
            Ahead::Element | Ahead::ElementEnd | Ahead::ElementComma
        )
    }

    /// Whether a second mark was read behind one that may open a key.
    pub(super) fn is_key(self) -> bool {
        matches!(
            self,
            Ahead::KeyEnd | Ahead::HadEnd | Ahead::Doubt | Ahead::Opening | Ahead::OpeningEnd
        )
    }
}

/// What a byte of the look ahead says.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    /// More bytes are needed; the look ahead stands here behind this one.
    Look(Ahead),
    /// The string ends at its mark.
    Ends,
    /// The mark stands inside.
    Inside,
    /// The string ends before its last mark, which opens a key.
    Key,
    /// Another string follows that belongs to this one.
    Joins,
    /// It ends at its mark, and the one behind that is one too many.
    Doubled,
    /// Its first mark was written twice.
    Again,
    /// The string is the begin of an expression, whose source is the value.
    Expression,
}

/// The byte that the look ahead reads.
struct Next<'a> {
    byte: u8,
    /// The text that it begins.
    rest: &'a str,
    is_blank: bool,
    /// It may be a byte of a name.
    is_word: bool,
    /// How many bytes were read ahead, the mark among them.
    n_ahead: usize,
    /// The container that the string stands in.
    frame: Option<Frame>,
}

impl Transducer {
    /// What the byte says that `rest` begins with.
    pub(super) fn turn(&mut self, byte: u8, rest: &str) -> Turn {
        if byte.is_ascii_alphabetic() && self.is_right_behind_inner_mark() {
            return Turn::Inside;
        }
        // Markdown writers escape the underscores of names.
        let is_escape = byte == b'\\' && self.context.python && self.lookahead.state != Ahead::Mark;
        let next = Next {
            byte,
            rest,
            is_blank: matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
            is_word: is_name_byte(byte) || is_escape,
            n_ahead: self.held.len() - self.lookahead.quote_at,
            frame: self.stack.last().copied(),
        };
        let turn = match self.lookahead.state {
            Ahead::Mark => self.behind_a_mark(&next),
            Ahead::Comma => self.behind_a_comma(&next),
            Ahead::Semicolon => behind_a_semicolon(&next),
            Ahead::Twice => self.behind_two_marks(&next),
            Ahead::Bare | Ahead::BareEnd | Ahead::BareMark => self.behind_a_bare_word(&next),
            Ahead::Dots => self.behind_dots_ahead(&next),
            Ahead::Opening | Ahead::OpeningEnd => self.in_a_value_opened_twice(&next),
            Ahead::Literal => self.in_a_literal(&next),
            Ahead::Key => self.in_a_key(&next),
            Ahead::KeyEnd | Ahead::HadEnd => self.behind_a_key(&next),
            Ahead::Closing => self.behind_a_closer(&next),
            Ahead::Plus => self.behind_a_plus(&next),
            Ahead::Second | Ahead::SecondEnd => self.in_a_second_string(&next),
            Ahead::Element | Ahead::ElementEnd | Ahead::ElementComma => self.in_an_element(&next),
            Ahead::Dot if byte.is_ascii_lowercase() => Turn::Expression,
            Ahead::Bracket if byte != b')' || self.context.bracketed => Turn::Ends,
            Ahead::Bracket | Ahead::Brackets if byte == b')' => Turn::Look(Ahead::Brackets),
            Ahead::Brackets if byte == b']' => Turn::Ends,
            Ahead::Brackets if byte == b',' => Turn::Look(Ahead::NextCall),
            Ahead::NextCall => self.before_a_call(&next),
            Ahead::Dot | Ahead::Bracket | Ahead::Brackets | Ahead::Doubt | Ahead::Beyond => {
                Turn::Inside
            }
        };
        if let Turn::Look(ahead) = turn {
            self.lookahead.state = ahead;
        }
        turn
    }

    fn behind_a_mark(&mut self, next: &Next<'_>) -> Turn {
        let Next { byte, frame, .. } = *next;
        let is_right_behind = next.n_ahead == 1;
        match byte {
            _ if next.is_blank => Turn::Look(Ahead::Mark),
            b':' if self.in_key => Turn::Ends,
            b':' => Turn::Inside,
            b',' if frame.is_some_and(Frame::has_keys) && !self.in_key => Turn::Look(Ahead::Comma),
            // `"a"; "b": 1`
            b';' if !(self.context.python || self.in_key || self.string.has_inner) => {
                Turn::Look(Ahead::Semicolon)
            }
            // Two marks in a row, not at the string's begin: one of a string inside, and the end.
            b'"' | b'\'' if self.context.python && self.held.as_bytes() == [byte] => Turn::Inside,
            // Python joins strings that stand side by side.
            b'"' | b'\'' if self.is_whole_in_python() && frame != Some(Frame::Object) => {
                Turn::Joins
            }
            // `say "hi""`: so is it where the string had one before.
            b'"' if self.string.has_inner && is_right_behind => Turn::Inside,
            b'}' | b']' if self.string.has_inner => self.behind_a_closer(next),
            // `"a": ""b"`: so was the first one.
            _ if is_right_behind && self.is_at_opening() && begins_text(byte) => {
                Turn::Look(Ahead::Opening)
            }
            // `"path"": 1`, `"a"", "b": 1`: the mark was doubled.
            b'"' if is_right_behind && self.may_be_doubled() => Turn::Look(Ahead::Twice),
            // `""path": 1`
            _ if self.in_key && self.key.text.is_empty() && next.is_word && is_right_behind => {
                Turn::Again
            }
            b'+' if !self.in_key && !self.string.has_inner => Turn::Look(Ahead::Plus),
            b'*' | b'%' if self.is_whole_in_python() => Turn::Expression,
            b'.' if self.is_whole_in_python() && is_right_behind => Turn::Look(Ahead::Dot),
            // Two strings side by side are one, if the second is no key.
            b'"' | b'\'' if !is_right_behind && self.may_be_joined() => Turn::Look(Ahead::Second),
            _ if is_right_behind && self.may_open_an_element(byte) => Turn::Look(Ahead::Element),
            // Python has no such comments.
            b'/' if self.context.python => Turn::Inside,
            b',' | b'}' | b']' | b'"' | b'\'' | b'<' | b'/' | b'#' => Turn::Ends,
            b')' => match frame {
                Some(Frame::Tuple | Frame::Call) => Turn::Ends,
                Some(Frame::Keywords) if self.in_key => Turn::Ends,
                Some(Frame::Keywords) => Turn::Look(Ahead::Bracket),
                _ => Turn::Inside,
            },
            b'=' | b'{' | b'[' | b'0'..=b'9' | b'-' if self.in_key => Turn::Ends,
            _ if self.in_key && !is_right_behind && byte.is_ascii_alphabetic() => {
                Turn::Look(Ahead::Literal)
            }
            _ if next.is_word
                && is_right_behind
                && (self.may_open_a_key() || self.is_at_a_line() || self.has_known_keys()) =>
            {
                Turn::Look(Ahead::Key)
            }
            // Behind a blank another argument may begin, whose comma is missing.
            _ if next.is_word && !is_right_behind && frame == Some(Frame::Keywords) => {
                Turn::Look(Ahead::Bare)
            }
            _ if self.may_be_over_behind_mark() => Turn::Look(Ahead::Beyond),
            _ => Turn::Inside,
        }
    }

    /// Behind a comma a member must follow.
    fn behind_a_comma(&self, next: &Next<'_>) -> Turn {
        match next.byte {
            _ if next.is_blank => Turn::Look(Ahead::Comma),
            _ if !self.context.python && next.rest.starts_with(['.', '\u{2026}']) => {
                Turn::Look(Ahead::Dots)
            }
            b'"' | b'\'' | b'}' | b']' | b',' | b'/' | b'#' | 0xe2 => Turn::Ends,
            b'{' if !self.string.has_inner && self.is_object_in_list() => Turn::Ends,
            b')' | b'[' | b'{' | b'(' if next.frame == Some(Frame::Keywords) => Turn::Ends,
            _ if next.is_word => Turn::Look(Ahead::Bare),
            _ => Turn::Inside,
        }
    }

    /// `"a", b: 1`, `"a", b": 1`: a key without marks, or one that lost its first.
    fn behind_a_bare_word(&self, next: &Next<'_>) -> Turn {
        let is_marked = self.lookahead.state == Ahead::BareMark;
        let is_open = self.lookahead.state == Ahead::Bare;
        match next.byte {
            b',' | b')' if !is_marked && self.expects_positions() => Turn::Ends,
            b':' | b'=' => Turn::Ends,
            b'"' if is_open && !self.context.python => Turn::Look(Ahead::BareMark),
            _ if is_open && next.is_word => Turn::Look(Ahead::Bare),
            // `"a" if x else "b"`
            _ if is_open && next.is_blank && self.is_behind_joining_word() => Turn::Expression,
            _ if next.is_blank && is_marked => Turn::Look(Ahead::BareMark),
            _ if next.is_blank => Turn::Look(Ahead::BareEnd),
            _ => Turn::Inside,
        }
    }

    /// `"a")), f(`: the brackets behind the mark are too many, and the list of calls goes on.
    fn before_a_call(&self, next: &Next<'_>) -> Turn {
        let is_named = self
            .held
            .ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        match next.byte {
            b'(' if is_named => Turn::Ends,
            _ if next.is_blank && !is_named => Turn::Look(Ahead::NextCall),
            _ if next.is_word && next.n_ahead < WORD => Turn::Look(Ahead::NextCall),
            _ => Turn::Inside,
        }
    }

    /// Dots behind the comma are left out, if nothing else stands there.
    fn behind_dots_ahead(&self, next: &Next<'_>) -> Turn {
        match next.byte {
            b'.' if self.held.ends_with('.') && !self.held.ends_with("...") => {
                Turn::Look(Ahead::Dots)
            }
            _ if next.is_blank && self.has_dots() => Turn::Look(Ahead::Dots),
            b',' | b'}' | b']' if self.has_dots() => Turn::Ends,
            _ => Turn::Inside,
        }
    }

    fn behind_two_marks(&self, next: &Next<'_>) -> Turn {
        match next.byte {
            _ if next.is_blank => Turn::Look(Ahead::Twice),
            b':' if self.in_key => Turn::Doubled,
            b',' | b'}' | b']' if !self.in_key => Turn::Doubled,
            _ => Turn::Ends,
        }
    }

    /// `"a": ""b", "c": 1`: the mark was written twice, if the value that it opens ends as one does.
    fn in_a_value_opened_twice(&mut self, next: &Next<'_>) -> Turn {
        match (self.lookahead.state, next.byte) {
            _ if next.n_ahead >= KEY => {
                self.lookahead.state = Ahead::Doubt;
                Turn::Inside
            }
            // The marks inside are escaped: so was this one to be.
            (Ahead::Opening, b'"') if self.is_escaped() => Turn::Inside,
            (Ahead::Opening, b'"') => Turn::Look(Ahead::OpeningEnd),
            (Ahead::Opening, _) => Turn::Look(Ahead::Opening),
            _ if next.is_blank => Turn::Look(Ahead::OpeningEnd),
            (_, b',' | b'}' | b']') => Turn::Again,
            // `"a": ""b": 1`: an empty string, and a key.
            (_, b':') if self.may_open_a_key() && self.is_known(self.word_ahead()) => Turn::Key,
            _ => Turn::Inside,
        }
    }

    /// The word between the mark and the next one.
    pub(super) fn word_ahead(&self) -> &str {
        let word = &self.held[self.lookahead.quote_at + 1..];
        word.split('"').next().unwrap_or(word)
    }

    /// `"a" true`: the key's colon is missing.
    fn in_a_literal(&self, next: &Next<'_>) -> Turn {
        if next.is_word && next.n_ahead < WORD {
            return Turn::Look(Ahead::Literal);
        }
        let word = self.held[self.lookahead.quote_at + 1..].trim_start();
        if is_literal(word) {
            Turn::Ends
        } else {
            Turn::Inside
        }
    }

    fn in_a_key(&self, next: &Next<'_>) -> Turn {
        match next.byte {
            _ if next.is_word && next.n_ahead < WORD => Turn::Look(Ahead::Key),
            b'"' if self.is_known(self.word_ahead()) || self.is_known_here(self.word_ahead()) => {
                Turn::Look(Ahead::KeyEnd)
            }
            // `{"path": "a.rs}[NEXT]{"path": ..`: a key that the object has had is no end, but doubt.
            b'"' if self.is_had(&self.held[self.lookahead.quote_at + 1..]) => {
                Turn::Look(Ahead::HadEnd)
            }
            _ => Turn::Inside,
        }
    }

    fn behind_a_key(&mut self, next: &Next<'_>) -> Turn {
        let is_new = self.lookahead.state == Ahead::KeyEnd;
        match next.byte {
            _ if next.is_blank => Turn::Look(self.lookahead.state),
            b':' if is_new && (self.may_open_a_key() || self.is_known_here(self.word_ahead())) => {
                Turn::Key
            }
            b':' => {
                self.lookahead.state = Ahead::Doubt;
                Turn::Inside
            }
            _ => Turn::Inside,
        }
    }

    /// Brackets behind the mark of a string that has marks inside.
    fn behind_a_closer(&mut self, next: &Next<'_>) -> Turn {
        match next.byte {
            b'}' | b']' => {
                let open = &self.stack[..self.stack.len() - self.lookahead.n_closed];
                let Some(fit) = open.iter().rposition(|frame| frame.closer() == next.byte) else {
                    return Turn::Inside;
                };
                // Behind the last bracket nothing is waited for.
                self.lookahead.n_closed = self.stack.len() - fit;
                if fit == 0 {
                    return Turn::Ends;
                }
                Turn::Look(Ahead::Closing)
            }
            _ if next.is_blank => Turn::Look(Ahead::Closing),
            b',' | b'/' | b'#' | b'<' => Turn::Ends,
            b')' if self.context.python => Turn::Ends,
            // A line break behind the brackets: the rest of them is missing.
            byte if byte != b'"' && self.held.ends_with(['\n', ' ']) => Turn::Ends,
            _ => Turn::Inside,
        }
    }

    fn behind_a_plus(&self, next: &Next<'_>) -> Turn {
        match next.byte {
            _ if next.is_blank => Turn::Look(Ahead::Plus),
            b'"' => Turn::Joins,
            b'\'' if self.context.python => Turn::Joins,
            // `'a' + b`, `'a' * 3`, `', '.join(names)`: an expression begins with the string.
            byte if (next.is_word || byte == b'(') && self.is_whole_in_python() => Turn::Expression,
            _ => Turn::Inside,
        }
    }

    fn in_a_second_string(&self, next: &Next<'_>) -> Turn {
        let is_open = self.lookahead.state == Ahead::Second;
        match next.byte {
            _ if next.n_ahead >= KEY => Turn::Joins,
            byte if is_open && self.ends_second(byte) => Turn::Look(Ahead::SecondEnd),
            _ if is_open => Turn::Look(Ahead::Second),
            _ if next.is_blank => Turn::Look(Ahead::SecondEnd),
            b':' => Turn::Ends,
            _ => Turn::Joins,
        }
    }

    fn in_an_element(&self, next: &Next<'_>) -> Turn {
        match (self.lookahead.state, next.byte) {
            (Ahead::Element, b'"') if !self.is_escaped() => Turn::Look(Ahead::ElementEnd),
            (Ahead::Element, _) => Turn::Look(Ahead::Element),
            _ if next.is_blank => Turn::Look(self.lookahead.state),
            (Ahead::ElementEnd, b',') => Turn::Look(Ahead::ElementComma),
            (_, b']') | (Ahead::ElementComma, b'"') => Turn::Key,
            _ => Turn::Inside,
        }
    }

    /// Whether the string that the mark may end is whole in itself, so that what follows is read as Python does.
    fn is_whole_in_python(&self) -> bool {
        self.context.python
            && !self.in_key
            && !self.string.has_inner
            && self.lookahead.quote_at == 0
    }

    /// Whether a word that goes on with an expression stands behind a whole string of a Python call.
    fn is_behind_joining_word(&self) -> bool {
        self.is_whole_in_python()
            && joins_operands(self.held[self.lookahead.quote_at + 1..].trim_start())
    }

    /// Whether nothing but the mark was read ahead, and no key can begin with it: the most common of marks inside.
    fn is_right_behind_inner_mark(&self) -> bool {
        self.lookahead.state == Ahead::Mark
            && self.lookahead.quote_at == 0
            && self.held.len() == 1
            && !self.in_key
            && self.context.known.is_empty()
            && !self.is_at_opening()
    }

    /// How many containers are open behind the brackets that stand before the mark, and before the comma there.
    #[cold]
    fn depth_before_mark(&self) -> usize {
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

    /// Whether the mark stands right behind the one that opened its string, a value.
    fn is_at_opening(&self) -> bool {
        !(self.context.python || self.in_key || self.string.has_inner)
            && self.lookahead.quote == Quote::Double
            && self.lookahead.quote_at == 0
            && self.held_at == self.token_at + 1
    }

    /// Whether a mark right behind this one may be one too many.
    fn may_be_doubled(&self) -> bool {
        // An empty value's would have begun three.
        let is_empty = self.in_key && self.key.text.is_empty();
        !(self.context.python || self.string.has_inner || is_empty)
            && self.lookahead.quote == Quote::Double
            && self.lookahead.quote_at == 0
    }

    /// Whether a string behind this one, and a blank, may be part of it.
    pub(super) fn may_be_joined(&self) -> bool {
        !(self.context.python || self.in_key || self.string.has_inner)
            && matches!(self.stack.last(), Some(Frame::Object | Frame::Call))
    }

    /// Whether the byte is the mark that ends the string behind this one.
    fn ends_second(&self, byte: u8) -> bool {
        let second = self.held[self.lookahead.quote_at + 1..].trim_start();
        second.as_bytes().first() == Some(&byte) && !self.is_escaped()
    }

    /// Whether the next byte is escaped by what was read ahead.
    fn is_escaped(&self) -> bool {
        let n_slashes = self.held.len() - self.held.trim_end_matches('\\').len();
        n_slashes % 2 == 1
    }

    /// Whether a mark in the string of a list, with `byte` behind it, may open the next element.
    fn may_open_an_element(&self, byte: u8) -> bool {
        self.lookahead.quote_at > 0
            && !(self.in_key || self.string.has_inner)
            && self.stack.last() == Some(&Frame::Array)
            && !self.held[..self.lookahead.quote_at].contains(['}', ']'])
            && !(byte <= b' ' || matches!(byte, b'"' | b',' | b']' | b'}' | b')'))
    }

    /// Whether three dots were read behind the comma.
    fn has_dots(&self) -> bool {
        let dots = self.held.trim_end();
        dots.ends_with("...") || dots.ends_with('\u{2026}')
    }

    /// Whether a mark inside a string of the innermost object may open its next key: where keys are known, or a comma
    /// stands before it that no mark explains.
    fn may_open_a_key(&self) -> bool {
        let depth = self.depth_before_mark();
        let is_here = depth == self.stack.len();
        !self.in_key
            && self.stack[..depth].last() == Some(&Frame::Object)
            && (is_here && self.keys_at(depth).is_some()
                || self.lookahead.quote_at > 0
                    && !self.string.has_inner
                    && (self.held[..self.lookahead.quote_at].contains(',')
                        || self.string.balance.is_even()))
    }

    /// Whether the mark stands at the begin of a line, and the string has opened no bracket whose key it may begin.
    fn is_at_a_line(&self) -> bool {
        self.lookahead.quote_at > 0
            && self.held[..self.lookahead.quote_at].contains('\n')
            && !self.string.balance.is_open()
            && self.stack[..self.depth_before_mark()].last() == Some(&Frame::Object)
    }

    /// Whether the object whose key may come has such a key, and has not had it yet.
    fn is_known(&self, key: &str) -> bool {
        let depth = self.depth_before_mark();
        self.may_have_key_at(depth, key)
            && !(depth == self.stack.len() && self.keys.has(key.as_bytes()))
    }

    /// Whether the keys of the innermost object are known.
    fn has_known_keys(&self) -> bool {
        let depth = self.stack.len();
        !self.in_key && self.stack.last() == Some(&Frame::Object) && self.keys_at(depth).is_some()
    }

    /// Whether the innermost object is known to have the key, has not had it yet, and the one that brackets before the
    /// mark would leave open is not known to: `{"path": "f(x) {}, "mode": ..`. The brackets are text then.
    pub(super) fn is_known_here(&self, key: &str) -> bool {
        self.has_known_keys()
            && self.may_have_key(key)
            && !self.keys.has(key.as_bytes())
            && self.held[..self.lookahead.quote_at].contains(',')
            && !self.is_known_around(key)
    }

    /// Whether brackets stand before the mark, and the object behind them is known to have the key.
    fn is_known_around(&self, key: &str) -> bool {
        let depth = self.depth_before_mark();
        depth < self.stack.len()
            && self.keys_at(depth).is_some()
            && self.may_have_key_at(depth, key)
    }

    /// Whether the innermost object is known to have this key.
    fn is_had(&self, key: &str) -> bool {
        let depth = self.stack.len();
        self.depth_before_mark() == depth
            && self.keys_at(depth).is_some()
            && self.may_have_key_at(depth, key)
    }
}

fn behind_a_semicolon(next: &Next<'_>) -> Turn {
    match next.byte {
        _ if next.is_blank => Turn::Look(Ahead::Semicolon),
        b'"' => Turn::Ends,
        _ => Turn::Inside,
    }
}

/// Whether text may begin with the byte.
fn begins_text(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'$' | b'<' | b'\\')
}
