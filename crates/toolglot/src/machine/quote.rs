//! Quoted code: a fence, an inline span, a block quote, an HTML comment. Only the past decides.
//!
//! Fences and spans are CommonMark's (0.31, sections 4.5 and 6.1), as far as the past tells: a span ends at as many
//! backticks as began it, and at its line's end, because what comes later is not known.

use super::line::Line;
use crate::program::{QUOTING, is_blank};

/// Follows text outside calls and says whether the next byte stands in a quotation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quote {
    /// The marks of the open fence.
    fence: Option<Marks>,
    /// The open fence is of backticks, and this is its first line.
    in_info: bool,
    /// Marks right before this byte.
    run: Option<Marks>,
    /// Nothing but what may lead a line stood before those.
    run_leads: bool,
    /// Backticks of the inline span that is open on this line, 0 for none.
    inline: u16,
    /// The line began with `>`.
    block: bool,
    /// Matched bytes of `<!--` or, inside a comment, of `-->`.
    comment_match: u8,
    in_comment: bool,
    line: Line,
    /// A wrapper fence is open: the next bare fence closes it.
    wrapper: bool,
    /// A wrapper fence was closed.
    unwrapped: bool,
    /// Text other than fences stands behind it.
    explained: bool,
}

/// Equal bytes that a fence or a span begins or ends with.
#[derive(Clone, Copy, Debug)]
struct Marks {
    byte: u8,
    count: u16,
}

