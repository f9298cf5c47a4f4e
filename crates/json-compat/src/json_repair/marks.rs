//! The role of a quote or an escape inside a string.

use super::scan::is_mark;
use super::string::Piece;
use super::{Context, Reader};
use toolglot_json::Repair;

impl Reader<'_> {
    /// A quote that may close the string. `None` if the quote was kept or decides nothing, `Some` if the string ends.
    #[expect(
        clippy::option_option,
        reason = "whether the string ends, and the character there"
    )]
    pub(super) fn mark(&mut self, piece: &mut Piece, c: char) -> Option<Option<char>> {
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
                    // The start of the next key.
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
            let quote = self.skip_to(&[right], next + 1);
            let follow = self.at(self.scroll(self.after(quote)));
            if matches!(follow, Some('}' | ',')) {
                self.inner(piece, c);
                return None;
            }
        } else if found == Some(right) && self.before(next) != Some('\\') {
            return self.second_mark(piece, c, next);
        }
        Some(Some(c))
    }

    pub(super) fn inner(&mut self, piece: &mut Piece, c: char) {
        self.fix(
            Repair::UnescapedQuote,
            self.i,
            self.i + c.len_utf8(),
            "\\\"",
        );
        self.keep(piece, c);
    }

    /// Two quotes, with or without text between them: an inner pair, or the end of the string.
    #[expect(
        clippy::option_option,
        reason = "whether the string ends, and the character there"
    )]
    pub(super) fn second_mark(
        &mut self,
        piece: &mut Piece,
        c: char,
        next: usize,
    ) -> Option<Option<char>> {
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

    /// The next quote of the string's kind, whatever precedes it.
    pub(super) fn find_mark(&mut self, piece: &Piece, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        if self.work > self.patience {
            return self.text.len();
        }
        let length = rest.find([piece.left, piece.right]).unwrap_or(rest.len());
        self.work += length as u64;
        from.min(self.text.len()) + length
    }

    /// The next quote after this one, or an earlier character that ends the search.
    pub(super) fn scan_for_mark(&mut self, piece: &Piece) -> (usize, Option<char>) {
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

    /// Whether the quote here is in a character class `[..]` of a regular expression.
    pub(super) fn is_in_class(&mut self, piece: &Piece) -> bool {
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

    /// An escape whose backslash was kept. `None` if it is not an escape; otherwise the character to continue with.
    #[expect(
        clippy::option_option,
        reason = "whether it is an escape, and the character after it"
    )]
    pub(super) fn escape(&mut self, piece: &mut Piece, c: char) -> Option<Option<char>> {
        let active = piece.active();
        if piece.low > 0 && c == '"' {
            piece.replace(c);
            piece.low -= 1;
            self.i += 1;
            return Some(self.here());
        }
        if c == '\\' {
            let start = self.i - 1;
            let length = self.text.as_bytes()[start..]
                .iter()
                .take_while(|&&byte| byte == b'\\')
                .count();
            let end = start + length;
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
        if c == active || matches!(c, 't' | 'n' | 'r' | 'b' | 'f' | '/' | '\\') {
            piece.replace(match c {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
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
            self.fix(Repair::InvalidEscape, self.i - 1, self.i, "");
            piece.replace(c);
            self.i += c.len_utf8();
            return Some(self.here());
        }
        None
    }

    pub(super) fn low_surrogate(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        (0xdc00..0xe000).contains(&code).then_some(code)
    }
}
