//! The server's side of a session, independent of the transport.

mod batch;
mod channel;
mod heard;
mod http;
mod patience;
mod reply;
mod request;
mod stateless;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolglot_value::{Map, Value, json};

pub use batch::Answer;
pub use heard::Heard;
use heard::Slot;
pub use http::{Gate, serve};
pub(crate) use patience::Patient;
pub(crate) use request::Request;
pub use stateless::{Heads, is_stateless};

use crate::message::{Fault, METHOD, Message, NO_RESOURCE, PARAMS, REQUEST};
use crate::{LEVELS, VERSIONS};

/// The tools of a server.
pub trait Tools: Send + Sync {
    /// One page of the tools after `cursor`: `tools`, and `nextCursor` where there are more.
    ///
    /// # Errors
    /// If the cursor is invalid.
    fn list(&self, cursor: Option<&str>) -> Result<Value, Fault>;

    /// Calls a tool. A tool that fails has a result with `isError`.
    ///
    /// # Errors
    /// If there is no such tool.
    fn call(&self, name: &str, arguments: Map<String, Value>, call: &Call) -> Result<Value, Fault>;

    /// The capabilities besides tools, in the form of the announcement: `prompts`, `resources`, `completions`.
    fn capabilities(&self) -> Map<String, Value>;

    /// Answers one of the methods of [`ASIDE`].
    ///
    /// # Errors
    /// If there is no such item, or the method is not served.
    fn aside(&self, method: &str, params: &Map<String, Value>) -> Result<Value, Fault>;
}

/// The served methods that are not about tools.
pub const ASIDE: &[&str] = &[
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
];

/// Ends a call early.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<Stopping>>);

#[derive(Default)]
struct Stopping {
    is_stopped: bool,
    then: Vec<Box<dyn FnOnce() + Send>>,
}

impl Stop {
    /// Stops it.
    pub fn now(&self) {
        let then = {
            let mut stopping = locked(&self.0);
            stopping.is_stopped = true;
            std::mem::take(&mut stopping.then)
        };
        for act in then {
            act();
        }
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        locked(&self.0).is_stopped
    }

    /// Runs `act` when the call is stopped; immediately if it was stopped before.
    pub fn then(&self, act: impl FnOnce() + Send + 'static) {
        let mut stopping = locked(&self.0);
        if stopping.is_stopped {
            drop(stopping);
            act();
        } else {
            stopping.then.push(Box::new(act));
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_stopped()).finish()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Receives messages that belong to a request, or to none.
pub type Out = Arc<dyn Fn(&Message) + Send + Sync>;

/// A running call, and the channel to its client.
#[derive(Clone)]
pub struct Call {
    /// Stops the call.
    pub stop: Stop,
    out: Out,
    progress: Option<Value>,
    shared: Arc<Shared>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

impl Call {
    /// Whether the client requested progress.
    pub fn wants_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// Reports progress, if the client requested it.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = self.progress.as_ref().filter(|_| !self.stop.is_stopped()) else {
            return;
        };
        let mut params = json!({"progressToken": token, "progress": number(progress)});
        if let Some(total) = total {
            params["total"] = number(total);
        }
        if let Some(message) = message {
            params["message"] = json!(message);
        }
        (self.out)(&Message::notification("notifications/progress", params));
    }

    /// Logs a message, if the client requested logs of that level.
    pub fn log(&self, level: &str, logger: Option<&str>, data: &Value) {
        let Some(rank) = LEVELS.iter().position(|known| *known == level) else {
            return;
        };
        if self.stop.is_stopped() || rank < locked(&self.shared.state).level {
            return;
        }
        let mut params = json!({"level": level, "data": data});
        if let Some(logger) = logger {
            params["logger"] = json!(logger);
        }
        (self.out)(&Message::notification("notifications/message", params));
    }

    /// Sends a request to the client, and waits for its answer.
    ///
    /// # Errors
    /// If the client does not support the request, refuses it, or does not answer in time.
    pub fn ask(
        &self,
        method: &str,
        params: Map<String, Value>,
        time: Duration,
    ) -> Result<Value, Fault> {
        let capability = method.split('/').next().unwrap_or_default();
        let (tell, told) = channel();
        let id = {
            let mut state = locked(&self.shared.state);
            if state.client["capabilities"].get(capability).is_none() {
                let why = format!("the client has no capability `{capability}`");
                return Err(Fault::new(METHOD, why));
            }
            state.next_id += 1;
            let id = state.next_id;
            state.pending.insert(id, tell);
            id
        };
        let method = method.to_owned();
        (self.out)(&Message::Request {
            id: json!(id),
            method,
            params,
        });
        let until = Instant::now() + time;
        let answer = loop {
            let left = until.saturating_duration_since(Instant::now());
            match told.recv_timeout(left.min(Duration::from_millis(50))) {
                Ok(answer) => break answer,
                Err(_) if left.is_zero() => {
                    break Err(Fault::new(REQUEST, "the client did not answer"));
                }
                Err(_) if self.stop.is_stopped() => {
                    break Err(Fault::new(REQUEST, "it was stopped"));
                }
                Err(_) => {}
            }
        };
        locked(&self.shared.state).pending.remove(&id);
        answer
    }
}

/// A number in its usual form: an integer has no decimal point.
fn number(value: f64) -> Value {
    /// Up to this number every integer is exact: 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and fits")]
        return json!(value as i64);
    }
    json!(value)
}

