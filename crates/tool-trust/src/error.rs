//! The errors of the trust store.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The errors of the trust store.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// There is no home directory for the store.
    #[error("there is no home directory: set `HOME` or `USER_SPACE`")]
    NoHome,
    /// The user has no key.
    #[error("there is no key to sign with; `toolglot tools keys new` makes one")]
    NoKey,
    /// The user has a key already.
    #[error(
        "`{0}` is there already; a second key would leave the signatures of the first without their owner"
    )]
    KeyExists(PathBuf),
    /// The user's key was revoked.
    #[error(
        "your key {key} was revoked at {since}, and nothing that it signs runs; `toolglot tools keys new` makes another"
    )]
    RevokedOwn {
        /// Its fingerprint.
        key: String,
        /// When.
        since: String,
    },
    /// A key to be trusted was revoked.
    #[error("the key {key} was revoked at {since}, and is not trusted again")]
    Revoked {
        /// Its fingerprint.
        key: String,
        /// When.
        since: String,
    },
    /// Others can read the file of the private key.
    #[error(
        "`{path}` can be read by others (mode {mode:o}); `chmod 600` it, or make a new key if they may have"
    )]
    OpenKey {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file of a key holds no usable key.
    #[error("`{path}` is not a usable key")]
    BadKey {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: toolglot_tool_signature::KeyError,
    },
    /// No key has that fingerprint.
    #[error("no key has the fingerprint `{0}`; `toolglot tools keys list` shows them")]
    UnknownKey(String),
    /// A key of a policy file is invalid.
    #[error(
        "`keys` of `[trust]` holds `{name}`, which is neither a fingerprint (16 or 64 hexadecimal digits) nor `ed25519:<base64>`"
    )]
    BadPolicyKey {
        /// The text.
        name: String,
        /// What is wrong with it.
        #[source]
        source: toolglot_tool_signature::KeyError,
    },
    /// A server's definition of a tool is not approved, and the policy accepts none on first use.
    #[error(
        "the server's definition of `{id}` is not approved yet, as the policy requires: `toolglot mcp approve {server}` shows it and approves it"
    )]
    NotApproved {
        /// The tool.
        id: String,
        /// The server, as it is approved.
        server: String,
    },
    /// Another definition of the server's tool is pinned.
    #[error("the server's definition of `{id}` differs from the pinned one")]
    PinnedOtherwise {
        /// The tool.
        id: String,
    },
    /// A file of the store is damaged.
    #[error("`{path}` is damaged: {why}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// An error of the operating system.
    #[error("`{path}` cannot be used: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}
