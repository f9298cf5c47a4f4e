//! The messages of the fake model, and their pieces.
//!
//! A message is text, then one call as text. Each piece of the text ends with a stamp, ` t123.`: the microsecond of its
//! sending. The client finds it without parsing JSON.

use std::time::Instant;

use serde_json::{Value, json};

/// The plan in the model's name: `load-TEXT-CALL-PAUSE-END`, for example `load-150-50-20000-stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The number of pieces of text.
    pub text: usize,
    /// The number of pieces of the call; 0 for no call.
    pub call: usize,
    /// Microseconds between two pieces.
    pub pause: u64,
    pub end: PlanEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanEnd {
    /// The answer ends regularly.
    Stop,
    /// No more pieces follow, and the connection stays open.
    Idle,
    /// Pieces have numbers and no stamps, so that the client knows each byte.
    Known,
}

impl Plan {
    pub fn model(&self) -> String {
        let end = match self.end {
            PlanEnd::Stop => "stop",
            PlanEnd::Idle => "idle",
            PlanEnd::Known => "known",
        };
        format!("load-{}-{}-{}-{end}", self.text, self.call, self.pause)
    }

    /// The plan in a request's body.
    pub fn find(body: &[u8]) -> Option<Plan> {
        // Some gateways rename the model, so the message names the plan as well.
        let body = std::str::from_utf8(body).ok()?;
        let name = body[body.find("load-")? + 5..].split('"').next()?;
        let mut parts = name.split('-');
        let mut number = || parts.next()?.parse().ok();
        let (text, call, pause) = (number()?, number()?, number()?);
        let end = match parts.next()? {
            "stop" => PlanEnd::Stop,
            "idle" => PlanEnd::Idle,
            _ => PlanEnd::Known,
        };
        Some(Plan {
            text: text as usize,
            call: call as usize,
            pause,
            end,
        })
    }

    pub fn n_pieces(&self) -> usize {
        self.text + self.call
    }

    /// The piece at an index, as the model writes it.
    pub fn piece(&self, at: usize, start: Instant) -> String {
        if at < self.text {
            return match self.end {
                PlanEnd::Known => format!("word{at} \"ü\"\n"),
                _ => format!("some words t{}.", start.elapsed().as_micros()),
            };
        }
        let call = self.call_text();
        let at = at - self.text;
        // A cut inside a character is moved to the character's start.
        let cut = |n: usize| {
            let mut cut = call.len() * n / self.call;
            while !call.is_char_boundary(cut) {
                cut -= 1;
            }
            cut
        };
        call[cut(at)..cut(at + 1)].to_owned()
    }

    /// The full text of a plan with known pieces.
    pub fn text(&self) -> String {
        (0..self.text)
            .map(|at| self.piece(at, Instant::now()))
            .collect()
    }

    /// The call's arguments.
    pub fn arguments(&self) -> Value {
        let code: String = (0..self.call)
            .map(|n| format!("let v{n} = \"{n} ü\";\n"))
            .collect();
        json!({"path": "src/load.rs", "content": code})
    }

    fn call_text(&self) -> String {
        // The name comes first, as models write it: arguments cannot be sent before the name.
        let arguments = self.arguments();
        format!("\n<tool_call>\n{{\"name\": \"{TOOL}\", \"arguments\": {arguments}}}\n</tool_call>")
    }
}

/// The only tool of all requests; it writes, so a call waits until it is complete.
pub const TOOL: &str = "write_file";

/// The three APIs that a client may use.
pub const APIS: [&str; 3] = ["chat/completions", "responses", "messages"];

/// The body of a request to an API, streamed.
pub fn request(api: &str, plan: &Plan) -> String {
    let schema = json!({
        "type": "object", "required": ["path", "content"],
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
    });
    let about = "Writes a file.";
    let tool = match api {
        "chat/completions" => {
            json!({"type": "function", "function": {"name": TOOL, "description": about, "parameters": schema}})
        }
        "responses" => {
            json!({"type": "function", "name": TOOL, "description": about, "parameters": schema})
        }
        _ => json!({"name": TOOL, "description": about, "input_schema": schema}),
    };
    let messages = if api == "responses" {
        "input"
    } else {
        "messages"
    };
    let mut body =
        json!({"model": plan.model(), "stream": true, "max_tokens": 4096, "tools": [tool]});
    body[messages] = json!([{"role": "user", "content": plan.model()}]);
    body.to_string()
}

/// Finds stamps in the bytes of an answer, for any cut.
#[derive(Debug, Default)]
pub struct StampReader {
    state: StampState,
}

#[derive(Debug, Default)]
enum StampState {
    #[default]
    Outside,
    Space,
    Number(u64),
}

impl StampReader {
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(u64)) {
        for byte in bytes {
            self.state = match (&self.state, byte) {
                (_, b' ') => StampState::Space,
                (StampState::Space, b't') => StampState::Number(0),
                (StampState::Number(n), b'0'..=b'9') => {
                    StampState::Number(n.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')))
                }
                (StampState::Number(n), b'.') if *n > 0 => {
                    sink(*n);
                    StampState::Outside
                }
                _ => StampState::Outside,
            };
        }
    }
}
