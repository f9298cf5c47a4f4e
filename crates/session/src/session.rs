//! A session: a root with its policies, its tools, and whoever approves and logs calls.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use toolglot_builtins::{Journal, Root};
use toolglot_engine::{Dialect, End};
use toolglot_policy::{Authority, Decision, Level, Verdict};
use toolglot_tool_registry::{Registry, Spaces, Trust};
use toolglot_tool_runner::{CallError, Cancel, ToolRunner, Watch};

use crate::approval::{CallSummary, Context, Question};
use crate::audit::{LoggedResult, log_after};
use crate::builder::SessionBuilder;
use crate::file_tools::model_text;
use crate::gate::{CallReport, CallRequest, Gate};
use crate::policies::{FileStamp, Policies};
use crate::result_memory::ResultMemory;
use crate::step::State;
use crate::tool::Function;

/// A root with its policies, its tools, and whoever approves and logs calls.
pub struct Session {
    pub(crate) from: SessionBuilder,
    /// Functions of the embedding program.
    pub(crate) functions: Vec<Function>,
    pub(crate) dialects: Arc<[Dialect]>,
    pub(crate) root: Root,
    pub(crate) authority: Authority,
    /// What runs tools that are files.
    pub(crate) runner: ToolRunner,
    pub(crate) watch: Watch,
    pub(crate) cancel: Cancel,
    pub(crate) stamp: Stamp,
    /// What results of the session said.
    pub(crate) results: Mutex<ResultMemory>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// What makes a session in `root`, the directory that no call leaves.
    pub fn builder(root: &Path, policies: Policies) -> SessionBuilder {
        SessionBuilder::new(root, policies)
    }

    /// Calls a tool that is a file by its id, or an action of it as `id.action`. Blocks until it has ended.
    ///
    /// Who calls so has written all of the call: it is trusted as one that its model closed.
    pub fn call(&self, id: &str, arguments: Map<String, Value>) -> CallReport {
        self.call_watched(id, arguments, self.watch.clone())
    }

    /// The same with a handle to cancel this call by, and a listener of its own.
    pub fn call_watched(
        &self,
        id: &str,
        mut arguments: Map<String, Value>,
        watch: Watch,
    ) -> CallReport {
        let started = Instant::now();
        if let Some(step) = self.call_function(id, &arguments) {
            if let State::Done(outcome) = &step.state {
                self.keep_result(outcome.text.clone(), &outcome.output);
            }
            return CallReport::Function(Box::new(step));
        }
        let journal = self.journal();
        let request = CallRequest {
            id,
            arguments: arguments.clone(),
            end: End::Closed,
            n_before: 0,
            is_repeat: false,
        };
        let report = self
            .gate(journal.as_ref())
            .pass(&self.runner(watch), request, &mut arguments);
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

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The tools that are files.
    pub fn registry(&self) -> &Registry {
        &self.runner.registry
    }

    /// What `look` finds in what says whose tools run. `look` makes no call: a call waits until it has ended.
    pub fn with_trust<T>(&self, look: impl FnOnce(&Trust) -> T) -> T {
        look(&self.runner.trust.read())
    }

    /// How strong the sandbox of programs is.
    pub fn level(&self) -> Level {
        self.runner.sandbox.settings.decided.level
    }

    /// What tools that are files may do.
    pub fn capabilities(&self) -> &[String] {
        &self.runner.granted
    }

    /// What ends the session's calls, to be handed to another thread.
    pub fn cancel_handle(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Ends the session's calls from another thread: those that are under way, and all that come later.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether the policy files, the registry or the trust are others than when the session was built.
    pub fn is_outdated(&self) -> bool {
        Stamp::now(&self.runner.project, &self.from.policies) != self.stamp
    }

    /// A journal for one message, or one call: what it changes is taken back together.
    pub(crate) fn journal(&self) -> Option<Journal> {
        let place = self.from.journals.as_deref();
        let place = place.filter(|_| !self.from.dry_run)?;
        Some(Journal::new(place, self.root.path()))
    }

    pub(crate) fn gate<'a>(&'a self, journal: Option<&'a Journal>) -> Gate<'a> {
        Gate {
            root: &self.root,
            authority: &self.authority,
            question: Question {
                approver: &*self.from.approver,
                context: Context::default(),
            },
            log: self.from.log.as_deref(),
            journal,
            dry_run: self.from.dry_run,
            seen: None,
        }
    }

    /// What runs tools that are files, for a call that somebody watches.
    pub(crate) fn runner(&self, watch: Watch) -> ToolRunner {
        self.runner.watched_by(watch)
    }

    /// Writes into the log what came of a call of a tool that is a file.
    fn log_report(&self, call: &CallSummary<'_>, report: &CallReport, duration: Duration) {
        let refused = |error: &CallError| Verdict {
            decision: Decision::Deny,
            rule: error.code().into(),
            because: error.to_string(),
        };
        let (verdict, result) = match report {
            CallReport::Unfit(error) => (refused(error), None),
            CallReport::Refused(verdict) => (verdict.clone(), None),
            // A function is logged as a step is.
            CallReport::Planned(..) | CallReport::Function(_) => return,
            CallReport::Done(verdict, called) => match &**called {
                Ok(called) => {
                    let text = Value::Object(called.returned.value.clone()).to_string();
                    (verdict.clone(), Some((called.returned.success, text)))
                }
                // It was under way: what it did by then is done.
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
        let log = self.from.log.as_deref();
        log_after(log, call, &verdict, result.as_ref(), duration);
    }
}

/// Whether the registry, the trust and the policy files are the same still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    policies: FileStamp,
    project: FileStamp,
}

impl Stamp {
    /// The project as it is now, with the policy files as they were before they were read.
    pub(crate) fn as_read(project: &Path, policies: &Policies) -> Stamp {
        Stamp {
            policies: policies.stamp(),
            project: project_stamp(project),
        }
    }

    /// All of it as it is now.
    pub(crate) fn now(project: &Path, policies: &Policies) -> Stamp {
        Stamp {
            policies: policies.stamp_now(),
            project: project_stamp(project),
        }
    }
}

fn project_stamp(project: &Path) -> FileStamp {
    const PROJECT: &[&str] = &[
        ".mcp.json",
        ".ai/toolglot.lock",
        ".ai/tools",
        ".ai/trusted_keys",
    ];
    const USER: &[&str] = &[
        ".ai/mcp.json",
        ".ai/toolglot/ledger.json",
        ".ai/tools",
        ".ai/trusted_keys",
    ];
    let of_project = PROJECT.iter().map(|file| project.join(file));
    let user = Spaces::of(project).user;
    let of_user = user
        .iter()
        .flat_map(|user| USER.iter().map(|file| user.join(file)));
    FileStamp::of(of_project.chain(of_user))
}
