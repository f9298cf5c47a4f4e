//! Strings: the quotes after a quotation mark decide whether it closes the string.

use super::scan::is_mark;
use super::tree::Node;
use super::{Context, Reader};
use toolglot_json::Repair;

/// The result of the search for a string.
pub(super) enum Read {
    Text(String),
    Literal(Node),
    /// A fence that contains JSON: the value is read next.
    Fence,
}

/// The state of one string.
pub(super) struct Piece {
    /// Whether the string lacks its opening quote.
    pub(super) is_bare: bool,
    pub(super) is_doubled: bool,
    pub(super) left: char,
    pub(super) right: char,
    pub(super) text: String,
    /// Whether the next quote closes an inner pair.
    pub(super) is_paired: bool,
    /// Whether a bracket follows that belongs to the string.
    pub(super) awaits_bracket: bool,
    pub(super) brackets: Vec<char>,
    /// Whether no quote follows this position.
    pub(super) is_last: bool,
    pub(super) open_braces: usize,
    /// The start of a character class of a regular expression in `text`.
    pub(super) class: Option<usize>,
    /// The number of open „low“ quotes.
    pub(super) low: usize,
}

impl Piece {
    pub(super) fn push(&mut self, c: char) {
        self.text.push(c);
        match c {
            '{' => self.open_braces += 1,
            '}' => self.open_braces = self.open_braces.saturating_sub(1),
            '[' => self.class = Some(self.text.len()),
            ']' => self.class = None,
            _ => {}
        }
    }

    /// Replaces a backslash at the end with `c`.
    pub(super) fn replace(&mut self, c: char) {
        self.text.pop();
        self.push(c);
    }

    pub(super) fn ends_with(&self, c: char) -> bool {
        self.text.ends_with(c)
    }

    /// The closing character: inside „low“ quotes, no character but a “high” quote closes.
    pub(super) fn active(&self) -> char {
        if self.low > 0 { '\0' } else { self.right }
    }
}

/// The role of a comma in a member's string.
#[derive(PartialEq, Eq)]
pub(super) enum Comma {
    Member,
    Text,
    LastText,
    Container,
}

