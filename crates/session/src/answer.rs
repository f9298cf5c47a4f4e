//! The answer to a message: the results of its calls, in the format that its model was trained on.

use toolglot_dialects::{ResultShape, System};
use toolglot_engine::{
    Call, CallText, Calls, Dialect, Note, RenderedResults, ResultText, ResultWriter,
};
use toolglot_value::{Map, Value, json};

use crate::message_session::MessageSession;
use crate::step::{State, Step};
use toolglot_chat::{spaced_json, step_lessons};

/// The text for the model; empty where there is nothing to report. Changes to the results become notes of their steps.
pub(crate) fn answer(session: &MessageSession<'_>, message: &Calls, steps: &mut [Step]) -> String {
    let mut parts: Vec<String> = Vec::new();
    // Consecutive results of one dialect are written together: some formats have a heading.
    for group in
        steps.chunk_by_mut(|one, next| dialect_of(message, one) == dialect_of(message, next))
    {
        let Some((text, notes)) = written(session.dialects, message, group) else {
            continue;
        };
        parts.push(text);
        for (at, note) in notes {
            group[at].notes.push(note);
        }
    }
    let lesson = session.message_lesson(message, &parts.concat());
    parts.extend(lesson);
    // A blank line separates texts for models of different dialects.
    let mut answer = String::new();
    for part in parts {
        if !answer.is_empty() {
            let n_ended = answer.bytes().rev().take_while(|byte| *byte == b'\n');
            answer.push_str(&"\n\n"[n_ended.count().min(2)..]);
        }
        answer.push_str(&part);
    }
    if !answer.is_empty() && !answer.ends_with('\n') {
        answer.push('\n');
    }
    answer
}

/// Like [`written`], without the notes.
pub(crate) fn rendered(dialects: &[Dialect], message: &Calls, step: &Step) -> Option<String> {
    written(dialects, message, std::slice::from_ref(step)).map(|(text, _)| text)
}

/// The rendered results of steps of one dialect, then the correct forms of refused calls. Each note about a changed
/// result comes with the index of its step.
///
/// The forms are not inside the results, where they would be escaped and would teach the escapes. `None` where there is
/// nothing to report.
fn written(
    dialects: &[Dialect],
    message: &Calls,
    steps: &[Step],
) -> Option<(String, Vec<(usize, Note)>)> {
    let name = dialect_of(message, steps.first()?);
    let dialect = dialects.iter().find(|dialect| dialect.name() == name)?;
    let rendered: Vec<(usize, RenderedResult<'_>)> = steps
        .iter()
        .enumerate()
        .filter_map(|(at, step)| Some((at, RenderedResult::of(message, step)?)))
        .collect();
    let results: Vec<ResultText<'_>> = rendered
        .iter()
        .map(|(_, rendered)| rendered.result())
        .collect();
    if results.is_empty() {
        return None;
    }
    let RenderedResults { mut text, notes } = ResultWriter::new(dialect).results(&results);
    let notes = notes.into_iter().map(|note| {
        let (at, rendered) = &rendered[note.result];
        // In a run, the spans of notes point to the call in the message.
        let span = rendered.call.span;
        (*at, Note { span, ..note.note })
    });
    let lessons = steps
        .iter()
        .map(|step| (&message.calls[step.call.call], &step.lesson));
    text.push_str(&step_lessons(lessons));
    Some((text, notes.collect()))
}

/// The text that a model reads for a result, and whether it is JSON: plain text, or JSON if the dialect trains that.
fn shaped(dialect: &str, step: &Step, text: &str, failed: bool) -> (String, bool) {
    let shape = System::of(dialect).results;
    // A command that ran and failed has an ordinary result: its output and its exit code.
    let has_result = |outcome: &toolglot_builtins::Outcome| {
        outcome.ok || outcome.output.get("exitCode").is_some()
    };
    let (output, failed) = match &step.state {
        State::Done(outcome) if has_result(outcome) => {
            (outcome.output.clone(), failed && shape.is_none())
        }
        _ => (text.into(), failed),
    };
    if let (Some(ResultShape::Success), State::Done(outcome)) = (shape, &step.state)
        && outcome.output["success"].is_boolean()
    {
        // The output of the tool already has the `success` field.
        return (format!("{:#}", outcome.output), true);
    }
    let value = match (shape, failed) {
        (None, _) => return (text.strip_suffix('\n').unwrap_or(text).to_owned(), false),
        (Some(ResultShape::Output), false) => output,
        (Some(ResultShape::Output), true) => json!({ "error": text }),
        (Some(ResultShape::Success), false) => json!({ "success": true, "output": output }),
        (Some(ResultShape::Success), true) => json!({ "success": false, "error": text }),
    };
    // Indented, as `JSON.stringify(result, null, 2)` writes it.
    (format!("{value:#}"), true)
}

/// The longest argument in bytes that the frame of a result includes. The dialects show at most 160 bytes.
const MOST_SHOWN: usize = 64 << 10;

/// The arguments as JSON for the frame of a result. Long texts are left out: they may be as large as the message.
fn frame_arguments(arguments: &Map<String, Value>) -> String {
    let is_long = |value: &Value| value.as_str().is_some_and(|text| text.len() > MOST_SHOWN);
    if !arguments.values().any(is_long) {
        return spaced_json(arguments);
    }
    let short = arguments.iter().filter(|(_, value)| !is_long(value));
    spaced_json(
        &short
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

fn dialect_of<'a>(message: &'a Calls, step: &Step) -> &'a str {
    &message.calls[step.call.call].dialect
}

/// A result together with the texts that it borrows.
struct RenderedResult<'a> {
    call: &'a Call,
    arguments: String,
    text: String,
    is_json: bool,
    failed: bool,
}

impl<'a> RenderedResult<'a> {
    fn of(message: &'a Calls, step: &Step) -> Option<RenderedResult<'a>> {
        let (text, failed) = step.result_text()?;
        let arguments = frame_arguments(&step.call.arguments);
        let call = &message.calls[step.call.call];
        let (text, is_json) = shaped(&call.dialect, step, &text, failed);
        Some(RenderedResult {
            call,
            arguments,
            text,
            is_json,
            // The JSON itself reports the failure.
            failed: failed && !is_json,
        })
    }

    fn result(&self) -> ResultText<'_> {
        ResultText {
            call: CallText {
                name: &self.call.name,
                arguments: &self.arguments,
                server: self.call.server.as_deref(),
                id: self.call.written_id.as_deref(),
            },
            text: &self.text,
            failed: self.failed,
            is_json: self.is_json,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_show_no_text_that_is_longer_than_they_can() {
        for (length, shown) in [(MOST_SHOWN, true), (MOST_SHOWN + 1, false)] {
            let arguments = json!({"path": "a", "content": "x".repeat(length)});
            let text = frame_arguments(arguments.as_object().expect("an object"));
            assert!(text.contains("\"path\""), "{length}");
            assert_eq!(text.contains("content"), shown, "{length}");
        }
    }
}
