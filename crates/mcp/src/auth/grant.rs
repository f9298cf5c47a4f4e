//! A token with all that binds it, and where it is kept.

use std::any::Any;
use std::fmt;

use toolglot_value::{Map, Value, json};

use super::register::{Client, Method};
use super::secret::Secret;

/// A token with all that binds it: the server that it is for, and who gave it to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The server's address, in canonical form: nobody else is shown the token.
    pub server: String,
    /// What the server calls itself.
    pub resource: String,
    /// Who gave it.
    pub issuer: String,
    /// Where it is renewed.
    pub token_endpoint: String,
    /// To whom.
    pub client: Client,
    /// The token.
    pub access: Secret,
    /// What it is renewed with.
    pub refresh: Option<Secret>,
    /// Until when it is good, in seconds of Unix.
    pub until: Option<u64>,
    /// The scopes that were asked for.
    pub scope: Option<String>,
}

impl Grant {
    /// The grant as it is kept. It holds secrets.
    pub fn write(&self) -> Value {
        let secret =
            |secret: &Option<Secret>| secret.as_ref().map(|secret| secret.reveal().to_owned());
        json!({
            "server": self.server, "resource": self.resource, "issuer": self.issuer, "token_endpoint": self.token_endpoint,
            "client_id": self.client.id, "client_secret": secret(&self.client.secret), "method": self.client.method.word(),
            "access_token": self.access.reveal(), "refresh_token": secret(&self.refresh), "until": self.until, "scope": self.scope,
        })
    }

    /// Reads what was kept; `None` if that is no grant.
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

/// Keeps the grant of one server between processes.
pub trait Store: fmt::Debug + Send + Sync {
    /// What is kept.
    ///
    /// # Errors
    /// If it cannot be read, or others may read it too.
    fn load(&self) -> Result<Option<Grant>, String>;

    /// Keeps a grant in place of what was kept.
    ///
    /// # Errors
    /// If it cannot be written.
    fn save(&self, grant: &Grant) -> Result<(), String>;

    /// Keeps others from renewing at the same time, as long as the answer lives.
    ///
    /// # Errors
    /// If that cannot be.
    fn alone(&self) -> Result<Box<dyn Any>, String>;
}
