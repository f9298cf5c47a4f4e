//! The push machine. One `match mode` per run of bytes, not per byte.
//!
//! ```text
//!            a byte that can start an opener              a body is first
//!   Text ------------------------------------> Matching -----------------> Value | Json | Envelope | Xml | Python
//!    ^                                          |   ^                                  |
//!    `------------------------------------------'   `----------------------------------'
//!       rejected, or the entry ended                     the body ended
//!
//!   lookaheads that hold the text after their position until they decide
//!     NameLookahead    arguments come before the name          MidLineTag  a tag within a line: is it closed?
//!     LineTail         how a line continues after a call       ReasoningHold  does reasoning end after a call in it?
//!     ReasoningResume  does reasoning continue after a call?
//! ```
//!
//! `Matching` simulates an NFA: an ordered set of positions ([`Positions`]) takes one byte at a time, as Thompson's and
//! Pike's machines do (<https://swtch.com/~rsc/regexp/regexp2.html>). Order is priority. A position's captures are a
//! list that shares its tail with others (`log.rs`). The acts that all positions share are done and emitted (`acts.rs`,
//! `emitter.rs`). The set goes back at most to the candidate's checkpoint: the end of the last complete literal.

mod acts;
mod after_closer;
mod attributes;
mod bodies;
mod capture;
mod closer_decision;
mod closer_lookahead;
mod context;
mod damaged_literal;
mod emitter;
mod entry;
mod envelope;
mod fence;
mod filled;
mod finish;
mod fitting;
mod intervening_text;
mod junk;
mod line;
mod line_tail;
mod log;
mod matching;
mod mid_line_tag;
mod missing_closer;
mod name_lookahead;
mod outcome;
mod prompt;
mod python;
mod quick;
mod quote;
mod reasoning_hold;
mod reasoning_resume;
mod remarks;
mod step;
mod string_text;
mod text;
mod thread;
mod tokens;
mod turn_end;
mod typing;
mod value;
mod view;

pub(crate) use capture::takes_key;
pub(crate) use fitting::changed;
pub(crate) use thread::Thread;
pub(crate) use typing::{infer, listed, plain_json, takes_text, typed, untyped};

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::body::{Envelope, JsonBody, Python, Xml};
use crate::doubt::Doubts;
use crate::program::{ByteSet, NodeId, Program};
use crate::{Code, DoubtRule, Finish, InCode, InReasoning, Input, Recovery, Sink, Span};
use context::Context;
use emitter::{Channel, Emitter};
use filled::Filled;
use line_tail::LineTail;
use log::{Act, Log, LogId};
use step::Stepper;
use thread::{NamePolicy, Registers, StepResult};
use tokens::Tokens;
use value::Value;
use view::View;

/// What the parser reads. Bodies are boxed, because every push takes the mode and puts it back.
#[derive(Debug, Default)]
enum Mode {
    #[default]
    Text,
    Matching,
    /// Arguments come before the name.
    NameLookahead(Box<name_lookahead::NameLookahead>),
    /// The closer of one tool's tag within a line decides whether the tag is a call.
    MidLineTag(mid_line_tag::MidLineTag),
    /// How the line continues after a call is a fact of that call.
    LineTail(LineTail),
    /// Reasoning may continue after a call inside it.
    ReasoningResume(reasoning_resume::ReasoningResume),
    /// A call in reasoning counts only if the reasoning never ends.
    ReasoningHold(reasoning_hold::ReasoningHold),
    Value(Box<Value>),
    Json(Box<JsonBody>),
    Envelope(Box<Envelope>),
    Xml(Box<Xml>),
    Python(Box<Python>),
}

/// Longest piece of a push that is read at once, in bytes.
const PIECE: usize = 4096;

/// By how many backslashes a piece may grow, so that it does not end within an escape.
const HALVES: usize = 4;

/// Reads one message.
///
/// A whole text is one `push` and `finish`, a stream is many pushes; merged, their events are the same.
#[derive(Debug)]
pub struct Parser {
    program: Arc<Program>,
    input: Held,
    pos: u64,
    mode: Mode,
    emitter: Emitter,
    context: Context,
    set: Positions,
    candidate: Candidate,
    reasoning: ReasoningState,
    ending: Ending,
    tokens: Tokens,
    fitting: fitting::Fitting,
    spare: Spare,
    options: Options,
}

