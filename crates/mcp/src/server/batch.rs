//! Several messages in one list; only revision 2025-03-26 has such lists
//! (<https://modelcontextprotocol.io/specification/2025-03-26/basic#batching>).

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolglot_value::Value;

use super::heard::{Heard, Slot};
use super::{Out, Session, locked};
use crate::BATCHES;
use crate::message::{Fault, Message, REQUEST};

/// The maximum number of messages in one list.
const MAX_MESSAGES: usize = 256;
/// The maximum number of threads for one list.
const MAX_THREADS: usize = 8;

/// The answer to a message or a list of messages.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To one message.
    One(Message),
    /// To each request of a list, in its order.
    Many(Vec<Message>),
}

impl Answer {
    /// The answer in its wire form.
    pub fn write(&self) -> Value {
        match self {
            Answer::One(message) => message.write(),
            Answer::Many(messages) => messages.iter().map(Message::write).collect(),
        }
    }
}

/// The error for a list that is not accepted.
fn refused(why: &str) -> Answer {
    Answer::One(Message::Response {
        id: Value::Null,
        result: Err(Fault::new(REQUEST, why)),
    })
}

impl Session {
    /// Whether lists of messages are accepted.
    pub fn has_batches(&self) -> bool {
        self.version() == Some(BATCHES)
    }

    /// Handles a message or a list of messages. The requests of a list are handled in parallel, and answered together.
    pub fn hear_any(&self, value: Value, out: &Out) -> Option<Answer> {
        self.hear_noted(self.note(value), out)
    }

    /// Whether a list is accepted as a batch.
    pub(super) fn is_batch(&self, values: &[Value]) -> bool {
        self.has_batches() && values.len() <= MAX_MESSAGES
    }

    /// Handles a message that was registered with [`note`](Session::note).
    pub fn hear_noted(&self, heard: Heard, out: &Out) -> Option<Answer> {
        let Heard { value, mut slots } = heard;
        let Value::Array(values) = value else {
            let slot = slots.pop().flatten();
            return self.hear_in(slot, value, out).map(Answer::One);
        };
        if !self.has_batches() {
            return Some(refused("batches are part of revision 2025-03-26 only"));
        }
        if values.is_empty() {
            return Some(refused("a batch holds at least one message"));
        }
        if values.len() > MAX_MESSAGES {
            return Some(refused("a batch holds at most 256 messages"));
        }
        // A cancellation may follow its request in the list, and must not wait for it.
        let is_request = |value: &Value| value.get("method").is_some() && value.get("id").is_some();
        let (requests, others): (Vec<_>, Vec<_>) = values
            .into_iter()
            .zip(slots)
            .enumerate()
            .partition(|(_, (value, _))| is_request(value));
        let answers = Mutex::new(Vec::new());
        let hear = |(at, (value, slot)): (usize, (Value, Option<Slot>))| {
            let answer = if value.get("method").and_then(Value::as_str) == Some("initialize") {
                let why = "`initialize` is not allowed in a batch";
                Some(Message::Response {
                    id: value["id"].clone(),
                    result: Err(Fault::new(REQUEST, why)),
                })
            } else {
                self.hear_in(slot, value, out)
            };
            locked(&answers).extend(answer.map(|answer| (at, answer)));
        };
        let n_threads = requests.len().min(MAX_THREADS);
        let requests: Vec<Mutex<Option<_>>> = requests
            .into_iter()
            .map(|one| Mutex::new(Some(one)))
            .collect();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..n_threads {
                scope.spawn(|| {
                    while let Some(one) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
                        locked(one).take().map(&hear);
                    }
                });
            }
            others.into_iter().for_each(hear);
        });
        let mut answers = std::mem::take(&mut *locked(&answers));
        answers.sort_by_key(|(at, _)| *at);
        let answers: Vec<Message> = answers.into_iter().map(|(_, answer)| answer).collect();
        (!answers.is_empty()).then_some(Answer::Many(answers))
    }
}
