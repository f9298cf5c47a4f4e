//! Turns a call with a block of shell commands into one call for each command.

use toolglot_engine::{Call, CallId, Calls, Code, End, Note};
use toolglot_value::{Map, Value};

use crate::shell::{ends_open, split_shell};

/// Splits the shell blocks of a message, and drops those without a command.
///
/// `keys` gives, for a dialect, the argument with a block and the argument for each command, as
/// [`Dialect::split`](toolglot_engine::Dialect::split) does. A call with the first is a block, whatever its name. A
/// call with a blank command requests nothing. Both kinds of drops are noted, and so is a block of several commands.
///
/// A command's call has the span of the whole block and its other arguments; a written id and the notes stay with the
/// first. A command that ends inside a quotation or a here-document may be truncated: it is recovered, with a note. A
/// truncated block stays whole under the command's key, and does not run. Ids are assigned anew.
pub fn split_calls<'a>(message: &mut Calls, keys: impl Fn(&str) -> Option<(&'a str, &'a str)>) {
    for mut call in std::mem::take(&mut message.calls) {
        let Some(keys) = keys(&call.dialect) else {
            message.calls.push(call);
            continue;
        };
        let found = Found::of(&call, keys);
        if call.end == End::Closed && found.ends_open(&call, keys) {
            call.end = End::Recovered;
            let note = Note {
                code: Code::AmbiguousValue,
                span: call.span,
                message:
                    "a quotation or a here-document has no end in the command; it may be cut short"
                        .into(),
                help: None,
            };
            call.notes.push(note.clone());
            message.notes.push(note);
        }
        match found {
            Found::Other => message.calls.push(call),
            Found::Half(arguments) => {
                call.arguments = arguments;
                message.calls.push(call);
            }
            Found::Nothing => message.notes.push(Note {
                code: Code::NotACall,
                span: call.span,
                message: format!("`{}` without a command asks for nothing", call.name),
                help: None,
            }),
            Found::Commands(commands) => {
                if commands.len() > 1 {
                    let note = split_note(&call, commands.len());
                    call.notes.push(note.clone());
                    message.notes.push(note);
                }
                // Each command's call is a copy of the other fields, without the block.
                call.arguments.clear();
                for args in commands {
                    let mut command = call.clone();
                    command.arguments = args;
                    message.calls.push(command);
                    call.written_id = None;
                    call.notes.clear();
                }
            }
        }
    }
    for (index, call) in message.calls.iter_mut().enumerate() {
        call.id = CallId(u32::try_from(index).unwrap_or(u32::MAX));
    }
}

/// The kind of a call in a dialect with shell blocks.
enum Found {
    /// A block: the arguments of each command.
    Commands(Vec<String>),
    /// A block or a command that requests nothing.
    Nothing,
    /// The start of a truncated block, as the start of a command.
    Half(String),
    /// Any other call.
    Other,
}

impl Found {
    /// Whether its last command is truncated, as far as quotes and here-documents show.
    fn ends_open(&self, call: &Call, (_, command): (&str, &str)) -> bool {
        match self {
            Found::Commands(commands) => commands
                .last()
                .is_some_and(|last| text_of(last, command).is_some_and(|text| ends_open(&text))),
            Found::Other => text_of(&call.arguments, command).is_some_and(|text| ends_open(&text)),
            Found::Nothing | Found::Half(_) => false,
        }
    }

    fn of(call: &Call, (block, command): (&str, &str)) -> Found {
        if call.end == End::Truncated {
            // Half an object is not JSON; a rule for blocks reads the block's key first.
            return match call.arguments.strip_prefix(&format!("{{\"{block}\"")) {
                Some(rest) => Found::Half(format!("{{\"{command}\"{rest}")),
                None => Found::Other,
            };
        }
        let Ok(Value::Object(arguments)) = toolglot_value::from_str(&call.arguments) else {
            return Found::Other;
        };
        let text = |key| arguments.get(key).and_then(Value::as_str);
        match (text(block), text(command)) {
            (Some(lines), _) => {
                let commands = split_shell(lines).into_iter();
                let commands =
                    commands.map(|range| renamed(&arguments, (block, command), &lines[range]));
                match commands.collect::<Vec<_>>() {
                    none if none.is_empty() => Found::Nothing,
                    some => Found::Commands(some),
                }
            }
            (None, Some(command)) if command.trim().is_empty() => Found::Nothing,
            _ => Found::Other,
        }
    }
}

/// A text among the arguments.
fn text_of(arguments: &str, key: &str) -> Option<String> {
    let Ok(Value::Object(arguments)) = toolglot_value::from_str(arguments) else {
        return None;
    };
    arguments.get(key)?.as_str().map(str::to_owned)
}

/// `arguments` with one command under the command's key in place of the block.
fn renamed(arguments: &Map<String, Value>, (block, command): (&str, &str), text: &str) -> String {
    let arguments: Map<String, Value> = arguments
        .iter()
        .map(|(key, value)| {
            if key == block {
                (command.to_owned(), text.into())
            } else {
                (key.clone(), value.clone())
            }
        })
        .collect();
    Value::Object(arguments).to_string()
}

fn split_note(call: &Call, n_commands: usize) -> Note {
    Note {
        code: Code::SplitShell,
        span: call.span,
        message: format!("a block of {n_commands} shell commands became {n_commands} calls"),
        help: None,
    }
}
