//! What stands between a tool that is a file and its effect: the policy, the approver, the journal and the log.
//!
//! ```text
//!  prepared ── policy ──▶ allow ───────────────▶ log ─▶ carried out
//!                 │          ▲
//!                 ├─▶ ask ── approver ┐          what is judged is what was read and verified: nothing is read again
//!                 └─▶ deny ───────────┴▶ refused
//! ```
//!
//! A tool that is a call of a builtin tool, as those of `rye/file-system` are, is planned, judged, journalled and carried out
//! as that call. Rules about commands hold for a command that a tool is given to run.
//!
//! What a tool requires is granted by the caller, by a rule of the user's policy that names it, or by the approver.

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
    /// Where what is changed is kept, to be taken back.
    pub(crate) journal: Option<&'a Journal>,
    pub(crate) dry_run: bool,
    /// The calls of the same message before it.
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
    /// How sure its end is.
    pub(crate) end: End,
    /// How many calls of the message came before it.
    pub(crate) n_before: usize,
    /// Whether an equal one did.
    pub(crate) is_repeat: bool,
}

/// What came of a call that was no part of a message.
///
/// A new outcome is a new major version: a caller that passes over one would report a call that never ran.
#[derive(Debug)]
#[must_use]
pub enum CallReport {
    /// It was refused before the policy was asked.
    Unfit(CallError),
    /// It was refused by the policy, the approver, or for want of a log or a journal.
    Refused(Verdict),
    /// It would run.
    Planned(Verdict, PlannedCall),
    /// It was carried out, unless what runs it refused.
    Done(Verdict, Box<Result<CallResult, CallError>>),
    /// It is no tool that is a file, but a builtin tool or a [`Tool`](crate::Tool) of the embedding program: what was decided,
    /// and what came of it. One step, unless the arguments name several files to read.
    Steps(Vec<Step>),
}

/// A call that would run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedCall {
    /// The tool.
    pub id: String,
    /// The tool and what runs it, link by link.
    pub chain: Vec<String>,
    /// Why it may run.
    pub standing: TrustBasis,
}

/// What a tool does, as far as it says.
fn effect(prepared: &Prepared) -> Effect {
    if prepared.requires.iter().all(|name| name == "fs.read") {
        Effect::Read
    } else {
        Effect::Write
    }
}

/// The verdict on what cannot be kept.
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
    /// Brings a call as far as it may go. `logged` becomes the arguments that the log has of it, defaults filled in, for
    /// whoever writes what came of the call.
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
            // What is approved is what is done, to the file as it is.
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
        // Where one of several cannot be done, none is begun.
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
            // Of a call that is tried once, what comes of it says all.
            if attempt.number > 1 || attempt.delay.is_some() {
                log_attempt(self.log, &shown, &verdict, attempt);
            }
        });
        match refused {
            Some(refused) => CallReport::Refused(refused),
            None => CallReport::Done(verdict, Box::new(called)),
        }
    }

    /// Does what was planned, between the two lines of the journal; what cannot be kept is not done.
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
            // Without the line it can still be taken back if it left what was intended.
            let _ = journal.after(self.root, entry, outcome.ok);
        }
        Ok(outcome)
    }

    /// What becomes of a request. Capabilities are asked about apart from the effect, so that changing is granted by them.
    pub(crate) fn verdict(&self, request: &Request<'_>) -> toolglot_policy::Explanation {
        let mut authority = self.authority.clone();
        // Where a file of the user's says what is asked about, only the user's own grants answer it.
        authority.grants.write |= authority.user.is_none();
        authority.judge(request)
    }

    /// What rules say of the places and the command that a call is about. What none of them is about is for the capabilities
    /// that the tool requires to decide.
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
        // However it is called, a server's tool is `SERVER/TOOL` to a policy.
        let own = found.id.as_str();
        let short = own
            .strip_prefix("mcp/")
            .filter(|_| prepared.chain.is_server());
        let id = short.unwrap_or(asked.id);
        // A rule may name the tool or its action, whichever of them is called.
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
                    // Reading is granted to all: that answers nothing.
                    Some(Item::Capability(name)) => name != "fs.read" && runner.grants(name),
                    // Whether they are is seen below, by the grants that tools have.
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
            // The user's file allowed each of them by its name.
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
