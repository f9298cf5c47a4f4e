//! A session over lines: one message a line, whatever the lines travel on.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use serde_json::Value;

use super::{Heard, Trouble, Wire};
use crate::message::Message;

/// Two ends of channels that lines go through; whoever made them moves the lines.
#[derive(Debug)]
pub struct Lines {
    /// Lines for the server, each with its end.
    pub to: Sender<String>,
    /// What came from it, from [`lines_of`].
    pub from: Receiver<Heard>,
    /// Held as long as the session: dropping it ends the server.
    pub keep: Box<dyn std::any::Any + Send>,
}

impl Wire for Lines {
    fn send(&mut self, message: &Message) -> Result<(), Trouble> {
        // A server that is gone is heard of as such, with its last words.
        let _ = self.to.send(format!("{}\n", message.write()));
        Ok(())
    }

    fn heard(&mut self, wait: Duration) -> Heard {
        match self.from.recv_timeout(wait) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::Ended("and left no word".to_owned()),
        }
    }
}

/// Reads lines until the end, a line of more than `limit` bytes, or one that ends in `end`.
pub fn lines_of(from: impl Read, tell: &Sender<Heard>, limit: usize, end: &str) {
    let mut reader = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        let n_read = (&mut reader)
            .take(limit as u64)
            .read_until(b'\n', &mut line);
        match n_read {
            Ok(0) | Err(_) => return,
            Ok(_) if !line.ends_with(b"\n") && line.len() >= limit => {
                let why = format!("wrote a line that is too long ({limit} bytes are the most)");
                let _ = tell.send(Heard::Failed(Trouble::Odd(why)));
                return;
            }
            Ok(_) => {}
        }
        if !end.is_empty() && line.ends_with(end.as_bytes()) {
            return;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let heard = match serde_json::from_slice::<Value>(&line) {
            Ok(value) if value.is_object() || value.is_array() => Heard::Message(value),
            // Some servers log to standard output.
            _ => Heard::Noise(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        if tell.send(heard).is_err() {
            return;
        }
    }
}
