//! The transport of a session.

use std::fmt::Debug;
use std::time::Duration;

use toolglot_value::Value;

use super::trouble::Trouble;
use crate::message::Message;

/// A received item.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// JSON.
    Message(Value),
    /// An invalid line.
    Noise(String),
    /// The request cannot be completed.
    Failed(Trouble),
    /// The server is gone, with the reason.
    Ended(String),
    /// Nothing was received yet.
    Nothing,
}

/// Parses a message. An object with a duplicate key is ambiguous, and is noise.
pub(super) fn heard(text: &[u8]) -> Heard {
    match crate::once::read_once(text) {
        Ok(value) if value.is_object() || value.is_array() => Heard::Message(value),
        Err(error) if toolglot_value::from_slice(text).is_ok_and(|value| value.is_object()) => {
            Heard::Failed(Trouble::Odd(format!("wrote an invalid message: {error}")))
        }
        // Some servers log to standard output.
        _ => Heard::Noise(String::from_utf8_lossy(text).into_owned()),
    }
}

/// The transport of messages to a server and back.
pub trait Wire: Debug + Send {
    /// Sends a message. Does not wait for an answer and, if possible, not for the server to read the message.
    ///
    /// # Errors
    /// If it cannot be sent.
    fn send(&mut self, message: &Message) -> Result<(), Trouble>;

    /// The item that is received within that time.
    fn heard(&mut self, wait: Duration) -> Heard;

    /// Sets the negotiated version.
    fn agreed(&mut self, _version: &str) {}

    /// The pending request was cancelled. If a server has no other signal for that, the request's connection is closed.
    fn take_back(&mut self) {}

    /// Sets the headers that repeat parts of the next messages, if the transport has headers.
    fn repeats(&mut self, _headers: Vec<(String, String)>) {}
}
