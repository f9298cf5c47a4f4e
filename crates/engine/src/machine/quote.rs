//! Quoted code: a fence, an inline span, a block quote, an HTML comment. Only the past decides.
//!
//! Fences and spans are CommonMark's (0.31, sections 4.5 and 6.1), as far as the past decides. A span ends at as many
//! backticks as started the span, and at its line's end, because later bytes are not known.

use super::line::Line;
use crate::program::{QUOTING, WRAPPERS, is_blank};
use crate::thresholds::LANGUAGE_MAX;

/// Tracks text outside calls and decides whether the next byte is in a quotation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quote {
    fence: Option<Fence>,
    /// The language on the open fence's first line, until that line ends.
    info: Option<Info>,
    /// The run of backticks or tildes right before the next byte.
    run: Option<Marks>,
    /// Only text that may lead a line precedes `run`.
    run_leads: bool,
    /// Backticks of the inline span that is open on this line, 0 for none.
    inline: u16,
    /// The line started with `>`.
    block: bool,
    /// Matched bytes of `<!--` or, inside a comment, of `-->`.
    comment_match: u8,
    in_comment: bool,
    /// The line so far.
    pub(super) line: Line,
    /// The quotation contains only blanks and calls so far.
    pub(super) is_fresh: bool,
    /// A note reports a possible call in the quotation.
    pub(super) is_noted: bool,
    /// A fence wrapped calls, or the answer.
    pub(super) wrapped: bool,
    /// Text outside fences follows the last fence that wrapped calls or the answer.
    explained: bool,
}

/// The open fence.
#[derive(Clone, Copy, Debug)]
struct Fence {
    marks: Marks,
    holds: Holds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// The answer: the wrapper started the message.
    Answer,
    /// Calls, if any: a wrapper without text so far.
    Calls,
    Quotation,
}

/// Equal bytes that a fence or a span starts or ends with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks {
    byte: u8,
    count: u16,
}

impl Marks {
    /// The run of equal bytes that `text` starts with.
    pub(crate) fn leading(text: &str) -> Option<Marks> {
        let byte = text.bytes().next()?;
        let count = text.bytes().take_while(|&next| next == byte).count();
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        Some(Marks { byte, count })
    }
}

/// The language that a fence names, if it is no longer than a wrapper's.
#[derive(Clone, Copy, Debug, Default)]
struct Info {
    bytes: [u8; LANGUAGE_MAX],
    length: usize,
    /// Something follows the language, or the language is too long.
    is_other: bool,
    is_over: bool,
}

impl Info {
    fn push(&mut self, byte: u8) {
        match self.bytes.get_mut(self.length) {
            _ if is_blank(byte) => self.is_over = self.length > 0,
            Some(place) if !self.is_over => {
                *place = byte;
                self.length += 1;
            }
            _ => self.is_other = true,
        }
    }

    fn is_wrapper(&self) -> bool {
        let word = &self.bytes[..self.length];
        let is_known = |known: &&str| known.as_bytes() == word;
        !self.is_other && (word.is_empty() || WRAPPERS.iter().any(is_known))
    }
}

