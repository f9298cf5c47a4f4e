//! What was heard and is not worked on yet. A call is running from the moment that its message was read, so that what comes
//! after it can take it back, and of two calls with one id the first is done.

use std::sync::Arc;

use toolglot_value::Value;

use super::{Session, Shared, Stop, locked};

/// A message or a list of them, in its place among the others.
#[derive(Debug)]
pub struct Heard {
    pub(super) value: Value,
    /// That of the message, or one for each of the list.
    pub(super) slots: Vec<Option<Slot>>,
}

/// The place of a call.
#[derive(Debug)]
pub(super) enum Slot {
    Running(Running),
    /// Another has its id.
    Taken,
}

/// A running call; it is so until this goes.
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
    /// Takes note of a message or a list of them, to be [worked on](Session::hear_noted) by whichever thread. Does not block.
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
