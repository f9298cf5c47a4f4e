//! The client's side of a session.

mod lines;
mod profile;
mod result;
mod rounds;
mod stateless;
mod stream;
mod terms;
mod trouble;
mod wire;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use toolglot_value::{Map, Value, json};

pub use lines::Lines;
pub use profile::{Answers, Profile};
pub use stream::Stream;
pub use terms::{ServerEvent, Terms};
pub use trouble::Trouble;
pub use wire::{Heard, Wire};

pub use crate::STATELESS;
pub use crate::web::{Answer, Web, WebError};

use crate::message::{Fault, METHOD, Message};
use crate::pin::is_tool_name;
use crate::{BATCHES, VERSIONS};

/// The maximum number of messages before the answer; a server that sends more is faulty.
const MAX_MESSAGES: usize = 10_000;
/// The maximum number of pages of a list.
const MAX_PAGES: usize = 100;
/// The maximum number of tools of a server.
const MAX_TOOLS: usize = 10_000;
/// How much of the noise is stored: lines, and characters of each line.
const NOISE: (usize, usize) = (5, 200);
/// The interval between checks whether the call was stopped.
const TICK: Duration = Duration::from_millis(20);

/// A session with a server.
#[derive(Debug)]
pub struct Client {
    wire: Box<dyn Wire>,
    profile: Profile,
    next_id: u64,
    /// The server's description of itself.
    server: Value,
    /// Whether the server reported a change of its tools.
    is_changed: bool,
    /// Whether the server has no sessions.
    is_stateless: bool,
    /// The parameters of its tools that headers repeat.
    mirrored: BTreeMap<String, BTreeMap<String, String>>,
    noise: Vec<String>,
    n_noise: usize,
}

