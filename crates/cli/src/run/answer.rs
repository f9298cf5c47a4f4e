//! The answer to a message: what came of its calls, in the shape that its model was taught.

use serde_json::json;
use toolglot::{Call, CallText, Calls, Renderer, ResultText, ToolSet};

use toolglot_tools::Toolbox;

use super::lesson;
use super::session::Session;
use super::step::{State, Step};
use crate::guard::guards;
use crate::spaced;

/// The text to be given back to the model; empty where there is nothing to say.
pub(crate) fn answer(session: &Session<'_>, message: &Calls, steps: &[Step]) -> String {
    let mut parts: Vec<String> = Vec::new();
    // Results of one dialect that follow each other are written together: some shapes have a heading.
    for group in steps.chunk_by(|one, next| dialect_of(message, one) == dialect_of(message, next)) {
        parts.extend(rendered(session, message, group));
    }
    let lesson = lesson::of_message(session, message, &parts.concat());
    parts.extend(lesson);
    let mut answer = parts.join("\n");
    if !answer.is_empty() && !answer.ends_with('\n') {
        answer.push('\n');
    }
    answer
}

/// The results of steps of one dialect, rendered, and behind them the right forms of calls that were refused.
///
/// Forms do not stand inside results: there they would be escaped, and teach the escapes. `None` where there is nothing
/// to tell.
pub(crate) fn rendered(session: &Session<'_>, message: &Calls, steps: &[Step]) -> Option<String> {
    let dialect = session.dialect(&message.calls[steps.first()?.call.call])?;
    let told: Vec<Told<'_>> = steps
        .iter()
        .filter_map(|step| Told::of(message, step))
        .collect();
    let results: Vec<ResultText<'_>> = told.iter().map(Told::result).collect();
    if results.is_empty() {
        return None;
    }
    // As the message was read, so its answer may be. The usual vocabulary is guarded against anyway.
    let files = session
        .files
        .is_some_and(|files| files.specs().next().is_some());
    let known = session.named.into_iter();
    let known = known.chain(files.then_some(session.vocabulary));
    let known: Vec<ToolSet> = known.map(Toolbox::tool_set).collect();
    let vocabulary = session.vocabulary.tool_set();
    let renderer = Renderer::new(dialect, known.first().unwrap_or(&vocabulary)).ok()?;
    let mut text = renderer.guarded(guards(&known)).results(&results);
    text.push_str(&lesson::of_steps(message, steps));
    Some(text)
}

/// Dialects whose models were taught that a result is JSON, and in which shape.
const JSON_RESULTS: &[(&str, Shape)] = &[
    ("tool_call", Shape::Output),
    ("tool_call_xml", Shape::Output),
    ("rye_invoke", Shape::Success),
];

/// A shape of results in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// The output itself, or an object with `error`.
    Output,
    /// An object with `success`, and `output` or `error`.
    Success,
}

/// What a model reads of a result: plain text, or JSON where it was taught so.
fn shaped(dialect: &str, step: &Step, text: &str, failed: bool) -> String {
    let shape = JSON_RESULTS.iter().find(|(known, _)| *known == dialect);
    // A command that ran and failed has a result like any other: its output and its exit code.
    let has_result =
        |outcome: &toolglot_exec::Outcome| outcome.ok || outcome.output.get("exitCode").is_some();
    let (output, failed) = match &step.state {
        State::Done(outcome) if has_result(outcome) => {
            (outcome.output.clone(), failed && shape.is_none())
        }
        _ => (text.into(), failed),
    };
    if let (Some((_, Shape::Success)), State::Done(outcome)) = (shape, &step.state)
        && outcome.output["success"].is_boolean()
    {
        // The tool has said it itself.
        return format!("{:#}", outcome.output);
    }
    let value = match (shape, failed) {
        (None, _) => return text.strip_suffix('\n').unwrap_or(text).to_owned(),
        (Some((_, Shape::Output)), false) => output,
        (Some((_, Shape::Output)), true) => json!({ "error": text }),
        (Some((_, Shape::Success)), false) => json!({ "success": true, "output": output }),
        (Some((_, Shape::Success)), true) => json!({ "success": false, "error": text }),
    };
    // Indented, as `JSON.stringify(result, null, 2)` writes it.
    format!("{value:#}")
}

fn dialect_of<'a>(message: &'a Calls, step: &Step) -> &'a str {
    &message.calls[step.call.call].dialect
}

/// A result with the texts that it borrows.
struct Told<'a> {
    call: &'a Call,
    arguments: String,
    text: String,
    failed: bool,
}

impl<'a> Told<'a> {
    fn of(message: &'a Calls, step: &Step) -> Option<Told<'a>> {
        let (text, failed) = step.told()?;
        let arguments = spaced::text(&step.call.arguments);
        let call = &message.calls[step.call.call];
        let text = shaped(&call.dialect, step, &text, failed);
        Some(Told {
            call,
            arguments,
            text,
            failed,
        })
    }

    fn result(&self) -> ResultText<'_> {
        ResultText {
            call: CallText {
                name: &self.call.name,
                args: &self.arguments,
                ns: self.call.ns.as_deref(),
                id: self.call.written_id.as_deref(),
            },
            text: &self.text,
            failed: self.failed,
        }
    }
}
