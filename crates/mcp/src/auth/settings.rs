//! What the user says of the authorization of a server.

use super::secret::Secret;

/// What the user's definition of a server says of its authorization.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The client that was registered before, or the `https` address of the client's metadata document.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
    /// Its key as PEM (PKCS#8, P-256): it signs instead of showing a secret (RFC 7523).
    pub private_key: Option<Secret>,
    /// Whose client that is; another authorization server gets nothing of it.
    pub issuer: Option<String>,
    /// The scopes that are asked for, whatever the server says.
    pub scope: Option<String>,
    /// Whether the client asks for itself, without a person (`client_credentials`).
    pub is_machine: bool,
}
