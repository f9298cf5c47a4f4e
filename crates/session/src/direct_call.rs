//! Calls that the embedding program makes itself, each of one tool by name.

use std::io;
use std::time::{Duration, Instant};

use toolglot_builtins::Root;
use toolglot_engine::{Call, CallId, Calls, End, Place, Span};
use toolglot_policy::{Decision, Verdict};
use toolglot_tool_files::ItemId;
use toolglot_tool_runner::{CallError, Watch};
use toolglot_value::{Map, Value};

use crate::VERBS;
use crate::approval::CallSummary;
use crate::audit::{LoggedResult, log_after};
use crate::gate::{CallReport, CallRequest, Gate};
use crate::message::{Tools, builtin};
use crate::message_session::MessageSession;
use crate::refusal::{refused, with_grant};
use crate::result_text::{cut_result, model_text};
use crate::session::Session;
use crate::step::{State, Step};

impl Session {
    /// Calls a tool by its name: a function of the embedding program, a builtin tool, or a file tool by its id or an
    /// action of it as `id.action`. Blocks until the call has ended.
    ///
    /// The caller wrote the whole call, so it is trusted like a closed call. As in a message, no file replaces a
    /// function or a builtin tool. A file with an alias of a builtin tool as its name is called instead.
    pub fn call(&self, name: &str, arguments: Map<String, Value>) -> CallReport {
        self.called(name, arguments, None)
    }

    /// Like [`Session::call`], with a handle that cancels this call, and its own listener.
    pub fn call_watched(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        watch: Watch,
    ) -> CallReport {
        self.called(name, arguments, Some(watch))
    }

    fn called(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        watch: Option<Watch>,
    ) -> CallReport {
        let Some(tools) = self.tools_without_file(name) else {
            return self.call_file(name, arguments, watch);
        };
        let started = Instant::now();
        // The root's sandbox has the handle that cancels programs of a builtin tool.
        let root = match watch.as_ref().map(|watch| self.watched_root(watch)) {
            None => None,
            Some(Ok(root)) => Some(root),
            Some(Err(error)) => {
                let verdict = Verdict {
                    decision: Decision::Deny,
                    rule: "root-failed".into(),
                    because: format!("the root cannot be opened once more: {error}"),
                };
                let call = CallSummary::new(&self.root, name, &arguments);
                log_after(
                    self.settings.log.as_deref(),
                    &call,
                    &verdict,
                    None,
                    started.elapsed(),
                );
                return CallReport::Refused(verdict);
            }
        };
        let root = root.as_ref().unwrap_or(&self.root);
        let watch = watch.as_ref().unwrap_or(&self.watch);
        CallReport::Steps(self.steps((name, arguments), &tools, (root, watch)))
    }

    /// Whether a file tool can be called with these arguments; there is no policy decision, and nothing runs.
    ///
    /// # Errors
    /// Why the tool cannot run.
    pub fn check(&self, id: &str, arguments: Map<String, Value>) -> Result<(), CallError> {
        self.runner(self.watch.clone())
            .prepare(id, arguments)
            .map(drop)
    }

    /// Calls a file tool and no other, as a server of such tools does. Without a `watch` the session's own applies.
    pub fn call_file(
        &self,
        id: &str,
        mut arguments: Map<String, Value>,
        watch: Option<Watch>,
    ) -> CallReport {
        let started = Instant::now();
        let journal = self.journal();
        let request = CallRequest {
            id,
            arguments: arguments.clone(),
            end: End::Closed,
            n_before: 0,
            is_repeat: false,
        };
        let runner = self.runner(watch.unwrap_or_else(|| self.watch.clone()));
        let report = self
            .gate(journal.as_ref())
            .pass(&runner, request, &mut arguments);
        let call = CallSummary::new(&self.root, id, &arguments);
        self.log_report(&call, &report, started.elapsed());
        if let CallReport::Done(_, called) = &report
            && let Ok(called) = &**called
        {
            let value = &called.returned.value;
            self.keep_result(model_text(value), &Value::Object(value.clone()));
        }
        report
    }

