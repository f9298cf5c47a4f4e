//! The tools that are served: the registry, and workers that carry out calls.
//!
//! Workers share one session, so that calls run in parallel. The session is reopened when a file that it was read from
//! changes: a change of trust takes effect with the next request. Warnings about policy files are given once for each
//! state of the files.

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolglot_mcp::message::{Fault, INTERNAL, METHOD, PARAMS};
use toolglot_mcp::server::{Call, Tools};
use toolglot_session::{
    CallError, CallReport, Cancel, Level, OwnFile, Progress, Session, SessionBuilder, SessionError,
    Watch,
};
use toolglot_tool_runner::ToolRunner;
use toolglot_value::{Map, Value, json};

use super::running_calls::UnderWay;
use super::sources::Shelf;
use super::{complete, list, prompts, result, sources};
use crate::cli::args::ServeArguments;
use crate::cli::failure::Failure;
use crate::cli::open_session;

/// So many calls run at once; more wait.
const MAX_WORKERS: usize = 16;
/// How long stopped calls may take to end and to write their log.
const GRACE: Duration = Duration::from_secs(10);

/// How tools are called.
#[derive(Debug)]
pub(super) struct Setup {
    /// Clones of the builder share the connections to servers and the cost of calls.
    builder: SessionBuilder,
    /// The directory of the project: absolute, without links.
    project: PathBuf,
    /// Whether the texts of tools can be read.
    shows_sources: bool,
    /// The session of all requests, until a file that it was read from changes.
    session: Mutex<Arc<Session>>,
}

impl Setup {
    pub(super) fn new(serving: &ServeArguments) -> Result<Setup, Failure> {
        let log = open_session::log(serving.audit.as_deref(), serving.audit_values);
        let builder = open_session::builder(&serving.root, &serving.policy, log)?;
        // The person at the terminal of a server is not the client, so nobody is asked for approval.
        let mut builder = open_session::with_sandbox(builder, &serving.sandbox);
        if let Some(token) = &serving.token_file {
            builder = builder.protect(token, OwnFile::TOKEN);
        }
        let builder = builder.without_result_memory();
        // A fault of the registry is reported here, not at the first call.
        let session = Mutex::new(Arc::new(builder.clone().build()?));
        Ok(Setup {
            session,
            project: open_session::project(&serving.root)?,
            shows_sources: serving.sources,
            builder,
        })
    }

    /// The session, with the policies, the registry and the trust as they are now.
    fn session(&self) -> Result<Arc<Session>, SessionError> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if session.is_outdated() {
            let builder = self.builder.clone().reread();
            open_session::warn(builder.warnings());
            *session = Arc::new(builder.build()?);
        }
        Ok(Arc::clone(&session))
    }
}

/// The tools that are served, and their workers.
pub(super) struct Served {
    setup: Arc<Setup>,
    jobs: Sender<Job>,
    queue: Arc<Mutex<Receiver<Job>>>,
    n_workers: AtomicUsize,
    crew: Arc<Crew>,
    under_way: UnderWay,
    /// The hash of the registry at the last check.
    seen: Mutex<u64>,
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served")
            .field("setup", &self.setup)
            .finish_non_exhaustive()
    }
}

/// How many workers wait for a job, and how many jobs for a worker.
#[derive(Debug, Default)]
struct Crew {
    n_idle: AtomicUsize,
    n_jobs: AtomicUsize,
}

/// A call for a worker.
struct Job {
    name: String,
    arguments: Map<String, Value>,
    call: Call,
    answer: Sender<Result<Value, Fault>>,
}

impl Served {
    pub(super) fn new(setup: Setup) -> Served {
        let (jobs, queue) = channel();
        let served = Served {
            setup: Arc::new(setup),
            jobs,
            queue: Arc::new(Mutex::new(queue)),
            n_workers: AtomicUsize::new(0),
            crew: Arc::default(),
            under_way: UnderWay::default(),
            seen: Mutex::new(0),
        };
        served.is_changed();
        served
    }

