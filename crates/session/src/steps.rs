//! The calls of one message, one after the other.

use std::time::{Duration, Instant};

use toolglot_builtins::{Outcome, plan};
use toolglot_chat::{Lesson, canonical_calls};
use toolglot_dialects::System;
use toolglot_engine::{Call, Calls, Code, Note};
use toolglot_policy::{Decision, Effect, PathFact, Request, Verdict};
use toolglot_toolset::Canonical;

use crate::approval::{CallSummary, Context, MessageText};
use crate::audit::{LoggedResult, log_after, log_before};
use crate::call_history::CallHistory;
use crate::copied_markers;
use crate::earlier_calls::EarlierCalls;
use crate::file_call::FileCall;
use crate::gate::Gate;
use crate::message_session::{MessageSession, fill_defaults};
use crate::request::{effect as effect_of, request};
use crate::shell_block::RefusedLine;
use crate::step::{State, Step};
use crate::tool;

impl MessageSession<'_> {
    /// Executes the calls of `message`, in document order.
    pub(crate) fn steps(&self, message: &Calls) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut rest = canonical_calls(&message.calls, self.vocabulary).into_iter();
        let mut refused: Option<RefusedLine> = None;
        let history = CallHistory::default();
        while let Some(next) = rest.as_slice().first() {
            let call = &message.calls[next.call];
            let is_of_block = |step: &Step| message.calls[step.call.call].span == call.span;
            if !steps.last().is_some_and(is_of_block) {
                refused = self.refused_line(rest.as_slice(), message, &steps);
            }
            let Some(canonical) = rest.next() else { break };
            let started = Instant::now();
            let before = EarlierCalls {
                steps: &steps,
                history: &history,
                refused: refused.as_ref(),
            };
            let mut step = self.step(canonical, message, before);
            step.duration = started.elapsed();
            self.log(&step);
            steps.push(step);
        }
        steps
    }

    fn step(&self, mut canonical: Canonical, message: &Calls, before: EarlierCalls<'_>) -> Step {
        let call = &message.calls[canonical.call];
        let mut notes = canonical.notes.clone();
        notes.extend(self.detours(&canonical, call));
        if let Some(spec) = self.vocabulary.get(&canonical.tool) {
            fill_defaults(spec, &mut canonical);
        }
        if let Some(dialect) = self.dialect(call) {
            let refusals = self.gate.authority.refusals();
            let place = (self.gate.root, &refusals, canonical.tool.as_str());
            let arguments = &mut canonical.arguments;
            notes.extend(copied_markers::restore(place, arguments, dialect, call));
        }
        let objection = self.objection(&mut canonical, call, message, before);
        let (verdict, state, file_call, lesson) = if let Some(objection) = objection {
            notes.extend(objection.notes);
            let lesson = Lesson {
                words: objection.words,
                reasons: objection.repairs,
                form: self.form(call).filter(|_| objection.shows_form),
            };
            let verdict = Verdict {
                decision: Decision::Deny,
                rule: objection.rule.into(),
                because: objection.because,
            };
            (verdict, State::Refused, FileCall::default(), lesson)
        } else {
            self.decided(&canonical, message, (before, &notes))
        };
        Step {
            call: canonical,
            verdict,
            state,
            lesson,
            notes,
            remarks: file_call.remarks,
            duration: Duration::ZERO,
            logged: file_call.logged,
        }
    }

    /// The outcome of a call without objections: the policy decides.
    fn decided(
        &self,
        canonical: &Canonical,
        message: &Calls,
        (before, notes): (EarlierCalls<'_>, &[Note]),
    ) -> (Verdict, State, FileCall, Lesson) {
        let call = &message.calls[canonical.call];
        let notes: Vec<&Note> = call.notes.iter().chain(notes).collect();
        let message = self.spans.map(|spans| MessageText {
            text: spans.text(),
            calls: &message.calls,
        });
        let mut gate = Gate {
            history: Some(before.history),
            ..self.gate
        };
        gate.question.context = Context {
            notes: &notes,
            message,
        };
        let of_files = self.files.and_then(|files| {
            let end = self.trusted_end(call);
            files.carry_out(canonical, (call, end), (&gate, before.steps))
        });
        let (verdict, state, mut file_call) = of_files.unwrap_or_else(|| {
            let (verdict, state) = self.judged(&gate, canonical, call, before);
            (verdict, state, FileCall::default())
        });
        let lesson = self.lesson(call, &verdict, &state);
        if let State::Done(outcome) = &state
            && !outcome.ok
            && canonical.tool == "execute_command"
            && !self.gate.authority.commands_may_write()
            && outcome.output["hint"].is_string()
        {
            let remark = "its command could change no files: `--allow write` grants it";
            file_call.remarks.push(remark.to_owned());
        }
        (verdict, state, file_call, lesson)
    }

    /// Notes about paths that leave the root on the way and come back: they end inside the root, and are reported.
    fn detours(&self, canonical: &Canonical, call: &Call) -> Vec<Note> {
        let Ok(plan) = plan(self.gate.root, &canonical.tool, &canonical.arguments) else {
            return Vec::new();
        };
        let detour = |fact: &PathFact| {
            let inside = fact.found.as_ref().ok().filter(|inside| inside.climbs)?;
            let shown = if inside.path.as_os_str().is_empty() {
                ".".into()
            } else {
                inside.path.display().to_string()
            };
            Some(Note {
                code: Code::DotDot,
                span: call.span,
                message: format!("{:?} leads to {shown:?}, inside the root", fact.written),
                help: Some("write the path without `..`".to_owned()),
            })
        };
        plan.paths().iter().filter_map(detour).collect()
    }

    fn judged(
        &self,
        gate: &Gate<'_>,
        canonical: &Canonical,
        call: &Call,
        before: EarlierCalls<'_>,
    ) -> (Verdict, State) {
        let mut functions = self.functions.iter();
        if let Some(function) = functions.find(|function| function.spec.name == canonical.tool)
            && let Some(cancel) = self.cancel
        {
            let arguments = &canonical.arguments;
            let request = Request {
                is_repeat: before.history.add(&canonical.tool, arguments, None),
                n_before: before.steps.len(),
                ..Request::new(
                    &canonical.tool,
                    Effect::Unknown,
                    self.trusted_end(call),
                    &[],
                )
            };
            return tool::carry_out(function, arguments, (gate, cancel), &request);
        }
        let effect = effect_of(self.vocabulary.get(&canonical.tool));
        let plan = plan(self.gate.root, &canonical.tool, &canonical.arguments);
        let is_seen = before
            .history
            .add(&canonical.tool, &canonical.arguments, plan.as_ref().ok());
        let request = Request {
            // A policy file of the user decides instead of the dialect's system.
            is_bounded: System::of(&call.dialect).is_bounded,
            // A duplicate is not run again: nothing is done twice. A repeated command that is not a duplicate may see
            // another state.
            is_repeat: canonical.duplicate_of.is_none() && is_seen && effect != Effect::Execute,
            n_before: before.steps.len(),
            ..request(
                &canonical.tool,
                effect,
                self.trusted_end(call),
                plan.as_ref().ok(),
            )
        };
        let mut verdict = self.gate.authority.judge(&request).verdict;
        let shown = CallSummary::new(gate.root, &canonical.tool, &canonical.arguments);
        if verdict.decision == Decision::Ask && plan.is_ok() && !gate.dry_run {
            verdict = gate.question.ask(&[shown], verdict);
        }
        let state = if verdict.decision != Decision::Allow {
            State::Refused
        } else if effect == Effect::Ask {
            State::Pending
        } else if let Some(first) = canonical.duplicate_of {
            State::Repeated(first)
        } else {
            match plan {
                Err(failure) => State::Done(Outcome::from(failure)),
                Ok(_) if self.gate.dry_run => State::Planned,
                Ok(plan) => {
                    let done = log_before(gate.log, &shown, &verdict, plan.paths())
                        .and_then(|()| gate.done((&canonical.tool, &canonical.arguments), plan));
                    match done {
                        Ok(outcome) => State::Done(outcome),
                        Err(refused) => {
                            verdict = refused;
                            State::Refused
                        }
                    }
                }
            }
        };
        (verdict, state)
    }

    /// Logs the outcome of a call.
    fn log(&self, step: &Step) {
        let result = match &step.state {
            State::Done(outcome) => Some(LoggedResult {
                ok: outcome.ok,
                error: outcome.output.get("error"),
                text: &outcome.text,
            }),
            State::Refused => None,
            State::Repeated(_) | State::Planned | State::Pending => return,
        };
        let (tool, arguments) = match &step.logged {
            Some(call) => (&call.id, &call.arguments),
            None => (&step.call.tool, &step.call.arguments),
        };
        let call = CallSummary::new(self.gate.root, tool, arguments);
        log_after(
            self.gate.log,
            &call,
            &step.verdict,
            result.as_ref(),
            step.duration,
        );
    }
}
