//! Objections to a call before the policy decision: the message was cancelled or has ended, the call names no tool, or
//! its arguments do not fit.

use toolglot_chat::{
    CallLocator, argument_lesson, is_local_server, no_object_note, repair_reasons, schema_notes,
    unknown_tool_note,
};
use toolglot_engine::{Call, Calls, Code, End, Note};
use toolglot_tool_runner::Cancel;
use toolglot_toolset::{Canonical, Toolbox};
use toolglot_wire::Arguments;

use crate::earlier_calls::EarlierCalls;
use crate::message_session::{MessageSession, fill_defaults};
use crate::one_call;
use crate::reading::AfterFailure;
use crate::shell_block::is_line_of;
use crate::step::{State, Step};

/// Why a call is refused before the policy decision.
pub(crate) struct Objection {
    pub(crate) rule: &'static str,
    pub(crate) because: String,
    /// The reason for the model, if the model gets a longer one.
    pub(crate) words: Option<String>,
    /// The repairs of the call's text.
    pub(crate) repairs: Vec<String>,
    pub(crate) notes: Vec<Note>,
    /// Whether the refusal shows how to write the call.
    pub(crate) shows_form: bool,
}

impl MessageSession<'_> {
    /// The objection to a call, whatever the policy says; the first reason counts.
    pub(crate) fn objection(
        &self,
        canonical: &mut Canonical,
        call: &Call,
        message: &Calls,
        EarlierCalls {
            steps: before,
            refused,
            ..
        }: EarlierCalls<'_>,
    ) -> Option<Objection> {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            return Some(Objection {
                rule: "cancelled",
                because: "the run was cancelled before this call started".to_owned(),
                words: None,
                repairs: Vec::new(),
                notes: Vec::new(),
                shows_form: false,
            });
        }
        if before
            .iter()
            .any(|step| matches!(step.state, State::Pending))
        {
            return Some(Objection {
                rule: "message-ended",
                because: "a call before it ended the message: wait for the answer".to_owned(),
                words: None,
                repairs: Vec::new(),
                notes: Vec::new(),
                shows_form: false,
            });
        }
        if let Some(objection) = self.other_call(canonical.call, message, before) {
            return Some(objection);
        }
        if let Some(line) = refused.filter(|line| line.call != canonical.call) {
            return Some(Objection {
                rule: "beside-a-refused-line",
                because: format!(
                    "a line of the same block is refused, and none is run before all are allowed: {}",
                    line.because
                ),
                words: None,
                repairs: Vec::new(),
                notes: Vec::new(),
                shows_form: false,
            });
        }
        if self.after_failing_line == AfterFailure::Skip
            && refused.is_none()
            && before.iter().any(|step| {
                let is_of_block = |at: usize| is_line_of(&message.calls[at], call);
                is_of_block(step.call.call) && !step.is_fine()
            })
        {
            return Some(Objection {
                rule: "after-a-failing-line",
                because: "a line before it in the same block failed".to_owned(),
                words: None,
                repairs: Vec::new(),
                notes: Vec::new(),
                shows_form: false,
            });
        }
        if call.end == End::Truncated {
            // The policy explains why a truncated call never runs.
            return None;
        }
        if !Arguments::is_object(call) {
            return Some(Objection::invalid(vec![no_object_note(call)]).at(call, self.text()));
        }
        let left_out: Vec<Note> = call
            .notes
            .iter()
            .filter(|note| matches!(note.code, Code::UnknownParameter | Code::PlaceholderTag))
            .filter(|note| {
                let written = self.spans.map_or("", |spans| spans.text_at(note.span));
                !self.vocabulary.is_needless(&canonical.tool, written)
            })
            .cloned()
            .collect();
        if !left_out.is_empty() {
            // What remains may fit the schema, but differs from what the model wrote.
            let ground = self.ground(call, self.vocabulary);
            let rest = schema_notes(&canonical.tool, &mut canonical.arguments, ground);
            let all = left_out.into_iter().chain(rest.clone()).collect();
            return Some(Objection {
                // The message already has the other notes.
                notes: rest,
                ..Objection::invalid(all).at(call, self.text())
            });
        }
        let server = call
            .server
            .as_deref()
            .filter(|server| !is_local_server(server));
        let meant = server.map_or_else(
            || canonical.tool.clone(),
            |server| format!("mcp/{server}/{}", call.name),
        );
        if (server.is_some() || self.vocabulary.get(&canonical.tool).is_none())
            && let Some(error) = self.files.and_then(|files| files.of_server(&meant))
        {
            return Some(Objection {
                rule: error.code(),
                because: error.to_string(),
                words: None,
                repairs: Vec::new(),
                notes: Vec::new(),
                shows_form: false,
            });
        }
        if let Some(server) = server {
            // A tool of another server is a different tool, whatever its name.
            return Some(Objection {
                rule: "unknown-server",
                because: format!(
                    "no server is called `{server}`; the tools here are those of `local`"
                ),
                words: None,
                repairs: Vec::new(),
                notes: Vec::new(),
                shows_form: true,
            });
        }
        if let Some(named) = self.named {
            // In the names and by the schema that the model was given, before anything is renamed.
            let mut as_named = toolglot_toolset::normalize(std::slice::from_ref(call), named);
            for one in &mut as_named {
                if let Some(spec) = named.get(&one.tool) {
                    fill_defaults(spec, one);
                }
            }
            if let Some(objection) = as_named
                .into_iter()
                .find_map(|mut one| misfit(&mut one, self.ground(call, named), named))
            {
                return Some(objection.at(call, self.text()));
            }
        }
        let taught = Toolbox::taught(&call.dialect);
        let mut offered = self.named.or(taught).unwrap_or(self.vocabulary).clone();
        if self.named.is_none() {
            offered.extend(self.file_tool(&canonical.tool));
        }
        let objection = misfit(canonical, self.ground(call, self.vocabulary), &offered)?;
        Some(objection.at(call, self.text()))
    }

    /// The objection of a system that runs one call per message. One call may have produced several reads.
    fn other_call(&self, index: usize, message: &Calls, before: &[Step]) -> Option<Objection> {
        if self.many {
            return None;
        }
        let first = before.first().map(|first| first.call.call);
        let (because, note) = one_call::refusal(message, index, first)?;
        Some(Objection {
            rule: "one-call-only",
            because,
            words: None,
            repairs: Vec::new(),
            notes: vec![note],
            shows_form: false,
        })
    }
}

