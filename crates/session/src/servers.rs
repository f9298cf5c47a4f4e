//! Servers of tools: what they offer, who approves that, and who is logged in.

use std::time::Duration;

use toolglot_mcp::auth::Person;
use toolglot_tool_runner::{CallError, LoggedIn, Offer};
use toolglot_tool_trust::TrustError;

use crate::session::Session;

impl Session {
    /// What a server offers now, for who is to approve it. It is started, or asked, in the sandbox that calls have.
    /// No policy is asked, and nothing is logged: a person has asked for it.
    ///
    /// # Errors
    /// If there is no such server, or it does not answer.
    pub fn offer_unjudged(&self, server: &str, time: Duration) -> Result<Offer, CallError> {
        self.runner(self.watch.clone()).offer(server, time)
    }

    /// Approves what a server offers, as it is.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn approve(&self, offer: &Offer) -> Result<(), TrustError> {
        self.runner(self.watch.clone()).approve(offer)
    }

    /// Logs in to a server, with the help of a person. No policy is asked, and nothing is logged.
    ///
    /// # Errors
    /// If there is no such server, or it gives no token.
    pub fn login_unjudged(
        &self,
        server: &str,
        scope: Option<&str>,
        person: Person,
    ) -> Result<LoggedIn, CallError> {
        self.runner(self.watch.clone()).login(server, scope, person)
    }

    /// Forgets the token of a server. Whether there was one.
    ///
    /// # Errors
    /// If there is no such server, or the token cannot be removed.
    pub fn logout(&self, server: &str) -> Result<bool, CallError> {
        self.runner(self.watch.clone()).logout(server)
    }
}
