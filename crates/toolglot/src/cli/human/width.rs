//! How wide the lines of a reader are.

use std::io::IsTerminal;

/// The columns of a report where nothing says how wide its reader's lines are.
const USUAL_WIDTH: usize = 140;

/// Narrower than this, a report says nothing.
const LEAST_WIDTH: usize = 20;

/// How many columns a line of `stream` has: as `COLUMNS` says, or the terminal.
pub(crate) fn width(stream: &(impl IsTerminal + Terminal)) -> usize {
    let said = std::env::var("COLUMNS").ok();
    let said = said.and_then(|columns| columns.parse().ok());
    let own = || stream.is_terminal().then(|| stream.columns()).flatten();
    said.or_else(own)
        .filter(|columns| *columns > 0)
        .map_or(USUAL_WIDTH, |columns| columns.max(LEAST_WIDTH))
}

/// What may be a terminal that says how wide it is.
pub(crate) trait Terminal {
    /// Its columns.
    fn columns(&self) -> Option<usize>;
}

#[cfg(unix)]
impl<S: std::os::fd::AsFd> Terminal for S {
    fn columns(&self) -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(self).ok()?;
        Some(size.ws_col.into())
    }
}

#[cfg(not(unix))]
impl<S> Terminal for S {
    fn columns(&self) -> Option<usize> {
        None
    }
}
