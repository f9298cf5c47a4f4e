//! Streamable HTTP: one endpoint on a socket
//! (<https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>).
//!
//! A POST contains a message. Its answer is JSON, or a stream of events if a message precedes the result. A GET listens
//! for messages that belong to no request, or resumes a stream after the last event received; a DELETE ends a session.
//! A connection has a thread.
//!
//! Access: `Host` and `Origin` must be names of this machine, so no page in a browser reaches the socket through its
//! own name. If a token is set, requests need it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use toolglot_value::Value;

use super::channel::{Channel, Live};
use super::patience::Patient;
use super::reply::Reply;
use super::request::{self, Request, Unread};
use super::{Heads, Out, Session, is_stateless, locked};
use crate::VERSIONS;
use crate::message::{Fault, Message, PARSE, REQUEST};

/// The most connections at a time.
const MAX_CONNECTIONS: usize = 128;
/// The maximum number of sessions; the one that was idle longest is removed first, one in use never.
const MAX_SESSIONS: usize = 512;
/// How long a session may be idle.
const IDLE: Duration = Duration::from_secs(3600);
/// How long to wait for the next request.
const NEXT: Duration = Duration::from_secs(60);
/// The time limit of a head, from its first byte, so that slow clients do not use up the connections.
const HEAD: Duration = Duration::from_secs(10);
/// The time limit of a body.
const BODY: Duration = Duration::from_secs(60);
/// The time limit of a client for reading.
const WRITE: Duration = Duration::from_secs(30);
/// The interval between comments on a silent stream.
const BEAT: Duration = Duration::from_secs(15);
/// The interval between checks whether a client that waits for an answer is still there.
const LOOK: Duration = Duration::from_millis(50);

/// The access rules.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// The path of the endpoint.
    pub path: String,
    /// Hosts, without ports, that `Host` and `Origin` may name.
    pub hosts: Vec<String>,
    /// The required token of `Authorization: Bearer`.
    pub token: Option<String>,
}

type Sessions = Mutex<HashMap<String, (Live, Instant)>>;

struct Server {
    gate: Gate,
    sessions: Sessions,
    new: Box<dyn Fn() -> Session + Send + Sync>,
    n_connections: AtomicUsize,
    /// The stored bytes of sent events.
    kept: Arc<AtomicUsize>,
}

