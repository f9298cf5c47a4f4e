//! Runs of backticks inside a value that a fence closes.

use super::value::Value;
use super::view::View;
use crate::program::is_blank;

pub(super) enum Fence {
    Wait,
    Closer,
    Data { upto: u64 },
}

/// A run of backticks inside a value that a fence closes.
pub(super) fn fence(value: &mut Value, view: View<'_>, at: u64, eof: bool) -> Fence {
    const LONGEST: usize = 64;
    let bytes = view.from(at);
    let run = bytes
        .iter()
        .take(LONGEST + 1)
        .take_while(|&&b| b == b'`')
        .count();
    if run <= LONGEST && run == bytes.len() && !eof {
        return Fence::Wait;
    }
    let upto = at + run as u64;
    if run != 3 {
        return Fence::Data { upto };
    }
    let letter = bytes.get(run).is_some_and(u8::is_ascii_alphanumeric);
    // A fence that closes ends its line, where it stands on a line of its own.
    let ends_line = bytes.get(run).is_none_or(|&byte| is_blank(byte));
    match (value.line_blank, letter) {
        (true, false) if !ends_line => Fence::Data { upto },
        (true, true) => {
            value.nest += 1;
            Fence::Data { upto }
        }
        (true, false) if value.nest > 0 => {
            value.nest -= 1;
            Fence::Data { upto }
        }
        (false, true) => Fence::Data { upto },
        _ => Fence::Closer,
    }
}
