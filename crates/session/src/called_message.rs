//! Messages whose calls the embedding program has already parsed, such as a gateway that streams them.

use toolglot_builtins::Journal;
use toolglot_engine::Calls;
use toolglot_tool_runner::resolve;
use toolglot_toolset::ToolSpec;

use crate::SessionError;
use crate::answer::answer;
use crate::message_session::MessageSession;
use crate::session::Session;
use crate::step::{State, Step};

/// The outcome of such a message.
#[derive(Debug)]
#[must_use]
pub struct CalledMessage {
    /// The calls with all notes about them.
    pub message: Calls,
    /// The outcome of each call, in document order.
    pub steps: Vec<Step>,
    /// The answer for the model, in the format that it was trained on. Calls without a dialect are not in it.
    pub answer: String,
    /// Why the changes of the calls cannot be undone, if they cannot.
    pub journal_problem: Option<String>,
}

impl Session {
    /// The specs of the file tools that may run here. No description from a file reaches a model before somebody
    /// vouches for the file. In order of their ids.
    pub fn offered_tools(&self) -> Vec<ToolSpec> {
        let registry = self.registry();
        let (entries, _) = registry.list();
        self.with_trust(|trust| {
            let may_run = entries.iter().filter_map(|entry| {
                let found = registry.read(entry).ok()?;
                // All checks that a call would pass before those of its arguments.
                let chain = resolve(registry, trust, found).ok()?;
                Some(chain.tool().1.specs())
            });
            may_run.flatten().collect()
        })
    }

    /// Runs calls that the embedding program has parsed from `text`, in document order. Each is decided, approved,
    /// journalled and logged as in [`Session::run`], by its end and place and by whether a result contains it. Spans
    /// point into `text`; a call that is not in `text` has an empty span. Blocks until all calls have ended.
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
