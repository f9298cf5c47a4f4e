//! Parentheses: a tuple, a value in parentheses, or prose.

use super::Reader;
use super::scan::is_mark;

/// The bracket depth and the open string during a scan.
#[derive(Default)]
struct Depth {
    parens: usize,
    square: usize,
    braces: usize,
    mark: Option<char>,
    is_escaped: bool,
}

impl Depth {
    /// Consumes a character; `true` if the character is outside of strings and is not a backslash.
    fn is_outside(&mut self, c: char) -> bool {
        if c == '\\' {
            self.is_escaped = !self.is_escaped;
            return false;
        }
        let is_escaped = core::mem::take(&mut self.is_escaped);
        if let Some(quote) = self.mark {
            if c == quote && !is_escaped {
                self.mark = None;
            }
            return false;
        }
        if is_mark(Some(c)) && !is_escaped {
            self.mark = Some(c);
            return false;
        }
        true
    }

    fn is_flat(&self) -> bool {
        self.parens == 0 && self.square == 0 && self.braces == 0
    }

    fn count(&mut self, c: char) {
        match c {
            '(' => self.parens += 1,
            ')' => self.parens = self.parens.saturating_sub(1),
            '[' => self.square += 1,
            ']' => self.square = self.square.saturating_sub(1),
            '{' => self.braces += 1,
            '}' => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
    }
}

impl Reader<'_> {
    /// Whether the parenthesis here starts a tuple: it is empty, or it contains a comma.
    pub(super) fn parens_are_tuple(&mut self) -> bool {
        let mut depth = Depth::default();
        let mut has_content = false;
        if self.work > self.patience {
            return true;
        }
        let rest = self.text.get(self.i + 1..).unwrap_or_default();
        let mut length = 0;
        let mut answer = None;
        for c in rest.chars() {
            length += c.len_utf8();
            let was_flat = depth.is_flat();
            if !depth.is_outside(c) {
                has_content |= was_flat && is_mark(Some(c));
                continue;
            }
            has_content |= was_flat && !c.is_whitespace() && !matches!(c, ',' | ')');
            if was_flat && c == ')' {
                answer = Some(!has_content);
                break;
            }
            if was_flat && c == ',' {
                answer = Some(true);
                break;
            }
            depth.count(c);
        }
        self.work += length as u64;
        answer.unwrap_or(!has_content)
    }

    /// Whether the parenthesis here is alone on its line and starts with a value, and so is not a remark in prose.
    pub(super) fn parens_can_begin(&mut self) -> bool {
        if self.work > self.patience {
            return false;
        }
        let line = self.text[..self.i]
            .rsplit(['\n', '\r'])
            .next()
            .unwrap_or_default();
        self.work += line.len() as u64;
        if !line.trim().is_empty() {
            return false;
        }
        let inside = self.text[self.i + 1..].trim_start();
        let Some(first) = inside.chars().next() else {
            return false;
        };
        let has_word = ["true", "null", "none", "false"].iter().any(|word| {
            inside
                .get(..word.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(word))
        });
        if !is_mark(Some(first))
            && !matches!(first, ')' | '{' | '[' | '(' | '-' | '.')
            && !first.is_numeric()
            && !has_word
        {
            return false;
        }
        let mut depth = Depth::default();
        let rest = &self.text[self.i + 1..];
        let mut length = 0;
        let mut end = None;
        for c in rest.chars() {
            length += c.len_utf8();
            if !depth.is_outside(c) {
                continue;
            }
            if c == ')' && depth.is_flat() {
                end = Some(length);
                break;
            }
            depth.count(c);
        }
        self.work += length as u64;
        end.is_none_or(|end| {
            rest[end..]
                .split(['\n', '\r'])
                .next()
                .is_none_or(|line| line.trim().is_empty())
        })
    }
}
