//! Tools that the gateway runs itself, for clients that cannot: each call goes through a session, which judges and logs it.
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

/// So often the results of tools go to the model for one request.
pub(crate) const MOST_ROUNDS: usize = 10;

/// How long tools that are ended may take to be gone, the log of them written.
const GRACE: Duration = Duration::from_secs(10);

/// The most of a result in the record of an answer, in bytes.
const RECORDED_BYTES: usize = 2 << 10;

/// Which tools are run, and how.
pub(crate) struct Executor {
    /// Its copies share the connections to servers and what calls cost.
    builder: SessionBuilder,
    /// Patterns of the ids of tools that are offered.
    patterns: Vec<String>,
    /// What is offered, until something that it was read from changes.
    offered: Mutex<Option<(Session, Arc<OfferedTools>)>>,
    running: RunningCalls,
}

/// Tools as a model learns of them.
#[derive(Debug, Default)]
pub(crate) struct OfferedTools {
    pub(crate) specs: Vec<ToolSpec>,
    /// The id of each by its name.
    ids: BTreeMap<String, String>,
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").finish_non_exhaustive()
    }
}

impl Executor {
    /// What is wrong with the registry is said here, and not with the first call.
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

    /// The tools, as the registry and the user's trust are now.
    pub(crate) async fn offered(self: &Arc<Self>) -> Result<Arc<OfferedTools>, Fault> {
        let executor = Arc::clone(self);
        blocking(move || executor.read_offered()).await
    }

    fn read_offered(&self) -> Result<Arc<OfferedTools>, SessionError> {
        let mut kept = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((session, offered)) = &*kept
            && !session.is_outdated()
        {
            return Ok(Arc::clone(offered));
        }
        let session = self.builder.clone().reread().build()?;
        let offered = Arc::new(OfferedTools::new(session.offered_tools(), &self.patterns));
        *kept = Some((session, Arc::clone(&offered)));
        Ok(offered)
    }

    /// Ends what runs, which the log then says, and takes leave of the servers.
    pub(crate) fn end(&self) {
        self.running.end();
        self.builder.end_servers();
    }
}

impl OfferedTools {
    fn new(specs: Vec<ToolSpec>, patterns: &[String]) -> OfferedTools {
        let mut offered = OfferedTools::default();
        // All tools have a part in the names, so that a pattern changes none.
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

    /// Those without tools of these names.
    pub(crate) fn without(&self, is_taken: impl Fn(&str) -> bool) -> Arc<OfferedTools> {
        let specs = self.specs.iter().filter(|spec| !is_taken(&spec.name));
        let ids = self.ids.iter().filter(|(name, _)| !is_taken(name));
        Arc::new(OfferedTools {
            specs: specs.cloned().collect(),
            ids: ids.map(|(name, id)| (name.clone(), id.clone())).collect(),
        })
    }

    /// The id of the tool of that name.
    pub(crate) fn id(&self, name: &str) -> Option<&str> {
        self.ids.get(name).map(String::as_str)
    }
}

/// The name of a tool for a model: servers of models know letters, digits, `_` and `-` alone.
fn name_of(id: &str) -> String {
    let id = id.replace('/', "__");
    let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    id.chars()
        .map(|c| if is_kept(c) { c } else { '_' })
        .collect()
}

/// A name that differs from that of tools whose ids come to the same one, whatever their order: the start of its id's hash follows.
fn distinct_name(name: &str, id: &str) -> String {
    let mut distinct = format!("{name}_");
    for byte in &Sha256::digest(id)[..4] {
        let _ = write!(distinct, "{byte:02x}");
    }
    distinct
}

/// The calls that were run for one request. What still runs is ended once nobody waits for it.
#[derive(Debug, Default)]
pub(crate) struct ExecutedRounds {
    pub(crate) n_rounds: usize,
    pub(crate) calls: Vec<ExecutedCall>,
    /// One session for all rounds: it knows the results, and so a call that the model copies out of one.
    session: Option<Arc<Session>>,
    cancel: Option<Cancel>,
}

/// A call that was run, or refused.
#[derive(Clone, Debug)]
pub(crate) struct ExecutedCall {
    pub(crate) id: String,
    pub(crate) arguments: String,
    pub(crate) state: &'static str,
    pub(crate) rule: String,
    /// What the model reads of it.
    pub(crate) text: String,
}

/// What came of one round.
#[derive(Debug)]
pub(crate) struct Round {
    /// One for each call, in order.
    pub(crate) calls: Vec<ExecutedCall>,
    /// All results in the form of the dialect, for a model that knows calls as text.
    pub(crate) answer: String,
}

impl ExecutedRounds {
    /// Carries out the calls of a message.
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

    /// What a client keeps of it in its history, where it has calls of its own to make: it does not see those that were run.
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

    /// The calls for a report, without values of arguments.
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
            // Several where the arguments name several files to read.
            let steps: Vec<&Step> = called
                .steps
                .iter()
                .filter(|step| step.call.call == at)
                .collect();
            let texts: Vec<String> = steps.iter().filter_map(|step| step.text()).collect();
            // The first one that is not fine says most.
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

/// Runs what blocks, away from the threads that serve.
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

/// The calls that run now.
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

/// Calls of one message, while they run.
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

    /// Ends all, and waits until they are gone.
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
