//! Streamable HTTP: one endpoint on a socket
//! (<https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>).
//!
//! A POST holds a message. Its answer is JSON; once something is to be said before the result, it is a stream of events.
//! A GET listens for what belongs to no request, a DELETE ends a session. A connection has a thread.
//!
//! Who may ask: `Host` and `Origin` are this machine's names, so that no page in a browser reaches the socket through a name
//! of its own; where there is a token, it is asked for.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::request::{Request, Unread};
use super::{Out, Session, locked};
use crate::VERSIONS;
use crate::message::{Fault, Message, PARSE, REQUEST};
use crate::sse::Event;

/// The most connections at a time.
const MAX_CONNECTIONS: usize = 128;
/// The most sessions; the one that was idle longest goes first.
const MAX_SESSIONS: usize = 512;
/// How long a session may be idle.
const IDLE: Duration = Duration::from_secs(3600);
/// How long the next request is waited for, and each part of it.
const READ: Duration = Duration::from_secs(60);
/// How long a client may take to read.
const WRITE: Duration = Duration::from_secs(30);
/// How often a silent stream shows that it is there.
const BEAT: Duration = Duration::from_secs(15);

/// Who may ask.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// The path of the endpoint.
    pub path: String,
    /// Hosts, without ports, that `Host` and `Origin` may name.
    pub hosts: Vec<String>,
    /// What has to be shown as `Authorization: Bearer`.
    pub token: Option<String>,
}

type Sessions = Mutex<HashMap<String, (Arc<Session>, Instant)>>;

struct Server {
    gate: Gate,
    sessions: Sessions,
    new: Box<dyn Fn() -> Session + Send + Sync>,
    n_connections: AtomicUsize,
}

