//! Ctrl-C kills the running call with all its processes, the log records the end, and the exit code is 130. A second
//! Ctrl-C ends `toolglot` at once, which closes the leash: the rest of the processes is then killed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use toolglot_tool_runner::Cancel;

/// The exit code that shells give for an end by signal 2.
pub(crate) const EXIT_CODE: u8 = 130;

/// Returns a [`Cancel`] that the first signal triggers, instead of ending the process.
///
/// # Errors
/// If the system has no descriptor left.
pub(crate) fn cancel() -> io::Result<Cancel> {
    let cancel = Cancel::new()?;
    let once = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order, the first signal finds the flag unset.
        signal_hook::flag::register_conditional_shutdown(signal, EXIT_CODE.into(), once.clone())?;
        signal_hook::flag::register(signal, once.clone())?;
        #[cfg(unix)]
        signal_hook::low_level::pipe::register(signal, cancel.writer()?)?;
        #[cfg(not(unix))]
        signal_hook::flag::register(signal, cancel.flag())?;
    }
    Ok(cancel)
}