    /// The tools for a call of a function or a builtin tool; `None` if the name is the name of a file.
    fn tools_without_file(&self, name: &str) -> Option<Tools> {
        if VERBS.contains(&name) {
            return self.tools(name).ok();
        }
        let mut vocabulary = builtin("vocabulary").ok()?;
        vocabulary.extend(self.function_specs());
        let (spec, _) = vocabulary.canonical(name)?;
        let is_file = || ItemId::new(name).is_ok_and(|id| self.registry().find(&id).is_ok());
        if spec.name != name && is_file() {
            return None;
        }
        self.tools(name).ok()
    }

    fn watched_root(&self, watch: &Watch) -> io::Result<Root> {
        let mut sandbox = self.runner.sandbox().clone();
        sandbox.watch.cancel.clone_from(&watch.cancel);
        self.root.sharing(sandbox)
    }

    /// Runs a call as the only call of a message.
    fn steps(
        &self,
        (name, arguments): (&str, Map<String, Value>),
        tools: &Tools,
        (root, watch): (&Root, &Watch),
    ) -> Vec<Step> {
        let nowhere = Span::empty(0);
        let mut message = Calls::default();
        message.calls.push(Call {
            id: CallId(0),
            written_id: None,
            name: name.to_owned(),
            name_span: nowhere,
            server: None,
            arguments: Value::Object(arguments).to_string(),
            span: nowhere,
            dialect: String::new(),
            place: Place::Answer,
            end: End::Closed,
            notes: Vec::new(),
        });
        let journal = self.journal();
        let gate = Gate {
            root,
            ..self.gate(journal.as_ref())
        };
        let session = MessageSession {
            dialects: &[],
            named: None,
            vocabulary: &tools.vocabulary,
            files: Some(&tools.files),
            gate,
            after_failing_line: self.settings.after_failing_line,
            many: true,
            spans: None,
            quoted: &[],
            is_empty_handed: false,
            cancel: watch.cancel.as_ref(),
            functions: &self.functions,
            repeated: &[],
        };
        let steps = session.steps(&message);
        for step in &steps {
            if let State::Done(outcome) = &step.state {
                self.keep_result(outcome.text.clone(), &outcome.output);
            }
        }
        steps
    }

    /// Logs the outcome of a call of a file tool.
    fn log_report(&self, call: &CallSummary<'_>, report: &CallReport, duration: Duration) {
        let refused = |error: &CallError| Verdict {
            decision: Decision::Deny,
            rule: error.code().into(),
            because: error.to_string(),
        };
        let (verdict, result) = match report {
            CallReport::Unfit(error) => (refused(error), None),
            CallReport::Refused(verdict) => (verdict.clone(), None),
            // Steps are logged one by one.
            CallReport::Planned(..) | CallReport::Steps(_) => return,
            CallReport::Done(verdict, called) => match &**called {
                Ok(called) => {
                    let text = Value::Object(called.returned.value.clone()).to_string();
                    (verdict.clone(), Some((called.returned.success, text)))
                }
                // The tool was running: its effects until then remain.
                Err(error) if matches!(error.cause(), CallError::Stopped { .. }) => {
                    (verdict.clone(), Some((false, error.to_string())))
                }
                Err(error) => (refused(error), None),
            },
        };
        let result = result.as_ref().map(|(ok, text)| LoggedResult {
            ok: *ok,
            error: None,
            text,
        });
        let log = self.settings.log.as_deref();
        log_after(log, call, &verdict, result.as_ref(), duration);
    }
}

impl CallReport {
    /// Whether the call succeeded, or would run.
    pub fn is_fine(&self) -> bool {
        match self {
            CallReport::Unfit(_) | CallReport::Refused(_) => false,
            CallReport::Planned(..) => true,
            CallReport::Done(_, called) => (**called)
                .as_ref()
                .is_ok_and(|called| called.returned.success),
            CallReport::Steps(steps) => steps.iter().all(Step::is_fine),
        }
    }

    /// The text for a model, as in the answer to a message but without the dialect's frame. Empty where nothing ran.
    pub fn text(&self) -> String {
        match self {
            CallReport::Unfit(error) => refused(error).0.because,
            CallReport::Refused(verdict) => with_grant(verdict.clone()).because,
            CallReport::Planned(..) => String::new(),
            CallReport::Done(_, called) => match &**called {
                Ok(called) => cut_result(model_text(&called.returned.value)),
                Err(error) => refused(error).0.because,
            },
            CallReport::Steps(steps) => {
                let texts = steps.iter().filter_map(Step::text);
                texts.collect::<Vec<_>>().join("\n\n")
            }
        }
    }
}
