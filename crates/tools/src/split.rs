//! Calls that hold a block of shell commands become one call for each command.

use serde_json::{Map, Value};
use toolglot::{Call, CallId, Code, End, Note};

use crate::shell::split_shell;

/// The parameter that holds the block.
const COMMAND: &str = "command";

/// Splits the calls for which `splits(dialect, name)` holds into one call per command; the others stay as they are.
///
/// A command's call has the span of the whole block and its other arguments; a written id stays with the first. A block
/// of several commands says so in a note of the first. A block of comments alone gives no call. A truncated call stays
/// whole: it is not run. Ids are counted anew.
pub fn split_calls(calls: Vec<Call>, splits: impl Fn(&str, &str) -> bool) -> Vec<Call> {
    let mut split = Vec::with_capacity(calls.len());
    for call in calls {
        match block(&call).filter(|_| splits(&call.dialect, &call.name)) {
            Some(arguments) => split.extend(commands(&call, &arguments)),
            None => split.push(call),
        }
    }
    for (i, call) in split.iter_mut().enumerate() {
        call.id = CallId(u32::try_from(i).unwrap_or(u32::MAX));
    }
    split
}

/// The arguments of a call that holds a whole block.
fn block(call: &Call) -> Option<Map<String, Value>> {
    if call.end == End::Truncated {
        return None;
    }
    let arguments: Map<String, Value> = serde_json::from_str(&call.args).ok()?;
    arguments.get(COMMAND)?.is_string().then_some(arguments)
}

fn commands(call: &Call, arguments: &Map<String, Value>) -> Vec<Call> {
    let text = arguments[COMMAND].as_str().unwrap_or_default();
    let ranges = split_shell(text);
    let n = ranges.len();
    ranges
        .into_iter()
        .enumerate()
        .map(|(i, range)| {
            let mut one = call.clone();
            let mut arguments = arguments.clone();
            arguments[COMMAND] = text[range].into();
            one.args = Value::Object(arguments).to_string();
            if i > 0 {
                one.written_id = None;
                one.notes.clear();
            } else if n > 1 {
                one.notes.push(Note {
                    code: Code::SplitShell,
                    span: call.span,
                    message: format!("a block of {n} shell commands became {n} calls"),
                    help: None,
                });
            }
            one
        })
        .collect()
}
