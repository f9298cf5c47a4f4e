//! Messages whose calls the embedding program has read itself, such as a gateway that streams them.

use toolglot_builtins::Journal;
use toolglot_engine::Calls;
use toolglot_tool_runner::resolve;
use toolglot_toolset::ToolSpec;

use crate::SessionError;
use crate::answer::answer;
use crate::message_session::MessageSession;
use crate::session::Session;
use crate::step::{State, Step};

/// What came of such a message.
#[derive(Debug)]
#[must_use]
pub struct CalledMessage {
    /// The calls with all that is to be noted about them.
    pub message: Calls,
    /// What became of each call, in document order.
    pub steps: Vec<Step>,
    /// What is given back to the model, in the shape that it was taught. Calls of no dialect are not in it.
    pub answer: String,
    /// Why what the calls changed cannot be taken back, if it cannot.
    pub journal_problem: Option<String>,
}

impl Session {
    /// The tools that are files and may run here, as a model learns of them: what a file says of itself reaches no model before
    /// somebody vouches for it. In order of their ids.
    pub fn offered_tools(&self) -> Vec<ToolSpec> {
        let registry = self.registry();
        let (entries, _) = registry.list();
        self.with_trust(|trust| {
            let may_run = entries.iter().filter_map(|entry| {
                let found = registry.read(entry).ok()?;
                // All that a call of it would pass before its arguments.
                let chain = resolve(registry, trust, found).ok()?;
                Some(chain.tool().1.specs())
            });
            may_run.flatten().collect()
        })
    }

    /// Carries out calls that the embedding program has read out of `text`, in document order. They are judged, asked about,
    /// journalled and logged as those of [`Session::run`]: by their ends and places, and by results that they were copied from.
    /// Spans point into `text`; a call that was not written there has none. Blocks until all calls have ended.
    ///
    /// # Errors
    /// If the tools cannot be read.
    pub fn carry_out_calls(
        &self,
        mut message: Calls,
        text: &str,
    ) -> Result<CalledMessage, SessionError> {
        let names: Vec<&str> = message.calls.iter().map(|call| &*call.name).collect();
        let tools = self.tools(&names.join("\n"))?;
        let repeated = self.repeated_calls(&mut message, text);
        let journal = self.journal();
        let session = MessageSession {
            dialects: &self.dialects,
            named: self.settings.tools.as_ref(),
            vocabulary: &tools.vocabulary,
            files: Some(&tools.files),
            gate: self.gate(journal.as_ref()),
            after_failing_line: self.settings.after_failing_line,
            many: true,
            spans: None,
            quoted: &[],
            is_empty_handed: false,
            cancel: self.watch.cancel.as_ref(),
            functions: &self.functions,
            repeated: &repeated,
        };
        let mut steps = session.steps(&message);
        let answer = answer(&session, &message, &mut steps);
        for step in &steps {
            if let State::Done(outcome) = &step.state {
                self.keep_result(outcome.text.clone(), &outcome.output);
            }
        }
        let why_off = journal.as_ref().and_then(Journal::why_off);
        Ok(CalledMessage {
            journal_problem: why_off.map(str::to_owned),
            message,
            steps,
            answer,
        })
    }
}
