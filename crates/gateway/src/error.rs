//! Why a gateway cannot start.

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
    /// The gateway cannot send to the address of the upstream.
    #[error("upstream `{address}` is unusable: {why}")]
    Upstream {
        /// The address as given.
        address: String,
        /// The fault of the address.
        why: &'static str,
    },
    /// The upstream does not answer.
    #[error("{0}")]
    Unreachable(String),
    /// Other machines could reach the gateway, and it requires no key.
    #[error("{0} is reachable from other machines: give an API key file, or listen on 127.0.0.1")]
    NeedsKey(SocketAddr),
    /// The gateway should run tools, and requires no key.
    #[error("`--execute` needs an API key file: without it any caller could run tools")]
    ExecuteNeedsKey,
    /// The tools that the gateway should run cannot be read.
    #[error("cannot read the tools that the gateway runs")]
    Execute(#[source] SessionError),
    /// A key that no HTTP header can contain.
    #[error("{0} has a control character or is empty")]
    Key(&'static str),
    /// A configuration that is not TOML, or has an unknown table, key or value.
    #[error("line {line}, column {column} of the configuration: {why}")]
    Configuration {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// The fault.
        why: String,
    },
    /// A dialect that cannot be read and taught.
    #[error("the dialect of the models `{pattern}` is wrong")]
    Dialect {
        /// The pattern.
        pattern: String,
        /// The fault.
        #[source]
        source: ChatError,
    },
    /// A directory that cannot store recorded messages.
    #[error("cannot record messages in {}", directory.display())]
    Record {
        /// The directory.
        directory: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A directory for messages that other users can read.
    #[error("other users can read {dir}: messages are only recorded after `chmod 700 {dir}`", dir = .0.display())]
    PublicRecord(PathBuf),
    /// The system refuses a socket or a signal handler.
    #[error("cannot serve")]
    Serve(#[source] io::Error),
}
