//! The identity of the client.

use toolglot_value::{Map, Value, json};

use crate::LATEST;
use crate::message::Fault;

/// The identity of the client, and its capabilities for a server.
pub struct Profile {
    /// The requested version.
    pub version: String,
    /// The capabilities, in the protocol's form.
    pub capabilities: Value,
    /// Answers the server's requests; `None` for an unknown method.
    pub answers: Box<Answers>,
}

/// Answers a server's request, by method and parameters.
pub type Answers = dyn Fn(&str, &Map<String, Value>) -> Option<Result<Value, Fault>> + Send;

impl Default for Profile {
    /// A client that calls tools and answers no requests of a server.
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
