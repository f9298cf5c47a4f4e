//! Calls that wait for their results, over a conversation.

use super::turn::TurnCall;

/// The calls without a result so far.
#[derive(Debug, Default)]
pub(super) struct Open {
    waiting: Vec<Waiting>,
    /// The last message of the assistant stayed as it was, and so do its results.
    is_left: bool,
}

#[derive(Debug)]
struct Waiting {
    /// The id that the source wrote.
    written: Option<String>,
    /// The call as it was carried.
    call: TurnCall,
    is_latest: bool,
}

/// Which call a result answers.
#[derive(Debug)]
pub(super) enum Answered {
    /// One that was carried.
    Call(TurnCall),
    /// One that stayed as it was.
    Left,
    /// None that is known.
    Unknown,
}

impl Open {
    /// The calls of a message that was carried; `written` are their ids in the source.
    pub(super) fn carried(&mut self, written: Vec<Option<String>>, calls: &[TurnCall]) {
        self.begin(false);
        let calls = written.into_iter().zip(calls.iter().cloned());
        self.waiting.extend(calls.map(|(written, call)| Waiting {
            written,
            call,
            is_latest: true,
        }));
    }

    /// A message stayed as it was.
    pub(super) fn left(&mut self) {
        self.begin(true);
    }

    fn begin(&mut self, is_left: bool) {
        self.is_left = is_left;
        for waiting in &mut self.waiting {
            waiting.is_latest = false;
        }
    }

    /// The call that a result answers: the one of its id, or without an id the first of the latest message.
    pub(super) fn answered(&mut self, id: Option<&str>) -> Answered {
        let at = self.waiting.iter().position(|waiting| match id {
            Some(id) => waiting.written.as_deref() == Some(id),
            None => waiting.is_latest,
        });
        match at {
            Some(at) => Answered::Call(self.waiting.remove(at).call),
            None if self.is_left => Answered::Left,
            None => Answered::Unknown,
        }
    }
}