impl Client {
    /// Starts a session; a server without sessions gets a discovery request.
    ///
    /// # Errors
    /// If no server speaks the protocol.
    pub fn open(
        wire: Box<dyn Wire>,
        profile: Profile,
        terms: &Terms<'_>,
    ) -> Result<Client, Trouble> {
        let mut client = Client {
            wire,
            profile,
            next_id: 0,
            server: Value::Null,
            is_changed: false,
            is_stateless: false,
            mirrored: BTreeMap::new(),
            noise: Vec::new(),
            n_noise: 0,
        };
        if client.profile.version == STATELESS {
            client.discover(terms)?;
            return Ok(client);
        }
        let info = json!({"name": "toolglot", "version": env!("CARGO_PKG_VERSION")});
        let hello = json!({
            "protocolVersion": client.profile.version,
            "capabilities": client.profile.capabilities,
            "clientInfo": info,
        });
        let server = match client.request("initialize", hello, terms) {
            Err(trouble) if stateless::has_no_sessions(&trouble) => {
                client.discover(terms)?;
                return Ok(client);
            }
            server => server?,
        };
        let version = server["protocolVersion"].as_str().unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let shown: String = version.chars().take(40).collect();
            return Err(Trouble::Odd(format!(
                "speaks version {shown:?} of the protocol, which is not one of {}",
                VERSIONS.join(", ")
            )));
        }
        client.wire.agreed(version);
        client.server = server;
        client.tell(&Message::notification(
            "notifications/initialized",
            Value::Null,
        ))?;
        Ok(client)
    }

    /// The server's description of itself: `serverInfo`, `capabilities`, `protocolVersion`, `instructions`.
    pub fn server(&self) -> &Value {
        &self.server
    }

    /// Whether the server reported a change of its tools since the last [`tools`](Client::tools).
    ///
    /// # Errors
    /// If the server is gone.
    pub fn is_changed(&mut self) -> Result<bool, Trouble> {
        for _ in 0..MAX_MESSAGES {
            match self.wire.heard(Duration::ZERO) {
                Heard::Message(value) => {
                    for value in self.messages(value) {
                        self.other(value, None);
                    }
                }
                Heard::Noise(_) => self.n_noise += 1,
                Heard::Failed(trouble) => return Err(trouble),
                Heard::Ended(how) => return Err(Trouble::Gone(format!("ended {how}"))),
                Heard::Nothing => return Ok(self.is_changed),
            }
        }
        Err(Trouble::Odd(format!(
            "wrote {MAX_MESSAGES} unsolicited messages"
        )))
    }

    /// Received lines that were not messages: the first of them, and their number.
    pub fn noise(&self) -> (&[String], usize) {
        (&self.noise, self.n_noise)
    }

    /// All tools of the server.
    ///
    /// # Errors
    /// If the server returns no list, or one with duplicate or invalid tool names.
    pub fn tools(&mut self, terms: &Terms<'_>) -> Result<Vec<Value>, Trouble> {
        self.is_changed = false;
        let mut tools: Vec<Value> = Vec::new();
        let mut cursor = Value::Null;
        for _ in 0..MAX_PAGES {
            let params = if cursor.is_null() {
                json!({})
            } else {
                json!({"cursor": cursor})
            };
            let page = self.request("tools/list", params, terms)?;
            let Some(listed) = page["tools"].as_array() else {
                return Err(Trouble::Odd("lists no `tools`".to_owned()));
            };
            tools.extend(listed.iter().cloned());
            if tools.len() > MAX_TOOLS {
                return Err(Trouble::Odd(format!("lists more than {MAX_TOOLS} tools")));
            }
            match page.get("nextCursor") {
                Some(next) if next.is_string() && *next != cursor => cursor = next.clone(),
                _ => break,
            }
        }
        if self.is_stateless {
            // Only a tool with invalid header rules is dropped; the others stay.
            tools.retain(|tool| stateless::mirrored(tool).is_some());
            let all = tools.iter().filter_map(|tool| {
                Some((
                    tool["name"].as_str()?.to_owned(),
                    stateless::mirrored(tool)?,
                ))
            });
            self.mirrored = all.collect();
        }
        let mut names = std::collections::BTreeSet::new();
        for tool in &tools {
            let name = tool["name"].as_str().unwrap_or_default();
            if !is_tool_name(name) {
                let shown: String = name.chars().take(80).collect();
                return Err(Trouble::Odd(format!(
                    "offers a tool of invalid name {shown:?}: write 1 to 128 letters, digits, `_`, `-` and `.`"
                )));
            }
            if !names.insert(name.to_owned()) {
                return Err(Trouble::Odd(format!("has two tools called `{name}`")));
            }
        }
        Ok(tools)
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// If there is no result. A failed tool has a result with `isError`.
    pub fn call(
        &mut self,
        name: &str,
        arguments: &Map<String, Value>,
        terms: &Terms<'_>,
    ) -> Result<Value, Trouble> {
        let params = json!({"name": name, "arguments": arguments});
        let result = if self.is_stateless {
            let mirrored = self.mirrored.get(name);
            let headers = mirrored.map(|mirrored| stateless::arguments(mirrored, arguments));
            self.wire.repeats(headers.unwrap_or_default());
            let result = self.rounds("tools/call", &params, terms);
            self.wire.repeats(Vec::new());
            result?
        } else {
            self.request("tools/call", params, terms)?
        };
        match result::misfit(&result) {
            Some(why) => Err(Trouble::Odd(format!("gave a result {why}"))),
            None => Ok(result),
        }
    }

    /// Sends a request, and waits for the answer; other messages are reported, answered or skipped.
    ///
    /// # Errors
    /// If there is no result. A request that is abandoned is cancelled.
    pub fn request(
        &mut self,
        method: &str,
        params: Value,
        terms: &Terms<'_>,
    ) -> Result<Value, Trouble> {
        let id = self.next_id;
        self.next_id += 1;
        let mut params = match params {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        if terms.tell.is_some() {
            params.insert("_meta".to_owned(), json!({"progressToken": id}));
        }
        if self.is_stateless {
            stateless::add_meta(&mut params, &self.profile);
        }
        let request = Message::Request {
            id: json!(id),
            method: method.to_owned(),
            params,
        };
        self.wire.send(&request)?;
        for _ in 0..MAX_MESSAGES {
            let left = terms.until.saturating_duration_since(Instant::now());
            if (terms.stop)() {
                self.take_back(method, id, "it is not wanted any more");
                return Err(Trouble::Stopped);
            }
            if left.is_zero() {
                self.take_back(method, id, "it took too long");
                return Err(Trouble::Late {
                    method: method.to_owned(),
                });
            }
            match self.waited(left, terms) {
                Heard::Message(value) => {
                    let mut found = None;
                    for value in self.messages(value) {
                        if let Some(result) = self.result_of(value, id, terms)? {
                            found = found.or(Some(result));
                        }
                    }
                    if let Some(result) = found {
                        return result.map_err(|fault| Trouble::Refused {
                            method: method.to_owned(),
                            fault,
                        });
                    }
                }
                Heard::Noise(line) => self.noted(&line),
                Heard::Failed(trouble) => return Err(trouble),
                Heard::Ended(how) => {
                    return Err(Trouble::Gone(format!(
                        "ended before it answered `{method}` {how}"
                    )));
                }
                Heard::Nothing => {}
            }
        }
        Err(Trouble::Odd(format!(
            "wrote {MAX_MESSAGES} messages and no answer to `{method}`"
        )))
    }

    /// Stores the start of a line that is not a message, up to a limit.
    fn noted(&mut self, line: &str) {
        self.n_noise += 1;
        if self.noise.len() < NOISE.0 {
            self.noise.push(line.chars().take(NOISE.1).collect());
        }
    }

    /// The messages of a received value: a list contains several in the one revision with batches, and is noise in any
    /// other.
    fn messages(&mut self, value: Value) -> Vec<Value> {
        match value {
            Value::Array(values) if self.server["protocolVersion"] == BATCHES => values,
            Value::Array(values) => {
                self.noted(&Value::Array(values).to_string());
                Vec::new()
            }
            value => vec![value],
        }
    }

    /// Waits in short steps, so that the caller can stop the wait.
    fn waited(&mut self, left: Duration, terms: &Terms<'_>) -> Heard {
        let until = Instant::now() + left;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.wire.heard(left.min(TICK)) {
                Heard::Nothing if !left.is_zero() && !(terms.stop)() => {}
                heard => return heard,
            }
        }
    }

    /// The result, if the received value contains it.
    fn result_of(
        &mut self,
        value: Value,
        id: u64,
        terms: &Terms<'_>,
    ) -> Result<Option<Result<Value, Fault>>, Trouble> {
        let is_answer = value.get("id") == Some(&json!(id)) && value.get("method").is_none();
        match Message::read(value) {
            Ok(Message::Response { id: of, result }) if of == json!(id) => Ok(Some(result)),
            Ok(message) => {
                self.other(message.write(), terms.tell);
                Ok(None)
            }
            Err((_, fault)) if is_answer => Err(Trouble::Odd(format!(
                "sent an invalid answer: {}",
                fault.message
            ))),
            Err(_) => {
                self.n_noise += 1;
                Ok(None)
            }
        }
    }

    /// Handles a message that does not answer a request of this client.
    fn other(&mut self, value: Value, tell: Option<&dyn Fn(ServerEvent)>) {
        match Message::read(value) {
            Ok(Message::Request { id, method, params }) => {
                let result = match method.as_str() {
                    "ping" => Ok(json!({})),
                    _ => (self.profile.answers)(&method, &params).unwrap_or_else(|| {
                        Err(Fault::new(
                            METHOD,
                            format!("this client does not know `{method}`"),
                        ))
                    }),
                };
                // The next read reports a server that is gone.
                let _ = self.wire.send(&Message::Response { id, result });
            }
            Ok(Message::Notification { method, params }) => match method.as_str() {
                "notifications/tools/list_changed" => self.is_changed = true,
                "notifications/progress" => {
                    if let (Some(tell), Some(progress)) =
                        (tell, params.get("progress").and_then(Value::as_f64))
                    {
                        tell(ServerEvent::Progress {
                            progress,
                            total: params.get("total").and_then(Value::as_f64),
                            message: params
                                .get("message")
                                .and_then(Value::as_str)
                                .map(str::to_owned),
                        });
                    }
                }
                "notifications/message" => {
                    if let Some(tell) = tell {
                        tell(ServerEvent::Log {
                            level: params
                                .get("level")
                                .and_then(Value::as_str)
                                .unwrap_or("info")
                                .to_owned(),
                            logger: params
                                .get("logger")
                                .and_then(Value::as_str)
                                .map(str::to_owned),
                            data: params.get("data").cloned().unwrap_or_default(),
                        });
                    }
                }
                _ => {}
            },
            // A late answer to a request that was abandoned.
            Ok(Message::Response { .. }) | Err(_) => {}
        }
    }

    fn take_back(&mut self, method: &str, id: u64, why: &str) {
        if method != "initialize" {
            let params = json!({"requestId": id, "reason": why});
            let _ = self.tell(&Message::notification("notifications/cancelled", params));
        }
        self.wire.take_back();
    }

    fn tell(&mut self, message: &Message) -> Result<(), Trouble> {
        self.wire.send(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LATEST;

    /// A server that answers the first request, and then never stops writing.
    #[derive(Debug)]
    struct Endless {
        answered: bool,
        n_heard: usize,
    }

    impl Wire for Endless {
        fn send(&mut self, _: &Message) -> Result<(), Trouble> {
            Ok(())
        }

        fn heard(&mut self, _: Duration) -> Heard {
            self.n_heard += 1;
            assert!(
                self.n_heard <= MAX_MESSAGES + 1,
                "it is listened to for ever"
            );
            let message = if self.answered {
                json!({"jsonrpc": "2.0", "method": "notifications/progress"})
            } else {
                let result = json!({"protocolVersion": LATEST, "capabilities": {}});
                json!({"jsonrpc": "2.0", "id": 0, "result": result})
            };
            self.answered = true;
            Heard::Message(message)
        }
    }

    #[test]
    fn a_server_that_never_stops_writing_is_refused() {
        let wire = Endless {
            answered: false,
            n_heard: 0,
        };
        let terms = Terms::within(Duration::from_secs(60));
        let mut client =
            Client::open(Box::new(wire), Profile::default(), &terms).expect("it answers");
        let error = client.is_changed().expect_err("it never stops").to_string();
        assert_eq!(error, "the server wrote 10000 unsolicited messages");
    }
}
