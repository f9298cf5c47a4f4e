//! One call from its text to its effect.

use std::time::Duration;

use toolglot_builtins::Outcome;
use toolglot_engine::Note;
use toolglot_policy::Verdict;
use toolglot_toolset::Canonical;
use toolglot_value::{Map, Value};

use crate::result_text::cut_result;
use toolglot_chat::Lesson;

/// A call, the decision about it, and its outcome.
#[derive(Debug)]
pub struct Step {
    /// The call under its canonical name. `call.call` is its index in the message.
    pub call: Canonical,
    /// The decision, by the policy or by an earlier check.
    pub verdict: Verdict,
    /// How far the call came.
    pub state: State,
    /// What the model reads beside the result.
    pub lesson: Lesson,
    /// The notes about the call after parsing.
    pub notes: Vec<Note>,
    /// Remarks about the tool, such as a deprecation; they are not part of the answer.
    pub remarks: Vec<String>,
    /// The duration of the call.
    pub duration: Duration,
    /// The call as logged, if that differs from `call`.
    pub(crate) logged: Option<LoggedCall>,
}

/// A call of a file tool, as executed.
#[derive(Debug)]
pub(crate) struct LoggedCall {
    pub(crate) id: String,
    /// With defaults filled in.
    pub(crate) arguments: Map<String, Value>,
}

/// How far a call came.
#[derive(Debug)]
pub enum State {
    /// The call was executed, with or without success.
    Done(Outcome),
    /// The call was refused, for the verdict's reason.
    Refused,
    /// An earlier equal call has the result.
    Repeated(usize),
    /// The call would run, but this is a dry run.
    Planned,
    /// The call waits for a person.
    Pending,
}

impl State {
    /// The name of the state.
    pub fn word(&self) -> &'static str {
        match self {
            State::Done(_) => "done",
            State::Refused => "refused",
            State::Repeated(_) => "repeated",
            State::Planned => "planned",
            State::Pending => "pending",
        }
    }
}

impl Step {
    /// Whether the call neither failed nor was refused.
    pub fn is_fine(&self) -> bool {
        match &self.state {
            State::Done(outcome) => outcome.ok,
            State::Refused => false,
            State::Repeated(_) | State::Planned | State::Pending => true,
        }
    }

    /// The text that a model reads, without the frame of its dialect. `None` if nothing ran.
    pub fn text(&self) -> Option<String> {
        self.result_text().map(|(text, _)| text)
    }

    /// The text that a model reads, and whether it reports a failure. `None` if there is nothing to report yet.
    pub(crate) fn result_text(&self) -> Option<(String, bool)> {
        match &self.state {
            State::Done(outcome) => Some((cut_result(outcome.text.clone()), !outcome.ok)),
            State::Refused => {
                let words = self.lesson.words.as_ref();
                Some((words.unwrap_or(&self.verdict.because).clone(), true))
            }
            State::Repeated(first) => Some((
                format!(
                    "Same call as number {} of this message; it was not run again.",
                    first + 1
                ),
                false,
            )),
            State::Planned | State::Pending => None,
        }
    }
}
