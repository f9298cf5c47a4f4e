//! A session over streamable HTTP
//! (<https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>, "Streamable HTTP").
//!
//! Each message is a POST of its own. The answer to a request is JSON, or a stream of events that ends with the answer.
//! A stream that ends early is resumed with a GET from the last event that had an id.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolglot_value::Value;

use super::stateless;
use super::trouble::Trouble;
use super::wire::{Heard, Wire, heard};
use crate::auth::{AuthError, Authorizer, Challenge};
use crate::message::Message;
use crate::sse::Events;
use crate::web::{Answer, Web, WebError};
use crate::{BATCHES, STATELESS};

/// The maximum size of an answer or event.
const MAX_BYTES: usize = 64 << 20;
/// How long a message without an answer may take.
const SHORT: Duration = Duration::from_secs(10);
/// How long to wait before a stream is resumed, if the server does not set a time.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause that a server may ask for.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The maximum number of tokens that are tried for one message.
const MAX_TOKENS: usize = 2;
/// How often a stream is resumed without a new event.
const MAX_TRIES: usize = 5;

/// A session over streamable HTTP.
#[derive(Debug)]
pub struct Stream {
    shared: Arc<Shared>,
    /// The time limit of a request: its answer's stream is read so long.
    time: Duration,
    tell: Sender<Heard>,
    from: Receiver<Heard>,
    /// The headers that repeat arguments of a call.
    repeats: Vec<(String, String)>,
}

#[derive(Debug)]
struct Shared {
    web: Arc<dyn Web>,
    headers: Vec<(String, String)>,
    authorizer: Option<Arc<Authorizer>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    session: Option<String>,
    version: Option<String>,
    /// Whether the session has ended.
    is_over: bool,
}

impl Stream {
    /// A session with the server of `web`. Every request has the user's headers, and a token of `authorizer` if the
    /// server requires one.
    pub fn new(
        web: Arc<dyn Web>,
        headers: Vec<(String, String)>,
        authorizer: Option<Arc<Authorizer>>,
        time: Duration,
    ) -> Stream {
        let (tell, from) = channel();
        Stream {
            shared: Arc::new(Shared {
                web,
                headers,
                authorizer,
                state: Mutex::default(),
            }),
            time,
            tell,
            from,
            repeats: Vec::new(),
        }
    }

    /// Whether the server has no sessions.
    fn is_stateless(&self) -> bool {
        self.shared.state().version.as_deref() == Some(STATELESS)
    }
}

impl Wire for Stream {
    fn send(&mut self, message: &Message) -> Result<(), Trouble> {
        let body = message.write().to_string();
        let mut own = Vec::new();
        if self.is_stateless() {
            if !matches!(message, Message::Request { .. }) {
                // No session exists for the message.
                return Ok(());
            }
            own = stateless::headers(message);
            own.extend(self.repeats.iter().cloned());
        }
        if let Message::Request { id, method, .. } = message {
            let (id, is_first) = (id.clone(), method == "initialize");
            let (shared, tell, time) = (Arc::clone(&self.shared), self.tell.clone(), self.time);
            std::thread::spawn(move || {
                if let Err(trouble) = shared.ask((&body, &own), &id, is_first, &tell, time) {
                    let _ = tell.send(Heard::Failed(trouble));
                }
            });
            return Ok(());
        }
        let answer = self.shared.send("POST", &[], body.as_bytes(), SHORT)?;
        if !(200..300).contains(&answer.status) {
            return Err(self.shared.refusal(answer));
        }
        if matches!(message, Message::Notification { method, .. } if method == "notifications/initialized")
        {
            self.listen();
        }
        Ok(())
    }

