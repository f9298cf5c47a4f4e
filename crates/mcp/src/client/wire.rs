//! What a session travels on.

use std::fmt::Debug;
use std::time::Duration;

use toolglot_value::Value;

use super::trouble::Trouble;
use crate::message::Message;

/// What came from the other side.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// JSON.
    Message(Value),
    /// An invalid line.
    Noise(String),
    /// What is asked of it cannot be had.
    Failed(Trouble),
    /// It is gone; how.
    Ended(String),
    /// Nothing yet.
    Nothing,
}

/// A text that is to be a message. Of an object with a key twice nobody can say what it means.
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

    /// What was asked is not wanted any more: where a server has no other sign of that, the way that it came ends.
    fn take_back(&mut self) {}

    /// What the headers of the next messages repeat of them, where there are headers.
    fn repeats(&mut self, _headers: Vec<(String, String)>) {}
}
