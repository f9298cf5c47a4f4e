//! What the trust store cannot do, and why.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// What the trust store cannot do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// There is no home to keep it in.
    #[error("there is no home directory: set `HOME` or `USER_SPACE`")]
    NoHome,
    /// The user has no key.
    #[error("there is no key to sign with; `toolglot tools keys new` makes one")]
    NoKey,
    /// There is one already.
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
    /// A key that is to be trusted was revoked.
    #[error("the key {key} was revoked at {since}, and is not trusted again")]
    Revoked {
        /// Its fingerprint.
        key: String,
        /// When.
        since: String,
    },
    /// The file of the private key can be read by others.
    #[error(
        "`{path}` can be read by others (mode {mode:o}); `chmod 600` it, or make a new key if they may have"
    )]
    OpenKey {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file of a key holds none.
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
    /// What a server says of a tool was not approved, and the policy takes nothing on first sight.
    #[error(
        "the server's definition of `{id}` is not approved yet, as the policy requires: `toolglot mcp approve {server}` shows it and approves it"
    )]
    NotApproved {
        /// The tool.
        id: String,
        /// The server, as it is approved.
        server: String,
    },
    /// Something else was pinned of what a server says of a tool.
    #[error("the server's definition of `{id}` differs from the pinned one")]
    PinnedOtherwise {
        /// The tool.
        id: String,
    },
    /// A file of ours is not as we left it.
    #[error("`{path}` is damaged: {why}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The system refused.
    #[error("`{path}` cannot be used: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}
