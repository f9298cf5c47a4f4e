//! `toolglot convert`: conversations from one dialect into another.
//!
//! `openai` names the structured form, `responses` names the items of the Responses API.
//! A text that is not a conversation is one message of the assistant.

use std::fmt::Write as _;
use std::io::Write;

use toolglot_chat::{default_server, tool_set};
use toolglot_value::Value;
use toolglot_wire::{
    BadLine, ConversionReport, ConvertedMessage, Converter, SourceForm, TargetForm, WireError,
    is_conversation,
};

use crate::cli::args::ConvertArguments;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{batch, select, source, toolboxes};

/// The name of the structured form.
const STRUCTURED: &str = "openai";

/// The name of the form with items, which the Responses API has in place of messages.
const ITEMS: &str = "responses";

/// Converts one conversation, or one per line.
pub(crate) fn convert(
    arguments: &ConvertArguments,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let toolbox = toolboxes::known(arguments.tools.as_deref())?;
    let toolbox = toolbox.as_ref();
    let target;
    let to = match &*arguments.to {
        STRUCTURED => TargetForm::Chat,
        ITEMS => TargetForm::Responses,
        name => {
            target = select::one(name)?;
            TargetForm::Text {
                dialect: &target,
                tools: tool_set(std::slice::from_ref(&target), toolbox),
                server: default_server(target.name()),
            }
        }
    };
    let is_structured = [STRUCTURED, ITEMS].contains(&&*arguments.from);
    let dialects;
    let from = if is_structured {
        SourceForm::Structured
    } else {
        dialects = select::dialects(&arguments.from, toolbox)?;
        SourceForm::Text {
            dialects: &dialects,
            tools: tool_set(&dialects, toolbox),
            toolbox,
        }
    };
    let converter = Converter::new(from, to, arguments.check).map_err(|error| match error {
        WireError::Program(error) => Failure::Program(error),
        other => Failure::Message(other),
    })?;
    let mut report = ConversionReport::default();
    let mut outcome = Outcome::Fine;
    if arguments.jsonl {
        outcome = batch::answer(&arguments.file, out, |line, out| {
            match conversation(line, &converter, &mut report) {
                Ok(document) => write_line(out, &document).map(|()| false),
                Err(BadLine { id, error }) => batch::bad(out, id, error),
            }
        })?;
    } else {
        let text = source::text(&arguments.file)?;
        let document = source::without_mark(&text);
        if !is_structured && !is_conversation(document) {
            if is_document(document) && !converter.is_of_calls(&text) {
                return Err(Failure::Conversation(WireError::NoMessages.to_string()));
            }
            return message(&text, &converter, out);
        }
        let written = conversation(document, &converter, &mut report)
            .map_err(|bad| Failure::Conversation(bad.error))?;
        write_line(out, &written).map_err(Failure::Output)?;
    }
    // Standard output is for data, so the report goes to standard error.
    let _ = write!(screen::stderr(), "{}", lines(&report, arguments.check));
    Ok(match outcome {
        Outcome::Fine => Outcome::faulty_if(!report.left.is_empty()),
        faulty => faulty,
    })
}

/// Whether a text is a list or an object in JSON, and nothing else.
fn is_document(text: &str) -> bool {
    let value = toolglot_value::from_str(text);
    matches!(value, Ok(Value::Array(_) | Value::Object(_)))
}

/// Converts one message, as the model wrote it.
fn message(text: &str, converter: &Converter<'_>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut report = ConversionReport::default();
    match converter.message(text, &mut report) {
        ConvertedMessage::Json(message) => write_line(out, &message),
        ConvertedMessage::Text(text) => write!(out, "{text}"),
    }
    .map_err(Failure::Output)?;
    let _ = write!(screen::stderr(), "{}", lines(&report, false));
    Ok(Outcome::faulty_if(!report.left.is_empty()))
}

/// Converts the conversation of one document.
fn conversation(
    text: &str,
    converter: &Converter<'_>,
    report: &mut ConversionReport,
) -> Result<Value, BadLine> {
    let bad = |id: Value, error: String| BadLine { id, error };
    let value: Value = toolglot_value::from_str(text)
        .map_err(|error| bad(Value::Null, format!("not JSON: {error}")))?;
    let id = value.get("id").cloned().unwrap_or_default();
    let document = converter.conversation(value, report);
    document.map_err(|error| bad(id, error.to_string()))
}

/// The report of the conversion, for a person.
fn lines(report: &ConversionReport, is_checked: bool) -> String {
    let ConversionReport {
        conversations,
        calls,
        results,
        left,
        differ,
        doubtful,
    } = report;
    let mut out = format!(
        "{conversations} conversations: {calls} calls and {results} results carried, {} messages not carried",
        left.len()
    );
    if is_checked {
        let _ = write!(out, ", {differ} of them since they would be read otherwise");
    }
    out.push('\n');
    for line in left.iter().chain(doubtful).take(20) {
        let _ = writeln!(out, "  {line}");
    }
    out
}
