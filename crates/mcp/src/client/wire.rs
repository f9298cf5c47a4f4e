//! What a session travels on.

use std::fmt::Debug;
use std::time::Duration;

use serde_json::Value;

use super::Trouble;
use crate::message::Message;

/// What came from the other side.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// JSON.
    Message(Value),
    /// A line that is none.
    Noise(String),
    /// What is asked of it cannot be had.
    Failed(Trouble),
    /// It is gone; how.
    Ended(String),
    /// Nothing yet.
    Nothing,
}

/// Carries messages to a server and back.
pub trait Wire: Debug + Send {
    /// Sends a message. Waits neither for an answer nor, where it can be helped, for the server to take it.
    ///
    /// # Errors
    /// If it cannot be sent.
    fn send(&mut self, message: &Message) -> Result<(), Trouble>;

    /// What comes within that time.
    fn heard(&mut self, wait: Duration) -> Heard;

    /// The version that both speak.
    fn agreed(&mut self, _version: &str) {}

    /// What the headers of the next messages repeat of them, where there are headers.
    fn repeats(&mut self, _headers: Vec<(String, String)>) {}
}
