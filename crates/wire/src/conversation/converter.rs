//! Converts messages of one form into another.

use std::sync::{Arc, OnceLock};

use toolglot_engine::{CallText, Dialect, Limits, Program};
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, json};

use super::apis::{self, ChatMessage};
use super::content::Content;
use super::fields::{message_of, without_calls};
use super::ids::Ids;
use super::open_calls::{OpenCalls, ResultOwner};
use super::reader::Reader;
use super::report::ConversionReport;
use super::result_owners::{CallKey, ResultAt, ResultBlock, owners};
use super::results::{ResultBody, Results};
use super::target::{Target, text_of};
use super::turn::{Turn, TurnCall};
use super::{SourceForm, TargetForm};
use crate::WireError;

/// Converts conversations.
#[derive(Debug)]
pub struct Converter<'d> {
    /// How the assistant's text is read; `None`: the text contains no calls.
    from: Option<Source<'d>>,
    /// The target; `None`: the structured form.
    to: Option<Target<'d>>,
    /// Whether messages become items.
    has_items: bool,
    check: bool,
}

#[derive(Debug)]
struct Source<'d> {
    /// The dialects to read, each with its result frames once they are needed.
    dialects: Vec<(&'d Dialect, OnceLock<Results<'d>>)>,
    reader: Reader,
    toolbox: Option<&'d Toolbox>,
}

/// The state of one conversation.
struct State {
    ids: Ids,
    /// The index of each message in the source.
    places: Vec<usize>,
    open: OpenCalls,
    /// The messages so far.
    converted: Vec<Value>,
    /// The results after the latest converted message.
    run: Option<Run>,
}

/// The results after a message of the assistant.
#[derive(Default)]
struct Run {
    /// The index of the message in the source, and in the converted messages.
    at: usize,
    message: usize,
    calls: Vec<TurnCall>,
    /// For each of the converted messages after it, the index of the answered call.
    answers: Vec<Option<usize>>,
}