/// Serves until the listener fails. `new` makes a session; `changed` is asked every few seconds whether the tools are
/// others now.
///
/// # Errors
/// If nothing can be accepted any more.
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
    });
    let watching = Arc::downgrade(&server);
    std::thread::spawn(move || {
        while let Some(server) = watching.upgrade() {
            if changed() {
                let all: Vec<Arc<Session>> = locked(&server.sessions)
                    .values()
                    .map(|(session, _)| Arc::clone(session))
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
            // Too many descriptors, or a client that is gone: neither is ours.
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
    stream.set_read_timeout(Some(READ))?;
    stream.set_write_timeout(Some(WRITE))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut out = stream.try_clone()?;
        match Request::read(&mut reader, &mut out) {
            Ok(request) => {
                let is_kept = request.is_kept;
                if !server.answer(&request, Reply::new(out))? || !is_kept {
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
    /// Why a request may not ask.
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

/// Whether two texts are the same, in a time that does not tell where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

impl Server {
    /// Answers a request. Whether the connection can go on.
    fn answer(&self, request: &Request, reply: Reply) -> io::Result<bool> {
        if let Some((status, why)) = self.gate.refusal(request) {
            return reply.fault(status, Value::Null, Fault::new(REQUEST, why));
        }
        if request.path.split('?').next() != Some(self.gate.path.as_str()) {
            return reply.plain(404, "there is nothing here");
        }
        match request.method.as_str() {
            "POST" => self.post(request, reply),
            "GET" => self.get(request, reply),
            "DELETE" => {
                let found = request.header("mcp-session-id");
                let session = found.and_then(|id| locked(&self.sessions).remove(id));
                match session {
                    Some((session, _)) => {
                        session.stop_all();
                        reply.empty(204, "")
                    }
                    None => reply.plain(404, "there is no such session"),
                }
            }
            _ => reply.empty(405, "Allow: GET, POST, DELETE\r\n"),
        }
    }

    /// The session that a request names; an answer where it names none that there is.
    fn session(&self, request: &Request) -> Result<Arc<Session>, (u16, &'static str)> {
        let id = request
            .header("mcp-session-id")
            .ok_or((400, "`Mcp-Session-Id` is missing"))?;
        let mut sessions = locked(&self.sessions);
        let (session, seen) = sessions
            .get_mut(id)
            .ok_or((404, "there is no such session"))?;
        *seen = Instant::now();
        if let Some(version) = request.header("mcp-protocol-version")
            && !VERSIONS.contains(&version)
        {
            return Err((400, "that version of the protocol is not spoken"));
        }
        Ok(Arc::clone(session))
    }

    fn begin(&self) -> io::Result<(String, Arc<Session>)> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let mut id = String::new();
        for byte in bytes {
            let _ = write!(id, "{byte:02x}");
        }
        let session = Arc::new((self.new)());
        let mut sessions = locked(&self.sessions);
        sessions.retain(|_, (_, seen)| seen.elapsed() < IDLE);
        if sessions.len() >= MAX_SESSIONS
            && let Some(oldest) = sessions
                .iter()
                .min_by_key(|(_, (_, seen))| *seen)
                .map(|(id, _)| id.clone())
        {
            sessions.remove(&oldest);
        }
        sessions.insert(id.clone(), (Arc::clone(&session), Instant::now()));
        Ok((id, session))
    }

    fn post(&self, request: &Request, mut reply: Reply) -> io::Result<bool> {
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
        let value: Value = match serde_json::from_slice(&request.body) {
            Ok(value) => value,
            Err(error) => {
                return reply.fault(
                    400,
                    Value::Null,
                    Fault::new(PARSE, format!("not JSON: {error}")),
                );
            }
        };
        let is_first = value.get("method").and_then(Value::as_str) == Some("initialize");
        let session = if is_first {
            let (id, session) = self.begin()?;
            reply.head = format!("Mcp-Session-Id: {id}\r\n");
            session
        } else {
            match self.session(request) {
                Ok(session) => session,
                Err((status, why)) => {
                    let id = value.get("id").cloned().unwrap_or_default();
                    return reply.fault(status, id, Fault::new(REQUEST, why));
                }
            }
        };
        let is_message = match Message::read(value.clone()) {
            Err((id, fault)) => return reply.fault(400, id, fault),
            Ok(message) => !matches!(message, Message::Request { .. }),
        };
        let stream = Arc::new(Mutex::new(reply));
        let out: Out = {
            let stream = Arc::clone(&stream);
            Arc::new(move |message| {
                // A client that is gone may come back for the result of what it asked; it is not stopped by going.
                let _ = locked(&stream).event(message);
            })
        };
        let answer = session.hear(value, &out);
        drop(out);
        let mut reply = locked(&stream);
        match answer {
            Some(message) => reply.end(&message),
            None if is_message => std::mem::take(&mut *reply).empty(202, ""),
            // It was taken back: the stream ends without an answer.
            None => reply.end_without(),
        }
    }

    fn get(&self, request: &Request, mut reply: Reply) -> io::Result<bool> {
        if !request.accepts("text/event-stream") {
            return reply.plain(406, "a client accepts `text/event-stream`");
        }
        let session = match self.session(request) {
            Ok(session) => session,
            Err((status, why)) => return reply.plain(status, why),
        };
        reply.begin_stream()?;
        let id = request
            .header("mcp-session-id")
            .unwrap_or_default()
            .to_owned();
        let (stream, is_open) = (Arc::new(Mutex::new(reply)), Arc::new(AtomicBool::new(true)));
        let own: Out = {
            let (stream, is_open) = (Arc::clone(&stream), Arc::clone(&is_open));
            Arc::new(move |message| {
                if locked(&stream).event(message).is_err() {
                    is_open.store(false, Ordering::SeqCst);
                }
            })
        };
        session.listen(Arc::clone(&own));
        while is_open.load(Ordering::SeqCst) && locked(&self.sessions).contains_key(&id) {
            std::thread::sleep(BEAT.min(Duration::from_secs(1)));
            let mut stream = locked(&stream);
            if stream.last.elapsed() >= BEAT && stream.comment().is_err() {
                break;
            }
        }
        session.retain_listeners(|out| !Arc::ptr_eq(out, &own));
        let _ = locked(&stream).end_without();
        Ok(false)
    }
}

/// The way back of one request.
#[derive(Debug)]
struct Reply {
    to: Option<TcpStream>,
    /// Headers that go with it.
    head: String,
    is_stream: bool,
    last: Instant,
}

impl Default for Reply {
    fn default() -> Reply {
        Reply {
            to: None,
            head: String::new(),
            is_stream: false,
            last: Instant::now(),
        }
    }
}

impl Reply {
    fn new(to: TcpStream) -> Reply {
        Reply {
            to: Some(to),
            ..Reply::default()
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.last = Instant::now();
        match &mut self.to {
            Some(to) => to.write_all(bytes),
            None => Ok(()),
        }
    }

    /// The whole answer. Whether the connection can go on.
    fn whole(&mut self, status: u16, kind: &str, own: &str, body: &str) -> io::Result<bool> {
        let reason = match status {
            200 => "OK",
            202 => "Accepted",
            204 => "No Content",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            406 => "Not Acceptable",
            413 => "Content Too Large",
            415 => "Unsupported Media Type",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Error",
        };
        let mut text = format!("HTTP/1.1 {status} {reason}\r\n{own}{}", self.head);
        if status == 401 {
            text.push_str("WWW-Authenticate: Bearer\r\n");
        }
        if !kind.is_empty() {
            let _ = write!(text, "Content-Type: {kind}\r\n");
        }
        if status != 204 {
            let _ = write!(text, "Content-Length: {}\r\n", body.len());
        }
        text.push_str("X-Content-Type-Options: nosniff\r\n\r\n");
        text.push_str(body);
        self.write(text.as_bytes())?;
        Ok(true)
    }

    fn empty(mut self, status: u16, own: &str) -> io::Result<bool> {
        self.whole(status, "", own, "")
    }

    fn plain(mut self, status: u16, why: &str) -> io::Result<bool> {
        self.whole(status, "text/plain; charset=utf-8", "", &format!("{why}\n"))
    }

    fn fault(mut self, status: u16, id: Value, fault: Fault) -> io::Result<bool> {
        let message = Message::Response {
            id,
            result: Err(fault),
        };
        self.whole(status, "application/json", "", &message.write().to_string())
    }

    fn begin_stream(&mut self) -> io::Result<()> {
        self.is_stream = true;
        let head = std::mem::take(&mut self.head);
        self.write(format!("HTTP/1.1 200 OK\r\n{head}Content-Type: text/event-stream\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes())
    }

    fn chunk(&mut self, text: &str) -> io::Result<()> {
        self.write(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
    }

    /// A message before the result: from here on it is a stream.
    fn event(&mut self, message: &Message) -> io::Result<()> {
        if self.to.is_none() {
            return Ok(());
        }
        if !self.is_stream {
            self.begin_stream()?;
        }
        let event = Event {
            kind: "message".to_owned(),
            data: message.write().to_string(),
            ..Event::default()
        };
        self.chunk(&event.write())
    }

    fn comment(&mut self) -> io::Result<()> {
        self.chunk(": here\n\n")
    }

    /// The result.
    fn end(&mut self, message: &Message) -> io::Result<bool> {
        if !self.is_stream {
            return self.whole(200, "application/json", "", &message.write().to_string());
        }
        self.event(message)?;
        self.end_without()
    }

    fn end_without(&mut self) -> io::Result<bool> {
        if !self.is_stream {
            self.begin_stream()?;
        }
        self.write(b"0\r\n\r\n")?;
        self.is_stream = false;
        Ok(true)
    }
}
