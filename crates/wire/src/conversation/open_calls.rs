//! The calls of a conversation that wait for their results.

use super::result_owners::ResultAt;
use super::turn::TurnCall;

/// The calls without a result so far.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    waiting: Vec<OpenCall>,
    /// Whether the last message of the assistant is unchanged; then its results are unchanged too.
    is_left: bool,
}

#[derive(Debug)]
struct OpenCall {
    /// The id in the source.
    written: Option<String>,
    /// The result that belongs to the call, if it was found.
    answer: Option<ResultAt>,
    /// The converted call.
    call: TurnCall,
    /// The call's index in the latest message.
    latest: Option<usize>,
}

/// The call that a result answers.
#[derive(Debug)]
pub(super) enum ResultOwner {
    /// A converted call, with its index if it is in the latest message.
    Call(TurnCall, Option<usize>),
    /// A call of an unchanged message.
    Left,
    /// An unknown call.
    Unknown,
}

impl OpenCalls {
    /// Adds the calls of a converted message; `written` are their ids in the source, `answers` their results.
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

    /// The assistant's message is unchanged.
    pub(super) fn left(&mut self) {
        self.start(true);
    }

    fn start(&mut self, is_left: bool) {
        self.is_left = is_left;
        for waiting in &mut self.waiting {
            waiting.latest = None;
        }
    }

    /// Whether a call with this id waits.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.waiting
            .iter()
            .any(|waiting| waiting.written.as_deref() == Some(id))
    }

    /// The call that a result answers: the call that owns the result, the call with this id, or without an id the first
    /// call of the latest message.
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
