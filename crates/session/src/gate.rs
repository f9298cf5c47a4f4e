//! The checks between a file tool and its effect: the policy, the approver, the journal and the log.
//!
//! ```text
//!  prepared ── policy ──▶ allow ───────────────▶ log ─▶ executed
//!                 │          ▲
//!                 ├─▶ ask ── approver ┐          the decision is on verified contents: nothing is read again
//!                 └─▶ deny ───────────┴▶ refused
//! ```
//!
//! A tool that consists of calls of builtin tools, such as those of `rye/file-system`, is planned, decided, journalled
//! and executed as those calls. Rules about commands apply to a command that a tool is given to run.
//!
//! The capabilities that a tool requires are granted by the caller, by a user's rule that names the tool, or by the
//! approver.

use toolglot_builtins::{Journal, Outcome, Plan, Root, plan};
use toolglot_engine::End;
use toolglot_policy::{
    Authority, Decision, Effect, HostPort, Item, Layer, PathFact, Request, Verdict,
};
use toolglot_tool_runner::{Builtin, CallError, CallResult, Prepared, ToolRunner};
use toolglot_tool_trust::TrustBasis;
use toolglot_value::{Map, Value};

use crate::approval::{CallSummary, Question};
use crate::audit::{AuditLog, log_attempt, log_before};
use crate::call_history::CallHistory;
use crate::request::request;
use crate::step::Step;

/// The gate of one message, or of one call.
#[derive(Clone, Copy)]
pub(crate) struct Gate<'a> {
    pub(crate) root: &'a Root,
    pub(crate) authority: &'a Authority,
    pub(crate) question: Question<'a>,
    pub(crate) log: Option<&'a dyn AuditLog>,
    /// The journal that stores previous contents for undo.
    pub(crate) journal: Option<&'a Journal>,
    pub(crate) dry_run: bool,
    /// The earlier calls of the same message.
    pub(crate) history: Option<&'a CallHistory>,
}

impl std::fmt::Debug for Gate<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").finish_non_exhaustive()
    }
}

/// A call by id.
#[derive(Clone, Debug)]
pub(crate) struct CallRequest<'a> {
    pub(crate) id: &'a str,
    pub(crate) arguments: Map<String, Value>,
    /// The certainty of the call's end.
    pub(crate) end: End,
    /// The number of earlier calls in the message.
    pub(crate) n_before: usize,
    /// Whether one of them is equal.
    pub(crate) is_repeat: bool,
}

/// The outcome of a call that is not part of a message.
///
/// A new outcome is a new major version: a caller that ignores it would report a call that never ran.
#[derive(Debug)]
#[must_use]
pub enum CallReport {
    /// The call was refused before the policy decision.
    Unfit(CallError),
    /// The call was refused by the policy, by the approver, or because the log or the journal failed.
    Refused(Verdict),
    /// The call would run.
    Planned(Verdict, PlannedCall),
    /// The call was executed, unless the tool's executor refused it.
    Done(Verdict, Box<Result<CallResult, CallError>>),
    /// The call is not of a file tool but of a builtin tool or a [`Tool`](crate::Tool) of the embedding program. One
    /// step with decision and outcome, unless the arguments name several files to read.
    Steps(Vec<Step>),
}

/// A call that would run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedCall {
    /// The tool.
    pub id: String,
    /// The tool and its executors, link by link.
    pub chain: Vec<String>,
    /// Why it may run.
    pub standing: TrustBasis,
}

/// The effect of a tool, as far as it declares one.
fn effect(prepared: &Prepared) -> Effect {
    if prepared.requires.iter().all(|name| name == "fs.read") {
        Effect::Read
    } else {
        Effect::Write
    }
}

/// The verdict if the journal cannot be written.
pub(crate) fn unkept(error: &std::io::Error) -> Verdict {
    Verdict {
        decision: Decision::Deny,
        rule: "journal-failed".into(),
        because: format!(
            "cannot back up the present contents, and no change is made that cannot be undone: {error}"
        ),
    }
}

