//! The push machine. One `match mode` per run of bytes, not per byte.
//!
//! ```text
//!            a byte that can begin an opener              a body is first
//!   Text ------------------------------------> Matching -----------------> Value | Json | Envelope | Xml | Python
//!    ^                                          |   ^                                  |
//!    `------------------------------------------'   `----------------------------------'
//!       rejected, or the entry ended                     the body ended
//!
//!   lookaheads that hold the text after their place until something is known
//!     NameLookahead    arguments come before the name          MidLineTag  a tag within a line: is it closed?
//!     LineTail         how a line goes on after a call         ReasoningHold, ReasoningResume  does reasoning end, or go on?
//! ```
//!
//! `Matching` simulates an NFA: an ordered set of positions ([`Positions`]) takes one byte at a time, as Thompson's and Pike's
//! machines do (<https://swtch.com/~rsc/regexp/regexp2.html>). Order is priority. What a position captures is a list that
//! shares its tail with others (`log.rs`); what all positions agree on is done and emitted (`acts.rs`, `emitter.rs`).
//! What it is allowed to go back to is the candidate's checkpoint: the end of the last whole literal.

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
pub(crate) use typing::{infer, listed, plain_json, typed, untyped};

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::body::{Envelope, JsonBody, Python, Xml};
use crate::doubt::Doubts;
use crate::program::{ByteSet, NodeId, Program};
use crate::{Code, DoubtRule, Finish, InCode, InReasoning, Input, Sink, Span};
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

/// What is being read. Bodies are boxed: the mode is taken and put back with every push.
#[derive(Debug, Default)]
enum Mode {
    #[default]
    Text,
    Matching,
    /// Arguments stand before the name.
    NameLookahead(Box<name_lookahead::NameLookahead>),
    /// A tag of one tool is within a line: its closer tells whether it is a call.
    MidLineTag(mid_line_tag::MidLineTag),
    /// How the line goes on after a call is a fact of it.
    LineTail(LineTail),
    /// Reasoning may go on after a call in it.
    ReasoningResume(reasoning_resume::ReasoningResume),
    /// A call in reasoning counts only if that never ends.
    ReasoningHold(reasoning_hold::ReasoningHold),
    Value(Box<Value>),
    Json(Box<JsonBody>),
    Envelope(Box<Envelope>),
    Xml(Box<Xml>),
    Python(Box<Python>),
}

/// Longest piece of a push that is read at once, in bytes.
const PIECE: usize = 4096;

/// How many backslashes it may end with, so that it ends after an escape.
const HALVES: usize = 4;

/// Reads one message.
///
/// A whole text is one `push` and `finish`; a stream is many pushes: the events are the same, merged.
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
    thought: ReasoningState,
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
    /// Where the buffer begins.
    base: u64,
    /// No candidate begins before it.
    not_before: u64,
    /// Bytes before it were read as a candidate that was none, so deep.
    reread_end: u64,
    reread_depth: u8,
}

/// The ordered set of positions (an NFA simulation, with captures in a log), and what goes by beside it.
#[derive(Debug, Default)]
struct Positions {
    threads: Vec<Thread>,
    /// Those after the byte that is read.
    next: Vec<Thread>,
    found: StepResult,
    log: Log,
    /// All acts up to it are done.
    flushed: LogId,
    instances: Filled,
    registers: Registers,
    /// Members of a list that are no objects go by: the mark of the string that is open.
    junk: Option<u8>,
    /// Text between the values of a call, which goes by.
    gap: Option<Span>,
}

/// What may be an entry: its place, and where a reading of it can go back to.
#[derive(Debug, Default)]
struct Candidate {
    /// Where it begins.
    at: u64,
    /// It is one: nothing of it is given back.
    committed: bool,
    /// A note says why it is none.
    is_noted: bool,
    bol: bool,
    start: bool,
    /// Only what keeps what a call gives stands before it on its line: `r =`.
    is_kept: bool,
    /// It stands in quoted code: where a wrapper may hold calls; or where it counts for nothing.
    is_in_code: bool,
    is_wrapped: bool,
    quoted: bool,
    /// It stands in reasoning that has an end; a call counts there only if that never comes.
    is_in_reasoning: bool,
    is_undecided: bool,
    /// The checkpoint: after the last completed literal, where a recovery goes back to, and what may still come there.
    checkpoint: u64,
    checkpoint_threads: Vec<Thread>,
    /// A body, or the end, that could have begun while a literal was still being tried.
    fallback: Option<u64>,
    fallback_bodies: Vec<Thread>,
    /// Where the entry was over before that body, and what says so.
    over: Option<(u64, Thread)>,
    /// What was measured of the entry: facts of its calls.
    entry: entry::EntryFacts,
}

