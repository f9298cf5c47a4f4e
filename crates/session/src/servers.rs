//! Tool servers: their offers, approval and login.

use std::time::Duration;

use toolglot_mcp::auth::Person;
use toolglot_tool_runner::{CallError, LoggedIn, Offer};
use toolglot_tool_trust::TrustError;

use crate::session::Session;

impl Session {
    /// The present offer of a server, for a person to approve. The server is started, or queried, in the sandbox of
    /// calls. There is no policy decision and no log entry: a person requested it.
    ///
    /// # Errors
    /// If there is no such server, or it does not answer.
    pub fn offer_unjudged(&self, server: &str, time: Duration) -> Result<Offer, CallError> {
        self.runner(self.watch.clone()).offer(server, time)
    }

    /// Approves the exact offer of a server.
    ///
    /// # Errors
    /// If the approval cannot be stored.
    pub fn approve(&self, offer: &Offer) -> Result<(), TrustError> {
        self.runner(self.watch.clone()).approve(offer)
    }

    /// Logs in to a server, with the help of a person. There is no policy decision and no log entry.
    ///
    /// # Errors
    /// If there is no such server, or it issues no token.
    pub fn login_unjudged(
        &self,
        server: &str,
        scope: Option<&str>,
        person: Person,
    ) -> Result<LoggedIn, CallError> {
        self.runner(self.watch.clone()).login(server, scope, person)
    }

    /// Deletes the token of a server. Returns whether there was one.
    ///
    /// # Errors
    /// If there is no such server, or the token cannot be removed.
    pub fn logout(&self, server: &str) -> Result<bool, CallError> {
        self.runner(self.watch.clone()).logout(server)
    }
}
