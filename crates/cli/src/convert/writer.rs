//! Messages of one form written in another.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use toolglot::{CallText, Dialect, Renderer, ToolSet, Unrenderable};
use toolglot_tools::Toolbox;

use super::ids::Ids;
use super::results::Results;
use super::turn::{Turn, TurnCall};
use super::{STRUCTURED, content, structured};
use crate::args::ConvertArguments;
use crate::failure::Failure;
use crate::reading::{Manner, compile, tool_set};
use crate::select;

/// What was carried and what was not.
#[derive(Debug, Default)]
pub(super) struct Tally {
    conversations: usize,
    calls: usize,
    results: usize,
    /// Why something stayed as it was.
    left: Vec<String>,
    /// Those of them that would be read otherwise.
    differ: usize,
}

impl Tally {
    pub(super) fn is_faulty(&self) -> bool {
        !self.left.is_empty()
    }

    /// Lines for a person.
    pub(super) fn report(&self, checked: bool) -> String {
        let Tally {
            conversations,
            calls,
            results,
            left,
            differ,
        } = self;
        let mut out = format!(
            "{conversations} conversations: {calls} calls and {results} results carried, {} messages not carried",
            left.len()
        );
        if checked {
            let _ = write!(out, ", {differ} of them since they would be read otherwise");
        }
        out.push('\n');
        for line in left.iter().take(20) {
            let _ = writeln!(out, "  {line}");
        }
        out
    }
}

/// Converts conversations.
#[derive(Debug)]
pub(super) struct Converter {
    /// How text of the assistant is read; `None`: it holds no calls.
    from: Option<Manner>,
    /// The target; `None`: the structured form.
    to: Option<Target>,
    /// The frame of results in the source.
    unwrap: Option<Results>,
    check: bool,
}

#[derive(Debug)]
struct Target {
    dialect: &'static Dialect,
    renderer: Renderer<'static>,
    results: Results,
    /// Reads back what was written.
    manner: Manner,
}

impl Target {
    /// The calls by one rule, or else one behind the other, as far as the dialect reads them so.
    fn written(&self, calls: &[CallText<'_>]) -> Result<String, Unrenderable> {
        let together = self.renderer.calls(calls);
        if together.is_ok() || calls.len() < 2 {
            return together;
        }
        let each: Vec<String> = calls
            .iter()
            .map(|call| self.renderer.calls(std::slice::from_ref(call)))
            .collect::<Result<_, _>>()?;
        let text = each.join("\n");
        let back = Turn::of(&json!({"content": text}), Some(&self.manner));
        let is_same = back.fault.is_none()
            && back.calls.len() == calls.len()
            && back.content.trim().is_empty();
        if is_same { Ok(text) } else { together }
    }
}

impl Converter {
    pub(super) fn new(
        arguments: &ConvertArguments,
        toolbox: Option<&Toolbox>,
    ) -> Result<Converter, Failure> {
        let (mut from, mut unwrap) = (None, None);
        if arguments.from != STRUCTURED {
            let dialects = select::dialects(&arguments.from, toolbox)?;
            from = Some(Manner::with(compile(&dialects, toolbox)?));
            if arguments.from != "auto" {
                unwrap = Some(Results::new(select::named(&arguments.from)?)?);
            }
        }
        let to = if arguments.to == STRUCTURED {
            None
        } else {
            let dialect = select::named(&arguments.to)?;
            let dialects = std::slice::from_ref(dialect);
            let tools: ToolSet = tool_set(dialects, toolbox);
            let renderer = Renderer::new(dialect, &tools)
                .map_err(|error| Failure::Program(Box::new(error)))?;
            Some(Target {
                dialect,
                renderer,
                results: Results::new(dialect)?,
                manner: Manner::with(compile(dialects, toolbox)?),
            })
        };
        Ok(Converter {
            from,
            to,
            unwrap,
            check: arguments.check,
        })
    }

    /// All messages of one conversation.
    pub(super) fn conversation(&self, messages: &[Value], tally: &mut Tally) -> Vec<Value> {
        tally.conversations += 1;
        let named = messages.iter().flat_map(|message| {
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            calls
                .filter_map(|call| call["id"].as_str())
                .chain(message["tool_call_id"].as_str())
        });
        let mut ids = Ids::of(named);
        // Calls that wait for their results.
        let mut open: Vec<TurnCall> = Vec::new();
        let mut converted = Vec::with_capacity(messages.len());
        for (at, message) in messages.iter().enumerate() {
            let message = match message["role"].as_str() {
                Some("assistant") => {
                    let mut turn = Turn::of(message, self.from.as_ref());
                    answered_ids(&mut turn, &messages[at + 1..]);
                    self.assistant(at, message, turn, (&mut ids, &mut open), tally)
                }
                Some("tool") => self.result(message, (&ids, &mut open), tally),
                _ => message.clone(),
            };
            converted.push(message);
        }
        converted
    }