impl<'d> Converter<'d> {
    /// A converter between two forms. With `check` it reads each written message, and leaves one unchanged that is read
    /// differently.
    ///
    /// # Errors
    /// [`WireError::Program`] if the dialects of a form cannot be compiled.
    pub fn new(
        from: SourceForm<'d>,
        to: TargetForm<'d>,
        check: bool,
    ) -> Result<Converter<'d>, WireError> {
        let (dialects, program, toolbox) = match from {
            SourceForm::Structured => (&[][..], None, None),
            SourceForm::Text {
                dialects,
                tools,
                toolbox,
            } => {
                let program = Program::compile(dialects, &tools, Limits::default())?;
                (dialects, Some(Arc::new(program)), toolbox)
            }
            SourceForm::Compiled {
                dialects,
                program,
                toolbox,
            } => (dialects, Some(program), toolbox),
        };
        let from = program.map(|program| Source {
            dialects: dialects
                .iter()
                .map(|dialect| (dialect, OnceLock::new()))
                .collect(),
            reader: Reader::of(program),
            toolbox,
        });
        let has_items = matches!(to, TargetForm::Responses);
        let to = match to {
            TargetForm::Chat | TargetForm::Responses => None,
            TargetForm::Text {
                dialect,
                tools,
                server,
            } => Some(Target::new(dialect, &tools, server)?),
        };
        Ok(Converter {
            from,
            to,
            has_items,
            check,
        })
    }

    pub(super) fn writes_items(&self) -> bool {
        self.has_items
    }

    /// Converts all messages of one conversation.
    pub(crate) fn messages(&self, messages: &[Value], report: &mut ConversionReport) -> Vec<Value> {
        report.conversations += 1;
        let sources = apis::chat(messages);
        let places = sources.iter().map(|source| source.at).collect();
        let faults: Vec<Option<String>> =
            sources.iter().map(|source| source.fault.clone()).collect();
        let messages: Vec<Value> = sources
            .into_iter()
            .map(|ChatMessage { message, .. }| message)
            .collect();
        let reader = self.from.as_ref().map(|source| &source.reader);
        let is_turn = |message: &Value| message["role"] == "assistant";
        let turns: Vec<Option<Turn>> = messages
            .iter()
            .zip(&faults)
            .map(|(message, fault)| {
                (is_turn(message) && fault.is_none()).then(|| Turn::of(message, reader))
            })
            .collect();
        let mut state = State {
            ids: Ids::of(self.written_ids(&messages, &turns)),
            places,
            open: OpenCalls::default(),
            converted: Vec::with_capacity(messages.len()),
            run: None,
        };
        let mut is_after_calls = false;
        for (at, ((message, turn), fault)) in messages.iter().zip(turns).zip(faults).enumerate() {
            let calls = state.run.as_ref().map_or(&[][..], |run| &run.calls);
            if fault.is_none() && (is_result(message) || self.is_framed(message, calls)) {
                self.results(at, message, &mut state, report);
                continue;
            }
            self.end_run(&mut state, report);
            let is_lost =
                is_after_calls && message["role"] == "user" && self.looks_like_result(message);
            is_after_calls = turn
                .as_ref()
                .is_some_and(|turn| turn.fault.is_some() || !turn.calls.is_empty());
            let carried = match (turn, fault) {
                (_, Some(why)) => Err(why),
                (Some(turn), None) => {
                    let after = self.after(&messages[at + 1..], at + 1, &turn);
                    let carried = self.assistant(at, message, turn, &after, &mut state, report);
                    if carried.is_err() {
                        state.open.left();
                    }
                    carried
                }
                (None, None) if is_lost => Err("a result of no call that was carried".to_owned()),
                (None, None) => Ok(message.clone()),
            };
            state.converted.push(carried.unwrap_or_else(|why| {
                report
                    .left
                    .push(format!("messages[{}]: {why}", state.places[at]));
                message.clone()
            }));
        }
        self.end_run(&mut state, report);
        state.converted
    }

    /// Whether a text consists only of calls, complete or broken.
    pub fn is_of_calls(&self, text: &str) -> bool {
        let reader = self.from.as_ref().map(|source| &source.reader);
        let turn = Turn::of(&json!({"content": text}), reader);
        turn.fault.is_some() || (!turn.calls.is_empty() && turn.content.trim().is_empty())
    }

    /// Whether a user message contains only results of these calls, each in its frame. A model without a result role
    /// gets results in such messages.
    fn is_framed(&self, message: &Value, calls: &[TurnCall]) -> bool {
        if message["role"] != "user" || calls.is_empty() {
            return false;
        }
        let Ok(content) = Content::of(message) else {
            return false;
        };
        for block in self.blocks(message, calls, &content.text) {
            let mut is_framed = false;
            for call in calls {
                let frame = self.frame(call);
                is_framed |= frame.is_some_and(|frame| frame.is_framed(source_of(call), &block));
            }
            if !is_framed {
                return false;
            }
        }
        true
    }

    /// Whether a message starts like a result of any call.
    fn looks_like_result(&self, message: &Value) -> bool {
        let Some(source) = &self.from else {
            return false;
        };
        let Ok(content) = Content::of(message) else {
            return false;
        };
        // With several dialects, the frame is unknown.
        let [(dialect, _)] = source.dialects.as_slice() else {
            return false;
        };
        let call = TurnCall {
            dialect: Some(dialect.name().to_owned()),
            ..TurnCall::default()
        };
        let frame = self.frame(&call);
        frame.is_some_and(|frame| frame.starts_result(&content.text))
    }

    /// All ids in a conversation.
    fn written_ids(
        &self,
        messages: &[Value],
        turns: &[Option<Turn>],
    ) -> impl Iterator<Item = String> {
        let mut ids: Vec<String> = Vec::new();
        for (message, turn) in messages.iter().zip(turns) {
            ids.extend(message["tool_call_id"].as_str().map(str::to_owned));
            let calls = turn.iter().flat_map(|turn| &turn.calls);
            ids.extend(calls.filter_map(|call| call.id.clone()));
            // Unchanged text may contain ids in the target's spelling.
            let spells = |target: &&Target<'_>| target.dialect.id_spelling().is_some();
            if turn.is_some()
                && let Some(target) = self.to.as_ref().filter(spells)
            {
                let read = Turn::of(
                    &json!({"content": message["content"]}),
                    Some(&target.reader),
                );
                ids.extend(read.calls.into_iter().filter_map(|call| call.id));
            }
        }
        ids.into_iter()
    }

    /// The results right after a message.
    fn after(&self, messages: &[Value], from: usize, turn: &Turn) -> Vec<ResultBlock> {
        let mut units = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            if !is_result(message) && !self.is_framed(message, &turn.calls) {
                break;
            }
            let Ok(content) = Content::of(message) else {
                continue;
            };
            let blocks = self.blocks(message, &turn.calls, &content.text);
            let blocks = blocks.into_iter().enumerate();
            units.extend(blocks.map(|(n, text)| ResultBlock::new(message, (from + at, n), text)));
        }
        units
    }

    /// The results in a message: one, or several if it has no id and each result has its frame.
    fn blocks(&self, message: &Value, calls: &[TurnCall], text: &str) -> Vec<String> {
        let frame = match calls.first() {
            Some(call) if calls.len() > 1 && message["tool_call_id"].is_null() => self.frame(call),
            _ => None,
        };
        match frame {
            Some(results) => {
                let calls: Vec<CallText<'_>> = calls.iter().map(source_of).collect();
                results.blocks(&calls, text)
            }
            None => vec![text.to_owned()],
        }
    }

    /// Ends the results after a message. If only the order assigns results to calls, they are sorted in the order of
    /// the calls.
    fn end_run(&self, state: &mut State, report: &mut ConversionReport) {
        let (Some(run), Some(target)) = (state.run.take(), &self.to) else {
            return;
        };
        let mut answered: Vec<usize> = run.answers.iter().copied().flatten().collect();
        let is_in_order = answered.is_sorted();
        answered.sort_unstable();
        let is_gapless = answered.iter().copied().eq(0..answered.len());
        if is_in_order && is_gapless {
            return;
        }
        let written = Turn::of(&state.converted[run.message], Some(&target.reader));
        if !written.calls.is_empty() && written.calls.iter().all(|call| call.id.is_some()) {
            return;
        }
        let slots: Vec<usize> = (0..run.answers.len())
            .filter(|&n| run.answers[n].is_some())
            .collect();
        let first = run.message + 1;
        let mut ordered: Vec<(Option<usize>, Value)> = slots
            .iter()
            .map(|&n| (run.answers[n], state.converted[first + n].clone()))
            .collect();
        ordered.sort_by_key(|(call, _)| *call);
        for (n, (_, message)) in slots.into_iter().zip(ordered) {
            state.converted[first + n] = message;
        }
        let skipped = (0..run.calls.len()).find(|call| !answered.contains(call));
        if let Some(skipped) = skipped
            && let Some(next) = answered.iter().find(|&&call| call > skipped)
        {
            let (call, next) = (&run.calls[skipped], &run.calls[*next]);
            if target.results.are_alike(text_of(call), text_of(next)) {
                report.doubtful.push(format!(
                    "messages[{}]: the call of `{}` has no result, and that of `{}` would be taken for it",
                    state.places[run.at], call.name, next.name
                ));
            }
        }
    }

    /// The message in the target's form, or why it stays unchanged.
    fn assistant(
        &self,
        at: usize,
        message: &Value,
        mut turn: Turn,
        after: &[ResultBlock],
        state: &mut State,
        report: &mut ConversionReport,
    ) -> Result<Value, String> {
        if let Some(fault) = turn.fault {
            return Err(fault);
        }
        let answers = self.owned(&mut turn, after, &state.open);
        let dialect = self.to.as_ref().map(|target| target.dialect);
        let written: Vec<Option<String>> = turn.calls.iter().map(|call| call.id.clone()).collect();
        let mut calls = turn.calls.clone();
        for call in &mut calls {
            let source = self.from.as_ref().and_then(|source| source.toolbox);
            call.is_freeform |= source.is_some_and(|tools| tools.is_freeform(&call.name));
            call.source_id.clone_from(&call.id);
            call.id = Some(state.ids.next(call.id.as_deref(), &call.name, dialect));
        }
        let fields = match &self.to {
            None => message_of(message, &turn, &calls),
            Some(target) => target.message(message, &turn, &calls, self.check, report)?,
        };
        let place = state.places[at];
        if !calls.is_empty() && loses_blanks(&turn, self.to.is_some()) {
            report.doubtful.push(format!(
                "messages[{place}]: blanks around its text are left out"
            ));
        }
        for call in calls.iter().filter(|call| call.is_recovered) {
            report.doubtful.push(format!(
                "messages[{place}]: the call of `{}` was repaired, its values are uncertain",
                call.name
            ));
        }
        report.calls += calls.len();
        state.open.carried(written, &answers, &calls);
        state.run = Some(Run {
            at,
            message: state.converted.len(),
            calls,
            answers: Vec::new(),
        });
        Ok(Value::Object(fields))
    }

    /// The result of each call if no id assigns one. Calls without an id in the text get the ids of these results.
    fn owned(
        &self,
        turn: &mut Turn,
        after: &[ResultBlock],
        open: &OpenCalls,
    ) -> Vec<Option<ResultAt>> {
        let is_open = |unit: &&ResultBlock| !unit.id.as_deref().is_some_and(|id| open.knows(id));
        let units: Vec<ResultBlock> = after.iter().filter(is_open).cloned().collect();
        let asked: Vec<CallKey<'_>> = turn
            .calls
            .iter()
            .map(|call| CallKey {
                name: &call.name,
                id: call.id.as_deref(),
            })
            .collect();
        let owned = owners(&asked, &units, |call, unit| {
            let call = &turn.calls[call];
            let frame = self.frame(call);
            frame.is_some_and(|frame| frame.is_framed(source_of(call), &unit.text))
        });
        for (call, unit) in turn.calls.iter_mut().zip(&owned) {
            if call.id.is_none() {
                call.id = unit.and_then(|unit| unit.id.clone());
            }
        }
        owned.iter().map(|unit| Some(unit.as_ref()?.at)).collect()
    }

    /// Converts the results of a message to the target's form; a message that cannot be converted stays unchanged.
    fn results(
        &self,
        at: usize,
        message: &Value,
        state: &mut State,
        report: &mut ConversionReport,
    ) {
        let mut stay = |why: &str, message: Value, state: &mut State| {
            let place = state.places[at];
            report.left.push(format!("messages[{place}]: {why}"));
            state.converted.push(message);
            if let Some(run) = &mut state.run {
                run.answers.push(None);
            }
        };
        let content = match Content::of(message) {
            Ok(content) => content,
            Err(why) => {
                stay(&why, message.clone(), state);
                return;
            }
        };
        let calls = state.run.as_ref().map_or(&[][..], |run| &run.calls);
        let blocks = self.blocks(message, calls, &content.text);
        let id = message["tool_call_id"].as_str();
        let is_failure = tells_failure(message);
        for (n, text) in blocks.iter().enumerate() {
            let answered = state.open.answered(id, (at, n));
            let why = match &answered {
                ResultOwner::Call(..) => None,
                ResultOwner::Left => Some("the result of a call that was not carried"),
                ResultOwner::Unknown => Some("the result of no call that is known"),
            };
            let mut fields = without_calls(message);
            // The first result keeps the parts that are not text.
            let content = |text: String| match n {
                0 => content.with(text),
                _ => Value::String(text),
            };
            let ResultOwner::Call(call, place) = answered else {
                if blocks.len() > 1 {
                    fields.insert("content".to_owned(), content(text.clone()));
                }
                stay(why.unwrap_or_default(), Value::Object(fields), state);
                continue;
            };
            let bare = match self.frame(&call) {
                Some(frame) => frame.unwrapped(source_of(&call), text, is_failure),
                None => ResultBody {
                    text: text.clone(),
                    failed: is_failure,
                },
            };
            let text = match &self.to {
                Some(target) => target
                    .results
                    .written(text_of(&call), &bare.text, bare.failed),
                None => bare.text,
            };
            fields.insert("role".to_owned(), Value::from("tool"));
            fields.insert("content".to_owned(), content(text));
            if bare.failed && !is_failure {
                fields.insert("is_error".to_owned(), Value::Bool(true));
            }
            if let Some(id) = call.id {
                fields.insert("tool_call_id".to_owned(), Value::String(id));
            }
            report.results += 1;
            state.converted.push(Value::Object(fields));
            if let Some(run) = &mut state.run {
                run.answers.push(place);
            }
        }
    }

    /// The result frames for a call, from the dialect that the call was written in.
    fn frame(&self, call: &TurnCall) -> Option<&Results<'d>> {
        let source = self.from.as_ref()?;
        let found = match (&call.dialect, source.dialects.as_slice()) {
            (_, [only]) => Some(only),
            (Some(name), all) => all.iter().find(|(dialect, _)| dialect.name() == name),
            (None, _) => None,
        };
        let (dialect, results) = found?;
        Some(results.get_or_init(|| Results::new(dialect)))
    }
}

/// The call with its source id.
fn source_of(call: &TurnCall) -> CallText<'_> {
    CallText {
        id: call.source_id.as_deref().or(call.id.as_deref()),
        ..text_of(call)
    }
}

/// Whether a message with the role `tool` reports a failed call.
fn tells_failure(message: &Value) -> bool {
    message["is_error"] == true || message["isError"] == true || message["status"] == "error"
}

fn is_result(message: &Value) -> bool {
    matches!(message["role"].as_str(), Some("tool" | "function"))
}

/// Whether the conversion would lose blanks other than the line breaks between a text and its calls.
fn loses_blanks(turn: &Turn, to_text: bool) -> bool {
    let text = &*turn.content;
    let before = &text[..text.len() - text.trim_start().len()];
    let after = &text[text.trim_end().len()..];
    match (turn.is_read, to_text) {
        (true, true) => after.contains(|c| c != '\n'),
        (true, false) => before.contains(|c| c != '\n') || after.contains(|c| c != '\n'),
        (false, true) => !after.is_empty(),
        (false, false) => false,
    }
}
