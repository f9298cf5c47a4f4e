//! One call on its way from text to effect.

use std::time::Duration;

use toolglot_builtins::Outcome;
use toolglot_engine::Note;
use toolglot_policy::Verdict;
use toolglot_toolset::Canonical;
use toolglot_value::{Map, Value};

use crate::result_text::cut_result;
use toolglot_chat::Lesson;

/// A call, what was decided about it, and what came of it.
#[derive(Debug)]
pub struct Step {
    /// The call under its canonical name. `call.call` is its index in the message.
    pub call: Canonical,
    /// What was decided, by the policy or before it was asked.
    pub verdict: Verdict,
    /// How far it came.
    pub state: State,
    /// What its model reads beside that.
    pub lesson: Lesson,
    /// What was said about it after parsing.
    pub notes: Vec<Note>,
    /// What is to be said about the tool, such as that it is deprecated; no part of its answer.
    pub remarks: Vec<String>,
    /// How long it took.
    pub duration: Duration,
    /// The call as the log has it, where that is another than `call`.
    pub(crate) logged: Option<LoggedCall>,
}

/// A call of a tool that is a file, as it is carried out.
#[derive(Debug)]
pub(crate) struct LoggedCall {
    pub(crate) id: String,
    /// With defaults filled in.
    pub(crate) arguments: Map<String, Value>,
}

/// How far a call came.
#[derive(Debug)]
pub enum State {
    /// It was carried out, with success or without.
    Done(Outcome),
    /// It was refused, for the verdict's reason.
    Refused,
    /// An equal call before it has the result.
    Repeated(usize),
    /// It would be carried out, but this is a dry run.
    Planned,
    /// It waits for a person.
    Pending,
}

impl State {
    /// The word for it.
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
    /// Whether nothing is wrong with it.
    pub fn is_fine(&self) -> bool {
        match &self.state {
            State::Done(outcome) => outcome.ok,
            State::Refused => false,
            State::Repeated(_) | State::Planned | State::Pending => true,
        }
    }

    /// What a model reads of it, without the frame of its dialect. `None` where nothing was done.
    pub fn text(&self) -> Option<String> {
        self.result_text().map(|(text, _)| text)
    }

    /// The text that a model reads, and whether it tells of a failure. `None` where there is nothing to tell yet.
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
