//! Received messages that wait to be handled. A call is running from the moment its message was read. So a later
//! message can cancel it, and of two calls with one id the first is executed.

use std::sync::Arc;

use toolglot_value::Value;

use super::{Session, Shared, Stop, locked};

/// A message or a list of messages, in order of arrival.
#[derive(Debug)]
pub struct Heard {
    pub(super) value: Value,
    /// The slot of the message, or one for each message of the list.
    pub(super) slots: Vec<Option<Slot>>,
}

/// The slot of a call.
#[derive(Debug)]
pub(super) enum Slot {
    Running(Running),
    /// Another call has the same id.
    Taken,
}

/// A running call; it is running until this value is dropped.
pub(super) struct Running {
    pub(super) stop: Stop,
    id: String,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Running").field(&self.id).finish()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        locked(&self.shared.state).running.remove(&self.id);
    }
}

impl Session {
    /// Registers a message or a list of messages, for any thread to [handle](Session::hear_noted). Does not block.
    pub fn note(&self, value: Value) -> Heard {
        let slots = match &value {
            Value::Array(values) if self.is_batch(values) => {
                values.iter().map(|value| self.slot(value)).collect()
            }
            Value::Array(_) => Vec::new(),
            one => vec![self.slot(one)],
        };
        Heard { value, slots }
    }

    pub(super) fn slot(&self, value: &Value) -> Option<Slot> {
        if value.get("method")?.as_str()? != "tools/call" {
            return None;
        }
        let id = value.get("id")?.to_string();
        let mut state = locked(&self.shared.state);
        if state.running.contains_key(&id) {
            return Some(Slot::Taken);
        }
        let stop = Stop::default();
        state.running.insert(id.clone(), stop.clone());
        Some(Slot::Running(Running {
            stop,
            id,
            shared: Arc::clone(&self.shared),
        }))
    }
}