/// Bytes that no event accounts for yet, and how often they were read.
#[derive(Debug, Default)]
struct Held {
    buffer: String,
    /// Where the buffer starts.
    base: u64,
    /// No candidate starts before this position.
    not_before: u64,
    /// Bytes before this position belong to rejected candidates, nested `reread_depth` deep.
    reread_end: u64,
    reread_depth: u8,
}

/// The ordered set of positions (an NFA simulation, with captures in a log), and the text that is skipped beside it.
#[derive(Debug, Default)]
struct Positions {
    threads: Vec<Thread>,
    /// The positions after the byte that is read.
    next: Vec<Thread>,
    found: StepResult,
    log: Log,
    /// All acts up to this one are done.
    flushed: LogId,
    instances: Filled,
    registers: Registers,
    /// While list members that are no objects are skipped: the quote of the open string, or `OUTSIDE`.
    junk: Option<u8>,
    /// Text between the values of a call, which is skipped.
    gap: Option<Span>,
}

/// A possible entry: its start, and where its reading can go back to.
#[derive(Debug, Default)]
struct Candidate {
    /// Where the candidate starts.
    at: u64,
    /// The candidate is an entry: no byte of it is given back.
    committed: bool,
    /// A note says why the candidate is not an entry.
    is_noted: bool,
    bol: bool,
    start: bool,
    /// Only an assignment or a word like `return` is before the candidate on its line: `r =`.
    is_kept: bool,
    /// In quoted code (`is_in_code`), in a wrapper that may contain calls, or where no call counts (`quoted`).
    is_in_code: bool,
    is_wrapped: bool,
    quoted: bool,
    /// In reasoning that has an end of its own; a call counts there only if that end never comes.
    is_in_reasoning: bool,
    is_undecided: bool,
    /// The checkpoint, where a recovery goes back to: the end of the last complete literal, and the positions there.
    checkpoint: u64,
    checkpoint_threads: Vec<Thread>,
    /// Where a body, or the end, could have started while a literal was still being tried.
    fallback: Option<u64>,
    fallback_bodies: Vec<Thread>,
    /// Where the entry could have ended before that body, and the position that ends it.
    over: Option<(u64, Thread)>,
    /// Measurements of the entry, which become facts of its calls.
    entry: entry::EntryFacts,
}

/// Calls in reasoning.
#[derive(Debug, Default)]
struct ReasoningState {
    /// Start of the candidate whose reasoning is known never to end.
    decided: Option<u64>,
    endless: Option<reasoning_hold::Endless>,
    /// End of the marker of the last call that was left in the reasoning.
    passed_over: Option<u64>,
    /// The entry that is read took the place of the reasoning's missing end.
    is_ended_by_entry: bool,
    /// The reasoning that an entry interrupted; `end`: where the end of the reasoning is, once found.
    interrupted: Option<Box<reasoning_resume::Interrupted>>,
    end: Option<u64>,
}

/// The message's end.
#[derive(Debug, Default)]
struct Ending {
    /// The message was cut off: its end is no evidence.
    is_cut_off: bool,
    /// It was cut off where the call may continue.
    in_call: bool,
    /// The open call lacks only closers.
    lacks_only_closers: bool,
}

/// Allocations for reuse.
#[derive(Debug, Default)]
struct Spare {
    probe: closer_lookahead::CloserLookahead,
    envelope: Option<Box<Envelope>>,
    acts: Vec<(Act, u64)>,
}

#[derive(Debug, Default)]
struct Options {
    in_code: InCode,
    in_reasoning: InReasoning,
}

impl Held {
    /// Where the next push starts.
    fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }
}

impl Candidate {
    /// Forgets the body, or end, that could have started before.
    fn forget_fallback(&mut self) {
        (self.fallback, self.over) = (None, None);
        self.fallback_bodies.clear();
    }

    /// Where the entry could have ended.
    fn fallback_end(&self, program: &Program) -> Option<u64> {
        let body = self.fallback_bodies.first()?;
        self.fallback.filter(|_| program.is_end(body.node))
    }
}

impl Positions {
    /// The newest act that all positions share.
    fn common(&self) -> LogId {
        let logs = self.threads.iter().map(|thread| thread.log);
        self.log.common(self.flushed, logs)
    }

