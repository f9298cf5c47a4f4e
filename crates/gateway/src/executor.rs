//! Runs tools in the gateway, for clients that cannot: a session decides on each call and logs it.
//!
//! ```text
//!  request ─ OfferedTools (added to the client's) ─ model ─ own calls ─ ExecutedRounds ─ Session, on a thread that may block
//!                                                     ▲                      │ results
//!                                                     └──────────────────────┘ 10 times at most
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use sha2::{Digest, Sha256};
use toolglot_engine::Calls;
use toolglot_session::{CalledMessage, Cancel, Session, SessionBuilder, SessionError, Step};
use toolglot_toolset::ToolSpec;
use toolglot_value::{Value, json};

use crate::fault::Fault;
use crate::models::fits;

/// The most rounds of tool results for one request.
pub(crate) const MOST_ROUNDS: usize = 10;

/// The time for cancelled tools to end and to be logged.
const GRACE: Duration = Duration::from_secs(10);

/// The most bytes of a result in the record of an answer.
const RECORDED_BYTES: usize = 2 << 10;

/// The tools that the gateway runs, and their sessions.
pub(crate) struct Executor {
    /// Its copies share the server connections and the costs of calls.
    builder: SessionBuilder,
    /// Patterns for the ids of offered tools.
    patterns: Vec<String>,
    /// The offered tools, until a file that they were read from changes.
    offered: Mutex<Option<(Session, Arc<OfferedTools>)>>,
    running: RunningCalls,
}

/// Tools as a model sees them.
#[derive(Debug, Default)]
pub(crate) struct OfferedTools {
    pub(crate) specs: Vec<ToolSpec>,
    /// The id of each tool by its name.
    ids: BTreeMap<String, String>,
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").finish_non_exhaustive()
    }
}

impl Executor {
    /// Errors of the registry are reported here, not at the first call.
    pub(crate) fn new(
        builder: SessionBuilder,
        patterns: Vec<String>,
    ) -> Result<Executor, SessionError> {
        let executor = Executor {
            builder,
            patterns,
            offered: Mutex::default(),
            running: RunningCalls::default(),
        };
        executor.read_offered()?;
        Ok(executor)
    }

    /// The tools of the present registry and the user's present trust.
    pub(crate) async fn offered(self: &Arc<Self>) -> Result<Arc<OfferedTools>, Fault> {
        let executor = Arc::clone(self);
        blocking(move || executor.read_offered()).await
    }

    fn read_offered(&self) -> Result<Arc<OfferedTools>, SessionError> {
        let mut cache = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((session, offered)) = &*cache
            && !session.is_outdated()
        {
            return Ok(Arc::clone(offered));
        }
        let session = self.builder.clone().reread().build()?;
        let offered = Arc::new(OfferedTools::new(session.offered_tools(), &self.patterns));
        *cache = Some((session, Arc::clone(&offered)));
        Ok(offered)
    }

    /// Ends running calls, which the log records, and closes the server connections.
    pub(crate) fn end(&self) {
        self.running.end();
        self.builder.end_servers();
    }
}

impl OfferedTools {
    fn new(specs: Vec<ToolSpec>, patterns: &[String]) -> OfferedTools {
        let mut offered = OfferedTools::default();
        // Names are computed from all tools, so that a pattern changes none.
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for spec in &specs {
            *owners.entry(name_of(&spec.name)).or_default() += 1;
        }
        for mut spec in specs {
            if !patterns.is_empty() && !patterns.iter().any(|one| fits(one, &spec.name)) {
                continue;
            }
            let mut name = name_of(&spec.name);
            if owners[&name] > 1 {
                name = distinct_name(&name, &spec.name);
            }
            while offered.ids.contains_key(&name) {
                name.push('_');
            }
            offered.ids.insert(name.clone(), spec.name);
            spec.name = name;
            offered.specs.push(spec);
        }
        offered
    }

