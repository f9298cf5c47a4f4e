//! Tests of the builtin tools through the public interface: their effects and their limits.
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

mod edit;
mod list;
mod many;
mod quarantine;
mod read;
mod search;
mod world;
mod write;

#[cfg(unix)]
mod containment;
#[cfg(unix)]
mod judged;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(unix)]
mod races;
