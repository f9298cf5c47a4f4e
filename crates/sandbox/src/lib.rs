//! Runs programs in a sandbox.
//!
//! A [`Command`] states the program, its environment and input, what the program may read, change and use up, and the
//! level of the sandbox. [`Command::run`] runs the command and returns a [`ProcessOutcome`]: the output, how much of it
//! was cut, and how many processes were killed. If a requested layer cannot be set up, the program is not started: a
//! [`SandboxError`] names the layer.
//!
//! ```text
//!  host process ──fork──▶ warden ──fork──▶ the program ──▶ whatever it starts
//!     │  leash ────────────▶ │ holds it, reaps all, kills all that is left: by its processes' namespace,
//!     ◀──────────── status ──┘ or as the one to whom orphans fall
//! ```
//!
//! When the program ends, its time is up or the host dies, the warden kills everything that was started. The warden
//! never waits for the end of a pipe: a process that was left behind may hold the pipe open.
//!
//! The crate deliberately knows no shell and no policy: the caller has decided before. The crate is for Linux; on other
//! systems it refuses. This is the one crate with `unsafe` code: between `fork` and `exec` only system calls may run.
//!
//! ```
//! # if toolglot_sandbox::layers().level() != Some(toolglot_sandbox::Isolation::Namespaces) { return Ok(()); }
//! use toolglot_sandbox::{Command, Exit};
//!
//! let mut command = Command::new(["cat", "/etc/shadow", "-"], "/usr");
//! command.env.push(("PATH".into(), "/usr/bin:/bin".into()));
//! command.stdin = b"hello".to_vec();
//! let outcome = command.run()?;
//! assert_eq!(outcome.stdout.text(), "hello");
//! assert_eq!(outcome.exit, Exit::Code(1));
//! # Ok::<(), toolglot_sandbox::SandboxError>(())
//! ```

mod command;
mod inspection;
mod layers;
mod outcome;
mod refusal;
mod watch;

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
#[path = "linux/mod.rs"]
mod platform;
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
#[path = "elsewhere.rs"]
mod platform;

pub use command::{Command, Isolation, Network, ResourceLimits, Sink, Start, run_pipeline};
pub use inspection::Inspection;
pub use layers::{Layer, Layers};
pub use outcome::{CapturedOutput, Exit, ProcessOutcome};
pub use platform::{Resident, Scratch, layers, outlive_file_limits};

/// Compiled on Linux too, so that the code of other systems is checked.
#[cfg(all(test, target_os = "linux"))]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "code that the tests do not call is compiled as well"
)]
mod elsewhere;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::{Command, Isolation, SandboxError, elsewhere};

    #[test]
    fn other_systems_refuse_and_pretend_nothing() {
        let command = Command::new(["true"], "/");
        assert!(matches!(
            elsewhere::run(&[command]),
            Err(SandboxError::Unsupported { .. })
        ));
        elsewhere::outlive_file_limits();
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        assert!(!elsewhere::is_readable(reader.as_fd()));
        writer.write_all(&[0]).expect("there is room for a byte");
        assert!(elsewhere::is_readable(reader.as_fd()));
        let layers = elsewhere::layers();
        for level in [Isolation::Plain, Isolation::Landlock, Isolation::Namespaces] {
            assert!(layers.missing(level).is_some(), "{}", level.word());
        }
    }
}
pub use refusal::SandboxError;
pub use watch::{Cancel, OutputListener, Watch};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