    /// Clears the log once all acts are done.
    fn forget_log(&mut self) {
        self.log.clear();
        self.flushed = Log::ROOT;
        self.instances.clear();
    }
}

impl Parser {
    /// A parser for one message.
    pub fn new(program: Arc<Program>) -> Parser {
        let cap = program.limits.notes;
        let names = Arc::clone(&program.tools.names);
        Parser {
            program,
            input: Held::default(),
            pos: 0,
            mode: Mode::Text,
            emitter: Emitter::new(cap, names),
            context: Context::default(),
            set: Positions::default(),
            candidate: Candidate {
                bol: true,
                start: true,
                ..Candidate::default()
            },
            reasoning: ReasoningState::default(),
            ending: Ending::default(),
            tokens: Tokens::default(),
            fitting: fitting::Fitting::default(),
            spare: Spare::default(),
            options: Options::default(),
        }
    }

    /// A parser for a message whose prompt ends with `prompt_tail`: inside reasoning, or a header. Offset 0 is the byte
    /// after the prompt.
    pub fn after_prompt(program: Arc<Program>, prompt_tail: &str) -> Parser {
        let mut parser = Parser::new(program);
        parser.emitter.mute = true;
        let turn = &prompt_tail[parser.last_turn(prompt_tail)..];
        parser.push(Input::Text(turn), &mut |_, _: crate::Event<'_>| {});
        if parser.emitter.call.is_some() {
            // The prompt opened a call, which cannot be emitted as the message's.
            return Parser::new(parser.program);
        }
        parser.emitter.mute = false;
        // The message starts with the next byte, which is offset 0. What the prompt left undecided stays so.
        parser.emitter.start_message(parser.input.end());
        parser
    }

    /// Starts inside reasoning, which the reasoning end of any dialect ends.
    #[must_use]
    pub fn reasoning_open(mut self) -> Parser {
        let program = Arc::clone(&self.program);
        // A prompt that ends inside reasoning has entered the reasoning of its dialect already.
        if self.context.channel != Channel::Reasoning {
            let at = self.pos;
            let starts = |&node: &NodeId| Thread::at(node, Log::ROOT, at);
            let texts: Vec<Thread> = program.rules.reasoning.iter().map(starts).collect();
            self.enter_channel(&texts, View::new(&program, "", self.pos));
        }
        self
    }

    /// Sets how a call in quoted code is read.
    #[must_use]
    pub fn in_code(mut self, in_code: InCode) -> Parser {
        self.options.in_code = in_code;
        self
    }

    /// Sets how a call inside reasoning is read.
    #[must_use]
    pub fn in_reasoning(mut self, in_reasoning: InReasoning) -> Parser {
        self.options.in_reasoning = in_reasoning;
        self
    }

    /// Applies `rules` to calls in place of [`DoubtRule::TABLE`], which a caller may extend.
    #[must_use]
    pub fn doubted_by(mut self, rules: impl Into<Cow<'static, [DoubtRule]>>) -> Parser {
        self.emitter.doubts = Doubts(rules.into());
        self
    }

    /// Applies no rules: a call that the text only mentions is a call like any other. For tools that show what was
    /// read; callers that run calls keep the rules.
    #[must_use]
    pub fn unjudged(self) -> Parser {
        self.doubted_by(&[][..])
    }

    /// Names spellings that come only as [`Input::Special`], like the tokenizer's special tokens: in plain letters they
    /// are text. A spelling that is not named counts as a token once it, or the token that it closes, came as one.
    #[must_use]
    pub fn special_tokens<'a>(mut self, spellings: impl IntoIterator<Item = &'a str>) -> Parser {
        for spelling in spellings {
            self.tokens.add(spelling);
        }
        self
    }

    /// Reads more of the message. Never fails. The sink must not call back into this parser.
    pub fn push(&mut self, input: Input<'_>, sink: &mut dyn Sink) {
        let text = match input {
            Input::Text(text) => text,
            Input::Special { text, .. } => {
                self.tokens.came(text, self.input.end());
                text
            }
        };
        if text.is_empty() {
            return;
        }
        // In pieces, so that the output of a piece is still in the cache when it is emitted.
        let mut rest = text;
        while rest.len() > PIECE {
            let mut cut = PIECE;
            // A piece does not end within an escape.
            let is_half = |cut: usize| rest.as_bytes()[cut - 1] == b'\\' && cut < PIECE + HALVES;
            while !rest.is_char_boundary(cut) || is_half(cut) && cut < rest.len() {
                cut += 1;
            }
            let (piece, after) = rest.split_at(cut);
            self.push_piece(piece, sink);
            rest = after;
        }
        self.push_piece(rest, sink);
    }

