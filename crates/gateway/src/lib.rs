//! An HTTP gateway between agents and a server of language models: what `toolglot serve` runs.
//!
//! A [`Server`] listens on a socket, checks who asks, and sends requests to one upstream. Whatever it does not change passes
//! through as it is.
//!
//! What this crate deliberately does not do: it runs no tool, keeps no conversation, and prints nothing. It writes no JSON of
//! a vendor's API but errors; that is `toolglot-wire`'s.
//!
//! ```no_run
//! use toolglot_gateway::Server;
//!
//! let listener = std::net::TcpListener::bind("127.0.0.1:8080")?;
//! Server::builder("http://127.0.0.1:8000").build()?.run(listener)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod api;
mod connection;
mod error;
mod fault;
mod keys;
mod limits;
mod metrics;
mod origin;
mod server;
mod upstream;

pub use error::GatewayError;
pub use limits::Limits;
pub use server::{Server, ServerBuilder};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
