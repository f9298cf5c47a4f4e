//! `toolglot convert`: conversations from one dialect into another.
//!
//! ```text
//! {"messages":[..]} ── turn (what an assistant's message holds: text, calls) ── Writer (the same in the target) ── {"messages":[..]}
//! ```
//!
//! A conversation is a list of messages as chat APIs have them, or an object that holds one; `forms` has those of other APIs.
//! `openai` stands for the structured form: calls under `tool_calls`, results in messages of the role `tool`.
//! With any other dialect calls stand in the text of the assistant's messages.
//! A text that is no conversation is one assistant's message, and stays a text.
//! What cannot be carried stays as it was and is counted; nothing is dropped silently.

mod content;
mod fields;
mod forms;
mod ids;
mod items;
mod open;
mod owners;
mod results;
mod tally;
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
use tally::Tally;
use writer::Converter;

/// The name of the structured form.
const STRUCTURED: &str = "openai";

/// The name of its items, which the Responses API has in place of messages.
const ITEMS: &str = "responses";

/// Whether a name is that of a form with calls beside the text.
fn is_structured(name: &str) -> bool {
    [STRUCTURED, ITEMS].contains(&name)
}

/// How conversations are written.
#[derive(Clone, Copy)]
struct Target<'a> {
    between: &'a Converter<'a>,
    /// Whether messages become items.
    has_items: bool,
}

/// Converts one conversation, or one per line.
pub(crate) fn convert(
    arguments: &ConvertArguments,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let toolbox = toolboxes::known(arguments.tools.as_deref())?;
    let to = match &*arguments.to {
        name if is_structured(name) => None,
        name => Some(select::one(name)?),
    };
    let from = match &*arguments.from {
        name if is_structured(name) => None,
        list => Some(select::dialects(list, toolbox.as_ref())?),
    };
    let between = Converter::new(
        from.as_deref(),
        to.as_ref(),
        toolbox.as_ref(),
        arguments.check,
    )?;
    let target = Target {
        between: &between,
        has_items: arguments.to == ITEMS,
    };
    let mut tally = Tally::default();
    let mut outcome = Outcome::Fine;
    if arguments.jsonl {
        outcome = batch::answer(&arguments.file, out, |line, out| {
            match conversation(line, target, &mut tally) {
                Ok(converted) => write_line(out, &converted).map(|()| false),
                Err(BadLine { id, error }) => batch::bad(out, id, error),
            }
        })?;
    } else {
        let text = source::text(&arguments.file)?;
        if !is_structured(&arguments.from) && !is_conversation(&text) {
            if is_document(&text) && !between.is_of_calls(&text) {
                return Err(Failure::Conversation(UNKNOWN.to_owned()));
            }
            return message(&text, target, out);
        }
        let converted = conversation(source::without_mark(&text), target, &mut tally)
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

/// Why a document is refused.
const UNKNOWN: &str =
    "a conversation is a list of messages, or an object with a list under `messages`";

/// Whether a text is meant as a conversation, whole or broken; a model's text may begin with a bracket, too.
fn is_conversation(text: &str) -> bool {
    let text = source::without_mark(text).trim_start();
    match serde_json::from_str::<Value>(text) {
        Ok(value) => match forms::list(&value) {
            Some((Some("messages"), _)) => true,
            Some((_, messages)) => messages.is_empty() || messages.iter().any(forms::is_message),
            None => value.get("messages").is_some(),
        },
        Err(_) => text.starts_with(['[', '{']) && text.contains("\"role\""),
    }
}

/// Whether a text is a list or an object in JSON, and nothing else.
fn is_document(text: &str) -> bool {
    let value = serde_json::from_str(source::without_mark(text));
    matches!(value, Ok(Value::Array(_) | Value::Object(_)))
}

/// One message as the model wrote it. It stays a plain text, but for the structured form.
fn message(text: &str, target: Target<'_>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut tally = Tally::default();
    let message = json!({"role": "assistant", "content": text});
    let converted = target.between.conversation(&[message], &mut tally);
    let structured = converted
        .iter()
        .any(|message| !message["tool_calls"].is_null());
    match converted.first() {
        _ if target.has_items => write_line(out, &items::of(&converted)),
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

/// One conversation: a list of messages, or an object with one and whatever else, which stays.
fn conversation(text: &str, target: Target<'_>, tally: &mut Tally) -> Result<Value, BadLine> {
    let bad = |id: Value, error: String| BadLine { id, error };
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| bad(Value::Null, format!("not JSON: {error}")))?;
    let id = value.get("id").cloned().unwrap_or_default();
    let Some((name, messages)) = forms::list(&value) else {
        return Err(bad(id, UNKNOWN.to_owned()));
    };
    if let Some(at) = messages.iter().position(|message| !message.is_object()) {
        let error = format!("`{}[{at}]` must be an object", name.unwrap_or("messages"));
        return Err(bad(id, error));
    }
    let mut converted = (target.between).conversation(messages, tally);
    let mut list = "messages";
    if target.has_items {
        converted = items::of(&converted);
        list = "input";
    }
    match (&mut value, name) {
        (Value::Object(fields), Some(name)) => {
            fields.remove(name);
            fields.insert(list.to_owned(), Value::Array(converted));
        }
        (list, _) => *list = Value::Array(converted),
    }
    Ok(value)
}

/// A call in the structured form.
fn structured(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// A call of a freeform tool in the structured form: its input is one raw text.
fn freeform(id: &str, name: &str, input: &str) -> Value {
    json!({"id": id, "type": "custom", "custom": {"name": name, "input": input}})
}

/// The input of a call of a freeform tool, whose arguments are `{"input": ".."}` in text.
fn input_of(arguments: &str) -> Option<String> {
    let Ok(Value::Object(mut arguments)) = serde_json::from_str(arguments) else {
        return None;
    };
    match (arguments.remove("input"), arguments.is_empty()) {
        (Some(Value::String(input)), true) => Some(input),
        _ => None,
    }
}
