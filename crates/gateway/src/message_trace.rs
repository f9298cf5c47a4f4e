//! A trace of one message, for the report to the client and a row of the record.

use toolglot_engine::{Call, Calls, End, Event, Finish, Note, Sink, Span};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json, to_value};
use toolglot_wire::{Document, ToolChoice};

use crate::exchange::Exchange;
use crate::metrics;
use crate::reading::{AnswerStart, KeptText};

/// The bytes at a prompt's end that determine where an answer starts.
const PROMPT_BYTES: usize = 256;

/// The most notes, and the most calls, in a report.
const MOST_REPORTED: usize = 64;

/// The most bytes of a report in a header: servers and proxies refuse headers above 8 KiB.
const HEADER_BYTES: usize = 6 << 10;

/// The calls and the notes of a message.
#[derive(Debug, Default)]
pub(crate) struct MessageTrace {
    message: Calls,
    /// The calls that the upstream parsed.
    native: Vec<(String, End)>,
    start: AnswerStart,
    /// Whether the calls were read in the upstream's separate reasoning.
    pub(crate) is_reasoning: bool,
}

impl MessageTrace {
    pub(crate) fn new(start: &AnswerStart) -> MessageTrace {
        MessageTrace {
            start: start.clone(),
            ..MessageTrace::default()
        }
    }

    /// Handles an event of the parser.
    pub(crate) fn event(&mut self, span: Span, event: Event<'_>) {
        self.message.event(span, event);
    }

    /// Adds a later note in order of position.
    pub(crate) fn note(&mut self, note: Note) {
        let notes = &mut self.message.notes;
        let at = notes.partition_point(|other| other.span.start <= note.span.start);
        notes.insert(at, note);
    }

    /// The text and the reasoning without calls.
    pub(crate) fn texts(&self) -> (&str, &str) {
        (&self.message.content, &self.message.reasoning)
    }

    /// The call with this span of its name.
    pub(crate) fn call_at(&self, name: Span) -> Option<&Call> {
        let mut calls = self.message.calls.iter();
        calls.find(|call| call.name_span == name)
    }

    /// A call that the upstream parsed starts.
    pub(crate) fn native_call(&mut self, name: &str) {
        self.native.push((name.to_owned(), End::Truncated));
    }

    /// The last started call ends.
    pub(crate) fn native_end(&mut self, end: End) {
        if let Some(call) = self.native.last_mut() {
            call.1 = end;
        }
    }

    /// Calls with their spans and notes, without argument values.
    pub(crate) fn report(&self) -> Map {
        let document = Document::new(&self.message);
        let calls = document.calls.iter().map(|call| {
            json!({"name": call.name.as_str(), "dialect": call.dialect.as_str(), "end": call.end,
                "place": call.place, "span": [call.span[0], call.span[1]]})
        });
        let native = self.native.iter().map(
            |(name, end)| json!({"name": name.as_str(), "dialect": "native", "end": metrics::word(*end)}),
        );
        let calls: Vec<Value> = calls.chain(native).take(MOST_REPORTED).collect();
        let notes = document.notes.iter().take(MOST_REPORTED);
        let notes: Vec<Value> = notes.filter_map(|note| to_value(note).ok()).collect();
        let mut report = Map::new();
        report.insert("calls".to_owned(), Value::Array(calls));
        report.insert("notes".to_owned(), Value::Array(notes));
        report
    }

    /// The message as a line of `parse --jsonl`, with optional further fields.
    pub(crate) fn row(
        &self,
        exchange: &Exchange,
        (text, reasoning): (&KeptText, &KeptText),
        finish: Finish,
    ) -> Map {
        let mut row = Map::new();
        let mut set = |key: &str, value: Value| {
            row.insert(key.to_owned(), value);
        };
        let input = if self.is_reasoning { reasoning } else { text };
        let finish = match finish {
            _ if input.is_cut() => "length",
            Finish::Stop => "stop",
            Finish::Length => "length",
            Finish::Unknown => "unknown",
        };
        set("input", Value::from(input.text()));
        set("finish", Value::from(finish));
        if let Some(dialect) = exchange.dialect() {
            set("dialect", Value::from(dialect));
        }
        set("tools", tools(exchange.request.tools()));
        if self.start.reasoning_open || self.is_reasoning {
            set("reasoning_open", Value::Bool(true));
        }
        if let Some(prompt) = &self.start.prompt {
            let from = prompt.len().saturating_sub(PROMPT_BYTES);
            let from = (from..=prompt.len()).find(|at| prompt.is_char_boundary(*at));
            let suffix = &prompt[from.unwrap_or_default()..];
            set("prompt_suffix", Value::from(suffix));
        }
        if let Some(choice) = choice(exchange.request.choice()) {
            set("tool_choice", choice);
        }
        set("api", Value::from(exchange.request.api().name()));
        set("model", Value::from(exchange.request.model()));
        set("mode", Value::from(exchange.mode().word()));
        if input.is_cut() {
            set("is_cut", Value::Bool(true));
        }
        for (key, value) in self.report() {
            set(&key, value);
        }
        row
    }
}

/// A report as the value of a header: ASCII, truncated to fit.
pub(crate) fn header(report: &Map) -> String {
    let mut report = report.clone();
    let mut left_out = 0;
    loop {
        let mut shown = report.clone();
        if left_out > 0 {
            shown.insert("left_out".to_owned(), Value::from(left_out));
        }
        let text = ascii(&Value::Object(shown).to_string());
        if text.len() <= HEADER_BYTES {
            return text;
        }
        let mut pop = |key| {
            let list = report.get_mut(key).and_then(Value::as_array_mut);
            list.and_then(Vec::pop).is_some()
        };
        if !pop("notes") && !pop("calls") {
            return String::new();
        }
        left_out += 1;
    }
}

/// JSON with escaped characters above ASCII.
fn ascii(json: &str) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii_graphic() || c == ' ' {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

fn tools(toolbox: &Toolbox) -> Value {
    let tools = toolbox.iter().map(|spec| {
        let (name, description) = (spec.name.as_str(), spec.description.as_str());
        if toolbox.is_freeform(name) {
            json!({"type": "custom", "custom": {"name": name, "description": description}})
        } else {
            let function =
                json!({"name": name, "description": description, "parameters": spec.parameters});
            json!({"type": "function", "function": function})
        }
    });
    tools.collect()
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Value::from("none")),
        ToolChoice::Required => Some(Value::from("required")),
        ToolChoice::Of { names, is_required } => {
            let mode = if *is_required { "required" } else { "auto" };
            let tools = names.iter().map(String::as_str);
            let tools: Value = tools
                .map(|name| json!({"type": "function", "name": name}))
                .collect();
            Some(json!({"type": "allowed_tools", "mode": mode, "tools": tools}))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_report_has_room_in_a_header() {
        let note = json!({"code": "N012", "message": "é".repeat(200)});
        let notes: Vec<Value> = vec![note; 30];
        let mut report = Map::new();
        report.insert("calls".to_owned(), json!([]));
        report.insert("notes".to_owned(), Value::Array(notes));
        let text = header(&report);
        assert!(text.is_ascii() && text.len() <= HEADER_BYTES);
        let value = toolglot_value::from_str(&text).expect("JSON");
        let n_shown = value["notes"].as_array().map_or(0, Vec::len);
        assert_eq!(value["left_out"].as_u64(), Some(30 - n_shown as u64));
        assert_eq!(value["notes"][0]["message"], "é".repeat(200));
    }
}
