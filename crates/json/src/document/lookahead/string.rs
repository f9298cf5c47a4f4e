//! Strings: where a quotation mark closes is decided by the marks behind it.

use alloc::string::String;
use alloc::vec::Vec;

use super::scan::{is_mark, is_one_of};
use super::tree::Node;
use super::{Context, Reader};
use crate::repair::Repair;

/// What stood where a string was looked for.
pub(super) enum Read {
    Text(String),
    Literal(Node),
    /// A fence that holds JSON: the value is read next.
    Fence,
}

/// One string being read.
struct Piece {
    /// The string has no opening mark.
    is_bare: bool,
    is_doubled: bool,
    left: char,
    right: char,
    text: String,
    /// The next mark closes a pair inside.
    is_paired: bool,
    /// A bracket comes that belongs to the string.
    awaits_bracket: bool,
    brackets: Vec<char>,
    /// No mark comes behind this place.
    is_last: bool,
    open_braces: usize,
    /// Where a character class of a regular expression begins in `text`.
    class: Option<usize>,
    /// How many „low“ marks are open.
    low: usize,
}

impl Piece {
    fn push(&mut self, c: char) {
        self.text.push(c);
        match c {
            '{' => self.open_braces += 1,
            '}' => self.open_braces = self.open_braces.saturating_sub(1),
            '[' => self.class = Some(self.text.len()),
            ']' => self.class = None,
            _ => {}
        }
    }

    /// A backslash at the end becomes `c`.
    fn replace(&mut self, c: char) {
        self.text.pop();
        self.push(c);
    }

    fn ends_with(&self, c: char) -> bool {
        self.text.ends_with(c)
    }

    /// What closes now: nothing but a “high” mark inside „low“ ones.
    fn active(&self) -> char {
        if self.low > 0 { '\0' } else { self.right }
    }
}

/// What a comma in a member's string is.
#[derive(PartialEq, Eq)]
enum Comma {
    Member,
    Text,
    LastText,
    Container,
}

