//! Messages of one form written in another.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use toolglot::{CallText, Dialect, Renderer, ToolSet};
use toolglot_tools::Toolbox;

use super::content::Content;
use super::ids::Ids;
use super::open::{Answered, Open};
use super::results::{Results, unwrapped};
use super::turn::{Turn, TurnCall};
use super::{STRUCTURED, structured};
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
    /// Calls that were carried and whose values are in doubt.
    doubtful: Vec<String>,
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
            doubtful,
        } = self;
        let mut out = format!(
            "{conversations} conversations: {calls} calls and {results} results carried, {} messages not carried",
            left.len()
        );
        if checked {
            let _ = write!(out, ", {differ} of them since they would be read otherwise");
        }
        out.push('\n');
        for line in left.iter().chain(doubtful).take(20) {
            let _ = writeln!(out, "  {line}");
        }
        out
    }
}

/// Converts conversations.
#[derive(Debug)]
pub(super) struct Converter<'d> {
    /// How text of the assistant is read; `None`: it holds no calls.
    from: Option<Source>,
    /// The target; `None`: the structured form.
    to: Option<Target<'d>>,
    check: bool,
}

#[derive(Debug)]
struct Source {
    dialects: Vec<Dialect>,
    manner: Manner,
}

#[derive(Debug)]
struct Target<'d> {
    dialect: &'d Dialect,
    renderer: Renderer<'d>,
    results: Results<'d>,
    /// Reads back what was written.
    manner: Manner,
}

/// What one conversation knows of its calls.
struct State {
    ids: Ids,
    open: Open,
}

impl<'d> Converter<'d> {
    /// A converter to the dialect `to`, or to the structured form.
    pub(super) fn new(
        arguments: &ConvertArguments,
        toolbox: Option<&Toolbox>,
        to: Option<&'d Dialect>,
    ) -> Result<Converter<'d>, Failure> {
        let from = if arguments.from == STRUCTURED {
            None
        } else {
            let dialects = select::dialects(&arguments.from, toolbox)?;
            let manner = Manner::with(compile(&dialects, toolbox)?);
            Some(Source { dialects, manner })
        };
        let to = match to {
            None => None,
            Some(dialect) => {
                let dialects = std::slice::from_ref(dialect);
                let tools: ToolSet = tool_set(dialects, toolbox);
                let renderer = Renderer::new(dialect, &tools)
                    .map_err(|error| Failure::Program(Box::new(error)))?;
                Some(Target {
                    dialect,
                    renderer,
                    results: Results::new(dialect, &tools)?,
                    manner: Manner::with(compile(dialects, toolbox)?),
                })
            }
        };
        Ok(Converter {
            from,
            to,
            check: arguments.check,
        })
    }

    /// All messages of one conversation.
    pub(super) fn conversation(
        &self,
        messages: &[Value],
        tally: &mut Tally,
    ) -> Result<Vec<Value>, Failure> {
        tally.conversations += 1;
        let named = messages.iter().flat_map(|message| {
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            calls
                .filter_map(|call| call["id"].as_str())
                .chain(message["tool_call_id"].as_str())
        });
        let mut state = State {
            ids: Ids::of(named),
            open: Open::default(),
        };
        let mut converted = Vec::with_capacity(messages.len());
        for (at, message) in messages.iter().enumerate() {
            let carried = match message["role"].as_str() {
                Some("assistant") => {
                    let manner = self.from.as_ref().map(|source| &source.manner);
                    let mut turn = Turn::of(message, manner);
                    answered_ids(&mut turn, &messages[at + 1..]);
                    let carried = self.assistant(at, message, turn, &mut state, tally);
                    if carried.is_err() {
                        state.open.left();
                    }
                    carried
                }
                Some("tool" | "function") => self.result(message, &mut state, tally)?,
                _ => Ok(message.clone()),
            };
            converted.push(carried.unwrap_or_else(|why| {
                tally.left.push(format!("messages[{at}]: {why}"));
                message.clone()
            }));
        }
        Ok(converted)
    }

    /// The message in the target's form, or why it stays.
    fn assistant(
        &self,
        at: usize,
        message: &Value,
        turn: Turn,
        state: &mut State,
        tally: &mut Tally,
    ) -> Result<Value, String> {
        if let Some(fault) = turn.fault {
            return Err(fault);
        }
        let dialect = self.to.as_ref().map(|target| target.dialect);
        let written: Vec<Option<String>> = turn.calls.iter().map(|call| call.id.clone()).collect();
        let mut calls = turn.calls.clone();
        for call in &mut calls {
            call.id = Some(state.ids.next(call.id.as_deref(), &call.name, dialect));
        }
        let fields = match &self.to {
            None => message_of(message, &turn, &calls),
            Some(target) => target.message(message, &turn, &calls, self.check, tally)?,
        };
        for call in calls.iter().filter(|call| call.is_recovered) {
            tally.doubtful.push(format!(
                "messages[{at}]: the call of `{}` was mended, its values are in doubt",
                call.name
            ));
        }
        tally.calls += calls.len();
        state.open.carried(written, &calls);
        Ok(Value::Object(fields))
    }

    /// A result in the target's form, or why it stays.
    fn result(
        &self,
        message: &Value,
        state: &mut State,
        tally: &mut Tally,
    ) -> Result<Result<Value, String>, Failure> {
        let content = match Content::of(message) {
            Ok(content) => content,
            Err(why) => return Ok(Err(why)),
        };
        let id = message["tool_call_id"].as_str();
        let call = match state.open.answered(id) {
            Answered::Call(call) => call,
            Answered::Left => {
                return Ok(Err("the result of a call that was not carried".to_owned()));
            }
            Answered::Unknown => TurnCall {
                name: message["name"].as_str().unwrap_or_default().to_owned(),
                arguments: "{}".to_owned(),
                id: id.map(str::to_owned),
                ..TurnCall::default()
            },
        };
        let plain = match self.frame(&call) {
            Some(dialect) => unwrapped(dialect, text_of(&call), &content.text)?,
            None => None,
        };
        let plain = plain.as_ref().unwrap_or(&content.text);
        let text = match &self.to {
            Some(target) => target.results.wrapped(text_of(&call), plain),
            None => plain.clone(),
        };
        tally.results += 1;
        let mut fields = without_calls(message);
        fields.insert("role".to_owned(), Value::from("tool"));
        fields.insert("content".to_owned(), content.with(text));
        if let Some(id) = call.id {
            fields.insert("tool_call_id".to_owned(), Value::String(id));
        }
        Ok(Ok(Value::Object(fields)))
    }

    /// The dialect whose frame stands around the result of a call: the one that the call was written in.
    fn frame(&self, call: &TurnCall) -> Option<&Dialect> {
        let source = self.from.as_ref()?;
        match (&call.dialect, source.dialects.as_slice()) {
            (_, [only]) => Some(only),
            (Some(name), all) => all.iter().find(|dialect| dialect.name() == name),
            (None, _) => None,
        }
    }
}