impl Quote {
    /// Feeds text outside calls.
    pub(crate) fn feed(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            let is_calm = self.run.is_none() && self.comment_match == 0 && !self.is_watchful();
            if is_calm && !self.in_comment {
                at += self.pass(&text[at..]);
            } else if is_calm && self.line.is_over() {
                let rest = &text[at..];
                at += memchr::memchr2(b'-', b'\n', rest).unwrap_or(rest.len());
            }
            if at == text.len() {
                return;
            }
            self.byte(text[at]);
            at += 1;
        }
    }

    /// Where in `text`, which follows calls in fences, the first byte outside such fences is.
    pub(crate) fn past_calls(mut self, text: &[u8]) -> Option<usize> {
        text.iter().position(|&byte| {
            let is_past = self.is_past_calls();
            self.byte(byte);
            is_past || self.is_past_calls()
        })
    }

    /// Whether something other than a fence of calls follows fences of calls.
    pub(crate) fn is_past_calls(&self) -> bool {
        let is_quotation = |fence: Fence| fence.holds == Holds::Quotation;
        self.explained || self.info.is_none() && self.fence.is_some_and(is_quotation)
    }

    /// Ends the message.
    pub(crate) fn end(&mut self) {
        self.end_run();
        self.end_line();
    }

    /// Whether every byte that is not blank counts.
    fn is_watchful(&self) -> bool {
        let holds = self.fence.map(|fence| fence.holds);
        self.is_fresh
            || self.info.is_some()
            || holds.is_none() && self.wrapped && !self.explained
            || self.is_noted && !self.is_open()
    }

    /// Feeds the ordinary prose or code at the start of `text`: no comment, and no line that starts with a fence or a
    /// bullet. Returns its length. The effect equals [`byte`](Quote::byte) for each byte.
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
                    self.end_line();
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
            if self.is_watchful() {
                return at;
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
        let opens_block = byte == b'>' && leads && !self.in_comment;
        self.block |= opens_block;
        match &mut self.info {
            _ if byte == b'\n' => self.end_line(),
            Some(info) => info.push(byte),
            None if is_blank(byte) => {}
            None => self.solid(),
        }
        self.is_fresh |= opens_block;
        self.line.byte(byte);
        self.comment_match = match (self.in_comment, self.comment_match, byte) {
            // In other quotations `<!--` is text.
            (false, _, _) if self.is_fenced() || self.inline > 0 || self.block => 0,
            (false, 0, b'<') | (true, 0, b'-') => 1,
            (false, 1, b'!') | (true, 1, b'-') => 2,
            (false, 2, b'-') => 3,
            (false, 3, b'-') => {
                (self.in_comment, self.is_fresh) = (true, true);
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

    /// Takes text that is not blank.
    fn solid(&mut self) {
        self.is_fresh = false;
        self.is_noted &= self.is_open();
        self.explained |= self.wrapped && self.fence.is_none();
        self.refuse_calls();
    }

    fn end_line(&mut self) {
        (self.inline, self.block) = (0, false);
        if let Some(info) = self.info.take() {
            self.is_fresh = true;
            if let Some(fence) = self.fence.as_mut().filter(|_| info.is_wrapper()) {
                fence.holds = Holds::Calls;
            }
        }
        self.is_fresh &= self.is_open();
    }

    fn end_run(&mut self) {
        let Some(run) = self.run.take() else {
            return;
        };
        if run.count >= 3 && self.run_leads && !self.block {
            self.line.leave_code();
            let closes =
                |fence: Fence| fence.marks.byte == run.byte && fence.marks.count <= run.count;
            if self.fence.is_none_or(closes) {
                let opens = self.fence.is_none();
                let holds = Holds::Quotation;
                self.fence = opens.then_some(Fence { marks: run, holds });
                (self.info, self.is_fresh) = (opens.then(Info::default), false);
                return;
            }
        }
        if let Some(info) = &mut self.info {
            if self.fence.is_some_and(|fence| fence.marks.byte != run.byte) {
                info.is_other = true;
                return;
            }
            // A fence of backticks has no backtick on its first line, so the opener was a span's.
            self.inline = self.fence.take().map_or(0, |fence| fence.marks.count);
            self.info = None;
        }
        self.solid();
        if run.byte == b'`' && self.inline == run.count {
            self.inline = 0;
        } else if run.byte == b'`' && self.inline == 0 && !self.is_fenced() {
            (self.inline, self.is_fresh) = (run.count, true);
        }
    }

    /// Whether text without any of [`QUOTING`] changes nothing, because the text is within a line.
    pub(crate) fn ignores_plain(&self) -> bool {
        let is_calm = self.run.is_none() && self.comment_match == 0 && !self.in_comment;
        self.line.is_over() && is_calm && !self.is_watchful()
    }

    /// Whether the next byte, `next`, is quoted. A run of other bytes before `next` ends.
    pub(crate) fn is_quoted(&mut self, next: u8) -> bool {
        if self.run.is_some_and(|run| run.byte != next) {
            self.end_run();
        }
        self.is_open()
    }

    /// Whether a quotation is open.
    fn is_open(&self) -> bool {
        self.is_fenced() || self.inline > 0 || self.block || self.in_comment
    }

    /// Whether a fence is open that does not wrap the answer.
    fn is_fenced(&self) -> bool {
        self.fence.is_some_and(|fence| fence.holds != Holds::Answer)
    }

    /// Whether a call may start here in a wrapper: only blanks and calls precede this place in the wrapper.
    pub(crate) fn may_call(&self) -> bool {
        self.info.is_none() && self.fence.is_some_and(|fence| fence.holds == Holds::Calls)
    }

    /// Records that the wrapper contains a call.
    pub(crate) fn hold_calls(&mut self) {
        (self.wrapped, self.explained) = (true, false);
    }

    /// Records that the wrapper contains something other than calls.
    pub(crate) fn refuse_calls(&mut self) {
        let wrapper = self.fence.as_mut();
        if let Some(fence) = wrapper.filter(|fence| fence.holds == Holds::Calls) {
            fence.holds = Holds::Quotation;
        }
    }

    /// Whether a quotation may start right after `text`, which was not fed yet.
    pub(crate) fn may_start_after(&self, text: &[u8]) -> bool {
        let blanks = text.iter().rev().take_while(|&&byte| is_blank(byte));
        let n_blank = blanks.count();
        let (solid, blanks) = text.split_at(text.len() - n_blank);
        let Some(last) = solid.last() else {
            return self.is_fresh || self.run.is_some() || self.info.is_some();
        };
        if matches!(last, b'`' | b'~' | b'>' | b'-') {
            return true;
        }
        if !blanks.contains(&b'\n') {
            return false;
        }
        // The last line of `text` may be the first line of a fence.
        let line = memchr::memrchr(b'\n', solid).map_or(solid, |end| &solid[end + 1..]);
        let is_cut = line.len() == solid.len();
        memchr::memchr2(b'`', b'~', line).is_some()
            || is_cut && (self.run.is_some() || self.info.is_some())
    }

    /// Whether only blanks precede the next byte on its line.
    pub(crate) fn at_bol(&self) -> bool {
        self.line.is_blank() && self.run.is_none()
    }

    /// Whether a fence may open here; a list's bullet may precede the fence.
    pub(crate) fn at_fence(&self) -> bool {
        self.line.is_open() && self.run.is_none()
    }

    /// Skips bytes that are not text: markup, arguments. Only their line breaks count.
    pub(crate) fn skip(&mut self, text: &[u8]) {
        self.end_run();
        self.comment_match = 0;
        self.info = None;
        self.line.skip(text);
        if text.contains(&b'\n') {
            self.end_line();
        }
    }

    /// Whether the fence that wrapped calls is closed, and no further fence is open right after that fence.
    pub(crate) fn is_after_wrapper(&self) -> bool {
        self.wrapped && (self.explained || self.fence.is_none())
    }

    /// Whether the fence that wraps the answer is open.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.fence.is_some_and(|fence| fence.holds == Holds::Answer)
    }

    /// Opens the wrapper that starts the message; its opener `marks` is markup.
    pub(crate) fn open_answer(&mut self, marks: Marks) {
        let holds = Holds::Answer;
        self.fence = Some(Fence { marks, holds });
        self.wrapped = true;
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::Quote;

    #[test]
    fn a_line_break_in_markup_ends_the_quotation_in_any_cut() {
        for size in [1, 99] {
            let mut quote = Quote::default();
            quote.feed(b"> a");
            b"b\n> c".chunks(size).for_each(|part| quote.skip(part));
            assert!(!quote.is_quoted(b'<'), "{size}");
        }
    }

    /// `^` is the place under test; quoted or not, in any cut.
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

    /// A run that is passed at once changes the state as its bytes one by one do.
    #[test]
    fn runs_are_read_as_their_bytes_are() {
        const BYTES: &[u8] = b"`~<!-->\n\r 1.*a\xEF\xBB\xBFif:==\"\"";
        let mut seed = 1u32;
        for _ in 0..40_000 {
            let text: [u8; 24] = core::array::from_fn(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // A quarter is drawn only from the first six bytes, which form fences and comments.
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
