//! The target of the redirect: a local port, open for one login (RFC 8252 section 7.3).

use std::io::{BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use super::address::query;
use super::error::AuthError;
use crate::server::{Patient, Request};

/// The path of the answer.
const PATH: &str = "/callback";
/// The maximum number of connections at a time; a browser opens some that it never uses.
const MAX_CONNECTIONS: usize = 32;
/// How long each connection may take.
const TIME: Duration = Duration::from_secs(5);
/// The interval between checks for a new connection.
const TICK: Duration = Duration::from_millis(20);

/// The query of the redirect: names and values.
pub(super) type Query = Vec<(String, String)>;

/// A port that waits for the redirect.
#[derive(Debug)]
pub(super) struct Loopback {
    listener: TcpListener,
    port: u16,
}

impl Loopback {
    /// Opens the port; 0 is any port.
    pub(super) fn open(port: u16) -> Result<Loopback, AuthError> {
        let bad = |error: std::io::Error| {
            AuthError::Here(format!(
                "port {port} of this machine cannot be opened: {error}"
            ))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(bad)?;
        listener.set_nonblocking(true).map_err(bad)?;
        let port = listener.local_addr().map_err(bad)?.port();
        Ok(Loopback { listener, port })
    }

    /// The address that the browser is sent back to.
    pub(super) fn redirect(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the answer with that state. Other requests are rejected without ending the wait: any page can send a
    /// request.
    pub(super) fn wait(&self, state: &str, time: Duration) -> Result<Query, AuthError> {
        let until = Instant::now() + time;
        let (tell, told) = channel();
        let n_open = Arc::new(AtomicUsize::new(0));
        let (state, port) = (Arc::<str>::from(state), self.port);
        while Instant::now() < until {
            if let Ok(answer) = told.try_recv() {
                return Ok(answer);
            }
            match self.listener.accept() {
                Ok((stream, _)) if n_open.load(Ordering::SeqCst) < MAX_CONNECTIONS => {
                    n_open.fetch_add(1, Ordering::SeqCst);
                    let (tell, state, n_open) =
                        (tell.clone(), Arc::clone(&state), Arc::clone(&n_open));
                    std::thread::spawn(move || {
                        let _ = answer(&stream, port, &state, &tell);
                        n_open.fetch_sub(1, Ordering::SeqCst);
                    });
                }
                // An extra connection is closed. With no new connection, or a broken one, the wait continues.
                Ok(_) => {}
                Err(_) => std::thread::sleep(TICK),
            }
        }
        Err(AuthError::Late)
    }
}

fn answer(stream: &TcpStream, port: u16, state: &str, tell: &Sender<Query>) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(TIME))?;
    let mut out = stream;
    let Ok(request) = Request::read(&mut BufReader::new(Patient::new(stream, TIME)), &mut out)
    else {
        return Ok(());
    };
    let (path, text) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let is_here = request
        .header("host")
        .is_some_and(|host| hosts.iter().any(|own| own == host));
    let said = (is_here && request.method == "GET" && path == PATH).then(|| query(text));
    let said = said.and_then(Result::ok).filter(|said| {
        said.iter()
            .any(|(name, value)| name == "state" && value == state)
    });
    let (status, words) = match &said {
        Some(_) => (
            "200 OK",
            "toolglot has the answer. This page can be closed.",
        ),
        None => ("404 Not Found", "There is nothing here."),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{words}",
        words.len()
    );
    let written = out.write_all(head.as_bytes()).and_then(|()| out.flush());
    if let Some(said) = said {
        let _ = tell.send(said);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn asked(port: u16, request: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn only_the_answer_with_the_state_ends_the_waiting() {
        let door = Loopback::open(0).expect("a port");
        let port = door.port;
        let asking = std::thread::spawn(move || {
            // A silent connection does not block the others.
            let silent = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
            let here = format!("Host: 127.0.0.1:{port}\r\n\r\n");
            let statuses: Vec<String> = [
                format!("GET /callback?code=1&state=other HTTP/1.1\r\n{here}"),
                format!("GET /callback?code=1 HTTP/1.1\r\n{here}"),
                format!("GET /other?code=1&state=own HTTP/1.1\r\n{here}"),
                format!("POST /callback?code=1&state=own HTTP/1.1\r\n{here}"),
                format!("GET /callback?code=1&state=own&state=own HTTP/1.1\r\n{here}"),
                "GET /callback?code=1&state=own HTTP/1.1\r\nHost: evil.test\r\n\r\n".to_owned(),
                "nonsense\r\n\r\n".to_owned(),
                format!("GET /callback?code=1&state=own HTTP/1.1\r\n{here}"),
            ]
            .iter()
            .map(|request| asked(port, request))
            .collect();
            drop(silent);
            statuses
        });
        let answer = door
            .wait("own", Duration::from_secs(30))
            .expect("an answer");
        assert_eq!(answer[0], ("code".to_owned(), "1".to_owned()));
        let statuses = asking.join().expect("asked");
        let n_taken = statuses
            .iter()
            .filter(|status| status.contains("200"))
            .count();
        assert_eq!(
            (n_taken, statuses.last().map(String::as_str)),
            (1, Some("HTTP/1.1 200 OK")),
            "{statuses:?}"
        );
    }
}
