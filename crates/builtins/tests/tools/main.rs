//! The builtin tools from outside: what they do, and what no call makes them do.
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