    fn heard(&mut self, wait: Duration) -> Heard {
        match self.from.recv_timeout(wait) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Heard::Nothing,
        }
    }

    fn agreed(&mut self, version: &str) {
        self.shared.state().version = Some(version.to_owned());
    }

    fn repeats(&mut self, headers: Vec<(String, String)>) {
        self.repeats = headers;
    }

    fn take_back(&mut self) {
        // With a session, the server is notified by a message.
        if !self.is_stateless() {
            return;
        }
        // The pending request and its outcome stay on the old connection.
        let old = Arc::clone(&self.shared);
        self.shared = Arc::new(Shared {
            web: old.web.again(),
            headers: old.headers.clone(),
            authorizer: old.authorizer.clone(),
            state: Mutex::new(State {
                version: old.state().version.clone(),
                ..State::default()
            }),
        });
        (self.tell, self.from) = channel();
        old.web.end();
    }
}

impl Stream {
    /// Listens for messages that belong to no request, during the whole session; a server need not support that.
    fn listen(&self) {
        let (shared, tell, time) = (Arc::clone(&self.shared), self.tell.clone(), self.time);
        std::thread::spawn(move || {
            let mut last_id: Option<String> = None;
            let (mut pause, mut n_tries) = (PAUSE, 0);
            while n_tries < MAX_TRIES && !shared.state().is_over {
                let own = last_id
                    .iter()
                    .map(|id| ("Last-Event-ID".to_owned(), id.clone()));
                let own: Vec<(String, String)> = own.collect();
                match shared.send("GET", &own, &[], time) {
                    Ok(answer) if answer.status == 200 => {
                        let mut stream = events_of(answer);
                        // The answer is not expected here: reading continues until the stream ends.
                        let seen = (&mut last_id, &mut pause, &mut n_tries);
                        let _ = Shared::events(&mut stream, &Value::Null, &tell, seen);
                    }
                    // The server has no such stream, or the session has ended.
                    Ok(_) => return,
                    Err(_) => {}
                }
                n_tries += 1;
                std::thread::sleep(pause);
            }
        });
    }
}

