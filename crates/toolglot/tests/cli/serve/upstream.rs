//! A model server that answers as a test specifies.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use toolglot_value::{Value, json};

use super::http::HttpMessage;

/// The answer to a request with a path and a body: a status and JSON.
type Script = dyn Fn(&str, &Value) -> (u16, Value) + Send + Sync;

/// The server, on a port of its own until the test ends.
pub(super) struct Upstream {
    pub(super) url: String,
    /// The received bodies, with their paths.
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Upstream {
    pub(super) fn new(
        script: impl Fn(&str, &Value) -> (u16, Value) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let (all, script): (_, Arc<Script>) = (Arc::clone(&asked), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (all, script) = (Arc::clone(&all), Arc::clone(&script));
                thread::spawn(move || serve(&stream, &all, &*script));
            }
        });
        Upstream {
            url: format!("http://{address}"),
            asked,
        }
    }

    /// A model that always answers with this text.
    pub(super) fn writing(text: &str) -> Self {
        let text = text.to_owned();
        Upstream::new(move |_, _| (200, completion(&text)))
    }

    /// The bodies received at a path.
    pub(super) fn asked(&self, path: &str) -> Vec<Value> {
        let asked = self.asked.lock().expect("no panic");
        let bodies = asked.iter().filter(|(to, _)| to == path);
        bodies.map(|(_, body)| body.clone()).collect()
    }
}

/// An answer of Chat Completions.
pub(super) fn completion(text: &str) -> Value {
    let message = json!({"role": "assistant", "content": text});
    json!({
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16},
    })
}

fn serve(mut stream: &TcpStream, all: &Mutex<Vec<(String, Value)>>, script: &Script) {
    while let Some(request) = HttpMessage::read(stream) {
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        all.lock()
            .expect("no panic")
            .push((path.to_owned(), body.clone()));
        let (status, body) = script(path, &body);
        let body = body.to_string();
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
