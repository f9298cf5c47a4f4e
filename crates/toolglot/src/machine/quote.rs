//! Quoted code: a fence, an inline span, a block quote, an HTML comment. Only the past decides.

use crate::program::{QUOTING, is_blank};

/// Follows text outside calls and says whether the next byte stands in a quotation.
#[derive(Clone, Debug)]
pub(crate) struct Quote {
    /// Length of the open fence, 0 for none.
    fence: u16,
    /// Backticks right before this byte.
    ticks: u16,
    /// Those began a line (blanks aside).
    ticks_at_bol: bool,
    /// An inline span is open on this line.
    inline: bool,
    /// The line began with `>`.
    block: bool,
    /// Matched bytes of `<!--` or, inside a comment, of `-->`.
    comment_match: u8,
    in_comment: bool,
    /// Only blanks since the line's begin.
    line_blank: bool,
    /// A wrapper fence is open: the next bare fence closes it.
    wrapper: bool,
    /// A wrapper fence was closed.
    unwrapped: bool,
    /// Text other than fences stands behind it.
    explained: bool,
}

impl Default for Quote {
    fn default() -> Quote {
        Quote {
            fence: 0,
            ticks: 0,
            ticks_at_bol: false,
            inline: false,
            block: false,
            comment_match: 0,
            in_comment: false,
            line_blank: true,
            wrapper: false,
            unwrapped: false,
            explained: false,
        }
    }
}

impl Quote {
    /// Feeds text outside calls.
    pub(crate) fn feed(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            // Between special bytes only blanks matter, and only at a line's begin.
            if !self.line_blank && self.ticks == 0 && self.comment_match == 0 {
                let rest = &text[at..];
                let step = if self.in_comment {
                    memchr::memchr2(b'-', b'\n', rest)
                } else {
                    let [a, b, c] = QUOTING;
                    memchr::memchr3(a, b, c, rest)
                };
                at += step.unwrap_or(rest.len());
                if at == text.len() {
                    return;
                }
            }
            self.byte(text[at]);
            at += 1;
        }
    }

    fn byte(&mut self, byte: u8) {
        if byte == b'`' && !self.in_comment {
            if self.ticks == 0 {
                self.ticks_at_bol = self.line_blank;
            }
            self.ticks = self.ticks.saturating_add(1);
            self.line_blank = false;
            self.comment_match = 0;
            return;
        }
        if self.ticks > 0 {
            self.end_ticks();
        }
        match byte {
            b'\n' => {
                (self.inline, self.block, self.line_blank) = (false, false, true);
            }
            b'>' if self.line_blank && !self.in_comment => {
                self.block = true;
                // What follows `>` is still the begin of the quoted line: a fence may open there, in the quotation.
                self.line_blank = false;
            }
            _ if is_blank(byte) => {}
            _ => self.line_blank = false,
        }
        self.explained |= self.unwrapped && self.fence == 0 && !is_blank(byte);
        self.comment_match = match (self.in_comment, self.comment_match, byte) {
            (false, 0, b'<') | (true, 0, b'-') => 1,
            (false, 1, b'!') | (true, 1, b'-') => 2,
            (false, 2, b'-') => 3,
            (false, 3, b'-') => {
                self.in_comment = true;
                0
            }
            (true, 2, b'>') => {
                self.in_comment = false;
                0
            }
            (true, 2, b'-') => 2,
            (false, _, b'<') => 1,
            _ => 0,
        };
    }

    fn end_ticks(&mut self) {
        let ticks = core::mem::take(&mut self.ticks);
        if ticks >= 3 && self.ticks_at_bol && !self.block {
            if self.fence == 0 && !self.wrapper {
                self.fence = ticks;
            } else if self.wrapper {
                self.wrapper = false;
                self.unwrapped = true;
            } else if ticks >= self.fence {
                self.fence = 0;
            }
        } else if self.fence == 0 && ticks % 2 == 1 {
            self.inline = !self.inline;
        }
    }

    /// Whether text without any of [`QUOTING`] changes nothing: it stands in the midst of a line.
    #[inline]
    pub(crate) fn ignores_plain(&self) -> bool {
        !self.line_blank && self.ticks == 0 && self.comment_match == 0 && !self.in_comment
    }

    /// Whether the next byte is quoted. `next` is that byte: a run of backticks before it has ended, if it is none.
    pub(crate) fn is_quoted(&mut self, next: u8) -> bool {
        if self.ticks > 0 && next != b'`' {
            self.end_ticks();
        }
        self.fence > 0 || self.inline || self.block || self.in_comment
    }

    /// Only blanks stand before the next byte on its line.
    pub(crate) fn at_bol(&self) -> bool {
        self.line_blank && self.ticks == 0
    }

    /// Bytes that are not text went by: markup, arguments. They open and close nothing.
    pub(crate) fn skip(&mut self, last: u8) {
        if self.ticks > 0 {
            self.end_ticks();
        }
        self.comment_match = 0;
        self.line_blank = last == b'\n';
        if last == b'\n' {
            (self.inline, self.block) = (false, false);
        }
    }

    /// The fence that wrapped the answer was closed, and this is no further fence right behind it.
    pub(crate) fn is_behind_wrapper(&self) -> bool {
        self.unwrapped && (self.explained || self.fence == 0)
    }

    /// A wrapper fence is open.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.wrapper
    }

    /// A wrapper fence was opened as markup.
    pub(crate) fn open_wrapper(&mut self) {
        self.wrapper = true;
    }
}

#[cfg(test)]
mod tests {
    use super::Quote;

    /// `^` stands where the question is asked; quoted or not, in any cut.
    #[test]
    fn only_the_past_decides() {
        for (text, quoted) in [
            ("plain ^", false),
            ("use `^", true),
            ("use `a` ^", false),
            ("use `a\n^", false),
            ("```\n^", true),
            ("```js\ncode\n```\n^", false),
            ("````\n```\n^", true),
            ("> ^", true),
            ("> a\n^", false),
            ("a > ^", false),
            ("<!-- ^", true),
            ("<!-- a -->^", false),
            ("a ```x``` ^", false),
            ("``a ` b`` ^", true),
        ] {
            let (before, _) = text.split_once('^').unwrap();
            for cut in 0..=before.len() {
                let mut quote = Quote::default();
                quote.feed(&before.as_bytes()[..cut]);
                quote.feed(&before.as_bytes()[cut..]);
                assert_eq!(quote.is_quoted(b'<'), quoted, "{text:?} cut at {cut}");
            }
        }
    }
}