impl Target<'_> {
    /// The message in this dialect, or why it cannot be written.
    fn message(
        &self,
        message: &Value,
        turn: &Turn,
        calls: &[TurnCall],
        check: bool,
        tally: &mut Tally,
    ) -> Result<Map<String, Value>, String> {
        let texts: Vec<CallText<'_>> = calls.iter().map(text_of).collect();
        let text = if texts.is_empty() {
            &turn.content
        } else {
            turn.content.trim_end()
        };
        let text = self
            .renderer
            .message(text, &texts)
            .map_err(|error| error.why)?;
        if check {
            let back = Turn::of(&json!({"content": text}), Some(&self.manner));
            if back.fault.is_some() || !back.says_the_same(turn) {
                tally.differ += 1;
                return Err(format!("`{}` would read it otherwise", self.dialect.name()));
            }
        }
        let mut fields = without_calls(message);
        fields.insert("content".to_owned(), turn.whole.with(text));
        with_reasoning(&mut fields, turn);
        Ok(fields)
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
fn message_of(message: &Value, turn: &Turn, calls: &[TurnCall]) -> Map<String, Value> {
    let mut fields = without_calls(message);
    let content = match (calls, turn.content.trim()) {
        ([], _) => turn.whole.with(turn.content.clone()),
        (_, text) => match turn.whole.with(text.to_owned()) {
            // Beside calls there is no empty text.
            Value::String(text) if text.is_empty() => Value::Null,
            content => content,
        },
    };
    fields.insert("content".to_owned(), content);
    with_reasoning(&mut fields, turn);
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
    fields
}

fn with_reasoning(fields: &mut Map<String, Value>, turn: &Turn) {
    if !turn.reasoning.is_empty() {
        let reasoning = Value::String(turn.reasoning.clone());
        fields.insert("reasoning_content".to_owned(), reasoning);
    }
}

fn without_calls(message: &Value) -> Map<String, Value> {
    let mut fields = message.as_object().cloned().unwrap_or_default();
    fields.remove("tool_calls");
    fields.remove("function_call");
    fields
}

fn text_of(call: &TurnCall) -> CallText<'_> {
    CallText {
        name: &call.name,
        args: &call.arguments,
        ns: call.server.as_deref().filter(|server| *server != "local"),
        id: call.id.as_deref(),
    }
}
