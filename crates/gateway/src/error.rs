//! What keeps a gateway from being set up.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;
use toolglot_chat::ChatError;
use toolglot_session::SessionError;

/// Why a gateway cannot be built or cannot serve.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// The address of the upstream is no address that the gateway can send to.
    #[error("upstream `{address}` is unusable: {why}")]
    Upstream {
        /// The address as it was given.
        address: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The upstream gives no answer.
    #[error("{0}")]
    Unreachable(String),
    /// Other machines could reach the gateway, and it asks nobody for a key.
    #[error("{0} is reachable from other machines: give an API key file, or listen on 127.0.0.1")]
    NeedsKey(SocketAddr),
    /// The gateway is to run tools, and asks nobody for a key.
    #[error("`--execute` needs an API key file: without it any caller could run tools")]
    ExecuteNeedsKey,
    /// The tools that the gateway is to run cannot be read.
    #[error("cannot read the tools that the gateway runs")]
    Execute(#[source] SessionError),
    /// A key that no HTTP header can carry.
    #[error("{0} has a control character or is empty")]
    Key(&'static str),
    /// A configuration that is not TOML, or has an unknown table, key or value.
    #[error("line {line}, column {column} of the configuration: {why}")]
    Configuration {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// What is wrong.
        why: String,
    },
    /// A dialect that cannot be read and taught.
    #[error("the dialect of the models `{pattern}` is wrong")]
    Dialect {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        #[source]
        source: ChatError,
    },
    /// A directory that messages cannot be recorded in.
    #[error("cannot record messages in {}", directory.display())]
    Record {
        /// The directory.
        directory: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A directory for messages that other users can read.
    #[error("other users can read {dir}: messages are only recorded after `chmod 700 {dir}`", dir = .0.display())]
    PublicRecord(PathBuf),
    /// A socket or a signal that the system refuses.
    #[error("cannot serve")]
    Serve(#[source] io::Error),
}
