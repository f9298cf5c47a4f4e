//! Executes calls of file tools and of Rye's verbs.

use std::path::Path;

use toolglot_builtins::Outcome;
use toolglot_engine::{Call, End};
use toolglot_policy::{Decision, Effect, Layer, PathFact, Request, Verdict};
use toolglot_tool_files::{ItemId, capability};
use toolglot_tool_runner::CallError;
use toolglot_toolset::Canonical;
use toolglot_value::{Map, Value, json};

use crate::approval::CallSummary;
use crate::audit::log_before;
use crate::file_tools::FileTools;
use crate::gate::{CallReport, CallRequest, Gate};
use crate::own_files::real;
use crate::refusal::{hidden, refused, with_grant};
use crate::result_text::model_text;
use crate::signature::{sign, signed_places};
use crate::step::{LoggedCall, State, Step};
use crate::verbs::{load, search};

/// Additional data about a call of a file tool.
#[derive(Debug, Default)]
pub(crate) struct FileCall {
    /// Remarks about the tool.
    pub(crate) remarks: Vec<String>,
    /// The call as logged; `None` if that equals the call of the message.
    pub(crate) logged: Option<LoggedCall>,
}

impl FileTools {
    /// Executes a call of a file tool or a verb; `None` for any other tool.
    pub(crate) fn carry_out(
        &self,
        canonical: &Canonical,
        call: (&Call, End),
        place: (&Gate<'_>, &[Step]),
    ) -> Option<(Verdict, State, FileCall)> {
        let mut file_call = FileCall::default();
        let (verdict, state) = self.carried_out(canonical, call, place, &mut file_call)?;
        Some((verdict, state, file_call))
    }

    fn carried_out(
        &self,
        canonical: &Canonical,
        (call, end): (&Call, End),
        (gate, before): (&Gate<'_>, &[Step]),
        file_call: &mut FileCall,
    ) -> Option<(Verdict, State)> {
        if !self.specs.contains_key(&canonical.tool) {
            return None;
        }
        let text = |name: &str| {
            canonical
                .arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let of_message = |request: Request<'_>| gate.verdict(&request).verdict;
        if call.end == End::Truncated {
            let request = Request::new(&canonical.tool, Effect::Read, end, &[]);
            return Some((of_message(request), State::Refused));
        }
        let asked = |id, arguments| CallRequest {
            id,
            arguments,
            end,
            n_before: before.len(),
            is_repeat: before.iter().any(|step| {
                step.call.tool == canonical.tool && step.call.arguments == canonical.arguments
            }),
        };
        let read = |look: &dyn Fn() -> Result<Value, String>| {
            let request = Request {
                n_before: before.len(),
                ..Request::new(&call.name, Effect::Read, end, &[])
            };
            looked(canonical, (of_message(request), &[]), gate, look)
        };
        Some(match canonical.tool.as_str() {
            "rye_execute" => {
                if let Some(other) = self.elsewhere(text("project_path")) {
                    return Some(other);
                }
                let parameters = canonical
                    .arguments
                    .get("parameters")
                    .and_then(Value::as_object)
                    .cloned()
                    .unwrap_or_default();
                let is_dry = canonical.arguments.get("dry_run") == Some(&Value::Bool(true));
                let dry = Gate {
                    dry_run: gate.dry_run || is_dry,
                    // A dry run is not an earlier call.
                    history: gate.history.filter(|_| !is_dry),
                    ..*gate
                };
                match self.execute(asked(text("item_id"), parameters), &dry, file_call) {
                    (verdict, State::Planned) if !gate.dry_run => {
                        (verdict, State::Done(checked(text("item_id"))))
                    }
                    other => other,
                }
            }
            "rye_search" => {
                let hides = |path: &Path| self.hides(path);
                read(&|| Ok(search(&self.runner, text("query"), &hides)))
            }
            "rye_load" => {
                let id = text("item_id");
                let path = ItemId::new(id)
                    .ok()
                    .and_then(|id| self.runner.registry().find(&id).ok()?.path);
                if path.is_some_and(|path| self.hides(&path)) {
                    return Some(hidden(id));
                }
                read(&|| load(self.runner.registry(), id))
            }
            "rye_sign" => {
                // A signature vouches for a tool: a model signs only where the user granted exactly that.
                let granted: Vec<&str> = self.runner.granted().iter().map(String::as_str).collect();
                let needed = capability::of_item("sign", "tool", text("item_id"));
                if !capability::allows(&granted, &needed) {
                    return Some(refused(&CallError::NotGranted {
                        id: "rye_sign".to_owned(),
                        missing: vec![needed],
                    }));
                }
                let paths = signed_places(&self.runner, text("item_id"));
                let request = Request {
                    n_before: before.len(),
                    is_repeat: asked("", Map::new()).is_repeat,
                    ..Request::new(&call.name, Effect::Write, end, &paths)
                };
                // Signing is the only way for a model to change a guarded file; the user granted it by name.
                let ruled = gate
                    .verdict(&request)
                    .reasons
                    .into_iter()
                    .filter(|reason| reason.layer != Layer::Usual && !reason.is_default())
                    .map(|reason| reason.verdict)
                    .filter(|verdict| verdict.rule != "guarded-path")
                    .find(|verdict| verdict.decision != Decision::Allow);
                let verdict = ruled.unwrap_or_else(|| {
                    of_message(Request {
                        paths: &[],
                        ..request
                    })
                });
                looked(canonical, (verdict, &paths), gate, &|| {
                    sign(&self.runner, text("item_id"))
                })
            }
            id => self.execute(asked(id, canonical.arguments.clone()), gate, file_call),
        })
    }

    /// Whether a rule refuses to read a file of the project.
    fn hides(&self, path: &Path) -> bool {
        let path = real(path);
        let place = path.strip_prefix(real(self.runner.project()));
        place.is_ok_and(|place| {
            ["rye_load", "read_file"]
                .iter()
                .any(|tool| self.runner.sandbox().refused.hides(tool, place))
        })
    }

    /// Why a call for another project is refused; a call may name this project.
    fn elsewhere(&self, path: &str) -> Option<(Verdict, State)> {
        let here = self.runner.project();
        let is_here = path.is_empty()
            || std::fs::canonicalize(here.join(path)).is_ok_and(|path| path == *here);
        if is_here {
            return None;
        }
        let verdict = Verdict {
            decision: Decision::Deny,
            rule: "other-project".into(),
            because: format!(
                "`{path}` is not the project here, and tools run in no other: leave out `project_path`"
            ),
        };
        Some((verdict, State::Refused))
    }

    fn execute(
        &self,
        asked: CallRequest<'_>,
        gate: &Gate<'_>,
        file_call: &mut FileCall,
    ) -> (Verdict, State) {
        let (id, mut arguments) = (asked.id.to_owned(), asked.arguments.clone());
        let report = gate.pass(&self.runner, asked, &mut arguments);
        // A call that is refused earlier is logged as the model wrote it.
        if matches!(report, CallReport::Refused(_) | CallReport::Done(..)) {
            file_call.logged = Some(LoggedCall { id, arguments });
        }
        match report {
            CallReport::Unfit(error) => refused(&error),
            CallReport::Refused(verdict) => (with_grant(verdict), State::Refused),
            CallReport::Planned(verdict, _) => (verdict, State::Planned),
            // A gate handles only file tools.
            CallReport::Steps(_) => unreachable!("a gate makes no steps"),
            CallReport::Done(verdict, called) => match *called {
                Ok(mut called) => {
                    file_call.remarks.append(&mut called.notes);
                    let text = model_text(&called.returned.value);
                    let output = Value::Object(called.returned.value);
                    let ok = called.returned.success;
                    (verdict, State::Done(Outcome { ok, output, text }))
                }
                Err(error) => refused(&error),
            },
        }
    }
}

/// The text for the model about a call that it asked to check without running it.
fn checked(id: &str) -> Outcome {
    let text = format!("`{id}` would run; nothing was run");
    let output = json!({"success": true, "dry_run": true, "output": text});
    Outcome {
        ok: true,
        output,
        text,
    }
}

/// The outcome of a call that only reads, or that was granted by name.
fn looked(
    canonical: &Canonical,
    (verdict, paths): (Verdict, &[PathFact]),
    gate: &Gate<'_>,
    look: &dyn Fn() -> Result<Value, String>,
) -> (Verdict, State) {
    if verdict.decision != Decision::Allow {
        return (verdict, State::Refused);
    }
    if gate.dry_run {
        return (verdict, State::Planned);
    }
    let call = CallSummary::new(gate.root, &canonical.tool, &canonical.arguments);
    if let Err(refused) = log_before(gate.log, &call, &verdict, paths) {
        return (refused, State::Refused);
    }
    let output = look().unwrap_or_else(|why| json!({"success": false, "error": why}));
    let ok = output["success"] == json!(true);
    let text = output.as_object().map(model_text).unwrap_or_default();
    (verdict, State::Done(Outcome { ok, output, text }))
}
