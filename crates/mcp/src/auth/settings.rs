//! The user's settings for the authorization at a server.

use super::secret::Secret;

/// The authorization settings in the user's definition of a server.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The id of a registered client, or the `https` address of the client's metadata document.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
    /// Its key as PEM (PKCS#8, P-256): it signs instead of showing a secret (RFC 7523).
    pub private_key: Option<Secret>,
    /// The issuer that the client is registered at; other authorization servers get none of these settings.
    pub issuer: Option<String>,
    /// The scopes to request, whatever the server requires.
    pub scope: Option<String>,
    /// Whether the client acts for itself, without a person (`client_credentials`).
    pub is_machine: bool,
}