impl Gate<'_> {
    /// Takes a call as far as it may go. `logged` is set to the arguments as logged, with defaults filled in, for the
    /// caller that logs the outcome.
    pub(crate) fn pass(
        &self,
        runner: &ToolRunner,
        mut asked: CallRequest<'_>,
        logged: &mut Map<String, Value>,
    ) -> CallReport {
        let given = std::mem::take(&mut asked.arguments);
        let mut prepared = match runner.prepare(asked.id, given) {
            Ok(prepared) => prepared,
            Err(error) => return CallReport::Unfit(error),
        };
        let builtins = prepared.builtins.clone();
        let planned = builtins
            .iter()
            .map(|builtin| plan(self.root, builtin.tool, &builtin.arguments));
        let planned: Vec<_> = planned.collect();
        if let Some(history) = self.history {
            for (builtin, planned) in builtins.iter().zip(&planned) {
                let plan = planned.as_ref().ok();
                asked.is_repeat |= history.add(builtin.tool, &builtin.arguments, plan);
            }
        }
        let mut verdict = self.judge(runner, &mut prepared, &asked);
        for (builtin, planned) in builtins.iter().zip(&planned) {
            let ruled = self.ruled(builtin, planned.as_ref().ok(), &asked);
            if let Some(ruled) = ruled.filter(|ruled| ruled.decision > verdict.decision) {
                verdict = ruled;
            }
        }
        let arguments = prepared.arguments.clone();
        logged.clone_from(&arguments);
        let shown = CallSummary::new(self.root, asked.id, &arguments);
        if verdict.decision == Decision::Ask && !self.dry_run {
            // What is approved is what runs, on the unchanged file.
            let calls: Vec<CallSummary<'_>> = match builtins.as_slice() {
                [_, ..] if prepared.is_builtin() => builtins
                    .iter()
                    .map(|builtin| CallSummary {
                        tool: builtin.tool,
                        arguments: &builtin.arguments,
                        ..shown
                    })
                    .collect(),
                _ => vec![shown],
            };
            verdict = self.question.ask(&calls, verdict);
            if verdict.decision == Decision::Allow {
                prepared.approve();
            }
        }
        if verdict.decision != Decision::Allow {
            return CallReport::Refused(verdict);
        }
        if self.dry_run {
            let planned = PlannedCall {
                id: prepared.chain.tool().0.id.to_string(),
                chain: prepared.chain.ids(),
                standing: prepared.chain.standing.clone(),
            };
            return CallReport::Planned(verdict, planned);
        }
        let paths = planned.iter().flatten().flat_map(Plan::paths);
        let paths: Vec<PathFact> = paths.cloned().collect();
        if let Err(refused) = log_before(self.log, &shown, &verdict, &paths) {
            return CallReport::Refused(refused);
        }
        if !prepared.is_builtin()
            && effect(&prepared).acts()
            && let Some(journal) = self.journal
            && let Err(error) = journal.beyond(self.root, asked.id)
        {
            return CallReport::Refused(unkept(&error));
        }
        let mut refused = None;
        // If one of several calls cannot run, none starts.
        let mut failed = None;
        let mut plans = Vec::with_capacity(planned.len());
        for planned in planned {
            match planned {
                Ok(plan) => plans.push(plan),
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        let mut plans = plans.into_iter();
        let effect = &mut |builtin: &Builtin| {
            let call = (builtin.tool, &builtin.arguments);
            if let Some(failure) = failed.take() {
                return Outcome::from(failure);
            }
            match plans.next() {
                Some(plan) => self.done(call, plan).unwrap_or_else(|verdict| {
                    let text = verdict.because.clone();
                    refused = Some(verdict);
                    Outcome {
                        ok: false,
                        output: Value::Null,
                        text,
                    }
                }),
                None => unreachable!("what a builtin tool does is not tried again"),
            }
        };
        let called = runner.carry_out_unjudged(prepared, effect, &mut |attempt| {
            // With a single attempt, the outcome of the call is sufficient.
            if attempt.number > 1 || attempt.delay.is_some() {
                log_attempt(self.log, &shown, &verdict, attempt);
            }
        });
        match refused {
            Some(refused) => CallReport::Refused(refused),
            None => CallReport::Done(verdict, Box::new(called)),
        }
    }

    /// Executes a plan between its two journal entries; if the journal cannot be written, nothing runs.
    pub(crate) fn done(
        &self,
        call: (&str, &Map<String, Value>),
        plan: Plan<'_>,
    ) -> Result<Outcome, Verdict> {
        let Some(journal) = self.journal else {
            return Ok(plan.run_unjudged());
        };
        let entry = journal
            .before(self.root, call, &plan)
            .map_err(|error| unkept(&error))?;
        let outcome = plan.run_unjudged();
        if let Some(entry) = &entry {
            // Without the second entry, undo still works if the file has the intended contents.
            let _ = journal.after(self.root, entry, outcome.ok);
        }
        Ok(outcome)
    }

    /// The decision on a request. Capabilities are checked apart from the effect, so that the capabilities grant the
    /// effect.
    pub(crate) fn verdict(&self, request: &Request<'_>) -> toolglot_policy::Explanation {
        let mut authority = self.authority.clone();
        // If the user has a policy file, only the user's own grants answer its `ask`.
        authority.grants.write |= authority.user.is_none();
        authority.judge(request)
    }

    /// What rules say about the places and the command of a call. Anything else is decided by the capabilities that the
    /// tool requires.
    fn ruled(
        &self,
        builtin: &Builtin,
        plan: Option<&Plan<'_>>,
        asked: &CallRequest<'_>,
    ) -> Option<Verdict> {
        let request = Request {
            n_before: asked.n_before,
            is_repeat: asked.is_repeat,
            ..request(builtin.tool, builtin.effect, asked.end, plan)
        };
        let reasons = self.verdict(&request).reasons.into_iter();
        reasons
            .filter(|reason| reason.layer != Layer::Usual && !reason.is_default())
            .map(|reason| reason.verdict)
            .find(|verdict| verdict.decision != Decision::Allow)
    }

    fn judge(
        &self,
        runner: &ToolRunner,
        prepared: &mut Prepared,
        asked: &CallRequest<'_>,
    ) -> Verdict {
        let (found, tool) = prepared.chain.tool();
        let requires = &prepared.requires;
        let effect = effect(prepared);
        let cost = tool.metadata.cost.as_ref();
        // A policy knows a server's tool as `SERVER/TOOL`, whichever name a call uses.
        let own = found.id.as_str();
        let short = own
            .strip_prefix("mcp/")
            .filter(|_| prepared.chain.is_server());
        let id = short.unwrap_or(asked.id);
        // A rule may name the tool or its action, whichever a call names.
        let mut names: Vec<String> = short.into_iter().chain([own]).map(Into::into).collect();
        if let Some(action) = &prepared.action {
            names.extend(names.clone().iter().map(|name| format!("{name}.{action}")));
        }
        let place = runner.reach(prepared).map(|url| HostPort::of(&url));
        let explanation = self.verdict(&Request {
            names: &names,
            capabilities: requires,
            host: place.as_ref(),
            cost: cost.map_or(0.0, toolglot_tool_files::Cost::estimate),
            n_before: asked.n_before,
            is_repeat: asked.is_repeat,
            ..Request::new(id, effect, asked.end, &[])
        });
        let mut verdict = explanation.verdict;
        if verdict.decision == Decision::Ask {
            let is_answered = explanation
                .reasons
                .iter()
                .filter(|reason| reason.verdict.decision == Decision::Ask)
                .all(|reason| match &reason.item {
                    // Reading is granted to all, so it answers nothing.
                    Some(Item::Capability(name)) => name != "fs.read" && runner.grants(name),
                    // The tool's grants are checked below.
                    _ => reason.verdict.rule == "capability-needs-grant",
                });
            if is_answered {
                verdict.decision = Decision::Allow;
                if verdict.rule == "capability-needs-grant" {
                    verdict.rule = "granted".into();
                    verdict.because =
                        format!("`{id}` needs {}, which is granted", requires.join(", "));
                }
            }
        }
        if verdict.decision != Decision::Allow || prepared.missing.is_empty() {
            return verdict;
        }
        if self.authority.user.is_some() {
            // The user's file allowed each capability by name.
            prepared.approve();
            return verdict;
        }
        let missing = CallError::NotGranted {
            id: found.id.to_string(),
            missing: prepared.missing.clone(),
        };
        Verdict {
            decision: Decision::Ask,
            rule: missing.code().into(),
            because: missing.to_string(),
        }
    }
}