    fn assistant(
        &self,
        at: usize,
        message: &Value,
        turn: Turn,
        (ids, open): (&mut Ids, &mut Vec<TurnCall>),
        tally: &mut Tally,
    ) -> Value {
        if let Some(fault) = turn.fault {
            tally.left.push(format!("messages[{at}]: {fault}"));
            return message.clone();
        }
        let dialect = self.to.as_ref().map(|target| target.dialect);
        let mut calls = turn.calls.clone();
        for call in &mut calls {
            call.id = Some(ids.next(call.id.as_deref(), &call.name, dialect));
        }
        let Some(target) = &self.to else {
            tally.calls += calls.len();
            open.clone_from(&calls);
            return message_of(message, &turn, &calls);
        };
        let texts: Vec<CallText<'_>> = calls.iter().map(text_of).collect();
        let written = if texts.is_empty() {
            Ok(String::new())
        } else {
            target.written(&texts)
        };
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                tally.left.push(format!("messages[{at}]: {}", error.why));
                return message.clone();
            }
        };
        let content = joined(&turn.content, &written);
        if self.check {
            let back = Turn::of(&json!({"content": content}), Some(&target.manner));
            if back.fault.is_some() || !back.says_the_same(&turn) {
                let name = target.dialect.name();
                tally
                    .left
                    .push(format!("messages[{at}]: `{name}` would read it otherwise"));
                tally.differ += 1;
                return message.clone();
            }
        }
        tally.calls += calls.len();
        open.clone_from(&calls);
        let mut fields = without_calls(message);
        fields.insert("content".to_owned(), Value::String(content));
        if !turn.reasoning.is_empty() {
            fields.insert(
                "reasoning_content".to_owned(),
                Value::String(turn.reasoning),
            );
        }
        Value::Object(fields)
    }

    fn result(
        &self,
        message: &Value,
        (ids, open): (&Ids, &mut Vec<TurnCall>),
        tally: &mut Tally,
    ) -> Value {
        // By its id, or the first call that has no result yet.
        let written = message["tool_call_id"].as_str().map(|id| ids.now(id));
        let at = written
            .as_ref()
            .and_then(|id| open.iter().position(|call| call.id.as_ref() == Some(id)))
            .unwrap_or(0);
        let call = if at < open.len() {
            open.remove(at)
        } else {
            TurnCall {
                name: message["name"].as_str().unwrap_or_default().to_owned(),
                arguments: "{}".to_owned(),
                id: written,
                server: None,
            }
        };
        let text = content(message);
        let frame = self.unwrap.as_ref();
        let plain = frame
            .and_then(|frame| frame.unwrapped(text_of(&call), &text))
            .unwrap_or(Cow::Borrowed(&text));
        let content = match &self.to {
            Some(target) => target.results.wrapped(text_of(&call), &plain),
            None => plain.into_owned(),
        };
        tally.results += 1;
        let mut fields = without_calls(message);
        fields.insert("content".to_owned(), Value::String(content));
        if let Some(id) = call.id {
            fields.insert("tool_call_id".to_owned(), Value::String(id));
        }
        Value::Object(fields)
    }
}

/// Calls whose text carries no id have the ids that the results behind them name, in order.
fn answered_ids(turn: &mut Turn, behind: &[Value]) {
    let results = behind
        .iter()
        .take_while(|message| message["role"] == "tool");
    for (call, result) in turn.calls.iter_mut().zip(results) {
        if call.id.is_none() {
            call.id = result["tool_call_id"].as_str().map(str::to_owned);
        }
    }
}

/// The structured form of a message.
fn message_of(message: &Value, turn: &Turn, calls: &[TurnCall]) -> Value {
    let mut fields = without_calls(message);
    let content = turn.content.trim();
    let content = if content.is_empty() && !calls.is_empty() {
        Value::Null
    } else if calls.is_empty() {
        Value::String(turn.content.clone())
    } else {
        Value::String(content.to_owned())
    };
    fields.insert("content".to_owned(), content);
    if !turn.reasoning.is_empty() {
        fields.insert(
            "reasoning_content".to_owned(),
            Value::String(turn.reasoning.clone()),
        );
    }
    if !calls.is_empty() {
        let calls = calls.iter().map(|call| {
            structured(
                call.id.as_deref().unwrap_or_default(),
                &call.name,
                &call.arguments,
            )
        });
        fields.insert("tool_calls".to_owned(), calls.collect());
    }
    Value::Object(fields)
}

fn without_calls(message: &Value) -> Map<String, Value> {
    let mut fields = message.as_object().cloned().unwrap_or_default();
    fields.remove("tool_calls");
    fields
}

fn joined(content: &str, calls: &str) -> String {
    if calls.is_empty() {
        return content.to_owned();
    }
    let content = content.trim_end();
    let between = if content.is_empty() { "" } else { "\n\n" };
    format!("{content}{between}{calls}")
}

fn text_of(call: &TurnCall) -> CallText<'_> {
    CallText {
        name: &call.name,
        args: &call.arguments,
        ns: call.server.as_deref().filter(|server| *server != "local"),
        id: call.id.as_deref(),
    }
}
