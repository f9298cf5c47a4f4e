//! The Model Context Protocol, both ways.
//!
//! ```text
//!  client:  Client ──Wire──▶ a program's pipes (as Lines)  |  Stream (streamable HTTP, over a Web)
//!  server:  Session ◀── lines of standard input  |  serve (streamable HTTP on a socket)
//! ```
//!
//! This crate speaks the protocol and does nothing else. It starts no program and resolves no name: the caller supplies
//! a [`client::Wire`] or a checked [`client::Web`]. It reads no tool files, stores no pins and has no policy. All of it
//! blocks; a call has a thread.
//!
//! Source: <https://modelcontextprotocol.io/specification/2025-11-25>, read 2026-11.

pub mod auth;
pub mod client;
pub mod message;
mod once;
pub mod pin;
pub mod server;
mod sse;
mod web;

/// The supported versions, the newest first.
pub const VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version without sessions.
pub const STATELESS: &str = "2026-07-28";

/// The revision in which several messages may come as one list; later revisions removed such lists.
pub(crate) const BATCHES: &str = "2025-03-26";

/// The newest supported version.
pub const LATEST: &str = VERSIONS[0];

/// The log levels, from the least to the most severe (RFC 5424).
pub(crate) const LEVELS: &[&str] = &[
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
