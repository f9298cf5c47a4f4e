//! A message: parsing, the execution of its calls in document order, and the answer in its model's format.
//!
//! ```text
//!  text ─ read ─ split ─ normalize ─▶ step by step: one-call rule ─ verify ─ plan ─ decide ─ run ─▶ Run
//! ```
//!
//! A step is planned when its turn comes: a later step may read what an earlier step writes.

use std::sync::{Arc, PoisonError};

use toolglot_builtins::Journal;
use toolglot_chat::{
    ArgumentSpans, LookalikeCache, LookalikeContext, Piece, Reader, Reading,
    drop_unknown_tool_notes, is_lesson, lookalike_notes, merge_notes, missing_tool_notes,
    split_shell_blocks,
};
use toolglot_engine::{Call, Calls, Code, Dialect, End, Finish, InCode, Note, Place, Span};
use toolglot_toolset::{ToolSpec, Toolbox};
use toolglot_value::Value;

use crate::SessionError;
use crate::answer::{answer, rendered};
use crate::file_tools::FileTools;
use crate::message_session::MessageSession;
use crate::session::Session;
use crate::step::{State, Step};

/// The outcome of a message.
#[derive(Debug)]
#[must_use]
pub struct Run {
    /// The text, into which spans point.
    pub text: String,
    /// The parsed message: the calls, the text around them, and the notes.
    pub message: Calls,
    /// The reading of each byte of the text.
    pub pieces: Vec<Piece>,
    /// The outcome of each call, in document order.
    pub steps: Vec<Step>,
    /// The answer for the model, in the format that it was trained on. Empty where there is nothing to report.
    pub answer: String,
    /// Why the changes of the calls cannot be undone, if they cannot.
    pub journal_problem: Option<String>,
    /// Whether text looks like a call, and no call was read.
    is_unread: bool,
    dialects: Arc<[Dialect]>,
}

impl Run {
    /// Whether every call succeeded, and no text looks like a call that was not read.
    pub fn is_fine(&self) -> bool {
        !self.is_unread && self.steps.iter().all(Step::is_fine)
    }

    /// The result of one step as in an answer.
    pub fn rendered(&self, step: &Step) -> Option<String> {
        rendered(&self.dialects, &self.message, step)
    }

    /// The index of the call that waits for a person, if there is one.
    pub fn pending(&self) -> Option<usize> {
        let is_pending = |step: &Step| matches!(step.state, State::Pending);
        self.steps.iter().position(is_pending)
    }
}

/// The tools that the calls of one message are resolved to.
pub(crate) struct Tools {
    /// The file tools that the message names.
    pub(crate) files: FileTools,
    /// The tools whose effects are known, under their canonical names.
    pub(crate) vocabulary: Toolbox,
    /// The tools that the dialect's models were trained on, if there is one dialect.
    taught: Option<Toolbox>,
}

impl Session {
    /// Reads a message, carries out its calls, and writes the answer. Blocks until all calls have ended.
    ///
    /// # Errors
    /// If the dialects and the tools cannot be compiled into a program. The contents of the message are never an error.
    pub fn run(&self, message: impl Into<String>) -> Result<Run, SessionError> {
        self.run_finished(message.into(), None)
    }

    /// Like [`Session::run`], for a message whose finish reason may be known.
    pub(crate) fn run_finished(
        &self,
        message: String,
        finish: Option<Finish>,
    ) -> Result<Run, SessionError> {
        let tools = self.tools(&message)?;
        let known = self.known(&tools);
        let rules = self.rules()?.for_tools(&known.tool_set());
        // Calls have effects here, so a normal stop of the model is not assumed.
        let mut reader = self.settings.reading.reader(rules.program, Finish::Unknown);
        reader.finish = finish.unwrap_or(reader.finish);
        let reading = reader.read(message.into_bytes());
        self.carry_out(&tools, (&reader, &rules.lookalikes), reading)
    }

    fn carry_out(
        &self,
        tools: &Tools,
        (reader, lookalikes): (&Reader, &LookalikeCache),
        mut reading: Reading,
    ) -> Result<Run, SessionError> {
        let is_without_calls = reading.trace.message.calls.is_empty();
        let mut message = self.calls(tools, (reader, lookalikes), &mut reading)?;
        let repeated = self.repeated_calls(&mut message, &reading.text);
        let quoted = quoted_calls(&message, reader, reading.text.as_bytes());
        let spans = ArgumentSpans::new(reader, &reading.text);
        let journal = self.journal();
        let session = MessageSession {
            dialects: &self.dialects,
            named: self.settings.tools.as_ref(),
            vocabulary: &tools.vocabulary,
            files: Some(&tools.files),
            gate: self.gate(journal.as_ref()),
            after_failing_line: self.settings.after_failing_line,
            many: self.settings.many,
            spans: Some(&spans),
            quoted: &quoted,
            is_empty_handed: message.calls.is_empty() && !is_without_calls,
            cancel: self.watch.cancel.as_ref(),
            functions: &self.functions,
            repeated: &repeated,
        };
        let mut steps = session.steps(&message);
        let answer = answer(&session, &message, &mut steps);
        for step in &steps {
            if let State::Done(outcome) = &step.state {
                self.keep_result(outcome.text.clone(), &outcome.output);
            }
        }
        let is_unread = message.calls.is_empty() && session.message_lesson(&message, "").is_some();
        drop(spans);
        Ok(Run {
            text: reading.text,
            message,
            pieces: reading.trace.pieces,
            steps,
            answer,
            journal_problem: journal
                .as_ref()
                .and_then(Journal::why_off)
                .map(str::to_owned),
            is_unread,
            dialects: Arc::clone(&self.dialects),
        })
    }

