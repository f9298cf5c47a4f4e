//! The end of a string that may have lost its quote: brackets, and the caller's closers after them.

use alloc::string::String;

use super::piece::Piece;
use super::state::{Frame, Quote, State};
use super::{HELD, Output, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;

/// Held brackets, blanks and closers of the caller that may end a string.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    /// Index of the first closer that may come next.
    pub(super) next_closer: usize,
    /// Index in `held` where the closer being read starts.
    pub(super) closer_at: usize,
    /// Index in `held` where the first closer starts.
    pub(super) first_at: usize,
    /// Indices in `held` of the lines after the tail, and of the line being read.
    pub(super) rest_at: usize,
    pub(super) line_at: usize,
}

/// Bit set of the bytes that may follow a bracket which ends a string: blanks, brackets, `,`, `"`, and each closer's
/// first byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct TailBytes([u64; 4]);

impl Default for TailBytes {
    fn default() -> TailBytes {
        TailBytes::of(&[])
    }
}

impl TailBytes {
    pub(super) fn of(closers: &[String]) -> TailBytes {
        let mut set = [0; 4];
        let first = closers.iter().filter_map(|closer| closer.bytes().next());
        for byte in first.chain(*b"}], \t\n\r\"") {
            set[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        TailBytes(set)
    }

    #[inline]
    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
    }
}

impl Transducer {
    /// Whether a bracket inside a string may end the string: a cheap check of the byte after the bracket.
    #[inline]
    pub(super) fn may_be_tail(&self, following: Option<&u8>) -> bool {
        following.is_none_or(|&byte| self.context.tail_bytes.has(byte))
    }

    /// Length of the run of brackets and blanks at `bytes[at]`, inside a string, and whether the run may be structure.
    /// It may be if nothing or a caller's closer follows, if a quote follows that may open a key, or if
    /// [`may_be_over`](Transducer::may_be_over) holds. One decision holds for the whole run.
    pub(super) fn tail_starts(&self, bytes: &[u8], at: usize) -> (usize, bool) {
        let takes_commas = self.takes_commas();
        let rest = &bytes[at..];
        let mut length = 0;
        let mut has_comma = self.pause(&bytes[..at]) > 0;
        while let Some(&byte) = rest.get(length) {
            has_comma |= byte == b',' && takes_commas;
            let continues = has_comma && matches!(byte, b',' | b'{' | b'[');
            if !continues && !is_blank_or_bracket(byte) {
                break;
            }
            length += 1;
        }
        let (run, following) = rest.split_at(length);
        let fits = |closer: &String| {
            let closer = closer.as_bytes();
            // Most differ in the first byte.
            following.first() == closer.first()
                && !self.string.quote.may_end(closer[0])
                && (following.starts_with(closer) || closer.starts_with(following))
        };
        let is_after = has_comma || self.ends_a_line(run);
        let may_open_a_key = takes_commas && following.first() == Some(&b'"') && is_after;
        let is_open = following.is_empty()
            || self.may_be_over(run)
            || self.may_be_tail(following.first())
                && (may_open_a_key || self.context.closers.iter().any(fits));
        (length, is_open)
    }

    /// Whether a comma in the string may separate two members or elements.
    pub(super) fn takes_commas(&self) -> bool {
        self.string.quote == Quote::Double
            && !self.context.python
            && matches!(self.stack.last(), Some(Frame::Object | Frame::Array))
    }

    /// Whether `run` has a line break, and a key of the innermost object may follow.
    pub(super) fn ends_a_line(&self, run: &[u8]) -> bool {
        run.contains(&b'\n') && self.stack.last() == Some(&Frame::Object)
    }

    /// How many bytes at the end of `bytes`, inside a string, may be structure: a comma, then blanks, brackets and
    /// commas.
    #[inline]
    pub(super) fn pause(&self, bytes: &[u8]) -> usize {
        match bytes.last() {
            Some(b',' | b' ' | b'}' | b']' | b'{' | b'[') if self.takes_commas() => {
                from_comma(bytes)
            }
            _ => 0,
        }
    }

    /// Starts a tail: the byte at `piece.i`, and a comma before it, may end the string.
    pub(super) fn start_tail(&mut self, piece: &mut Piece<'_>) {
        piece.i -= self.pause(&piece.bytes()[piece.run..piece.i]);
        self.copy(&piece.text[piece.run..piece.i], piece.out);
        piece.run = piece.i;
        self.count_brackets(piece.here(), piece);
        self.held_at = piece.here();
        (self.tail.next_closer, self.tail.closer_at) = (0, 0);
        self.state = State::Tail;
    }