impl Quote {
    /// Feeds text outside calls.
    pub(crate) fn feed(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            let is_calm = self.run.is_none() && self.comment_match == 0;
            if is_calm && !self.in_comment && !self.unwrapped {
                at += self.pass(&text[at..]);
            } else if is_calm && self.line.is_over() {
                // Between special bytes only blanks matter, and only at a line's begin.
                let rest = &text[at..];
                let step = if self.in_comment {
                    memchr::memchr2(b'-', b'\n', rest)
                } else {
                    let [a, b, c] = QUOTING;
                    memchr::memchr3(a, b, c, rest)
                };
                at += step.unwrap_or(rest.len());
            }
            if at == text.len() {
                return;
            }
            self.byte(text[at]);
            at += 1;
        }
    }

    /// Feeds as much of `text` as is most of prose and code: no comment, and no line begins with a fence or a marker. Says
    /// how much that was. What it does is what [`byte`](Quote::byte) would.
    fn pass(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        loop {
            if self.line.is_open() && self.line.is_calm() {
                let (length, is_settled) = self.line.pass(&text[at..]);
                at += length;
                if !is_settled {
                    return at;
                }
            }
            if !self.line.is_over() {
                return at;
            }
            let [a, b, c] = QUOTING;
            let Some(step) = memchr::memchr3(a, b, c, &text[at..]) else {
                return text.len();
            };
            at += step;
            match text[at] {
                b'\n' => {
                    (self.inline, self.block, self.in_info) = (0, false, false);
                    self.line.end();
                    at += 1;
                }
                b'<' if text.get(at + 1).is_some_and(|&next| next != b'!') => at += 1,
                b'`' => {
                    let count = text[at..].iter().take_while(|&&byte| byte == b'`').count();
                    if at + count == text.len() {
                        return at;
                    }
                    at += count;
                    let count = u16::try_from(count).unwrap_or(u16::MAX);
                    self.run = Some(Marks { byte: b'`', count });
                    self.run_leads = false;
                    self.end_run();
                }
                _ => return at,
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        match &mut self.run {
            Some(run) if run.byte == byte => {
                run.count = run.count.saturating_add(1);
                return;
            }
            Some(_) => self.end_run(),
            None => {}
        }
        let leads = self.line.is_open();
        if !self.in_comment && (byte == b'`' || (byte == b'~' && leads)) {
            self.run = Some(Marks { byte, count: 1 });
            self.run_leads = leads;
            self.line.go_over();
            self.comment_match = 0;
            return;
        }
        match byte {
            b'\n' => (self.inline, self.block, self.in_info) = (0, false, false),
            b'>' if leads && !self.in_comment => self.block = true,
            _ => {}
        }
        self.line.byte(byte);
        self.explained |= self.unwrapped && self.fence.is_none() && !is_blank(byte);
        self.comment_match = match (self.in_comment, self.comment_match, byte) {
            // In other quotations a comment's begin is text.
            (false, _, _) if self.fence.is_some() || self.inline > 0 || self.block => 0,
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

    fn end_run(&mut self) {
        let Some(run) = self.run.take() else {
            return;
        };
        if run.count >= 3 && self.run_leads && !self.block {
            self.line.leave_code();
            match self.fence {
                _ if self.wrapper => (self.wrapper, self.unwrapped) = (false, true),
                None => (self.fence, self.in_info) = (Some(run), run.byte == b'`'),
                Some(fence) if run.byte == fence.byte && run.count >= fence.count => {
                    self.fence = None;
                }
                Some(_) => {}
            }
        } else if run.byte == b'`' {
            if self.in_info {
                // No fence of backticks has one on its first line: it was a span.
                self.inline = self.fence.take().map_or(0, |fence| fence.count);
                self.in_info = false;
            }
            if self.fence.is_none() && self.inline == 0 {
                self.inline = run.count;
            } else if self.inline == run.count {
                self.inline = 0;
            }
        }
    }

    /// Whether text without any of [`QUOTING`] changes nothing: it stands in the midst of a line.
    #[inline]
    pub(crate) fn ignores_plain(&self) -> bool {
        self.line.is_over() && self.run.is_none() && self.comment_match == 0 && !self.in_comment
    }

    /// Whether the next byte is quoted. `next` is that byte: a run of marks before it has ended, if it is none of them.
    pub(crate) fn is_quoted(&mut self, next: u8) -> bool {
        if self.run.is_some_and(|run| run.byte != next) {
            self.end_run();
        }
        self.fence.is_some() || self.inline > 0 || self.block || self.in_comment
    }

    /// Only blanks stand before the next byte on its line.
    pub(crate) fn at_bol(&self) -> bool {
        self.line.is_blank() && self.run.is_none()
    }

    /// Whether a fence may open here: also behind the marker of a list.
    pub(crate) fn at_fence(&self) -> bool {
        self.line.is_open() && self.run.is_none()
    }

    /// The line so far.
    pub(crate) fn line(&self) -> Line {
        self.line
    }

    /// Bytes that are not text went by: markup, arguments. They open and close nothing.
    pub(crate) fn skip(&mut self, last: u8) {
        self.end_run();
        self.comment_match = 0;
        self.line.skip(last);
        if last == b'\n' {
            (self.inline, self.block, self.in_info) = (0, false, false);
        }
    }

    /// A wrapper fence is open, or one was closed.
    pub(crate) fn has_wrapper(&self) -> bool {
        self.wrapper || self.unwrapped
    }

    /// The fence that wrapped the answer was closed, and this is no further fence right behind it.
    pub(crate) fn is_behind_wrapper(&self) -> bool {
        self.unwrapped && (self.explained || self.fence.is_none())
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
    use alloc::format;

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
            ("``a ` b`` ^", false),
            ("``a ` b ^", true),
            ("use ``^", true),
            ("use ``a` ^", true),
            ("use ```a``` and `b` ^", false),
            ("```x``` ^", false),
            ("```x`` ^", true),
            ("~~~\n^", true),
            ("~~~xml\n^", true),
            ("~~~xml `a`\n^", true),
            ("~~~\n```\n^", true),
            ("~~~\n```\n~~~\n^", false),
            ("~~~~\n~~~\n^", true),
            ("~~gone~~ ^", false),
            ("a ~~~ ^", false),
            ("- ```js\n^", true),
            ("- ```js\n  ```\n^", false),
            ("1. ~~~\n^", true),
            ("12) ```\n^", true),
            ("- > ^", true),
            ("-```\n^", false),
            ("**a** ```\n^", false),
            ("`<!--` ^", false),
            ("```html\n<!--\n```\n^", false),
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

    /// What is passed over in one go changes what byte after byte does.
    #[test]
    fn runs_are_read_as_their_bytes_are() {
        const BYTES: &[u8] = b"`~<!-->\n\r 1.*a\xEF\xBB\xBFif:==\"\"";
        let mut seed = 1u32;
        for _ in 0..40_000 {
            let text: [u8; 24] = core::array::from_fn(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // A third of them are marks that a fence or a comment is made of.
                let among = if seed >> 30 == 0 { 6 } else { BYTES.len() };
                BYTES[(seed >> 8) as usize % among]
            });
            let (mut whole, mut bytes) = (Quote::default(), Quote::default());
            whole.feed(&text);
            for byte in text {
                bytes.byte(byte);
            }
            assert_eq!(format!("{whole:?}"), format!("{bytes:?}"), "{text:?}");
        }
    }
}