/// Serves until the listener fails. `new` makes a session; every few seconds `changed` returns whether the tools have
/// changed.
///
/// # Errors
/// If the listener accepts no more connections.
pub fn serve(
    listener: &TcpListener,
    gate: Gate,
    new: impl Fn() -> Session + Send + Sync + 'static,
    changed: impl Fn() -> bool + Send + 'static,
) -> io::Result<()> {
    let server = Arc::new(Server {
        gate,
        sessions: Mutex::default(),
        new: Box::new(new),
        n_connections: AtomicUsize::new(0),
        kept: Arc::default(),
    });
    let watching = Arc::downgrade(&server);
    std::thread::spawn(move || {
        while let Some(server) = watching.upgrade() {
            if changed() {
                let all: Vec<Arc<Session>> = locked(&server.sessions)
                    .values()
                    .map(|(live, _)| Arc::clone(&live.session))
                    .collect();
                for session in all {
                    session.tools_changed();
                }
            }
            drop(server);
            std::thread::sleep(Duration::from_secs(2));
        }
    });
    loop {
        let (stream, _) = match listener.accept() {
            Ok(accepted) => accepted,
            // Too many descriptors, or a client that is gone: neither is a fault of the listener.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
            Err(error) => return Err(error),
        };
        let server = Arc::clone(&server);
        if server.n_connections.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
            server.n_connections.fetch_sub(1, Ordering::SeqCst);
            let _ = Reply::new(stream).plain(503, "too many connections");
            continue;
        }
        std::thread::spawn(move || {
            let _ = connection(&server, &stream);
            server.n_connections.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

fn connection(server: &Server, stream: &TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(Patient::new(stream, NEXT));
    loop {
        let mut out = stream.try_clone()?;
        reader.get_mut().wait(NEXT);
        if reader.fill_buf()?.is_empty() {
            return Ok(());
        }
        reader.get_mut().wait(HEAD);
        let head = request::head(&mut reader);
        reader.get_mut().wait(BODY);
        match head.and_then(|head| Request::behind(&head, &mut reader, &mut out)) {
            Ok(request) => {
                let is_kept = request.is_kept;
                if !server.answer(&request, stream, Reply::new(out))? || !is_kept {
                    return Ok(());
                }
            }
            Err(Unread::Ended) => return Ok(()),
            Err(Unread::Bad(status, why)) => {
                Reply::new(out).plain(status, why)?;
                return Ok(());
            }
        }
    }
}

/// The name in `name:port`, in lower case.
fn name_of(authority: &str) -> String {
    let name = match authority.strip_prefix('[') {
        Some(_) => authority.split_inclusive(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    name.to_ascii_lowercase()
}

impl Gate {
    /// Why a request is refused.
    fn refusal(&self, request: &Request) -> Option<(u16, String)> {
        let knows = |authority: &str| self.hosts.contains(&name_of(authority));
        match request.header("host") {
            Some(host) if knows(host) => {}
            Some(host) => return Some((403, format!("this server is not `{}`", shown(host)))),
            None => return Some((400, "a request names one `Host`".to_owned())),
        }
        if request.has("origin") {
            let origin = request.header("origin").unwrap_or_default();
            let authority = ["http://", "https://"]
                .iter()
                .find_map(|scheme| origin.strip_prefix(scheme));
            if !authority.is_some_and(knows) {
                return Some((
                    403,
                    format!("pages of `{}` may not ask this server", shown(origin)),
                ));
            }
        }
        if let Some(token) = &self.token {
            let given = request
                .header("authorization")
                .and_then(|value| value.strip_prefix("Bearer "));
            if !given.is_some_and(|given| is_same(given.trim(), token)) {
                return Some((401, "a token has to be shown".to_owned()));
            }
        }
        None
    }
}

/// Whether two texts are equal, in a time that does not reveal where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

impl Server {
    /// Answers a request of the client at `peer`. Whether the connection can continue.
    fn answer(&self, request: &Request, peer: &TcpStream, reply: Reply) -> io::Result<bool> {
        if let Some((status, why)) = self.gate.refusal(request) {
            return reply.fault(status, Value::Null, Fault::new(REQUEST, why));
        }
        if request.path.split('?').next() != Some(self.gate.path.as_str()) {
            return reply.plain(404, "there is nothing here");
        }
        match request.method.as_str() {
            "POST" => self.post(request, peer, reply),
            "GET" => self.get(request, reply),
            "DELETE" => {
                let found = request.header("mcp-session-id");
                let session = found.and_then(|id| locked(&self.sessions).remove(id));
                match session {
                    Some((live, _)) => {
                        live.session.stop_all();
                        reply.empty(204, "")
                    }
                    None => reply.plain(404, "there is no such session"),
                }
            }
            _ => reply.empty(405, "Allow: GET, POST, DELETE\r\n"),
        }
    }

    /// The session that a request names; an error response if there is no such session.
    fn session(&self, request: &Request) -> Result<Live, (u16, &'static str)> {
        let id = request
            .header("mcp-session-id")
            .ok_or((400, "`Mcp-Session-Id` is missing"))?;
        let mut sessions = locked(&self.sessions);
        let (live, seen) = sessions
            .get_mut(id)
            .ok_or((404, "there is no such session"))?;
        *seen = Instant::now();
        if let Some(version) = request.header("mcp-protocol-version")
            && !VERSIONS.contains(&version)
        {
            return Err((400, "unsupported version of the protocol"));
        }
        Ok(live.clone())
    }

    /// A new session; `None` if too many are in use.
    fn begin(&self) -> io::Result<Option<(String, Live)>> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let mut id = String::new();
        for byte in bytes {
            let _ = write!(id, "{byte:02x}");
        }
        let live = Live::new((self.new)());
        let mut sessions = locked(&self.sessions);
        sessions.retain(|_, (live, seen)| seen.elapsed() < IDLE || live.session.is_busy());
        if sessions.len() >= MAX_SESSIONS {
            let oldest = sessions
                .iter()
                .filter(|(_, (live, _))| !live.is_used())
                .min_by_key(|(_, (_, seen))| *seen)
                .map(|(id, _)| id.clone());
            match oldest {
                Some(oldest) => sessions.remove(&oldest),
                None => return Ok(None),
            };
        }
        sessions.insert(id.clone(), (live.clone(), Instant::now()));
        Ok(Some((id, live)))
    }

    fn post(&self, request: &Request, peer: &TcpStream, mut reply: Reply) -> io::Result<bool> {
        let kind = request.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return reply.plain(415, "a message is `application/json`");
        }
        if !(request.accepts("application/json") && request.accepts("text/event-stream")) {
            return reply.plain(
                406,
                "a client accepts `application/json` and `text/event-stream`",
            );
        }
        let value = match crate::once::read_once(&request.body) {
            Ok(value) => value,
            Err(error) => {
                return reply.fault(
                    400,
                    Value::Null,
                    Fault::new(PARSE, format!("not JSON: {error}")),
                );
            }
        };
        let heads = Heads {
            version: request.header("mcp-protocol-version"),
            method: request.header("mcp-method"),
            name: request.header("mcp-name"),
        };
        if !request.has("mcp-session-id") && is_stateless(&value, Some(&heads)) {
            return self.alone(value, &heads, peer, reply);
        }
        let is_first = value.get("method").and_then(Value::as_str) == Some("initialize");
        let live = if is_first {
            let Some((id, live)) = self.begin()? else {
                return reply.plain(503, "too many sessions are in use");
            };
            reply.head = format!("Mcp-Session-Id: {id}\r\n");
            live
        } else {
            match self.session(request) {
                Ok(live) => live,
                Err((status, why)) => {
                    let id = value.get("id").cloned().unwrap_or_default();
                    return reply.fault(status, id, Fault::new(REQUEST, why));
                }
            }
        };
        // Each message of a batch has its own fault; an invalid list is reported as one message.
        let is_batch = value.is_array() && live.session.has_batches();
        let is_message = match &value {
            Value::Array(values) if is_batch => {
                let wants =
                    |value: &Value| value.get("method").is_some() && value.get("id").is_some();
                !values.iter().any(wants)
            }
            _ => match Message::read(value.clone()) {
                Err((id, fault)) => return reply.fault(400, id, fault),
                Ok(message) => !matches!(message, Message::Request { .. }),
            },
        };
        let channel = Arc::new(live.channel(reply, &self.kept));
        let out: Out = {
            let (channel, live, once) = (Arc::clone(&channel), live.clone(), Once::new());
            // A client that disconnects may return for the result of its request, so disconnecting does not stop the
            // request. It may return as soon as it has read the first byte.
            Arc::new(move |message| {
                once.call_once(|| live.keep(&channel));
                channel.say(message);
            })
        };
        let answer = live.session.hear_any(value, &out);
        drop(out);
        match answer {
            Some(answer) => channel.answer(&answer.write()),
            None if is_message => channel.reply().empty(202, ""),
            // The request was cancelled: the stream ends without an answer.
            None => Ok(channel.end()),
        }
    }

    /// Answers a request of the revision without sessions. A client that disconnects before the answer has cancelled
    /// the request: there is no other way, and no resumption
    /// (<https://modelcontextprotocol.io/specification/draft/basic/patterns/cancellation>, as of 2026-11).
    fn alone(
        &self,
        value: Value,
        heads: &Heads<'_>,
        peer: &TcpStream,
        reply: Reply,
    ) -> io::Result<bool> {
        // Messages of the request continue its own stream, which ends with the request.
        let live = Live::new((self.new)());
        let channel = Arc::new(live.channel(reply, &self.kept));
        let out: Out = {
            let channel = Arc::clone(&channel);
            Arc::new(move |message| {
                channel.say(message);
            })
        };
        let is_call = value["method"] == "tools/call" && value.get("id").is_some();
        let watching = is_call
            .then(|| attend(peer, &live.session, &channel))
            .transpose()?;
        let answer = live.session.hear_alone(value, Some(heads), &out);
        drop(watching);
        match answer {
            Some((200, message)) => channel.answer(&message.write()),
            Some((status, message)) => {
                channel
                    .reply()
                    .whole(status, "application/json", "", &message.write().to_string())
            }
            // The client cancelled by disconnecting, so no answer is sent.
            None if is_call => Ok(false),
            None => channel.reply().empty(202, ""),
        }
    }

    fn get(&self, request: &Request, reply: Reply) -> io::Result<bool> {
        if !request.accepts("text/event-stream") {
            return reply.plain(406, "a client accepts `text/event-stream`");
        }
        let live = match self.session(request) {
            Ok(live) => live,
            Err((status, why)) => return reply.plain(status, why),
        };
        let (channel, turn) = match request.header("last-event-id") {
            None => {
                let channel = Arc::new(live.channel(reply, &self.kept));
                channel.listen();
                live.keep(&channel);
                (channel, 0)
            }
            Some(id) => {
                let place = Channel::place(id);
                let found = place.and_then(|(id, after)| Some((live.kept(id)?, after)));
                let gone = "that stream cannot be taken up again";
                let Some((channel, after)) = found else {
                    return reply.plain(400, gone);
                };
                let turn = match channel.resume(after, reply) {
                    Ok(turn) => turn,
                    Err(reply) => return reply.plain(400, gone),
                };
                (channel, turn)
            }
        };
        let id = request.header("mcp-session-id").unwrap_or_default();
        while channel.is_held(turn) && locked(&self.sessions).contains_key(id) {
            std::thread::sleep(BEAT.min(Duration::from_secs(1)));
            channel.beat(BEAT);
        }
        if channel.is_held(turn) {
            channel.end();
        }
        Ok(false)
    }
}

/// Stops the session's calls when the client at `peer` disconnects or does not read, until the returned sender is
/// dropped. A client that sends more before its answer is only noticed when it is sent something.
fn attend(
    peer: &TcpStream,
    session: &Arc<Session>,
    channel: &Arc<Channel>,
) -> io::Result<mpsc::Sender<()>> {
    let (peer, session) = (peer.try_clone()?, Arc::clone(session));
    let channel = Arc::clone(channel);
    let (waits, over) = mpsc::channel::<()>();
    // Set here, since no other thread reads from the socket; the next reader sets its own timeout.
    peer.set_read_timeout(Some(LOOK))?;
    std::thread::spawn(move || {
        loop {
            let (is_gone, pause) = match peer.peek(&mut [0]) {
                Ok(n) => (n == 0, LOOK),
                Err(error) if is_patience(error.kind()) => (false, Duration::ZERO),
                Err(_) => (true, LOOK),
            };
            // Repeated, since the client may disconnect before its call is running.
            if is_gone || !channel.is_held(0) {
                session.stop_all();
            }
            if over.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    });
    Ok(waits)
}

/// Whether a read failed only because no data has arrived yet.
fn is_patience(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
