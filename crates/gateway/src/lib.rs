//! An HTTP gateway between agents and a server of language models: the implementation of `toolglot serve`.
//!
//! A [`Server`] listens on a socket, checks clients, and sends requests of three APIs to one upstream. The [`Mode`] of
//! a model decides how the tools reach the model, and how its calls come back. All other paths pass through.
//!
//! This crate deliberately keeps no conversation, decides on no call and prints nothing. Tools run only with
//! [`ServerBuilder::execute`], in a session that decides on them and logs them. `toolglot-wire` handles the JSON of the
//! APIs.
//!
//! ```text
//!  client ─ server ─ exchange ─ upstream
//!                       │           │ bytes
//!                       │       UpstreamReader ─ reading (text ─ Parser) ─ Answer ─ bytes ─ client
//!                       └─ models, tool_program, call_policy
//! ```
//!
//! ```no_run
//! use toolglot_gateway::Server;
//!
//! let listener = std::net::TcpListener::bind("127.0.0.1:8080")?;
//! Server::builder("http://127.0.0.1:8000").build()?.run(listener)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod answer_stream;
mod call_policy;
mod chat_template;
mod connection;
mod constraint;
mod diagnosis;
mod error;
mod exchange;
mod executor;
mod fault;
mod keys;
mod limits;
mod message_trace;
mod messages;
mod metrics;
mod model_findings;
mod models;
mod origin;
mod rate_limit;
mod reading;
mod recorder;
mod salvage;
mod server;
mod telemetry;
mod tool_program;
mod upstream;
mod upstream_kind;

pub use constraint::Constrain;
pub use error::GatewayError;
pub use limits::Limits;
pub use models::{CallEmission, Mode, ModelSettings, Models, RecoveredCalls};
pub use server::{Server, ServerBuilder};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
