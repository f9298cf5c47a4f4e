//! An upstream with scripted answers that records its requests.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// One answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Each piece is written at once, as its own chunk.
    pub(crate) pieces: Vec<Vec<u8>>,
    pub(crate) end: AnswerEnd,
    /// The pause before each piece.
    pub(crate) pause: Duration,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerEnd {
    Whole,
    /// The connection is closed without the last chunk.
    Dropped,
    /// Nothing more is sent, and the connection stays open.
    Silent,
    /// Pieces are repeated until the client is gone.
    Endless,
    /// The connection is closed without a byte.
    Refused,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &str) -> Answer {
        Answer {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            pieces: vec![body.as_bytes().to_vec()],
            end: AnswerEnd::Whole,
            pause: Duration::ZERO,
        }
    }

    pub(crate) fn events(pieces: Vec<Vec<u8>>) -> Answer {
        Answer {
            headers: vec![("content-type", "text/event-stream".to_owned())],
            pieces,
            ..Answer::json(200, "")
        }
    }

    pub(crate) fn end(mut self, end: AnswerEnd) -> Answer {
        self.end = end;
        self
    }
}

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// `POST /v1/models HTTP/1.1`.
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(have, _)| have == name);
        header.map(|(_, value)| value.as_str())
    }
}

/// Gives the answer to a request; the number is the count of earlier requests.
type Script = dyn Fn(usize, &Asked) -> Answer + Send + Sync;

/// The server.
pub(crate) struct FakeUpstream {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    n_connections: Arc<AtomicUsize>,
    /// Gets a message for each client that left before its answer ended.
    pub(crate) gone: Receiver<()>,
}

impl FakeUpstream {
    /// Gives the answers in order, and repeats the last one.
    pub(crate) fn new(answers: Vec<Answer>) -> FakeUpstream {
        FakeUpstream::scripted(move |at, _| answers[at.min(answers.len() - 1)].clone())
    }

    pub(crate) fn scripted(
        script: impl Fn(usize, &Asked) -> Answer + Send + Sync + 'static,
    ) -> FakeUpstream {
        let script: Arc<Script> = Arc::new(script);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let all = Arc::clone(&asked);
        let n_connections: Arc<AtomicUsize> = Arc::default();
        let n_accepted = Arc::clone(&n_connections);
        let (left, gone) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                n_accepted.fetch_add(1, Ordering::Relaxed);
                let (all, script, left) = (Arc::clone(&all), Arc::clone(&script), left.clone());
                thread::spawn(move || serve(&stream, &all, &*script, &left));
            }
        });
        FakeUpstream {
            address,
            asked,
            n_connections,
            gone,
        }
    }

    /// The number of accepted connections.
    pub(crate) fn n_connections(&self) -> usize {
        self.n_connections.load(Ordering::Relaxed)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn serve(stream: &TcpStream, all: &Mutex<Vec<Asked>>, script: &Script, left: &Sender<()>) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read(&mut reader) {
        let at = {
            let mut all = all.lock().expect("no panic");
            all.push(asked.clone());
            all.len() - 1
        };
        let answer = script(at, &asked);
        if answer.end == AnswerEnd::Refused {
            return;
        }
        if write(stream, &answer).is_err() {
            let _ = left.send(());
            return;
        }
        match answer.end {
            AnswerEnd::Whole => {}
            AnswerEnd::Silent | AnswerEnd::Endless => {
                // The client closes the connection.
                let _ = reader.read(&mut [0]);
                let _ = left.send(());
                return;
            }
            AnswerEnd::Dropped | AnswerEnd::Refused => return,
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|n| *n > 0)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut asked = Asked {
        line: line.trim_end().to_owned(),
        headers,
        body: Vec::new(),
    };
    if let Some(length) = asked.header("content-length") {
        asked.body = vec![0; length.parse().ok()?];
        reader.read_exact(&mut asked.body).ok()?;
    } else if asked.header("transfer-encoding").is_some() {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).ok()?;
            let mut chunk = vec![0; usize::from_str_radix(size.trim(), 16).ok()? + 2];
            reader.read_exact(&mut chunk).ok()?;
            if chunk.len() == 2 {
                break;
            }
            asked.body.extend_from_slice(&chunk[..chunk.len() - 2]);
        }
    }
    Some(asked)
}

fn write(mut stream: &TcpStream, answer: &Answer) -> std::io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {} Scripted\r\ntransfer-encoding: chunked\r\n",
        answer.status
    );
    for (name, value) in &answer.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    loop {
        for piece in &answer.pieces {
            thread::sleep(answer.pause);
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend_from_slice(piece);
            chunk.extend_from_slice(b"\r\n");
            stream.write_all(&chunk)?;
        }
        match answer.end {
            AnswerEnd::Whole => return stream.write_all(b"0\r\n\r\n"),
            AnswerEnd::Endless => {}
            AnswerEnd::Dropped | AnswerEnd::Silent | AnswerEnd::Refused => return Ok(()),
        }
    }
}
