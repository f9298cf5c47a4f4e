//! A key that the store knows, trusted or not.

use toolglot_tool_signature::Signer;

/// A key of the store, for a listing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KnownKey {
    /// The key and its owner.
    pub signer: Signer,
    /// Its source: `user`, `system`, `project` (not trusted), `pinned`.
    pub from: &'static str,
    /// Whether its signatures count here.
    pub is_trusted: bool,
}
