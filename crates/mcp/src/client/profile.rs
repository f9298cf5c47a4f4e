//! Who the client is.

use toolglot_value::{Map, Value, json};

use crate::LATEST;
use crate::message::Fault;

/// Who the client is, and what it can do for a server.
pub struct Profile {
    /// The version that is asked for.
    pub version: String,
    /// What the client can do, as the protocol writes it.
    pub capabilities: Value,
    /// Answers what the server asks; `None` for what it does not know.
    pub answers: Box<Answers>,
}

/// Answers a server's request, by method and parameters.
pub type Answers = dyn Fn(&str, &Map<String, Value>) -> Option<Result<Value, Fault>> + Send;

impl Default for Profile {
    /// A client that calls tools and does nothing for a server.
    fn default() -> Profile {
        Profile {
            version: LATEST.to_owned(),
            capabilities: json!({}),
            answers: Box::new(|_, _| None),
        }
    }
}

impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Profile")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