impl Drop for Stream {
    /// Ends the session at the server, which may be gone already.
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        if self.shared.state().session.is_none() {
            self.shared.web.end();
            return;
        }
        let shared = Arc::clone(&self.shared);
        let (tell, told) = channel();
        std::thread::spawn(move || {
            let _ = shared.send("DELETE", &[], &[], SHORT);
            shared.web.end();
            let _ = tell.send(());
        });
        let _ = told.recv_timeout(Duration::from_millis(300));
    }
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request, with a token if there is one. If the server requires another token, the message is sent again
    /// with it; a rejected message has had no effect.
    fn send(
        &self,
        method: &'static str,
        own: &[(String, String)],
        body: &[u8],
        time: Duration,
    ) -> Result<Answer, Trouble> {
        let Some(authorizer) = &self.authorizer else {
            return self.send_once(method, own, body, time);
        };
        let mut n_tokens = 0;
        loop {
            let token = authorizer.token().map_err(Trouble::NoToken)?;
            let mut own = own.to_vec();
            own.extend(token.iter().map(|token| {
                (
                    "Authorization".to_owned(),
                    format!("Bearer {}", token.reveal()),
                )
            }));
            let answer = self.send_once(method, &own, body, time)?;
            let challenge = Challenge::of(&answer);
            let wants_other = match answer.status {
                401 => true,
                403 => challenge.error.as_deref() == Some("insufficient_scope"),
                _ => false,
            };
            if !wants_other || method != "POST" {
                return Ok(answer);
            }
            if n_tokens == MAX_TOKENS {
                return Err(Trouble::NoToken(AuthError::TooOften(n_tokens)));
            }
            n_tokens += 1;
            authorizer
                .challenged(answer.status, &challenge, token.as_ref())
                .map_err(Trouble::NoToken)?;
        }
    }

    fn send_once(
        &self,
        method: &'static str,
        own: &[(String, String)],
        body: &[u8],
        time: Duration,
    ) -> Result<Answer, Trouble> {
        let mut headers = self.headers.clone();
        let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        match method {
            "POST" => {
                add("Content-Type", "application/json");
                add("Accept", "application/json, text/event-stream");
            }
            "GET" => add("Accept", "text/event-stream"),
            _ => {}
        }
        {
            let state = self.state();
            if let Some(session) = &state.session {
                add("Mcp-Session-Id", session);
            }
            if let Some(version) = &state.version {
                add("MCP-Protocol-Version", version);
            }
        }
        headers.extend(own.iter().cloned());
        self.web
            .ask(method, &headers, body, time)
            .map_err(|error| match error {
                WebError::Barred(why) => Trouble::Barred(why),
                WebError::Unanswered(why) => Trouble::Gone(format!("did not answer: {why}")),
            })
    }

    /// Sends a request, and forwards all messages up to the answer.
    fn ask(
        &self,
        (body, own): (&str, &[(String, String)]),
        id: &Value,
        is_first: bool,
        tell: &Sender<Heard>,
        time: Duration,
    ) -> Result<(), Trouble> {
        let until = Instant::now() + time;
        let answer = self.send("POST", own, body.as_bytes(), time)?;
        if answer.status != 200 {
            return self.refused(answer, id, tell);
        }
        if is_first && let Some(session) = answer.header("mcp-session-id") {
            if session.is_empty() || !session.bytes().all(|byte| (0x21..=0x7e).contains(&byte)) {
                return Err(Trouble::Odd("gave a session an invalid id".to_owned()));
            }
            self.state().session = Some(session.to_owned());
        }
        let kind = answer
            .header("content-type")
            .unwrap_or_default()
            .to_ascii_lowercase();
        match kind.split(';').next().unwrap_or_default().trim() {
            "application/json" => {
                let value = crate::once::read_once(&bytes_of(answer)?).map_err(|error| {
                    Trouble::Odd(format!("sent an answer that is not JSON: {error}"))
                })?;
                let is_batch = self.state().version.as_deref() == Some(BATCHES);
                if value.is_array() && !is_batch || !answers(&value, id) {
                    // No other message can follow.
                    return Err(Trouble::Odd(mistaken(&value)));
                }
                let _ = tell.send(Heard::Message(value));
                Ok(())
            }
            "text/event-stream" => self.follow(answer, id, tell, until),
            other => {
                let shown: String = other.chars().take(80).collect();
                Err(Trouble::Odd(format!(
                    "answered with {shown:?}, which is neither JSON nor a stream of events"
                )))
            }
        }
    }

    /// Reads a stream of events up to the answer, with as many connections as necessary.
    fn follow(
        &self,
        answer: Answer,
        id: &Value,
        tell: &Sender<Heard>,
        until: Instant,
    ) -> Result<(), Trouble> {
        let mut stream = events_of(answer);
        let (mut last_id, mut pause, mut n_tries) = (None, PAUSE, 0);
        loop {
            let how = match Self::events(
                &mut stream,
                id,
                tell,
                (&mut last_id, &mut pause, &mut n_tries),
            ) {
                Ok(true) => return Ok(()),
                Ok(false) => "its stream ended".to_owned(),
                Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                    return Err(Trouble::Odd(format!("wrote too much: {error}")));
                }
                Err(error) => format!("its stream broke off: {error}"),
            };
            let left = until.saturating_duration_since(Instant::now());
            let Some(from) = &last_id else {
                return Err(Trouble::Gone(format!("gave no answer: {how}")));
            };
            n_tries += 1;
            if n_tries > MAX_TRIES || left <= pause {
                return Err(Trouble::Gone(format!(
                    "gave no answer: {how}, and again and again"
                )));
            }
            std::thread::sleep(pause);
            let own = [("Last-Event-ID".to_owned(), String::clone(from))];
            let left = until.saturating_duration_since(Instant::now());
            let again = self.send("GET", &own, &[], left)?;
            if again.status != 200 {
                return Err(self.refusal(again));
            }
            stream = events_of(again);
        }
    }

    /// Reads the events of one connection. Whether the answer was among them.
    fn events(
        stream: &mut Events<impl BufRead>,
        id: &Value,
        tell: &Sender<Heard>,
        (last_id, pause, n_tries): (&mut Option<String>, &mut Duration, &mut usize),
    ) -> std::io::Result<bool> {
        while let Some(event) = stream.read()? {
            if let Some(retry) = event.retry {
                *pause = retry.min(MAX_PAUSE);
            }
            if let Some(id) = event.id.filter(|id| !id.bytes().any(|byte| byte < 0x20)) {
                if last_id.as_ref() != Some(&id) {
                    *n_tries = 0;
                }
                *last_id = Some(id);
            }
            if event.data.is_empty() {
                continue;
            }
            let heard = heard(event.data.as_bytes());
            let is_answer = matches!(&heard, Heard::Message(value) if answers(value, id));
            if tell.send(heard).is_err() || is_answer {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Forwards the protocol error in a response, or returns the meaning of the response.
    fn refused(&self, answer: Answer, id: &Value, tell: &Sender<Heard>) -> Result<(), Trouble> {
        let has_session = self.state().session.is_some();
        if !matches!(answer.status, 400 | 404) || has_session {
            return Err(self.refusal(answer));
        }
        let (status, headers) = (answer.status, answer.headers.clone());
        let text = text_of(answer)?;
        match stateless::fault(&text, id) {
            Some(heard) => {
                let _ = tell.send(heard);
                Ok(())
            }
            None => Err(self.refusal(Answer {
                status,
                headers,
                body: Box::new(std::io::Cursor::new(text)),
            })),
        }
    }

    /// The meaning of a response that is not an answer.
    fn refusal(&self, answer: Answer) -> Trouble {
        let status = answer.status;
        match status {
            300..=399 => {
                let to = answer.header("location").unwrap_or("nowhere");
                let to: String = to.chars().filter(|c| !c.is_control()).take(200).collect();
                Trouble::Barred(format!(
                    "the server leads to {to} (HTTP {status}), which was not followed"
                ))
            }
            401 => {
                let how = answer
                    .header("www-authenticate")
                    .map(|how| how.chars().filter(|c| !c.is_control()).take(300).collect());
                Trouble::Unauthorized(how)
            }
            404 if self.state().session.is_some() => {
                self.state().session = None;
                Trouble::Expired
            }
            429 | 502..=504 => Trouble::Gone(format!("is busy (HTTP {status})")),
            _ => {
                let said = text_of(answer).unwrap_or_default();
                let fault = toolglot_value::from_str(&said)
                    .ok()
                    .and_then(|value| value["error"]["message"].as_str().map(str::to_owned));
                let said = fault.unwrap_or(said);
                let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
                Trouble::Odd(format!("answered with HTTP {status}: {said}"))
            }
        }
    }
}

/// Whether a message, or one of a list, is the response to the request with that id.
fn answers(value: &Value, id: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(|value| answers(value, id)),
        value => value.get("id") == Some(id) && value.get("method").is_none(),
    }
}

/// The fault of a message in the place of the response.
fn mistaken(value: &Value) -> String {
    let said = value["error"]["message"].as_str().unwrap_or_default();
    let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
    let colon = if said.is_empty() { "" } else { ": " };
    format!("sent an answer that does not match the request{colon}{said}")
}

/// The events of a response.
fn events_of(answer: Answer) -> Events<BufReader<Box<dyn Read + Send>>> {
    Events::new(BufReader::new(answer.body), MAX_BYTES)
}

fn text_of(answer: Answer) -> Result<String, Trouble> {
    Ok(String::from_utf8_lossy(&bytes_of(answer)?).into_owned())
}

fn bytes_of(answer: Answer) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    answer
        .body
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Trouble::Gone(format!("broke off its answer: {error}")))?;
    if bytes.len() > MAX_BYTES {
        return Err(Trouble::Odd(format!(
            "answered with more than {MAX_BYTES} bytes"
        )));
    }
    Ok(bytes)
}