/// The rule for calls whose arguments do not fit.
const INVALID: &str = "invalid-arguments";

impl Objection {
    /// The objection that the arguments do not fit, for the reasons in `notes`.
    fn invalid(notes: Vec<Note>) -> Objection {
        let because: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
        Objection {
            rule: INVALID,
            because: because.join("\n"),
            words: None,
            repairs: Vec::new(),
            notes,
            shows_form: true,
        }
    }

    /// The same objection with the positions of the faults, for the model.
    fn at(self, call: &Call, text: &str) -> Objection {
        if self.rule != INVALID || text.is_empty() {
            return self;
        }
        Objection {
            words: Some(argument_lesson(&self.notes, call, text)),
            repairs: repair_reasons(call, text),
            ..self
        }
    }
}

/// The objection if a call does not fit the tools that it is resolved to.
///
/// A missing tool is reported with the tools of `offered`, which the model knows.
fn misfit(
    canonical: &mut Canonical,
    ground: CallLocator<'_>,
    offered: &Toolbox,
) -> Option<Objection> {
    if ground.toolbox.get(&canonical.tool).is_none() {
        let note = unknown_tool_note(&canonical.tool, offered, ground.call.name_span);
        let parts = std::iter::once(note.message.as_str()).chain(note.help.as_deref());
        return Some(Objection {
            rule: "unknown-tool",
            because: parts.collect::<Vec<_>>().join("; "),
            words: None,
            repairs: Vec::new(),
            // A tool that only other programs run has no correct form here.
            shows_form: note.help.is_some(),
            notes: vec![note],
        });
    }
    let notes = schema_notes(&canonical.tool, &mut canonical.arguments, ground);
    (!notes.is_empty()).then(|| Objection::invalid(notes))
}