    /// The tools without those of these names.
    pub(crate) fn without(&self, is_taken: impl Fn(&str) -> bool) -> Arc<OfferedTools> {
        let specs = self.specs.iter().filter(|spec| !is_taken(&spec.name));
        let ids = self.ids.iter().filter(|(name, _)| !is_taken(name));
        Arc::new(OfferedTools {
            specs: specs.cloned().collect(),
            ids: ids.map(|(name, id)| (name.clone(), id.clone())).collect(),
        })
    }

    /// The id of the tool with this name.
    pub(crate) fn id(&self, name: &str) -> Option<&str> {
        self.ids.get(name).map(String::as_str)
    }
}

/// The name of a tool for a model: model servers allow only letters, digits, `_` and `-`.
fn name_of(id: &str) -> String {
    let id = id.replace('/', "__");
    let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    id.chars()
        .map(|c| if is_kept(c) { c } else { '_' })
        .collect()
}

/// A distinct name for tools whose ids map to the same name, in any order: it ends with the start of the id's hash.
fn distinct_name(name: &str, id: &str) -> String {
    let mut distinct = format!("{name}_");
    for byte in &Sha256::digest(id)[..4] {
        let _ = write!(distinct, "{byte:02x}");
    }
    distinct
}

/// The calls that ran for one request. Running calls are cancelled when the client leaves.
#[derive(Debug, Default)]
pub(crate) struct ExecutedRounds {
    pub(crate) n_rounds: usize,
    pub(crate) calls: Vec<ExecutedCall>,
    /// One session for all rounds: it remembers results, and detects a call that the model copies from one.
    session: Option<Arc<Session>>,
    cancel: Option<Cancel>,
}

/// A call that ran or was refused.
#[derive(Clone, Debug)]
pub(crate) struct ExecutedCall {
    pub(crate) id: String,
    pub(crate) arguments: String,
    pub(crate) state: &'static str,
    pub(crate) rule: String,
    /// The text that the model reads.
    pub(crate) text: String,
}

/// The outcome of one round.
#[derive(Debug)]
pub(crate) struct Round {
    /// One entry per call, in order.
    pub(crate) calls: Vec<ExecutedCall>,
    /// All results in the form of the dialect, for a model with calls as text.
    pub(crate) answer: String,
}

impl ExecutedRounds {
    /// Runs the calls of a message.
    pub(crate) async fn carry_out(
        &mut self,
        executor: &Arc<Executor>,
        calls: Calls,
        text: String,
    ) -> Result<Round, Fault> {
        self.n_rounds += 1;
        let cancel = match self.cancel.clone() {
            Some(cancel) => cancel,
            None => Cancel::new().map_err(|error| failed(&error))?,
        };
        self.cancel = Some(cancel.clone());
        let (executor, session) = (Arc::clone(executor), self.session.clone());
        let span = tracing::Span::current();
        let (session, called) = blocking(move || {
            let _in_span = span.enter();
            let _running = executor.running.start(cancel.clone());
            let session = match session {
                Some(session) => session,
                None => Arc::new(executor.builder.clone().reread().cancel(cancel).build()?),
            };
            let called = session.carry_out_calls(calls, &text)?;
            Ok((session, called))
        })
        .await?;
        self.session = Some(session);
        let round = Round::new(&called);
        self.calls.extend(round.calls.iter().cloned());
        Ok(round)
    }

    /// A record of the calls for the client's history, if the client has calls to make: it does not see those that ran
    /// here.
    pub(crate) fn record(&self) -> String {
        let mut text = String::new();
        for call in &self.calls {
            let mut result = call.text.clone();
            if result.len() > RECORDED_BYTES {
                let end = (0..=RECORDED_BYTES).rfind(|at| result.is_char_boundary(*at));
                result.truncate(end.unwrap_or_default());
                result.push_str("..");
            }
            let (id, arguments) = (&call.id, &call.arguments);
            let _ = writeln!(
                text,
                "\n[Before this, `{id}` was called with {arguments}: {result}]"
            );
        }
        text
    }