    /// Stops the running calls, which the log records, and closes the servers. No call starts afterwards.
    pub(super) fn end(&self) {
        self.under_way.end(GRACE);
        self.setup.builder.end_servers();
    }

    /// Whether the tools changed since the last check.
    pub(super) fn is_changed(&self) -> bool {
        let mut hasher = DefaultHasher::new();
        self.setup
            .builder
            .stamp(&self.setup.project)
            .hash(&mut hasher);
        if let Ok(runner) = ToolRunner::open(&self.setup.project) {
            for entry in runner.registry().list().0 {
                entry.id.as_str().hash(&mut hasher);
            }
        }
        let now = hasher.finish();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *seen, now) != now
    }

    fn session(&self) -> Result<Arc<Session>, Fault> {
        self.setup
            .session()
            .map_err(|error| Fault::new(INTERNAL, error.to_string()))
    }

    fn begin_worker(&self) {
        let (setup, queue) = (Arc::clone(&self.setup), Arc::clone(&self.queue));
        let crew = Arc::clone(&self.crew);
        std::thread::spawn(move || {
            while let Some(job) = next(&queue, &crew) {
                let answer = answer(&setup, &job);
                let _ = job.answer.send(answer);
            }
        });
    }
}

impl Tools for Served {
    fn list(&self, cursor: Option<&str>) -> Result<Value, Fault> {
        let session = self.session()?;
        let rights = list::Rights {
            granted: session.capabilities(),
            has_walls: session.level() != Level::Plain,
        };
        session.with_trust(|trust| list::page(session.registry(), trust, rights, cursor))
    }

    fn capabilities(&self) -> Map<String, Value> {
        let mut all = Map::new();
        all.insert("prompts".to_owned(), json!({}));
        all.insert("completions".to_owned(), json!({}));
        if self.setup.shows_sources {
            all.insert("resources".to_owned(), json!({}));
        }
        all
    }

    fn aside(&self, method: &str, params: &Map<String, Value>) -> Result<Value, Fault> {
        let session = self.session()?;
        session.with_trust(|trust| {
            let served = Shelf {
                registry: session.registry(),
                trust,
                shows_sources: self.setup.shows_sources,
            };
            match method {
                "prompts/list" => Ok(prompts::list()),
                "prompts/get" => prompts::get(&served, params),
                "completion/complete" => complete::complete(&served, params),
                _ if !self.setup.shows_sources => Err(Fault::new(
                    METHOD,
                    "the texts of tools are not served: `--sources` serves them",
                )),
                "resources/list" => sources::list(&served, params),
                "resources/templates/list" => Ok(sources::templates()),
                "resources/read" => sources::read(&served, params),
                other => Err(Fault::new(METHOD, format!("there is no method `{other}`"))),
            }
        })
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, call: &Call) -> Result<Value, Fault> {
        let Some(_place) = self.under_way.begin(&call.stop) else {
            return Err(Fault::new(INTERNAL, "the server is ending"));
        };
        let (answer, answered) = channel();
        let job = Job {
            name: name.to_owned(),
            arguments,
            call: call.clone(),
            answer,
        };
        // An idle worker may be about to take an earlier job.
        let n_jobs = self.crew.n_jobs.fetch_add(1, Ordering::SeqCst) + 1;
        let is_short = n_jobs > self.crew.n_idle.load(Ordering::SeqCst);
        if is_short && self.n_workers.load(Ordering::SeqCst) < MAX_WORKERS {
            self.n_workers.fetch_add(1, Ordering::SeqCst);
            self.begin_worker();
        }
        let gone = |_| Fault::new(INTERNAL, "no worker is left");
        self.jobs
            .send(job)
            .map_err(|_| Fault::new(INTERNAL, "no worker is left"))?;
        answered.recv().map_err(gone)?
    }
}