    /// Reads a byte of a tail, which continues while brackets, blanks, commas, and the caller's closers in order come.
    pub(super) fn tail(&mut self, byte: u8, piece: &mut Piece<'_>) {
        if self.held.len() < HELD && self.tail_takes(piece.character()) {
            return self.hold(piece);
        }
        if byte == b'"'
            && self.takes_commas()
            && self.tail.closer_at == self.held.len()
            && (self.held.contains(',') || self.ends_a_line(self.held.as_bytes()))
        {
            let n_held = self.held.len() + 1;
            if self.held.bytes().all(|byte| byte <= b' ')
                && !self.string.has_inner
                && self.ends_at_once(piece.bytes(), piece.i + 1, n_held)
            {
                self.tail_was_data(piece.here(), piece.out);
                piece.i += 1;
                return self.end_value();
            }
            self.start_lookahead(piece.here());
            return piece.skip(1);
        }
        let held = self.held.as_bytes();
        let may_end = match self.tail.next_closer {
            0 => self.may_be_over(held),
            _ => self.tail.closer_at == held.len() && self.closes_open(&held[..self.tail.first_at]),
        };
        if may_end {
            // The held bytes may end the string: the next bytes are held too.
            (self.tail.rest_at, self.tail.line_at) = (held.len(), held.len());
            self.state = State::LineEnd;
        } else {
            self.tail_was_data(piece.here(), piece.out);
        }
    }

    /// The held bytes, which end at `at`, are data of the string.
    pub(super) fn tail_was_data(&mut self, at: u64, out: &mut Output) {
        let mut pending = core::mem::take(&mut self.held);
        if self.string.quote == Quote::Token {
            // The token that ends the string may have started, unless the held bytes are plain letters.
            let token = self.context.token_quote.as_deref();
            let token = token.filter(|_| !self.context.is_plain);
            let token = token.unwrap_or("").as_bytes();
            let starts = |&n: &usize| pending.as_bytes().ends_with(&token[..n]);
            let n_longest = pending.len().min(token.len());
            let n_started = (1..=n_longest).rev().find(starts).unwrap_or(0);
            self.string.n_matched = n_started as u8;
            pending.truncate(pending.len() - n_started);
        }
        self.write_held(&pending, at - pending.len() as u64, out);
        self.string.after_letter = pending.ends_with(|c: char| c.is_ascii_alphabetic());
        self.held = pending;
        self.held.clear();
        self.state = State::Str;
    }

    /// Writes `text`, which was held and starts at `at`, as data of the string.
    pub(super) fn write_held(&mut self, text: &str, at: u64, out: &mut Output) {
        if self.string.quote == Quote::Double {
            for (n, _) in text.bytes().enumerate().filter(|&(_, byte)| byte < 0x20) {
                let at = at + n as u64;
                self.note(Repair::ControlCharacter, at, at + 1, out);
            }
        }
        escape_into(&mut out.text, text);
        self.count(text.as_bytes(), at);
        self.string.is_multiline |= text.contains('\n');
    }

    fn tail_takes(&mut self, piece: &str) -> bool {
        let byte = piece.as_bytes()[0];
        if self.string.quote.may_end(byte) || byte == b'\\' && self.string.quote == Quote::Double {
            return false;
        }
        if self.tail.closer_at == self.held.len() {
            // No closer is being read.
            let is_next = match byte {
                b',' => self.takes_commas(),
                // `"x}, {"k": ..`: the next object starts.
                b'{' | b'[' => self.held.contains(','),
                _ => is_blank_or_bracket(byte),
            };
            if (self.tail.next_closer == 0 && is_next)
                || matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
            {
                self.tail.closer_at += 1;
                return true;
            }
        }
        // A comma and blanks alone do not end a string before a closer.
        let is_evidence = |byte: u8| matches!(byte, b'}' | b']' | b'\n' | b'\r' | b'\t');
        if !self.held.bytes().any(is_evidence) {
            return false;
        }
        let so_far = &self.held[self.tail.closer_at..];
        let fits =
            |closer: &String| Some(closer.strip_prefix(so_far)?.strip_prefix(piece)?.is_empty());
        let closers = self.context.closers.iter().enumerate();
        let mut closers = closers.skip(self.tail.next_closer);
        let found = closers.find_map(|(n, closer)| Some((n, fits(closer)?)));
        let Some((n, whole)) = found else {
            return false;
        };
        if whole {
            if self.tail.next_closer == 0 {
                self.tail.first_at = self.tail.closer_at;
            }
            self.tail.next_closer = n + 1;
            self.tail.closer_at = self.held.len() + piece.len();
        }
        true
    }
}

/// Length of the run of blanks, brackets and commas that ends `bytes`, from its first comma on.
#[inline(never)]
fn from_comma(bytes: &[u8]) -> usize {
    let in_run = |&&byte: &&u8| matches!(byte, b',' | b'{' | b'[') || is_blank_or_bracket(byte);
    let length = bytes.iter().rev().take_while(in_run).count();
    let run = &bytes[bytes.len() - length..];
    run.iter()
        .position(|&byte| byte == b',')
        .map_or(0, |at| length - at)
}

fn is_blank_or_bracket(byte: u8) -> bool {
    matches!(byte, b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}
