//! Ctrl-C: what runs is killed with all that it started, the log says so, and the exit code is 130. A second one ends us
//! at once, and the kernel then kills what is left, since its leash is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use toolglot_tool_runner::Cancel;

/// As shells say it: ended by signal 2.
pub(crate) const EXIT_CODE: u8 = 130;

/// Tells the first signal to what this gives back; from now on it ends no more than that.
///
/// # Errors
/// If the system has no descriptor left.
pub(crate) fn cancel() -> io::Result<Cancel> {
    let cancel = Cancel::new()?;
    let once = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down.
        signal_hook::flag::register_conditional_shutdown(signal, EXIT_CODE.into(), once.clone())?;
        signal_hook::flag::register(signal, once.clone())?;
        #[cfg(unix)]
        signal_hook::low_level::pipe::register(signal, cancel.writer()?)?;
        #[cfg(not(unix))]
        signal_hook::flag::register(signal, cancel.flag())?;
    }
    Ok(cancel)
}