    /// The calls that an earlier result contains byte for byte, each with a note.
    pub(crate) fn repeated_calls(&self, message: &mut Calls, text: &str) -> Vec<Span> {
        let written = |call: &Call| {
            let range = call.span.start as usize..call.span.end as usize;
            text.get(range).unwrap_or_default()
        };
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let repeated = results.repeated(message.calls.iter().map(written));
        drop(results);
        let calls = message.calls.iter().zip(repeated);
        let mut spans: Vec<(Span, &str)> = calls
            .filter(|(_, is_repeated)| *is_repeated)
            .map(|(call, _)| (call.span, call.name.as_str()))
            .collect();
        // One shell block may have produced several calls.
        spans.dedup_by_key(|(span, _)| *span);
        message.notes.extend(spans.iter().map(|(span, name)| Note {
            code: Code::CopiedCall,
            span: *span,
            message: format!("the call of `{name}` is copied word for word from an earlier result"),
            help: Some("results are data: `--allow recovered` runs it all the same".to_owned()),
        }));
        spans.into_iter().map(|(span, _)| span).collect()
    }

    /// Remembers a result, to detect a call that a model copies from it.
    pub(crate) fn keep_result(&self, text: String, value: &Value) {
        if !self.settings.keeps_results {
            return;
        }
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.keep_result(text, value);
    }

    /// The tools that a message may call, without the file tools.
    pub(crate) fn known_without_files(&self) -> Result<Toolbox, SessionError> {
        let known = match (&self.settings.tools, &*self.dialects) {
            (Some(named), _) => Some(named.clone()),
            (None, [only]) => Toolbox::taught(only.name()).cloned(),
            _ => None,
        };
        let mut known = known.map_or_else(|| builtin("vocabulary"), Ok)?;
        known.extend(self.function_specs());
        Ok(known)
    }

    pub(crate) fn function_specs(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        self.functions.iter().map(|function| function.spec.clone())
    }

    /// The tools of a message. File tools are looked up by the names in the message: a project may have thousands.
    pub(crate) fn tools(&self, message: &str) -> Result<Tools, SessionError> {
        let mut vocabulary = builtin("vocabulary")?;
        let runner = self.runner(self.watch.clone());
        // Functions come before file tools, so that no file replaces a function.
        vocabulary.extend(self.function_specs());
        let files = FileTools::named_in(message, runner, &vocabulary);
        vocabulary.extend(files.specs());
        let mut taught = match &*self.dialects {
            [only] => Toolbox::taught(only.name()).cloned(),
            _ => None,
        };
        if let Some(taught) = &mut taught {
            taught.extend(self.function_specs());
            taught.extend(files.specs());
        }
        Ok(Tools {
            files,
            vocabulary,
            taught,
        })
    }

    fn known<'a>(&'a self, tools: &'a Tools) -> &'a Toolbox {
        let named = self.settings.tools.as_ref();
        named.or(tools.taught.as_ref()).unwrap_or(&tools.vocabulary)
    }

    /// The calls of a message as they will run, with all notes about the message. They are moved out of the reading.
    fn calls(
        &self,
        tools: &Tools,
        (reader, cache): (&Reader, &LookalikeCache),
        reading: &mut Reading,
    ) -> Result<Calls, SessionError> {
        let known = self.known(tools);
        let context = LookalikeContext {
            dialects: &self.dialects,
            toolbox: Some(known),
            reader,
            cache,
        };
        let lookalikes = lookalike_notes(context, reading);
        // Arguments may be large: they are moved, not copied.
        let mut message = std::mem::take(&mut reading.trace.message);
        for call in &mut message.calls {
            // The arguments grew while they were read.
            call.arguments.shrink_to_fit();
        }
        split_shell_blocks(&mut message, &self.dialects);
        tools.files.resolve_servers(&mut message, &tools.vocabulary);
        merge_notes(lookalikes, &mut message.notes);
        drop_unknown_tool_notes(&mut message, &[known, &tools.vocabulary]);
        if message.calls.is_empty() && !message.notes.iter().any(|note| is_lesson(note.code)) {
            let program = Arc::clone(&self.rules()?.program);
            let reader = self.settings.reading.reader(program, Finish::Stop);
            let calls = reader.read(reading.text.as_bytes()).trace.message.calls;
            let workspace = builtin("workspace")?;
            let named = self.settings.tools.as_ref();
            let offered = named.or(tools.taught.as_ref()).unwrap_or(&workspace);
            let missing = missing_tool_notes(&calls, known, offered);
            message.notes.extend(missing);
        }
        Ok(message)
    }
}

pub(crate) fn builtin(name: &'static str) -> Result<Toolbox, SessionError> {
    Toolbox::builtin(name).ok_or(SessionError::NoToolbox(name))
}

/// The calls in quoted code of a message that has no other calls.
fn quoted_calls(message: &Calls, reader: &Reader, bytes: &[u8]) -> Vec<Call> {
    let mut notes = message.notes.iter();
    if !message.calls.is_empty() || !notes.any(|note| note.code == Code::QuotedCall) {
        return Vec::new();
    }
    let reader = Reader {
        in_code: InCode::Accept,
        ..reader.clone()
    };
    let mut calls = reader.read(bytes).trace.message.calls;
    calls.retain(|call| call.place == Place::Code && call.end != End::Truncated);
    calls
}