impl Reader<'_> {
    /// Reads a string, or the literal or fence in its place.
    pub(super) fn string(&mut self) -> Read {
        let start = self.i;
        let mut piece = match self.string_begin() {
            Ok(piece) => piece,
            Err(read) => return read,
        };
        self.cache = [None; 4];
        let end = self.string_body(&mut piece);
        Read::Text(self.string_end(piece, end, start))
    }

    fn string_begin(&mut self) -> Result<Piece, Read> {
        let mut c = self.here();
        if matches!(c, Some('#' | '/')) {
            self.skip_comment();
            return Err(Read::Text(String::new()));
        }
        while c.is_some_and(|c| !is_mark(Some(c)) && !c.is_alphanumeric()) {
            self.step();
            c = self.here();
        }
        let Some(c) = c else {
            return Err(Read::Text(String::new()));
        };
        if let Some(text) = self.simple_string() {
            return Err(Read::Text(text));
        }
        let mut piece = Piece {
            is_bare: false,
            is_doubled: false,
            left: '"',
            right: '"',
            text: String::new(),
            is_paired: false,
            awaits_bracket: false,
            brackets: Vec::new(),
            is_last: false,
            open_braces: 0,
            class: None,
            low: 0,
        };
        match c {
            '\'' => (piece.left, piece.right) = ('\'', '\''),
            '“' => (piece.left, piece.right) = ('“', '”'),
            c if c.is_alphanumeric() => {
                if self.current() != Some(Context::Key)
                    && let Some(node) = self.literal()
                {
                    return Err(Read::Literal(node));
                }
                piece.is_bare = true;
            }
            _ => {}
        }
        if !piece.is_bare {
            if c != '"' {
                self.fix(
                    Repair::NonstandardQuote,
                    self.i,
                    self.i + c.len_utf8(),
                    "\"",
                );
            }
            self.step();
        }
        if self.here() == Some('`') && self.fence_holds_json() {
            self.fix(Repair::CodeFence, self.i, self.i + 7, "");
            self.i += 7;
            return Err(Read::Fence);
        }
        if self.here() == Some(piece.left) {
            self.doubled(&mut piece)?;
        }
        Ok(piece)
    }

    /// A quote directly after the opening one.
    fn doubled(&mut self, piece: &mut Piece) -> Result<(), Read> {
        let after = self.after(self.i);
        let next = self.at(after);
        let is_empty = match self.current() {
            Some(Context::Key) => next == Some(':'),
            Some(Context::Value) => matches!(next, Some(',' | '}')),
            Some(Context::Array) => matches!(next, Some(',' | ']')),
            None => false,
        };
        if is_empty {
            self.i = after;
            return Err(Read::Text(String::new()));
        }
        if next == Some(piece.left) {
            return Err(Read::Text(String::new()));
        }
        let first = self.skip_to(&[piece.right], after);
        let after_first = self.after(first);
        if self.at(after_first) == Some(piece.right) {
            self.fix(Repair::NonstandardQuote, self.i, after, "");
            piece.is_doubled = true;
            self.i = after;
            return Ok(());
        }
        if self.at(first) == Some(piece.right) {
            let outer = self.skip_to(&[piece.right], after_first);
            let follow = self.at(self.scroll(self.after(outer)));
            if self.current() == Some(Context::Value)
                && !self.text[after..first].trim().is_empty()
                && self.at(outer) == Some(piece.right)
                && matches!(follow, Some(',' | '}') | None)
            {
                self.fix(Repair::UnescapedQuote, self.i, after, "\\\"");
                piece.push(piece.left);
                piece.is_paired = true;
                self.i = after;
                return Ok(());
            }
        }
        let follow = self.at(self.scroll(after));
        if is_mark(follow) || matches!(follow, Some('{' | '[')) {
            self.i = after;
            return Err(Read::Text(String::new()));
        }
        if !matches!(follow, Some(',' | ']' | '}')) {
            self.fix(Repair::NonstandardQuote, self.i, after, "");
            self.i = after;
        }
        Ok(())
    }

    /// A plain string in double quotes, followed by a character that may follow it.
    fn simple_string(&mut self) -> Option<String> {
        if self.here() != Some('"') {
            return None;
        }
        let from = self.i + 1;
        let length = memchr::memchr(b'"', &self.text.as_bytes()[from..])?;
        let value = &self.text[from..from + length];
        if value.contains(['\\', '\n', '\r']) {
            return None;
        }
        let end = from + length + 1;
        let next = self.at(self.scroll(end));
        let fits = match self.current() {
            Some(Context::Key) => next == Some(':'),
            Some(Context::Value) => matches!(next, Some(',' | '}') | None),
            Some(Context::Array) => matches!(next, Some(',' | ']') | None),
            None => next.is_none(),
        };
        if !fits {
            return None;
        }
        let value = String::from(value);
        self.i = end;
        Some(value)
    }

    fn literal(&mut self) -> Option<Node> {
        let rest = self.text.get(self.i..)?;
        for (word, node) in [
            ("true", Node::Bool(true)),
            ("false", Node::Bool(false)),
            ("null", Node::Null),
            ("none", Node::Null),
        ] {
            let Some(head) = rest.get(..word.len()) else {
                continue;
            };
            if !head.eq_ignore_ascii_case(word) {
                continue;
            }
            let next = rest[word.len()..].chars().next();
            if next.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ')' | ']' | '}')) {
                if !toolglot_json::internal::is_scalar(head) {
                    self.fix(Repair::PythonLiteral, self.i, self.i + word.len(), word);
                }
                self.i += word.len();
                return Some(node);
            }
        }
        None
    }

    fn fence_holds_json(&mut self) -> bool {
        if !self.text[self.i..].starts_with("```json") {
            return false;
        }
        let end = self.skip_to(&['`'], self.i + 7);
        self.text
            .get(end..)
            .is_some_and(|rest| rest.starts_with("```"))
    }

    pub(super) fn keep(&mut self, piece: &mut Piece, c: char) {
        piece.push(c);
        self.i += c.len_utf8();
    }

    /// Reads up to the end of the string; returns the character there.
    fn string_body(&mut self, piece: &mut Piece) -> Option<char> {
        let right = piece.right;
        loop {
            let here = self.here();
            let Some(c) = here.filter(|&c| c != right || piece.low > 0) else {
                return here;
            };
            let current = self.current();
            if piece.is_bare
                && (current == Some(Context::Key) && (c == ':' || c.is_whitespace())
                    || current == Some(Context::Array) && matches!(c, ']' | ','))
            {
                return here;
            }
            if c == '„' && !piece.ends_with('\\') {
                piece.low += 1;
                self.keep(piece, c);
                continue;
            }
            if piece.low > 0 && c == '”' {
                piece.low -= 1;
                self.keep(piece, c);
                continue;
            }
            let is_value = current == Some(Context::Value);
            if matches!(c, '{' | '[' | '(') && !piece.ends_with('\\') {
                let belongs = piece.awaits_bracket
                    || is_value
                        && c == '{'
                        && self.before(self.i) != Some('\\')
                        && self.is_bare_key(self.scroll(self.i + 1));
                if belongs && let Some(end) = self.container_end(self.i) {
                    piece.awaits_bracket = false;
                    piece.brackets.clear();
                    let from = self.i;
                    for n in self.text[from..end]
                        .char_indices()
                        .map(|(n, _)| n)
                        .collect::<Vec<_>>()
                    {
                        if let Some(c) = self.at(from + n) {
                            piece.push(c);
                        }
                    }
                    self.work += (end - from) as u64;
                    self.i = end;
                    continue;
                }
            }
            if is_value && c == ',' && !piece.awaits_bracket && piece.brackets.is_empty() {
                let comma = if piece.is_last {
                    Comma::Text
                } else {
                    self.comma()
                };
                match comma {
                    Comma::Member => return here,
                    Comma::LastText => piece.is_last = true,
                    Comma::Container => piece.awaits_bracket = true,
                    Comma::Text => {}
                }
                self.keep(piece, c);
                continue;
            }
            if Self::is_inner_closer(piece, c) {
                self.keep(piece, c);
                continue;
            }
            if is_value && c == '}' && !piece.ends_with(right) {
                if piece.open_braces > 0 {
                    self.keep(piece, c);
                    continue;
                }
                if self.brace_ends_string(piece) {
                    return self.here();
                }
            }
            if c == ']' && self.n_array > 0 && !piece.ends_with(right) {
                let next = self.skip_to_cached(0, &[right], self.i);
                if next >= self.text.len() {
                    return here;
                }
            }
            if is_value && c == '}' {
                let next = self.scroll(self.i + 1);
                if self
                    .text
                    .get(next..)
                    .is_some_and(|rest| rest.starts_with("```"))
                {
                    if self.fence_belongs(piece, next) {
                        self.keep(piece, c);
                        continue;
                    }
                    return here;
                }
                if next >= self.text.len() {
                    return here;
                }
            }
            // The brace rule may have skipped white space.
            let c = self.here()?;
            self.keep(piece, c);
            let here = self.here()?;
            if let Some(done) = self.string_turn(piece, here) {
                return done;
            }
        }
    }

    /// Decides about the character after a kept one: an escape, a key's colon or a quote. `Some` ends the string there.
    #[expect(
        clippy::option_option,
        reason = "whether the string ends, and the character there"
    )]
    fn string_turn(&mut self, piece: &mut Piece, mut c: char) -> Option<Option<char>> {
        let right = piece.right;
        if piece.ends_with('\\') {
            match self.escape(piece, c) {
                Some(next) => {
                    return next.is_none().then_some(None);
                }
                None => c = self.here().unwrap_or(c),
            }
        }
        let current = self.current();
        if c == ':' && !piece.is_bare && current == Some(Context::Key) {
            let first = self.skip_to(&[piece.left], self.i + 1);
            if first >= self.text.len() {
                return Some(Some(c));
            }
            let second = self.skip_to(&[right], self.after(first));
            if second < self.text.len() {
                let follow = self.at(self.scroll(self.after(second)));
                if matches!(follow, Some(',' | '}')) {
                    return Some(Some(c));
                }
            }
        }
        if piece.low > 0 && c == '"' {
            piece.low -= 1;
            self.keep(piece, c);
            return None;
        }
        if c == right && current == Some(Context::Value) && self.is_in_class(piece) {
            self.keep(piece, c);
            return None;
        }
        if c == right && !piece.text.is_empty() && !piece.ends_with('\\') {
            return self.mark(piece, c);
        }
        None
    }

    /// The text of the string, whose end was found at `end`.
    fn string_end(&mut self, piece: Piece, end: Option<char>, start: usize) -> String {
        let Piece {
            mut text,
            is_bare,
            right,
            ..
        } = piece;
        if let Some(c) = end
            && is_bare
            && self.current() == Some(Context::Key)
            && c.is_whitespace()
        {
            self.skip_space();
            if !matches!(self.here(), Some(':' | ',')) {
                self.fix(Repair::Junk, start, self.i, "");
                return String::new();
            }
        }
        // An escaped line break belongs to the string, unlike in Python's `json_repair`: a cut changes no whole value.
        let is_line = text.ends_with('\n') && self.text[..self.i].ends_with('\n');
        if end == Some(right) {
            self.step();
        } else {
            if !is_bare {
                self.fix(Repair::MissingQuote, self.i, self.i, "\"");
            }
            text.truncate(text.trim_end().len());
        }
        if is_bare || is_line {
            text.truncate(text.trim_end().len());
        }
        if is_bare {
            let repair = if self.current() == Some(Context::Key) {
                Repair::UnquotedKey
            } else {
                Repair::UnquotedString
            };
            self.fix(repair, start, self.i, &text);
        }
        text
    }
}
