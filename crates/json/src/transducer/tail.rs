//! The end of a string that may have lost its quotation mark: brackets, and the caller's closers behind them.

use alloc::string::String;

use super::state::{Quote, State};
use super::{HELD, Output, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;

impl Transducer {
    /// Whether the bracket at `bytes[i]`, inside a string, may end it: a cheap look at the byte behind it.
    #[inline]
    pub(super) fn may_be_tail(&self, bytes: &[u8], i: usize) -> bool {
        match bytes.get(i + 1) {
            Some(&byte) => self.tail_bytes[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0,
            None => true,
        }
    }

    /// `rest` begins with a closing bracket inside a string. How long the run of brackets and blanks is, and whether it
    /// may be structure: nothing is behind it yet, or one of the caller's closers. All of a run is decided alike.
    pub(super) fn tail_begins(&self, rest: &[u8]) -> (usize, bool) {
        let run = rest
            .iter()
            .take_while(|&&byte| is_blank_or_bracket(byte))
            .count();
        let behind = &rest[run..];
        let fits = |closer: &String| {
            behind.starts_with(closer.as_bytes()) || closer.as_bytes().starts_with(behind)
        };
        (run, behind.is_empty() || self.closers.iter().any(fits))
    }

    /// The brackets that are owed may end a string that began with `quote`.
    pub(super) fn begin_tail(&mut self, quote: Quote) {
        (self.tail_next, self.tail_closer) = (0, 1);
        self.tail_quote = quote;
        self.state = State::Tail;
    }

    /// A byte behind closing brackets in a string. What waits is `owed`; it goes on while only brackets, blanks, and the
    /// caller's closers in their order come.
    pub(super) fn tail(
        &mut self,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let length = text[*i..].chars().next().map_or(1, char::len_utf8);
        *run = *i;
        if self.owed.len() < HELD && self.tail_takes(&text[*i..*i + length]) {
            self.owed.push_str(&text[*i..*i + length]);
            *i += length;
            *run = *i;
            return;
        }
        // It was data.
        let mut owed = core::mem::take(&mut self.owed);
        let begin = at + *i as u64 - owed.len() as u64;
        let raw = |&(_, byte): &(usize, u8)| byte < 0x20 && self.tail_quote == Quote::Double;
        let controls: alloc::vec::Vec<(usize, u8)> = owed.bytes().enumerate().filter(raw).collect();
        for (n, byte) in controls {
            debug_assert!(byte != b'"', "a quotation mark ends the tail");
            self.mend(
                out,
                Repair::RawControl,
                begin + n as u64,
                begin + n as u64 + 1,
            );
        }
        if self.tail_quote == Quote::Token {
            // The token that ends the string may have begun.
            let token = self.token_quote.as_deref().unwrap_or("").as_bytes();
            let n_begun = (1..=owed.len().min(token.len()))
                .rev()
                .find(|&n| owed.as_bytes().ends_with(&token[..n]))
                .unwrap_or(0);
            self.matched = n_begun as u8;
            owed.truncate(owed.len() - n_begun);
        }
        escape_into(&mut out.text, &owed);
        self.owed = owed;
        self.owed.clear();
        self.state = State::Str(self.tail_quote);
    }

    pub(super) fn tail_takes(&mut self, piece: &str) -> bool {
        let byte = piece.as_bytes()[0];
        if matches!(byte, b'"' | b'\\') && self.tail_quote == Quote::Double {
            return false;
        }
        if self.tail_closer == self.owed.len() {
            // Not inside a closer.
            if (self.tail_next == 0 && is_blank_or_bracket(byte))
                || matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
            {
                self.tail_closer += 1;
                return true;
            }
        }
        let so_far = &self.owed[self.tail_closer..];
        let fits = |closer: &String| {
            closer
                .strip_prefix(so_far)
                .and_then(|rest| rest.strip_prefix(piece))
                .map(str::is_empty)
        };
        let Some((n, whole)) = self
            .closers
            .iter()
            .enumerate()
            .skip(self.tail_next)
            .find_map(|(n, closer)| fits(closer).map(|whole| (n, whole)))
        else {
            return false;
        };
        if whole {
            self.tail_next = n + 1;
            self.tail_closer = self.owed.len() + piece.len();
        }
        true
    }
}

/// What may stand behind a bracket that ends a string: blanks, brackets and what a closer begins with.
pub(super) fn behind_brackets(closers: &[String]) -> [u64; 4] {
    let mut set = [0; 4];
    let first = closers.iter().filter_map(|closer| closer.bytes().next());
    for byte in first.chain(*b"}] \t\n\r") {
        set[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
    set
}

fn is_blank_or_bracket(byte: u8) -> bool {
    matches!(byte, b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}
