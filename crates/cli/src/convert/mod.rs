//! `toolglot convert`: conversations from one dialect into another.
//!
//! ```text
//! {"messages":[..]} ── turn (what an assistant's message holds: text, calls) ── Writer (the same in the target) ── {"messages":[..]}
//! ```
//!
//! A conversation is a list of messages as chat APIs have them, or an object that holds one under `messages`.
//! `openai` stands for the structured form: calls under `tool_calls`, results in messages of the role `tool`.
//! With any other dialect calls stand in the text of the assistant's messages.
//! A text that is no conversation is one assistant's message, and stays a text.
//! What cannot be carried stays as it was and is counted; nothing is dropped silently.

mod content;
mod ids;
mod open;
mod owners;
mod results;
mod turn;
mod writer;

use std::io::Write;

use serde_json::{Value, json};
use toolglot_wire::BadLine;

use crate::args::ConvertArguments;
use crate::failure::Failure;
use crate::human::screen;
use crate::parse::write_line;
use crate::{Outcome, batch, select, source, toolboxes};
use writer::{Converter, Tally};

/// The name of the structured form.
const STRUCTURED: &str = "openai";

/// Converts one conversation, or one per line.
pub(crate) fn convert(
    arguments: &ConvertArguments,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let toolbox = toolboxes::known(arguments.tools.as_deref())?;
    let to = match &*arguments.to {
        STRUCTURED => None,
        name => Some(select::one(name)?),
    };
    let from = match &*arguments.from {
        STRUCTURED => None,
        list => Some(select::dialects(list, toolbox.as_ref())?),
    };
    let between = Converter::new(
        from.as_deref(),
        to.as_ref(),
        toolbox.as_ref(),
        arguments.check,
    )?;
    let mut tally = Tally::default();
    let mut outcome = Outcome::Fine;
    if arguments.jsonl {
        outcome = batch::answer(&arguments.file, out, |line, out| {
            match conversation(line, &between, &mut tally) {
                Ok(converted) => write_line(out, &converted).map(|()| false),
                Err(BadLine { id, error }) => batch::bad(out, id, error),
            }
        })?;
    } else {
        let text = source::text(&arguments.file)?;
        if arguments.from != STRUCTURED && !is_conversation(&text) {
            return message(&text, &between, out);
        }
        let converted = conversation(source::without_mark(&text), &between, &mut tally)
            .map_err(|bad| Failure::Conversation(bad.error))?;
        write_line(out, &converted).map_err(Failure::Output)?;
    }
    // Data is on standard output; what became of it is said beside it.
    let _ = write!(screen::stderr(), "{}", tally.report(arguments.check));
    Ok(match outcome {
        Outcome::Fine => Outcome::faulty_if(tally.is_faulty()),
        faulty => faulty,
    })
}

/// Whether a text is meant as a conversation, whole or broken; a model's text may begin with a bracket, too.
fn is_conversation(text: &str) -> bool {
    let text = source::without_mark(text).trim_start();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(messages)) => {
            messages.is_empty() || messages.iter().any(|message| message.get("role").is_some())
        }
        Ok(value) => value.get("messages").is_some(),
        Err(_) => text.starts_with(['[', '{']) && text.contains("\"role\""),
    }
}

/// One message as the model wrote it. It stays a plain text, but for the structured form.
fn message(text: &str, between: &Converter<'_>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut tally = Tally::default();
    let message = json!({"role": "assistant", "content": text});
    let converted = between.conversation(&[message], &mut tally)?;
    let structured = converted
        .iter()
        .any(|message| !message["tool_calls"].is_null());
    match converted.first() {
        Some(message) if structured => write_line(out, message),
        message => {
            let text = message.and_then(|message| message["content"].as_str());
            write!(out, "{}", text.unwrap_or_default())
        }
    }
    .map_err(Failure::Output)?;
    let _ = write!(screen::stderr(), "{}", tally.report(false));
    Ok(Outcome::faulty_if(tally.is_faulty()))
}

/// One conversation: a list of messages, or an object with `messages` and whatever else, which stays.
fn conversation(text: &str, between: &Converter<'_>, tally: &mut Tally) -> Result<Value, BadLine> {
    let bad = |id: Value, error: String| BadLine { id, error };
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| bad(Value::Null, format!("not JSON: {error}")))?;
    let id = value.get("id").cloned().unwrap_or_default();
    let messages = match &mut value {
        Value::Array(messages) => messages,
        Value::Object(fields) => match fields.get_mut("messages") {
            Some(Value::Array(messages)) => messages,
            _ => return Err(bad(id, "`messages` must be a list".to_owned())),
        },
        _ => {
            let error = "a conversation is a list of messages, or an object with `messages`";
            return Err(bad(id, error.to_owned()));
        }
    };
    if let Some(at) = messages.iter().position(|message| !message.is_object()) {
        return Err(bad(id, format!("`messages[{at}]` must be an object")));
    }
    *messages = between
        .conversation(messages, tally)
        .map_err(|failure| bad(id, failure.told()))?;
    Ok(value)
}

/// A call in the structured form.
fn structured(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}