/// A session with a client.
pub struct Session {
    tools: Arc<dyn Tools>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    version: Option<&'static str>,
    /// The client's description of itself.
    client: Value,
    /// The least log level that the client requested.
    level: usize,
    /// Running calls, by the id of their request.
    running: BTreeMap<String, Stop>,
    /// Requests to the client without an answer yet.
    pending: BTreeMap<u64, Sender<Result<Value, Fault>>>,
    next_id: u64,
    /// The client's listeners for messages that belong to no request.
    listeners: Vec<Out>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session that serves `tools`.
    pub fn new(tools: Arc<dyn Tools>) -> Session {
        let shared = Shared::default();
        locked(&shared.state).level = LEVELS
            .iter()
            .position(|level| *level == "info")
            .unwrap_or(0);
        Session {
            tools,
            shared: Arc::new(shared),
        }
    }

    /// The negotiated version.
    pub fn version(&self) -> Option<&'static str> {
        locked(&self.shared.state).version
    }

    /// Handles a message, and returns the response if the message needs one. Earlier messages of the request go to
    /// `out`.
    ///
    /// Blocks until the message is handled; other threads may handle other messages meanwhile.
    pub fn hear(&self, value: Value, out: &Out) -> Option<Message> {
        let slot = self.slot(&value);
        self.hear_in(slot, value, out)
    }

    fn hear_in(&self, slot: Option<Slot>, value: Value, out: &Out) -> Option<Message> {
        if stateless::is_stateless(&value, None) {
            return self
                .alone_in(slot, value, None, out)
                .map(|(_, message)| message);
        }
        let (id, method, params) = match Message::read(value) {
            Ok(Message::Request { id, method, params }) => (id, method, params),
            Ok(Message::Notification { method, params }) => {
                self.noted(&method, &params);
                return None;
            }
            Ok(Message::Response { id, result }) => {
                if let Some(tell) = id
                    .as_u64()
                    .and_then(|id| locked(&self.shared.state).pending.remove(&id))
                {
                    let _ = tell.send(result);
                }
                return None;
            }
            Err((id, fault)) => {
                return Some(Message::Response {
                    id,
                    result: Err(fault),
                });
            }
        };
        if method == "tools/call" {
            return self.call(slot, id, &params, out);
        }
        let result = self.answer(&method, &params).map_err(|mut fault| {
            // The revisions with sessions have a separate code.
            if method == "resources/read" && fault.data.is_some() {
                fault.code = NO_RESOURCE;
            }
            fault
        });
        Some(Message::Response { id, result })
    }

    fn answer(&self, method: &str, params: &Map<String, Value>) -> Result<Value, Fault> {
        match method {
            "initialize" => {
                let wanted = params.get("protocolVersion").and_then(Value::as_str);
                let Some(wanted) = wanted else {
                    return Err(Fault::new(PARAMS, "`protocolVersion` is missing"));
                };
                let version = VERSIONS.iter().find(|version| **version == wanted);
                let version = *version.unwrap_or(&VERSIONS[0]);
                let mut state = locked(&self.shared.state);
                state.version = Some(version);
                state.client = Value::Object(params.clone());
                let mut capabilities = self.tools.capabilities();
                capabilities.insert("tools".to_owned(), json!({"listChanged": true}));
                capabilities.insert("logging".to_owned(), json!({}));
                Ok(json!({
                    "protocolVersion": version,
                    "capabilities": capabilities,
                    "serverInfo": {"name": "toolglot", "version": env!("CARGO_PKG_VERSION")},
                }))
            }
            "ping" => Ok(json!({})),
            "logging/setLevel" => {
                let level = params
                    .get("level")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let rank = LEVELS.iter().position(|known| *known == level);
                let Some(rank) = rank else {
                    return Err(Fault::new(
                        PARAMS,
                        format!("`level` is one of {}", LEVELS.join(", ")),
                    ));
                };
                locked(&self.shared.state).level = rank;
                Ok(json!({}))
            }
            "tools/list" => match params.get("cursor") {
                None | Some(Value::Null) => self.tools.list(None),
                Some(Value::String(cursor)) => self.tools.list(Some(cursor)),
                Some(_) => Err(Fault::new(PARAMS, "`cursor` is not a string")),
            },
            aside if ASIDE.contains(&aside) => self.tools.aside(aside, params),
            other => Err(Fault::new(METHOD, format!("there is no method `{other}`"))),
        }
    }

    fn call(
        &self,
        slot: Option<Slot>,
        id: Value,
        params: &Map<String, Value>,
        out: &Out,
    ) -> Option<Message> {
        let fail = |id: &Value, code: i64, why: &str| {
            let result = Err(Fault::new(code, why));
            Some(Message::Response {
                id: id.clone(),
                result,
            })
        };
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return fail(&id, PARAMS, "`name` is missing");
        };
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return fail(&id, PARAMS, "`arguments` is not an object"),
        };
        let progress = params
            .get("_meta")
            .and_then(|meta| meta.get("progressToken"));
        let Some(Slot::Running(running)) = slot else {
            return fail(&id, REQUEST, "a request of that id is running");
        };
        let call = Call {
            stop: running.stop.clone(),
            out: Arc::clone(out),
            progress: progress
                .filter(|token| token.is_string() || token.is_number())
                .cloned(),
            shared: Arc::clone(&self.shared),
        };
        // A cancelled request gets no answer, even if it was cancelled before it started.
        if call.stop.is_stopped() {
            return None;
        }
        let result = self.tools.call(name, arguments, &call);
        drop(running);
        (!call.stop.is_stopped()).then_some(Message::Response { id, result })
    }

    /// Handles a notification.
    fn noted(&self, method: &str, params: &Map<String, Value>) {
        if method != "notifications/cancelled" {
            return;
        }
        if let Some(id) = params.get("requestId") {
            let stop = locked(&self.shared.state)
                .running
                .get(&id.to_string())
                .cloned();
            if let Some(stop) = stop {
                stop.now();
            }
        }
    }

    /// Whether a call is running.
    pub fn is_busy(&self) -> bool {
        !locked(&self.shared.state).running.is_empty()
    }

    /// Stops all running calls.
    pub fn stop_all(&self) {
        let running: Vec<Stop> = locked(&self.shared.state)
            .running
            .values()
            .cloned()
            .collect();
        for stop in running {
            stop.now();
        }
    }

    /// Adds a listener of the client for messages that belong to no request.
    pub fn listen(&self, out: Out) {
        locked(&self.shared.state).listeners.push(out);
    }

    /// Notifies a listening client that the tools have changed.
    pub fn tools_changed(&self) {
        let listeners = locked(&self.shared.state).listeners.clone();
        let message = Message::notification("notifications/tools/list_changed", Value::Null);
        for out in listeners {
            out(&message);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts its calls.
    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Tools for Counted {
        fn list(&self, _: Option<&str>) -> Result<Value, Fault> {
            Ok(json!({"tools": []}))
        }

        fn call(&self, _: &str, _: Map<String, Value>, _: &Call) -> Result<Value, Fault> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(json!({}))
        }

        fn capabilities(&self) -> Map<String, Value> {
            Map::new()
        }

        fn aside(&self, _: &str, _: &Map<String, Value>) -> Result<Value, Fault> {
            Ok(json!({}))
        }
    }

    fn call(id: i64) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t"}})
    }

    fn take_back(id: i64) -> Value {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    }

    #[test]
    fn messages_have_their_order_before_anybody_works_on_them() {
        let tools = Arc::new(Counted::default());
        let session = Session::new(Arc::clone(&tools) as Arc<dyn Tools>);
        let out: Out = Arc::new(|_| {});
        let n_called = || tools.0.load(Ordering::SeqCst);
        // Cancelled before its thread started.
        let first = session.note(call(1));
        assert_eq!(session.hear_any(take_back(1), &out), None);
        assert_eq!(session.hear_noted(first, &out), None);
        assert_eq!(n_called(), 0);
        // Of two calls with one id the first is executed, for any order of the threads.
        let (first, second) = (session.note(call(2)), session.note(call(2)));
        let is_fine = |answer: Option<Answer>| match answer {
            Some(Answer::One(Message::Response { result, .. })) => result.is_ok(),
            other => panic!("{other:?}"),
        };
        assert!(!is_fine(session.hear_noted(second, &out)));
        assert!(is_fine(session.hear_noted(first, &out)));
        assert_eq!(n_called(), 1);
        // An id is free again after its answer, and after an invalid call.
        assert!(is_fine(session.hear_any(call(2), &out)));
        let nameless = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {}});
        assert!(!is_fine(session.hear_any(nameless, &out)));
        assert!(is_fine(session.hear_any(call(3), &out)));
        // The same in one list.
        let version = json!({"protocolVersion": crate::BATCHES});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": version});
        session.hear_any(hello, &out);
        let before = n_called();
        let list = session.note(json!([call(4), call(5), call(4)]));
        assert_eq!(session.hear_any(take_back(5), &out), None);
        let Some(Answer::Many(answers)) = session.hear_noted(list, &out) else {
            panic!("a list is answered with one");
        };
        assert_eq!((answers.len(), n_called() - before), (2, 1), "{answers:?}");
    }
    #[test]
    fn a_whole_number_has_no_point() {
        for (value, text) in [
            (50.0, "50"),
            (-1.0, "-1"),
            (0.5, "0.5"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (1e300, "1e+300"),
        ] {
            assert_eq!(number(value).to_string(), text);
        }
    }
}