impl Reader<'_> {
    /// Reads a string, or what stands in its place.
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
                self.fix(Repair::OtherQuote, self.i, self.i + c.len_utf8(), "\"");
            }
            self.step();
        }
        if self.here() == Some('`') && self.fence_holds_json() {
            self.fix(Repair::Fence, self.i, self.i + 7, "");
            self.i += 7;
            return Err(Read::Fence);
        }
        if self.here() == Some(piece.left) {
            self.doubled(&mut piece)?;
        }
        Ok(piece)
    }

    /// A mark directly behind the opening one.
    fn doubled(&mut self, piece: &mut Piece) -> Result<(), Read> {
        let behind = self.after(self.i);
        let next = self.at(behind);
        let is_empty = match self.current() {
            Some(Context::Key) => next == Some(':'),
            Some(Context::Value) => matches!(next, Some(',' | '}')),
            Some(Context::Array) => matches!(next, Some(',' | ']')),
            None => false,
        };
        if is_empty {
            self.i = behind;
            return Err(Read::Text(String::new()));
        }
        if next == Some(piece.left) {
            return Err(Read::Text(String::new()));
        }
        let first = self.skip_to(&[piece.right], behind);
        let after_first = self.after(first);
        if self.at(after_first) == Some(piece.right) {
            self.fix(Repair::OtherQuote, self.i, behind, "");
            piece.is_doubled = true;
            self.i = behind;
            return Ok(());
        }
        if self.at(first) == Some(piece.right) {
            let outer = self.skip_to(&[piece.right], after_first);
            let follow = self.at(self.scroll(self.after(outer)));
            if self.current() == Some(Context::Value)
                && !self.text[behind..first].trim().is_empty()
                && self.at(outer) == Some(piece.right)
                && matches!(follow, Some(',' | '}') | None)
            {
                self.fix(Repair::InnerQuote, self.i, behind, "\\\"");
                piece.push(piece.left);
                piece.is_paired = true;
                self.i = behind;
                return Ok(());
            }
        }
        let follow = self.at(self.scroll(behind));
        if is_mark(follow) || matches!(follow, Some('{' | '[')) {
            self.i = behind;
            return Err(Read::Text(String::new()));
        }
        if !matches!(follow, Some(',' | ']' | '}')) {
            self.fix(Repair::OtherQuote, self.i, behind, "");
            self.i = behind;
        }
        Ok(())
    }

    /// A string in plain marks without anything odd in it, before what may follow it.
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
                if !crate::word::is_scalar(head) {
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

    fn keep(&mut self, piece: &mut Piece, c: char) {
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
            if self.is_inner_closer(piece, c) {
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
            // The brace rule may have moved on over white space.
            let Some(c) = self.here() else {
                return None;
            };
            self.keep(piece, c);
            let here = self.here()?;
            if let Some(done) = self.string_turn(piece, here) {
                return done;
            }
        }
    }

    /// Looks at the character behind one that was kept: escapes, colons of keys, marks. `Some` ends the string there.
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

    /// Whether the mark here stands in a character class `[..]` of a regular expression.
    fn is_in_class(&mut self, piece: &Piece) -> bool {
        let Some(class) = piece.class else {
            return false;
        };
        let inside = &piece.text[class..];
        self.work += inside.len() as u64;
        if self.work > self.patience || inside.contains(char::is_whitespace) {
            return false;
        }
        self.skip_to_cached(3, &[']'], self.i + 1) < self.text.len()
    }

    /// An escape whose backslash was kept. `None` if it was none; otherwise the character to go on with.
    #[expect(
        clippy::option_option,
        reason = "whether it was one, and what stands behind it"
    )]
    fn escape(&mut self, piece: &mut Piece, c: char) -> Option<Option<char>> {
        let active = piece.active();
        if piece.low > 0 && c == '"' {
            piece.replace(c);
            piece.low -= 1;
            self.i += 1;
            return Some(self.here());
        }
        if c == '\\' {
            let begin = self.i - 1;
            let length = self.text.as_bytes()[begin..]
                .iter()
                .take_while(|&&byte| byte == b'\\')
                .count();
            let end = begin + length;
            let next = self.at(end);
            let follow = self.at(self.scroll(self.after(end)));
            if length.is_multiple_of(2)
                && (next != Some(active) || matches!(follow, Some(',' | ':' | '}' | ']') | None))
            {
                piece.text.pop();
                for _ in 0..length / 2 {
                    piece.push('\\');
                }
                self.i = end;
                return Some(self.here());
            }
        }
        if c == active || matches!(c, 't' | 'n' | 'r' | 'b' | '\\') {
            piece.replace(match c {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                'b' => '\u{8}',
                c => c,
            });
            self.i += c.len_utf8();
            let mut next = self.here();
            while let Some(c) = next
                && piece.ends_with('\\')
                && (c == active || c == '\\')
            {
                piece.replace(c);
                self.i += c.len_utf8();
                next = self.here();
            }
            return Some(next);
        }
        if matches!(c, 'u' | 'x') {
            let n = if c == 'u' { 4 } else { 2 };
            let digits = self.text.get(self.i + 1..self.i + 1 + n);
            if let Some(digits) = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())) {
                let code = u32::from_str_radix(digits, 16).unwrap_or(0xfffd);
                let mut length = 1 + n;
                let mut value = char::from_u32(code);
                if (0xd800..0xdc00).contains(&code)
                    && let Some(low) = self.low_surrogate(self.i + length)
                {
                    value = char::from_u32(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
                    length += 6;
                }
                piece.replace(value.unwrap_or('\u{fffd}'));
                self.i += length;
                return Some(self.here());
            }
        } else if c == '„' || is_mark(Some(c)) && c != active {
            self.fix(Repair::BadEscape, self.i - 1, self.i, "");
            piece.replace(c);
            self.i += c.len_utf8();
            return Some(self.here());
        }
        None
    }

    fn low_surrogate(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        (0xdc00..0xe000).contains(&code).then_some(code)
    }

    /// A mark that may close the string. `None` if it was kept or does not decide, `Some` if the string ends.
    #[expect(
        clippy::option_option,
        reason = "whether the string ends, and what stands there"
    )]
    fn mark(&mut self, piece: &mut Piece, c: char) -> Option<Option<char>> {
        let right = piece.right;
        let current = self.current();
        if piece.is_doubled && self.at(self.after(self.i)) == Some(right) {
            self.i = self.after(self.i);
            return None;
        }
        if piece.is_bare && current == Some(Context::Value) {
            let next = self.find_mark(piece, self.after(self.i));
            if next < self.text.len() {
                let colon = self.scroll(self.after(next));
                if self.at(colon) == Some(':') {
                    // The begin of the next key.
                    self.i -= self.before(self.i).map_or(1, char::len_utf8);
                    return Some(self.here());
                }
            }
            return Some(Some(c));
        }
        if piece.is_paired {
            piece.is_paired = false;
            self.inner(piece, c);
            return None;
        }
        let (next, found) = self.scan_for_mark(piece);
        if found == Some(',') && current == Some(Context::Value) {
            let mark = self.skip_to(&[right], next + 1);
            let follow = self.at(self.scroll(self.after(mark)));
            if matches!(follow, Some('}' | ',')) {
                self.inner(piece, c);
                return None;
            }
        } else if found == Some(right) && self.before(next) != Some('\\') {
            return self.second_mark(piece, c, next);
        }
        Some(Some(c))
    }

    fn inner(&mut self, piece: &mut Piece, c: char) {
        self.fix(Repair::InnerQuote, self.i, self.i + c.len_utf8(), "\\\"");
        self.keep(piece, c);
    }

    /// Two marks with text between them, or nothing: a pair inside the string, or the end of it.
    #[expect(
        clippy::option_option,
        reason = "whether the string ends, and what stands there"
    )]
    fn second_mark(&mut self, piece: &mut Piece, c: char, next: usize) -> Option<Option<char>> {
        let right = piece.right;
        let current = self.current();
        let is_value = current == Some(Context::Value);
        let between = &self.text[self.after(self.i)..next];
        if between.trim().is_empty() && !(is_value && self.member_follows(next)) {
            return Some(Some(c));
        }
        match current {
            Some(Context::Value) => {
                if self.member_follows(next) {
                    self.inner(piece, c);
                    return None;
                }
                let third = self.skip_to(&[right], self.after(next));
                let mut at = self.after(third);
                let mut found = self.at(at);
                while let Some(f) = found
                    && f != ':'
                {
                    if matches!(f, ',' | ']' | '}') || f == right && self.before(at) != Some('\\') {
                        break;
                    }
                    if self.work > self.patience {
                        break;
                    }
                    self.work += 1;
                    at += f.len_utf8();
                    found = self.at(at);
                }
                if found != Some(':') {
                    piece.is_paired = !piece.is_paired;
                    self.inner(piece, c);
                    return None;
                }
                Some(Some(c))
            }
            Some(Context::Array) => {
                let mut at = next;
                let mut is_even = true;
                while self.at(at) == Some(right) {
                    at = self.skip_to(&[right, ']'], self.after(at));
                    if self.at(at) != Some(right) {
                        is_even = false;
                        break;
                    }
                    at = self.skip_to(&[right, ']'], self.after(at));
                }
                if is_even {
                    piece.is_paired = !piece.is_paired;
                    self.inner(piece, c);
                    return None;
                }
                Some(Some(c))
            }
            Some(Context::Key) => {
                self.inner(piece, c);
                None
            }
            None => Some(Some(c)),
        }
    }

    /// The next mark of the string's own, whatever stands before it.
    fn find_mark(&mut self, piece: &Piece, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        if self.work > self.patience {
            return self.text.len();
        }
        let length = rest.find([piece.left, piece.right]).unwrap_or(rest.len());
        self.work += length as u64;
        from.min(self.text.len()) + length
    }

    /// The next mark behind this one, or what ends the search before it.
    fn scan_for_mark(&mut self, piece: &Piece) -> (usize, Option<char>) {
        let is_value = self.current() == Some(Context::Value);
        let mut only_blanks = true;
        let mut at = self.after(self.i);
        while let Some(c) = self.at(at) {
            if c == piece.right || c == piece.left || self.work > self.patience {
                break;
            }
            self.work += 1;
            only_blanks &= !c.is_alphabetic();
            if self.n_key > 0 && matches!(c, ':' | '}')
                || self.n_value > 0 && c == '}'
                || self.n_array > 0 && matches!(c, ']' | ',')
                || only_blanks && is_value && c == ','
            {
                break;
            }
            at += c.len_utf8();
        }
        (at, self.at(at))
    }

    /// Whether a closer ends a bracket of the string's own.
    fn is_inner_closer(&mut self, piece: &mut Piece, c: char) -> bool {
        if matches!(c, '{' | '[') {
            if core::mem::take(&mut piece.awaits_bracket) || !piece.brackets.is_empty() {
                piece.brackets.push(c);
            }
            return false;
        }
        let open = match c {
            '}' => '{',
            ']' => '[',
            _ => return false,
        };
        if piece.brackets.last() == Some(&open) {
            piece.brackets.pop();
            return true;
        }
        false
    }

    /// Whether the `}` here ends the string: its mark is missing.
    fn brace_ends_string(&mut self, piece: &Piece) -> bool {
        let right = piece.right;
        let mut is_missing = self.at(self.i + 1) != Some('\\');
        let mark = self.skip_to_cached(0, &[right], self.i + 1);
        if mark < self.text.len() {
            let follow = self.scroll(self.after(mark));
            match self.at(follow) {
                None | Some(',' | '}') => is_missing = false,
                Some(_) => {
                    let second = self.skip_to_cached(1, &[piece.left], follow);
                    if second >= self.text.len() {
                        is_missing = false;
                    } else {
                        let next = self.scroll(self.after(second));
                        if self.at(next).is_some_and(|c| c != ':') {
                            is_missing = false;
                        }
                    }
                }
            }
        } else {
            let colon = self.skip_to(&[':'], self.i + 1);
            if colon < self.text.len() {
                return true;
            }
            let next = self.scroll(self.i + 1);
            let brace = self.skip_to(&['}'], next);
            if brace > next + 1 {
                is_missing = false;
            }
        }
        is_missing
    }

    /// Whether a fence behind a brace is the string's own.
    fn fence_belongs(&mut self, piece: &mut Piece, fence: usize) -> bool {
        let mut from = fence + 3;
        let content = self.past_comments(from);
        let mut keeps = false;
        if is_one_of(self.at(content), "[{(")
            && let Some(end) = self.container_end(content)
        {
            if self.container_precedes_member(end) {
                return false;
            }
            keeps = true;
            from = end;
        }
        let right = piece.right;
        let mut mark = self.skip_to(&[right], from);
        while self.at(mark) == Some(right) {
            let follow = self.at(self.scroll(self.after(mark)));
            if matches!(follow, Some(',' | '}' | ']') | None) {
                piece.awaits_bracket |= keeps;
                return true;
            }
            mark = self.skip_to(&[right], self.after(mark));
        }
        false
    }

    fn container_precedes_member(&mut self, end: usize) -> bool {
        let next = self.scroll(end);
        match self.at(next) {
            None | Some('}') => true,
            Some(',') => {
                let member = self.past_comments(next + 1);
                matches!(self.at(member), None | Some('}')) || self.is_member(member)
            }
            Some(_) => false,
        }
    }

    fn member_follows(&mut self, mark: usize) -> bool {
        let comma = self.scroll(self.after(mark));
        if self.at(comma) != Some(',') {
            return false;
        }
        let member = self.past_comments(comma + 1);
        self.is_member(member)
    }

    fn is_member(&mut self, at: usize) -> bool {
        let c = self.at(at);
        if is_mark(c) {
            let closer = if c == Some('“') {
                '”'
            } else {
                c.unwrap_or('"')
            };
            let end = self.skip_to(&[closer], self.after(at));
            return self.at(end) == Some(closer)
                && self.at(self.scroll(self.after(end))) == Some(':');
        }
        c.is_some_and(|c| c.is_alphanumeric() || c == '_') && self.is_bare_key(at)
    }

    /// Whether a bare key and its colon stand at `at`.
    fn is_bare_key(&self, at: usize) -> bool {
        let mut end = at;
        while let Some(c) = self.at(end)
            && (c.is_alphanumeric() || c == '_' || c == '-' && end > at)
        {
            end += c.len_utf8();
        }
        end > at && self.at(self.scroll(end)) == Some(':')
    }

    /// Behind the bracket that closes the one at `from`; `None` if none does.
    fn container_end(&mut self, from: usize) -> Option<usize> {
        let closer = |c: Option<char>| match c {
            Some('{') => Some('}'),
            Some('[') => Some(']'),
            Some('(') => Some(')'),
            _ => None,
        };
        let mut open = Vec::from([closer(self.at(from))?]);
        let mut at = from + 1;
        while let Some(&want) = open.last() {
            if self.work > self.patience {
                return None;
            }
            self.work += 1;
            let c = self.at(at)?;
            if is_mark(Some(c)) {
                let end_mark = if c == '“' { '”' } else { c };
                at = self.skip_to(&[end_mark], self.after(at));
                if self.at(at) != Some(end_mark) {
                    return None;
                }
            } else if let Some(closes) = closer(Some(c))
                && self.nests(at, from)
            {
                open.push(closes);
            } else if c == want {
                open.pop();
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            at = self.after(at);
        }
        None
    }

    /// Whether the bracket at `at` begins a container inside the one at `from`, by what stands around it.
    fn nests(&mut self, at: usize, from: usize) -> bool {
        let head = self.text[..at].trim_end();
        let Some(before) = head.chars().next_back() else {
            return true;
        };
        let _ = from;
        if matches!(before, '[' | '{' | '(') {
            return true;
        }
        if !matches!(before, ',' | ':') {
            return false;
        }
        let next_at = self.scroll(at + 1);
        let next = self.at(next_at);
        if matches!(self.at(at), Some('[' | '(')) {
            return is_mark(next)
                || is_one_of(next, "])-[{(tfn")
                || next.is_some_and(char::is_numeric);
        }
        is_mark(next) || next == Some('}') || before == ':' && self.is_bare_key(next_at)
    }

    /// What the comma here is.
    fn comma(&mut self) -> Comma {
        let at = self.scroll(self.i + 1);
        let Some(c) = self.at(at) else {
            return Comma::Member;
        };
        if c == '}' {
            return Comma::Member;
        }
        if is_mark(Some(c)) {
            let end = self.skip_to(&[c], self.after(at));
            let is_key =
                end < self.text.len() && self.at(self.scroll(self.after(end))) == Some(':');
            return if is_key { Comma::Member } else { Comma::Text };
        }
        if c == '`' {
            return if self.is_bare_key(at + 1) || self.at(self.scroll(at + 1)) == Some(':') {
                Comma::Member
            } else {
                Comma::Text
            };
        }
        if (c.is_alphanumeric() || c == '_') && self.is_bare_key(at) {
            let mut end = at;
            while self.at(end).is_some_and(|c| c != ':') {
                end = self.after(end);
            }
            if self.has_value(end + 1) {
                return Comma::Member;
            }
        }
        if matches!(c, '{' | '[') {
            return Comma::Container;
        }
        let special = self.skip_to_cached(2, &['"', '\'', '“', '”', '{', '['], at);
        match self.at(special) {
            None => Comma::LastText,
            Some('{' | '[') => Comma::Text,
            Some(mark) => {
                let end = self.skip_to(&[mark], self.after(special));
                let is_key =
                    end < self.text.len() && self.at(self.scroll(self.after(end))) == Some(':');
                if is_key { Comma::Member } else { Comma::Text }
            }
        }
    }

    /// Whether what stands behind a bare key's colon is a value.
    fn has_value(&mut self, from: usize) -> bool {
        let at = self.scroll(from);
        let c = self.at(at);
        if is_mark(c) || is_one_of(c, "{[-") || c.is_some_and(char::is_numeric) {
            return true;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        for word in ["true", "false", "null"] {
            if let Some(rest) = rest.strip_prefix(word) {
                let next = rest.chars().next();
                if next.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | '}' | ']')) {
                    return true;
                }
            }
        }
        let end = self.skip_to(&['"', '\'', '“', '”', '}'], at);
        self.at(end) == Some('}')
    }

    /// What the string is, once its end was found at `end`.
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
        if end == Some(right) {
            self.step();
        } else {
            if !is_bare {
                self.fix(Repair::MissingQuote, self.i, self.i, "\"");
            }
            text.truncate(text.trim_end().len());
        }
        if is_bare || text.ends_with('\n') {
            text.truncate(text.trim_end().len());
        }
        if is_bare {
            let repair = if self.current() == Some(Context::Key) {
                Repair::BareKey
            } else {
                Repair::BareWord
            };
            self.fix(repair, start, self.i, &text);
        }
        text
    }
}
