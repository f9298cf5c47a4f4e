//! Iterates over the lines of a text without a list of them: a file may consist of line breaks only.

/// One line, as offsets into its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Counted from 1.
    pub(crate) number: u64,
    start: usize,
    /// Where its content ends: before `\n` or `\r\n`.
    end: usize,
    /// Where the next line starts.
    next: usize,
}

impl Line {
    pub(crate) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }
}

/// An iterator over the lines of a text.
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    number: u64,
    start: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a [u8]) -> Lines<'a> {
        Lines {
            text,
            number: 1,
            start: 0,
        }
    }

    pub(crate) fn after(text: &'a [u8], line: Line) -> Lines<'a> {
        Lines {
            text,
            number: line.number + 1,
            start: line.next,
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let rest = self.text[self.start..]
            .split_inclusive(|&byte| byte == b'\n')
            .next()?;
        let content = rest.strip_suffix(b"\n").unwrap_or(rest);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let (start, next) = (self.start, self.start + rest.len());
        let line = Line {
            number: self.number,
            start,
            end: start + content.len(),
            next,
        };
        self.number += 1;
        self.start = next;
        Some(line)
    }
}

/// At most `n_bytes` of a line; a longer line is cut to the part around `at`.
pub(crate) fn excerpt(line: &[u8], at: usize, n_bytes: usize) -> String {
    if line.len() <= n_bytes {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = if at < n_bytes / 2 {
        0
    } else {
        at - n_bytes / 4
    };
    let end = (start + n_bytes).min(line.len());
    let part = String::from_utf8_lossy(&line[start..end]);
    // Drops the halves of characters at the cuts.
    let part = part.trim_matches(char::REPLACEMENT_CHARACTER);
    let dots = |is_cut| if is_cut { "\u{2026}" } else { "" };
    format!("{}{part}{}", dots(start > 0), dots(end < line.len()))
}

#[cfg(test)]
mod tests {
    use super::{Lines, excerpt};

    #[test]
    fn lines_end_at_either_break_or_at_the_end() {
        let text = b"one\r\n\ntwo\rthree\n\xff";
        let lines: Vec<_> = Lines::of(text)
            .map(|line| (line.number, line.of(text)))
            .collect();
        assert_eq!(
            lines,
            [(1, &b"one"[..]), (2, b""), (3, b"two\rthree"), (4, b"\xff")]
        );
        assert_eq!(Lines::of(b"").next(), None);

        let second = Lines::of(text).nth(1).expect("a second line");
        let rest: Vec<_> = Lines::after(text, second).map(|line| line.number).collect();
        assert_eq!(rest, [3, 4]);
    }

    #[test]
    fn an_excerpt_holds_what_it_is_about() {
        assert_eq!(excerpt(b"short", 3, 5), "short");
        assert_eq!(excerpt(b"0123456789abcdef", 0, 8), "01234567\u{2026}");
        assert_eq!(excerpt(b"0123456789abcdef", 12, 8), "\u{2026}abcdef");
        assert_eq!(
            excerpt(b"0123456789abcdef", 8, 8),
            "\u{2026}6789abcd\u{2026}"
        );
    }
}
