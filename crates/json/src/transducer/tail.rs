//! The end of a string that may have lost its quotation mark: brackets, and the caller's closers behind them.

use alloc::string::String;

use super::state::{Quote, State};
use super::{HELD, Output, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;

impl Transducer {
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
        let owed = core::mem::take(&mut self.owed);
        let begin = at + *i as u64 - owed.len() as u64;
        for (n, byte) in owed.bytes().enumerate().filter(|&(_, byte)| byte < 0x20) {
            debug_assert!(byte != b'"', "a quotation mark ends the tail");
            self.mend(
                out,
                Repair::RawControl,
                begin + n as u64,
                begin + n as u64 + 1,
            );
        }
        escape_into(&mut out.text, &owed);
        self.owed = owed;
        self.owed.clear();
        self.state = State::Str(Quote::Double);
    }

    pub(super) fn tail_takes(&mut self, piece: &str) -> bool {
        let byte = piece.as_bytes()[0];
        if matches!(byte, b'"' | b'\\') {
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

fn is_blank_or_bracket(byte: u8) -> bool {
    matches!(byte, b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}
