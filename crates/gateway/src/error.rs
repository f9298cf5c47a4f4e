//! What keeps a gateway from being set up.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

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
    /// Other machines could reach the gateway, and it asks nobody for a key.
    #[error("{0} is reachable from other machines: give an API key file, or listen on 127.0.0.1")]
    NeedsKey(SocketAddr),
    /// A key that no HTTP header can carry.
    #[error("{0} has a control character or is empty")]
    Key(&'static str),
    /// A file that cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// A socket or a signal that the system refuses.
    #[error("cannot serve")]
    Serve(#[source] io::Error),
}