/// Carries out the call of a job.
fn answer(setup: &Setup, job: &Job) -> Result<Value, Fault> {
    let session = setup
        .session()
        .map_err(|error| Fault::new(INTERNAL, error.to_string()))?;
    // A worker that panics here would never be replaced.
    let answer = catch_unwind(AssertUnwindSafe(|| carry_out(&session, job)));
    answer.unwrap_or_else(|_| Err(Fault::new(INTERNAL, "the call panicked")))
}

fn next(queue: &Mutex<Receiver<Job>>, crew: &Crew) -> Option<Job> {
    crew.n_idle.fetch_add(1, Ordering::SeqCst);
    let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
    // In this order: a worker too many is better than one too few.
    crew.n_idle.fetch_sub(1, Ordering::SeqCst);
    crew.n_jobs.fetch_sub(1, Ordering::SeqCst);
    job.ok()
}

fn carry_out(session: &Session, job: &Job) -> Result<Value, Fault> {
    let id = list::id_of(session.registry(), &job.name);
    let refused = |error: &CallError| match error.cause() {
        // The client named a tool that does not exist. A model can learn from most other errors.
        CallError::Find(_) | CallError::BadId(_) => Err(Fault::new(PARAMS, error.to_string())),
        CallError::Stopped { .. } => Err(Fault::new(INTERNAL, error.to_string())),
        _ => Ok(result::of_error(&job.name, error)),
    };
    match session.call_file(&id, job.arguments.clone(), Some(watch(&job.call))) {
        CallReport::Unfit(error) => refused(&error),
        CallReport::Refused(verdict) => Ok(result::of_refusal(&json!({
            "success": false, "error": verdict.because, "code": verdict.rule, "id": job.name,
        }))),
        CallReport::Planned(..) | CallReport::Steps(_) => {
            Err(Fault::new(INTERNAL, "it was only planned"))
        }
        CallReport::Done(_, called) => match *called {
            Ok(called) => {
                for note in &called.notes {
                    job.call.log("notice", Some(&called.id), &json!(note));
                }
                Ok(result::of_called(called))
            }
            Err(error) => refused(&error),
        },
    }
}

/// Forwards the progress of a call to the client, and cancels the call when the client does.
fn watch(call: &Call) -> Watch {
    let cancel = Cancel::new().ok();
    if let Some(cancel) = cancel.clone() {
        call.stop.then(move || cancel.cancel());
    }
    let (call, rest) = (call.clone(), Mutex::new(String::new()));
    Watch {
        cancel,
        progress: Some(Arc::new(move |progress| tell(&call, &rest, progress))),
    }
}

fn tell(call: &Call, rest: &Mutex<String>, progress: Progress) {
    match progress {
        Progress::At {
            done,
            total,
            message,
        } => call.progress(done, total, message.as_deref()),
        Progress::Log {
            level,
            logger,
            data,
        } => call.log(&level, logger.as_deref(), &data),
        Progress::Attempt(n) if n > 1 => {
            call.log("notice", None, &json!(format!("attempt {n}")));
        }
        Progress::Said(text) => {
            let mut rest = rest.lock().unwrap_or_else(PoisonError::into_inner);
            rest.push_str(&text);
            while let Some(at) = rest.find('\n') {
                let line: String = rest.drain(..=at).collect();
                said(call, line.trim_end());
            }
        }
        _ => {}
    }
}

/// A line of a tool's standard error: progress, a log record, or plain text.
fn said(call: &Call, line: &str) {
    if line.is_empty() {
        return;
    }
    let map = serde_json::from_str::<Map<String, Value>>(line).unwrap_or_default();
    if let Some(done) = map.get("progress").and_then(Value::as_f64) {
        let message = map.get("message").and_then(Value::as_str);
        call.progress(done, map.get("total").and_then(Value::as_f64), message);
    } else if let (Some(level), Some(data)) =
        (map.get("level").and_then(Value::as_str), map.get("data"))
    {
        call.log(level, map.get("logger").and_then(Value::as_str), data);
    } else {
        call.log("debug", None, &json!(line));
    }
}
