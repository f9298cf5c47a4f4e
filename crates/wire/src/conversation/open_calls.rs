//! Calls that wait for their results, over a conversation.

use super::result_owners::ResultAt;
use super::turn::TurnCall;

/// The calls without a result so far.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    waiting: Vec<OpenCall>,
    /// The last message of the assistant stayed as it was, and so do its results.
    is_left: bool,
}

#[derive(Debug)]
struct OpenCall {
    /// The id that the source wrote.
    written: Option<String>,
    /// The result that was found to be its own.
    answer: Option<ResultAt>,
    /// The call as it was carried.
    call: TurnCall,
    /// Which call of the latest message it is.
    latest: Option<usize>,
}

/// Which call a result answers.
#[derive(Debug)]
pub(super) enum ResultOwner {
    /// One that was carried, and which of the latest message's that is.
    Call(TurnCall, Option<usize>),
    /// One that stayed as it was.
    Left,
    /// None that is known.
    Unknown,
}

impl OpenCalls {
    /// The calls of a message that was carried; `written` are their ids in the source, `answers` their results.
    pub(super) fn carried(
        &mut self,
        written: Vec<Option<String>>,
        answers: &[Option<ResultAt>],
        calls: &[TurnCall],
    ) {
        self.start(false);
        let calls = written.into_iter().zip(calls).enumerate();
        self.waiting
            .extend(calls.map(|(at, (written, call))| OpenCall {
                written,
                answer: answers.get(at).copied().flatten(),
                call: call.clone(),
                latest: Some(at),
            }));
    }

    /// A message stayed as it was.
    pub(super) fn left(&mut self) {
        self.start(true);
    }

    fn start(&mut self, is_left: bool) {
        self.is_left = is_left;
        for waiting in &mut self.waiting {
            waiting.latest = None;
        }
    }

    /// Whether a call of that id waits.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.waiting
            .iter()
            .any(|waiting| waiting.written.as_deref() == Some(id))
    }

    /// The call that a result answers: the one whose own it is, the one of its id, or without an id the first of the
    /// latest message.
    pub(super) fn answered(&mut self, id: Option<&str>, result: ResultAt) -> ResultOwner {
        let own = self
            .waiting
            .iter()
            .position(|waiting| waiting.answer == Some(result));
        let at = own.or_else(|| {
            self.waiting.iter().position(|waiting| match id {
                Some(id) => waiting.written.as_deref() == Some(id),
                None => waiting.latest.is_some() && waiting.answer.is_none(),
            })
        });
        match at {
            Some(at) => {
                let waiting = self.waiting.remove(at);
                ResultOwner::Call(waiting.call, waiting.latest)
            }
            None if self.is_left => ResultOwner::Left,
            None => ResultOwner::Unknown,
        }
    }
}
