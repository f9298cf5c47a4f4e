//! A run as a JSON document.

use std::path::Path;

use serde::Serialize;
use toolglot_value::Value;
use toolglot_wire::{Arguments, CallDocument, NoteLine};

use crate::message::Run;
use crate::step::{State, Step};

/// Everything about a run, to be serialized. The order of the fields is the order in the JSON.
#[derive(Debug, Serialize)]
pub struct RunRecord<'a> {
    schema: u32,
    root: String,
    dry_run: bool,
    calls: Vec<CallRecord>,
    /// The index of the call that waits for a person.
    pending: Option<usize>,
    content: &'a str,
    reasoning: &'a str,
    notes: Vec<NoteLine>,
    answer: &'a str,
}

/// One call of a run.
#[derive(Debug, Serialize)]
struct CallRecord {
    call: CallDocument,
    state: &'static str,
    duplicate_of: Option<usize>,
    verdict: VerdictRecord,
    result: Option<ResultRecord>,
    duration_ms: f64,
    notes: Vec<NoteLine>,
    rendered: Option<String>,
}

#[derive(Debug, Serialize)]
struct VerdictRecord {
    decision: &'static str,
    rule: String,
    because: String,
}

#[derive(Debug, Serialize)]
struct ResultRecord {
    ok: bool,
    output: Value,
    text: String,
    /// Remarks about the tool, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl<'a> RunRecord<'a> {
    /// The record of a run in `root`.
    pub fn new(run: &'a Run, root: &Path, dry_run: bool) -> RunRecord<'a> {
        let call = |(index, step)| CallRecord::new(index, step, run);
        RunRecord {
            schema: 1,
            root: root.display().to_string(),
            dry_run,
            calls: run.steps.iter().enumerate().map(call).collect(),
            pending: run.pending(),
            content: &run.message.content,
            reasoning: &run.message.reasoning,
            notes: run.message.notes.iter().map(NoteLine::from).collect(),
            answer: &run.answer,
        }
    }
}

impl CallRecord {
    fn new(index: usize, step: &Step, run: &Run) -> CallRecord {
        let written = &run.message.calls[step.call.call];
        let canonical = || Arguments::Object(step.call.arguments.clone());
        // Arguments may be large: their text is not parsed into values only to check it.
        let arguments = if Arguments::is_object(written) {
            canonical()
        } else {
            match Arguments::shown(written) {
                Arguments::Object(_) => canonical(),
                raw @ Arguments::Raw(_) => raw,
            }
        };
        let mut call = CallDocument::with_arguments(index, written, arguments);
        call.written = Some(written.name.clone());
        call.name.clone_from(&step.call.tool);
        let result = match &step.state {
            State::Done(outcome) => Some(ResultRecord {
                ok: outcome.ok,
                output: outcome.output.clone(),
                text: outcome.text.clone(),
                notes: step.remarks.clone(),
            }),
            _ => None,
        };
        CallRecord {
            call,
            state: step.state.word(),
            duplicate_of: step.call.duplicate_of,
            verdict: VerdictRecord {
                decision: step.verdict.decision.word(),
                rule: step.verdict.rule.to_string(),
                because: step.verdict.because.clone(),
            },
            result,
            duration_ms: step.duration.as_secs_f64() * 1e3,
            notes: written
                .notes
                .iter()
                .chain(&step.notes)
                .map(NoteLine::from)
                .collect(),
            rendered: run.rendered(step),
        }
    }
}
