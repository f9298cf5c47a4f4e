//! The width of lines, in columns.

use std::io::IsTerminal;

/// The columns of a report whose reader's width is unknown.
const USUAL_WIDTH: usize = 140;

/// The least columns of a report.
const LEAST_WIDTH: usize = 20;

/// How many columns a line of `stream` has, by `COLUMNS` or by the terminal.
pub(crate) fn width(stream: &(impl IsTerminal + Terminal)) -> usize {
    let env = std::env::var("COLUMNS").ok();
    let env = env.and_then(|columns| columns.parse().ok());
    let own = || stream.is_terminal().then(|| stream.columns()).flatten();
    env.or_else(own)
        .filter(|columns| *columns > 0)
        .map_or(USUAL_WIDTH, |columns| columns.max(LEAST_WIDTH))
}

/// A stream that may be a terminal with a known width.
pub(crate) trait Terminal {
    /// The columns of the terminal.
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
