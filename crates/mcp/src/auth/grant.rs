//! A token with its bindings, and its storage.

use std::any::Any;
use std::fmt;

use toolglot_value::{Map, Value, json};

use super::register::{Client, Method};
use super::secret::Secret;

/// A token with its bindings: the server, the issuer and the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The server's address, in canonical form: only this server receives the token.
    pub server: String,
    /// The server's name for itself.
    pub resource: String,
    /// The issuer of the token.
    pub issuer: String,
    /// The endpoint that renews the token.
    pub token_endpoint: String,
    /// The client that the token was issued to.
    pub client: Client,
    /// The token.
    pub access: Secret,
    /// The refresh token.
    pub refresh: Option<Secret>,
    /// The expiry of the token, in seconds of Unix.
    pub until: Option<u64>,
    /// The requested scopes.
    pub scope: Option<String>,
}

impl Grant {
    /// The grant in its storage form. It contains secrets.
    pub fn write(&self) -> Value {
        let secret =
            |secret: &Option<Secret>| secret.as_ref().map(|secret| secret.reveal().to_owned());
        json!({
            "server": self.server, "resource": self.resource, "issuer": self.issuer, "token_endpoint": self.token_endpoint,
            "client_id": self.client.id, "client_secret": secret(&self.client.secret), "method": self.client.method.word(),
            "access_token": self.access.reveal(), "refresh_token": secret(&self.refresh), "until": self.until, "scope": self.scope,
        })
    }

    /// Reads the storage form; `None` if it is not a grant.
    pub fn read(kept: &Map<String, Value>) -> Option<Grant> {
        let text = |key: &str| kept.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Grant {
            server: text("server")?,
            resource: text("resource")?,
            issuer: text("issuer")?,
            token_endpoint: text("token_endpoint")?,
            client: Client {
                id: text("client_id")?,
                secret: text("client_secret").map(Secret::new),
                method: Method::of(&text("method")?)?,
            },
            access: Secret::new(text("access_token")?),
            refresh: text("refresh_token").map(Secret::new),
            until: kept.get("until").and_then(Value::as_u64),
            scope: text("scope"),
        })
    }
}

/// Stores the grant of one server between processes.
pub trait Store: fmt::Debug + Send + Sync {
    /// The stored grant.
    ///
    /// # Errors
    /// If it cannot be read, or other users may read it too.
    fn load(&self) -> Result<Option<Grant>, String>;

    /// Stores a grant in place of the old one.
    ///
    /// # Errors
    /// If it cannot be written.
    fn save(&self, grant: &Grant) -> Result<(), String>;

    /// Prevents other processes from renewing at the same time, until the returned guard is dropped.
    ///
    /// # Errors
    /// If the lock cannot be taken.
    fn alone(&self) -> Result<Box<dyn Any>, String>;
}