/// Calls in reasoning.
#[derive(Debug, Default)]
struct ReasoningState {
    /// The candidate of which it is known that its reasoning never ends.
    decided: Option<u64>,
    endless: Option<reasoning_hold::Endless>,
    /// After the marker of the last call that was left to the reasoning.
    passed_over: Option<u64>,
    /// The entry that is being read ended reasoning that had no end.
    is_ended_by_entry: bool,
    /// The reasoning that an entry stands in, in place of its end; and where that end is, if it was found since.
    interrupted: Option<Box<reasoning_resume::Interrupted>>,
    end: Option<u64>,
}

/// The message's end.
#[derive(Debug, Default)]
struct Ending {
    /// The message was cut off: that it ends is no evidence.
    is_cut_off: bool,
    /// Only closers are missing.
    lacks_only_closers: bool,
}

/// Memory for what comes next.
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
    /// Where the next push begins.
    fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }
}

impl Candidate {
    /// No body, or end, could have begun before.
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
    /// What all positions agree on.
    fn common(&self) -> LogId {
        let logs = self.threads.iter().map(|thread| thread.log);
        self.log.common(self.flushed, logs)
    }

    /// All acts were done: the log begins anew.
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
        let names = Arc::clone(program.tools.by_place());
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
            thought: ReasoningState::default(),
            ending: Ending::default(),
            tokens: Tokens::default(),
            fitting: fitting::Fitting::default(),
            spare: Spare::default(),
            options: Options::default(),
        }
    }

    /// A parser for a message whose prompt ends with `prompt_tail`: inside reasoning, or a header. Offset 0 is the byte
    /// after it.
    pub fn after_prompt(program: Arc<Program>, prompt_tail: &str) -> Parser {
        let mut parser = Parser::new(program);
        parser.emitter.mute = true;
        let turn = &prompt_tail[parser.last_turn(prompt_tail)..];
        parser.push(Input::Text(turn), &mut |_, _: crate::Event<'_>| {});
        if parser.emitter.call.is_some() {
            // The prompt has begun a call: what was read of it cannot be told as the message's.
            return Parser::new(parser.program);
        }
        parser.emitter.mute = false;
        // The message begins with the next byte, which is offset 0. What the prompt left undecided goes on.
        parser.emitter.start_message(parser.input.end());
        parser
    }

    /// Begins inside reasoning: any end that a dialect gives its own ends it.
    #[must_use]
    pub fn reasoning_open(mut self) -> Parser {
        let program = Arc::clone(&self.program);
        // A prompt that ends inside reasoning says which.
        if self.context.channel != Channel::Reasoning {
            let at = self.pos;
            let starts = |&node: &NodeId| Thread::at(node, Log::ROOT, at);
            let texts: Vec<Thread> = program.rules.reasoning.iter().map(starts).collect();
            self.enter_channel(&texts, View::new(&program, "", self.pos));
        }
        self
    }

    /// What becomes of a call in quoted code.
    #[must_use]
    pub fn in_code(mut self, in_code: InCode) -> Parser {
        self.options.in_code = in_code;
        self
    }

    /// What becomes of a call inside reasoning.
    #[must_use]
    pub fn in_reasoning(mut self, in_reasoning: InReasoning) -> Parser {
        self.options.in_reasoning = in_reasoning;
        self
    }

    /// Judges calls by `rules` in place of [`DoubtRule::TABLE`], which a caller may extend.
    #[must_use]
    pub fn doubted_by(mut self, rules: impl Into<Cow<'static, [DoubtRule]>>) -> Parser {
        self.emitter.doubts = Doubts(rules.into());
        self
    }

    /// Judges no call: what the text only mentions is a call like any other. For tools that show what was read; whoever runs
    /// calls leaves the rules on.
    #[must_use]
    pub fn unjudged(self) -> Parser {
        self.doubted_by(&[][..])
    }

    /// The spellings that come as [`Input::Special`] only, as those of the model's tokenizer do: in plain letters they are
    /// text. Without it a spelling is known for a token's once it, or the token that it closes, came as one.
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
        // In pieces, so that what is written of one is still in the cache when it is told.
        let mut rest = text;
        while rest.len() > PIECE {
            let mut cut = PIECE;
            // What goes on after half an escape is told last.
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

    #[inline]
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

    /// Reads a piece after what is held; what is undecided then is held.
    fn read_piece(&mut self, text: &str, sink: &mut dyn Sink) {
        let program = Arc::clone(&self.program);
        let mut buffer = core::mem::take(&mut self.input.buffer);
        let was_empty = buffer.is_empty();
        if !was_empty {
            buffer.push_str(text);
        }
        let held = if was_empty { text } else { &buffer };
        self.run(View::new(&program, held, self.input.base), sink);
        let n_emitted = (self.emitter.cursor - self.input.base) as usize;
        if was_empty {
            buffer.push_str(&text[n_emitted..]);
        } else {
            buffer.drain(..n_emitted);
        }
        self.input.base = self.emitter.cursor;
        self.input.buffer = buffer;
        if !self.tokens.is_empty() {
            self.tokens.forget_before(self.input.base);
        }
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

    /// The bytes up to `upto` are what the context says.
    fn emit_text(&mut self, view: View<'_>, upto: u64, sink: &mut dyn Sink) {
        self.emitter.text(self.context.channel, view, upto, sink);
    }

    fn note(&mut self, code: Code, at: Span, why: impl Into<String>, sink: &mut dyn Sink) {
        self.emitter.note(code, at, why, sink);
    }

    /// Steps made so far: bytes looked at times positions alive. For tests of linearity.
    #[doc(hidden)]
    pub fn work(&self) -> u64 {
        self.set.found.work
    }

    /// Runs until every byte of the view was looked at and what is left is undecided.
    fn run(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let mut guard = 0u32;
        let mut last = (u64::MAX, 0);
        loop {
            let before = self.pos;
            // Each says whether the mode changed, and puts it back where it did not.
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
            guard = if (before, self.emitter.cursor) == last {
                guard + 1
            } else {
                0
            };
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

    /// The mode goes on with more bytes, which decide.
    fn wait_in(&mut self, mode: Mode) -> bool {
        self.mode = mode;
        false
    }

    /// At the end of a push: tells what is certain.
    fn emit_certain(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        match &self.mode {
            Mode::Text => self.emit_text(view, self.pos, sink),
            // What is committed was told up to there.
            Mode::Matching | Mode::NameLookahead(_) | Mode::MidLineTag(_) => {
                self.emit_text(view, self.candidate.at, sink);
            }
            Mode::LineTail(_) | Mode::ReasoningResume(_) | Mode::ReasoningHold(_) => {}
            Mode::Value(value) => self.emitter.emit_value(&value.writer, view, sink),
            Mode::Json(_) | Mode::Xml(_) | Mode::Python(_) | Mode::Envelope(_) => {
                // Through escapes, JSON counts fewer bytes than there are.
                let emitted = view.char_start(self.body_emitted());
                if emitted > self.emitter.cursor || !self.emitter.args().is_empty() {
                    self.emitter.flush_args(emitted, sink);
                }
            }
        }
    }

    /// The positions at `thread`, which stands where it begins.
    fn closure(&mut self, view: View<'_>, thread: Thread) -> Vec<Thread> {
        let mut set = Vec::new();
        self.add_positions(view, thread, &[thread.node], &mut set);
        set
    }

    /// Adds the positions at `nodes`, which begin where `from` does and have captured what it has.
    fn add_positions(
        &mut self,
        view: View<'_>,
        from: Thread,
        nodes: &[NodeId],
        set: &mut Vec<Thread>,
    ) {
        let mut stepper = self.stepper(view, NamePolicy::Reading);
        for &node in nodes {
            stepper.add_closure(Thread { node, ..from }, from.since, set);
        }
    }

    /// Takes a set over `byte`, which stands at `pos`; what was found there is in `Positions::found`.
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

    /// What steps, and the set and the one that is made of it.
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