    fn push_piece(&mut self, mut text: &str, sink: &mut dyn Sink) {
        if self.tokens.is_empty() {
            let is_emitted = match self.mode {
                Mode::Text => self.quick_prose(text, sink),
                Mode::Value(_) => self.quick_value(text, sink),
                _ if self.input.buffer.is_empty() => {
                    text = &text[self.quick(text, sink)..];
                    text.is_empty()
                }
                _ => false,
            };
            if is_emitted {
                return;
            }
        }
        if !text.is_empty() {
            self.read_piece(text, sink);
        }
    }

    /// Reads a piece after the held bytes, and holds what stays undecided.
    fn read_piece(&mut self, text: &str, sink: &mut dyn Sink) {
        let program = Arc::clone(&self.program);
        self.read_held(text, |parser, held| {
            let base = parser.input.base;
            parser.run(View::new(&program, held, base), sink);
            parser.input.base = parser.emitter.cursor;
            Some((parser.emitter.cursor - base) as usize)
        });
        self.tokens.forget_before(self.input.base);
    }

    /// Passes the held bytes and `text` to `read`, which returns how many of them are emitted, and holds the others.
    /// Returns `false` and changes nothing if `read` returns `None`.
    fn read_held(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Parser, &str) -> Option<usize>,
    ) -> bool {
        let mut buffer = core::mem::take(&mut self.input.buffer);
        let n_held = buffer.len();
        if n_held > 0 {
            buffer.push_str(text);
        }
        let n_emitted = read(self, if n_held == 0 { text } else { &buffer });
        match n_emitted {
            None => buffer.truncate(n_held),
            Some(n_emitted) if n_held == 0 => buffer.push_str(&text[n_emitted..]),
            Some(n_emitted) => drop(buffer.drain(..n_emitted)),
        }
        self.input.buffer = buffer;
        n_emitted.is_some()
    }

    /// Ends the message.
    pub fn finish(mut self, why: Finish, sink: &mut dyn Sink) {
        let program = Arc::clone(&self.program);
        let buffer = core::mem::take(&mut self.input.buffer);
        let view = View {
            eof: true,
            ..View::new(&program, &buffer, self.input.base)
        };
        self.end(why, view, sink);
        debug_assert_eq!(self.emitter.cursor, view.end(), "spans tile the input");
    }

    /// The bytes that no event accounts for yet.
    pub fn held(&self) -> &str {
        let of_prompt = self.emitter.origin().saturating_sub(self.input.base) as usize;
        self.input.buffer.get(of_prompt..).unwrap_or("")
    }

    /// Emits the bytes up to `upto` as text of the context's channel.
    fn emit_text(&mut self, view: View<'_>, upto: u64, sink: &mut dyn Sink) {
        self.emitter.text(self.context.channel, view, upto, sink);
    }

    fn note(&mut self, code: Code, at: Span, why: impl Into<String>, sink: &mut dyn Sink) {
        self.emitter.note(code, at, why, sink);
    }

    fn recovered(&mut self, recovery: Recovery, at: Span, what: &str, sink: &mut dyn Sink) {
        self.emitter.recovered(recovery, at, what, sink);
    }

    /// Steps made so far: bytes looked at times positions alive. For tests of linearity.
    #[doc(hidden)]
    pub fn work(&self) -> u64 {
        self.set.found.work
    }

    /// Runs until every byte of the view was looked at and the rest is undecided.
    fn run(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let mut guard = 0u32;
        let mut last = (u64::MAX, 0);
        loop {
            let before = self.pos;
            // Each mode returns whether the mode changed, and puts itself back if it did not.
            let continues = match core::mem::take(&mut self.mode) {
                Mode::Text => self.text(view, sink),
                Mode::Matching => {
                    self.mode = Mode::Matching;
                    self.match_positions(view, sink)
                }
                Mode::NameLookahead(ahead) => self.ahead(ahead, view, sink),
                Mode::MidLineTag(tag) => self.mid_line_tag(tag, view, sink),
                Mode::LineTail(LineTail::Call(line)) => self.call_line(line, view, sink),
                Mode::LineTail(LineTail::Entry { body, pos }) => {
                    self.entry_line((body, pos), view, sink)
                }
                Mode::ReasoningResume(after) => self.resume_reasoning(after, view),
                Mode::ReasoningHold(hold) => self.hold_reasoning(hold, view, sink),
                Mode::Value(value) => self.value(value, view, sink),
                Mode::Json(body) => self.json(body, view, sink),
                Mode::Envelope(envelope) => self.envelope(envelope, view, sink),
                Mode::Xml(xml) => self.xml(xml, view, sink),
                Mode::Python(python) => self.python(python, view, sink),
            };
            if !continues {
                break;
            }
            // A progress guard: modes may change without moving, but not for ever.
            let is_stuck = (before, self.emitter.cursor) == last;
            guard = if is_stuck { guard + 1 } else { 0 };
            last = (before, self.emitter.cursor);
            debug_assert!(guard < 64, "no progress at {} in {:?}", self.pos, self.mode);
            if guard >= 64 {
                self.mode = Mode::Text;
                self.input.not_before = self.pos + 1;
                guard = 0;
            }
        }
        if !view.eof {
            self.emit_certain(view, sink);
        }
    }

    /// Keeps the mode until more bytes come, which decide.
    fn wait_in(&mut self, mode: Mode) -> bool {
        self.mode = mode;
        false
    }

    /// Emits the certain bytes at the end of a push.
    fn emit_certain(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        match &self.mode {
            Mode::Text => self.emit_text(view, self.pos, sink),
            // Of a committed candidate these bytes were emitted.
            Mode::Matching | Mode::NameLookahead(_) | Mode::MidLineTag(_) => {
                self.emit_text(view, self.candidate.at, sink);
            }
            Mode::LineTail(_) | Mode::ReasoningResume(_) | Mode::ReasoningHold(_) => {}
            Mode::Value(value) => self.emitter.emit_value(&value.writer, view, sink),
            Mode::Json(_) | Mode::Xml(_) | Mode::Python(_) | Mode::Envelope(_) => {
                // In escaped JSON the body counts fewer bytes than the text has, so this may be inside a character, or before
                // what was emitted.
                let emitted = view.char_start(self.body_emitted().max(self.emitter.cursor));
                self.emitter.flush_args(emitted, sink);
            }
        }
    }

    /// The epsilon closure of `thread`.
    fn closure(&mut self, view: View<'_>, thread: Thread) -> Vec<Thread> {
        let mut set = Vec::new();
        self.add_positions(view, thread, &[thread.node], &mut set);
        set
    }

    /// Adds the epsilon closure of `nodes`, with the start and the captures of `from`, to `set`.
    fn add_positions(
        &mut self,
        view: View<'_>,
        from: Thread,
        nodes: &[NodeId],
        set: &mut Vec<Thread>,
    ) {
        let mut stepper = self.stepper(view, NamePolicy::Reading);
        for &node in nodes {
            stepper.add_closure(&Thread { node, ..from }, from.since, set);
        }
    }

    /// Steps `set` over `byte` at `pos`; the result is in `Positions::found`.
    fn step_set(
        &mut self,
        (view, names): (View<'_>, NamePolicy<'_>),
        set: &mut Vec<Thread>,
        byte: u8,
        pos: u64,
    ) {
        let (mut stepper, [_, next]) = self.step_parts(view, names);
        stepper.step(set, byte, pos, next);
        core::mem::swap(set, next);
    }

    fn stepper<'a>(&'a mut self, view: View<'a>, names: NamePolicy<'a>) -> Stepper<'a> {
        self.step_parts(view, names).0
    }

    /// The stepper, the current set and the next one.
    fn step_parts<'a>(
        &'a mut self,
        view: View<'a>,
        names: NamePolicy<'a>,
    ) -> (Stepper<'a>, [&'a mut Vec<Thread>; 2]) {
        let set = &mut self.set;
        let stepper = Stepper {
            view,
            log: &mut set.log,
            flushed: set.flushed,
            instances: &mut set.instances,
            registers: &set.registers,
            found: &mut set.found,
            tokens: &self.tokens,
            names,
            call: self.emitter.call.as_ref(),
            candidate: &self.candidate,
            nodes: ByteSet::default(),
        };
        (stepper, [&mut set.threads, &mut set.next])
    }
}