    /// The calls for a report, without argument values.
    pub(crate) fn report(&self) -> Value {
        let calls = self.calls.iter();
        calls
            .map(|call| json!({"name": &*call.id, "state": call.state, "rule": &*call.rule}))
            .collect()
    }
}

impl Drop for ExecutedRounds {
    fn drop(&mut self) {
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
    }
}

impl Round {
    fn new(called: &CalledMessage) -> Round {
        let calls = called.message.calls.iter().enumerate();
        let calls = calls.map(|(at, call)| {
            // Several steps if the arguments name several files to read.
            let steps: Vec<&Step> = called
                .steps
                .iter()
                .filter(|step| step.call.call == at)
                .collect();
            let texts: Vec<String> = steps.iter().filter_map(|step| step.text()).collect();
            // The first failed step is the most informative.
            let shown = steps.iter().find(|step| !step.is_fine()).or(steps.first());
            ExecutedCall {
                id: call.name.clone(),
                arguments: call.arguments.clone(),
                state: shown.map_or("refused", |step| step.state.word()),
                rule: shown.map_or_else(String::new, |step| step.verdict.rule.to_string()),
                text: texts.join("\n\n"),
            }
        });
        Round {
            calls: calls.collect(),
            answer: called.answer.clone(),
        }
    }
}

/// Runs blocking work outside the threads that serve requests.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SessionError> + Send + 'static,
) -> Result<T, Fault> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(failed(&error)),
        Err(error) => Err(failed(&error)),
    }
}

fn failed(error: &dyn std::error::Error) -> Fault {
    let message = format!("the tools of the gateway cannot be run: {error}");
    Fault::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}

/// The running calls.
#[derive(Debug, Default)]
struct RunningCalls {
    state: Mutex<RunningState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct RunningState {
    is_over: bool,
    next: u64,
    calls: BTreeMap<u64, Cancel>,
}

/// The calls of one message while they run.
struct RunningGuard<'r> {
    running: &'r RunningCalls,
    number: u64,
}

impl RunningCalls {
    fn start(&self, cancel: Cancel) -> RunningGuard<'_> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.next;
        state.next += 1;
        if state.is_over {
            cancel.cancel();
        }
        state.calls.insert(number, cancel);
        RunningGuard {
            running: self,
            number,
        }
    }

    /// Cancels all calls, and waits until they have ended.
    fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_over = true;
        for cancel in state.calls.values() {
            cancel.cancel();
        }
        let is_running = |state: &mut RunningState| !state.calls.is_empty();
        let _ = self.changed.wait_timeout_while(state, GRACE, is_running);
    }
}

impl Drop for RunningGuard<'_> {
    fn drop(&mut self) {
        let state = self.running.state.lock();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.calls.remove(&self.number);
        self.running.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_servers_of_models_know() {
        let spec = |id: &str| ToolSpec {
            name: id.to_owned(),
            description: String::new(),
            parameters: json!({}),
            effect: toolglot_toolset::Effect::Unknown,
        };
        let specs = vec![spec("rye/fs/read"), spec("notes.add"), spec("notes_add")];
        let offered = OfferedTools::new(specs.clone(), &[]);
        let names: Vec<&str> = offered.specs.iter().map(|spec| &*spec.name).collect();
        let expected = ["rye__fs__read", "notes_add_e1253ccd", "notes_add_17a23024"];
        assert_eq!(names, expected);
        for (name, id) in [
            ("rye__fs__read", "rye/fs/read"),
            (expected[1], "notes.add"),
            (expected[2], "notes_add"),
        ] {
            assert_eq!(offered.id(name), Some(id));
        }
        // Neither the order nor a pattern changes a name.
        let reversed = OfferedTools::new(specs.iter().rev().cloned().collect(), &[]);
        assert_eq!(reversed.ids, offered.ids);
        let one = OfferedTools::new(specs, &["notes.*".to_owned()]);
        assert_eq!(one.specs.len(), 1);
        assert_eq!(one.id(expected[1]), Some("notes.add"));
    }
}
