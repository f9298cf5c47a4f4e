//! One JSON envelope: name, arguments, id and name space under keys in any order.
//!
//! The transducer reads all of it; the envelope listens to its members and sends each value where its role says.

mod arguments;
mod members;
mod schema;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::internal::{StringRun, quoted};
use toolglot_json::{Completeness, Output, Repair, RepairSpan, Root, Step, Transducer};

use super::escaped::Escaped;
use crate::Span;
use crate::grammar::Role;
use crate::machine::Thread;
use crate::program::{Node, Program};

/// What the envelope asks of the machine.
#[derive(Debug)]
pub(crate) enum Asked {
    /// More bytes.
    More,
    /// The name and enough else are known: begin the call.
    Commit,
    /// Arguments are there to be told, up to the position reached.
    Args,
    /// The same, and a string of them begins there.
    Inside,
    /// The call is over, and in the same object another one begins.
    Another,
    /// The object ended.
    Done,
    /// It is no call.
    Dead,
    /// The bytes fit no JSON.
    Stuck,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// Brackets, commas, keys.
    #[default]
    Structure,
    Role(Role),
    /// Arguments that are a string that holds JSON.
    Encoded,
    /// The value of a parameter that stands beside the name.
    Flat,
    /// A list in place of the arguments.
    List,
    /// A value beside the name: a parameter, if no arguments come.
    Loose,
    /// The value of a key that says something about the call: a parameter, if no arguments come and the tool has it.
    Aside,
    Skip,
}

/// A member that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// It is no part of the call.
    Other,
    /// A parameter of the tool, beside arguments that are over.
    Parameter,
    /// Arguments for the second time.
    Arguments,
}

/// The arguments of an envelope.
#[derive(Debug, Default)]
pub(crate) struct EnvelopeArguments {
    /// An arguments key was read.
    pub(crate) seen: bool,
    /// Its value was `null`, or held nothing: parameters may stand beside it.
    pub(crate) void: bool,
    /// Argument text that waits for the call to begin or to be emitted, and where it starts.
    pub(crate) text: String,
    pub(crate) at: Option<u64>,
    /// Up to here bytes are accounted for by the arguments.
    pub(crate) end: u64,
    /// The arguments are no object.
    pub(crate) malformed: bool,
    /// Where the value stands that should be the arguments and is no object.
    pub(crate) malformed_at: Option<(u64, u64)>,
    /// The arguments may turn out to be a schema: a tool is defined then, and not called.
    pub(crate) may_define: bool,
    /// Before that is known it is no call.
    pub(crate) waits_for_schema: bool,
    /// How they begin, blanks aside, until that is known.
    pub(crate) start: String,
    /// Where arguments stand that are a schema, of a call that has started, until a note says so.
    pub(crate) defines_at: Option<u64>,
    /// Nothing but the tool's name as a key says that it is a call: its value must be an object.
    pub(crate) needs_object: bool,
}

/// Members that stand beside the name and the arguments.
#[derive(Debug, Default)]
pub(crate) struct LooseMembers {
    /// The parameters stand beside the name, in no object of their own.
    pub(crate) flat: bool,
    /// Members beside the name, as JSON text, and where the first stands: arguments, if no others come.
    pub(crate) text: String,
    pub(crate) at: u64,
    /// Those whose keys say something about the call, and their JSON text.
    pub(crate) asides: Vec<(String, String)>,
    /// The first member that is left out, until a note says so, and where it stands.
    pub(crate) left_out: Option<(u64, LeftOut)>,
    /// Where the first parameter beside the name stands, until a note says so.
    pub(crate) flat_at: Option<u64>,
    /// A key that means nothing stood before the name: only arguments make it a call.
    pub(crate) has_aside: bool,
}

/// Arguments that are JSON inside a string.
#[derive(Debug, Default)]
pub(crate) struct EncodedArguments {
    pub(crate) json: Option<Box<(Transducer, Output)>>,
    /// Bytes that it was fed.
    pub(crate) n_fed: u64,
    /// What it repaired.
    pub(crate) repairs: Vec<Repair>,
    pub(crate) at: Option<u64>,
}

/// The members that come to the call's head.
#[derive(Debug, Default)]
pub(crate) struct EnvelopeHead {
    pub(crate) name: Option<String>,
    /// The tool that it means, and how many of its bytes are a name space before that one's name.
    pub(crate) meant: Option<(usize, usize)>,
    pub(crate) name_at: (u64, u64),
    /// That of the next call in the same object.
    pub(crate) next_name: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) ns: Option<String>,
    pub(crate) known: bool,
}

/// An envelope being read.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    /// The readings that are left, in order of priority.
    pub(crate) bodies: Vec<Thread>,
    pub(crate) pos: u64,
    pub(crate) json: Transducer,
    out: Output,
    part: Part,
    path: String,
    depths: Vec<usize>,
    capture: String,
    /// The value being captured is longer than any may be.
    overlong: bool,
    member_at: u64,
    pub(crate) at: u64,
    pub(crate) committed: bool,
    /// A known name is not enough.
    pub(crate) needs_marker: bool,
    /// A marker precedes it: not only the name shows that it is a call.
    pub(crate) marked: bool,
    /// It has no opening brace.
    is_braceless: bool,
    /// How it is read, if it was escaped once too often.
    escaped: Escaped,
    pub(crate) repairs: Vec<RepairSpan>,
    /// The paths of fixed members that were read.
    fixed: Vec<String>,
    /// A fixed member is missing or has another value: no reading is left.
    pub(crate) is_other: bool,
    pub(crate) args: EnvelopeArguments,
    pub(crate) loose: LooseMembers,
    pub(crate) encoded: EncodedArguments,
    pub(crate) head: EnvelopeHead,
}

impl Envelope {
    /// Begins an object, in the memory of the last one if there was one.
    pub(crate) fn start(
        last: Option<Box<Envelope>>,
        program: &Program,
        bodies: Vec<Thread>,
        at: u64,
    ) -> Box<Envelope> {
        let mut envelope = match last {
            Some(mut last) => {
                last.forget();
                last
            }
            None => Box::new(Envelope {
                json: Transducer::new(Root::Object),
                ..Envelope::default()
            }),
        };
        envelope.bodies = bodies;
        envelope.marked = envelope.bodies.iter().any(|body| body.marked);
        (envelope.at, envelope.pos, envelope.member_at) = (at, at, at);
        (envelope.loose.at, envelope.args.end) = (at, at);
        envelope.head.name_at = (at, at);
        envelope.json.watch(1);
        envelope.json.stop_at_strings();
        let node = envelope.bodies[0].node;
        if let Node::Object(object) = program.node(node) {
            envelope.json.expect_closers(&object.closers);
            envelope.json.expect_openers(program.starts(node));
            envelope.json.know(1, Arc::clone(&object.keys));
        }
        envelope
    }

    /// Forgets the last object, and keeps the memory of its longest texts.
    fn forget(&mut self) {
        let mut last = core::mem::take(self);
        last.json.restart(Root::Object);
        last.out.text.clear();
        last.out.repairs.clear();
        last.args.text.clear();
        last.repairs.clear();
        (self.json, self.out, self.repairs) = (last.json, last.out, last.repairs);
        (self.args.text, self.capture) = (last.args.text, last.capture);
    }

    /// Whether a call before may be what it repeats: it stands behind the answer, and nothing but its name marks it.
    pub(crate) fn may_repeat(&self) -> bool {
        self.needs_marker && !self.marked
    }

    /// Whether argument bytes are being read right now: what was read accounts for them.
    pub(crate) fn in_args(&self) -> bool {
        matches!(
            self.part,
            Part::Role(Role::Args) | Part::Encoded | Part::Flat
        )
    }

    /// Reads on, until something is asked. `text` begins at `self.pos`; arguments of a call that has begun go straight
    /// to `live`.
    pub(crate) fn feed(
        &mut self,
        program: &Program,
        text: &str,
        held: usize,
        live: Option<&mut String>,
    ) -> Asked {
        let mut live = live.filter(|_| self.emits_args());
        if let Some(live) = &mut live {
            core::mem::swap(*live, &mut self.out.text);
        }
        // What is undecided is capped in bytes of input, at the same byte in every cut.
        let room = (held as u64).saturating_sub(self.pos - self.at) as usize;
        let text = match (room.max(1)..text.len()).find(|&end| text.is_char_boundary(end)) {
            Some(end) if !self.committed => &text[..end],
            _ => text,
        };
        // That it is none is seen at the same byte in every cut as well.
        let waits = self.waits_for_arguments();
        let text = if waits { one_solid(text) } else { text };
        self.is_braceless |= self.pos == self.at && text.starts_with('"');
        let Envelope {
            escaped, json, out, ..
        } = self;
        let (used, step) = escaped.feed(self.marked, json, (text, self.pos), out);
        let direct = live.is_some();
        if let Some(live) = live {
            core::mem::swap(live, &mut self.out.text);
        }
        self.pos += used as u64;
        if matches!(step, Step::Stuck | Step::Done) {
            self.pos = self.here();
        }
        self.repairs.append(&mut self.out.repairs);
        let before = self.args.text.len();
        if !direct {
            self.route();
            self.read_schema(program, before);
        }
        if self.in_args() {
            self.args.end = self.here();
        }
        let has_new = self.args.text.len() > before || self.in_args();
        let asked = match step {
            Step::Member => self.member(program),
            Step::Value => self.value(program),
            Step::Done => {
                self.take_loose(program);
                // Without a marker, a name alone is that of anything, unless a tool has it.
                let is_any = !self.marked && !self.args.seen;
                let is_any = is_any && (program.tools.is_empty() || self.loose.has_aside);
                let is_other = !self.committed && !self.has_fixed(program);
                if is_other || self.head.name.is_none() || is_any {
                    return Asked::Dead;
                }
                if core::mem::take(&mut self.loose.flat) {
                    self.args.text.push('}');
                }
                let is_held = self.may_repeat() && !self.committed;
                if is_held && (!self.head.known || self.is_schema(program) != Some(false)) {
                    return Asked::Dead;
                }
                if !self.committed {
                    // The caller commits, and asks again: the object is over then.
                    return Asked::Commit;
                }
                Asked::Done
            }
            // A call may have begun with bytes that were read in this very piece.
            Step::Stuck if self.waits_for_arguments() => match self.ask_commit(program) {
                Asked::More => Asked::Stuck,
                asked => asked,
            },
            Step::Stuck => Asked::Stuck,
            Step::More if !self.committed && self.pos - self.at >= held as u64 => Asked::Dead,
            Step::String if self.committed && has_new => Asked::Inside,
            Step::More if self.committed && has_new => Asked::Args,
            Step::More | Step::String => Asked::More,
        };
        match asked {
            Asked::More | Asked::Args if self.waits_for_arguments() => self.ask_commit(program),
            asked => asked,
        }
    }

    /// How much of `text` stands inside a string of the arguments; [`pass`](Envelope::pass) says that it was told.
    #[inline]
    pub(crate) fn stretch(&self, text: &str) -> StringRun {
        if !self.emits_args() || self.escaped != Escaped::No {
            return StringRun::default();
        }
        self.json.stretch(text)
    }

    /// Whether what is read of the arguments is emitted at once.
    fn emits_args(&self) -> bool {
        self.committed
            && self.part == Part::Role(Role::Args)
            && self.args.at.is_some()
            && self.args.text.is_empty()
            && !self.args.may_define
    }

    /// The next call of the same object begins.
    pub(crate) fn start_next(&mut self, program: &Program) {
        let name = self.head.next_name.take().unwrap_or_default();
        self.start_under(program, name);
        (self.args.at, self.args.malformed_at, self.args.malformed) = (None, None, false);
        self.args.text.clear();
        self.args.start.clear();
        (self.encoded.json, self.encoded.at, self.loose.flat_at) = (None, None, None);
        self.committed = false;
    }

    /// The next bytes were told.
    pub(crate) fn pass(&mut self, text: &str) {
        self.json.pass(text, self.pos);
        self.pos += text.len() as u64;
        self.args.end = self.pos;
    }

    /// Where the value or member that is reported stands: bytes behind it may be read already.
    pub(crate) fn here(&self) -> u64 {
        self.json.held_from().unwrap_or(self.pos)
    }

    /// Where the head of the call ends: before its arguments, whatever of them was read to see that they are some.
    pub(crate) fn head_end(&self) -> u64 {
        let started = self.args.seen.then_some(self.member_at);
        self.args.at.or(started).unwrap_or_else(|| self.here())
    }

    /// Whether it is a whole object, and none that names a tool.
    pub(crate) fn is_nameless(&self) -> bool {
        self.is_over() && (self.head.name.is_none() || self.is_other) && !self.bodies.is_empty()
    }

    /// Whether the transducer has read the whole object.
    pub(crate) fn is_over(&self) -> bool {
        self.json.depth() == 0
    }

    /// A member at `at` is left out. What says most of it is told.
    fn leave_out(&mut self, at: u64, what: LeftOut) {
        let says_more = |(_, kept)| kept == LeftOut::Other && what != LeftOut::Other;
        if self.loose.left_out.is_none_or(says_more) {
            self.loose.left_out = Some((at, what));
        }
    }

    /// The object is over, and no arguments came: they stand beside the name.
    #[inline(never)]
    fn take_loose(&mut self, program: &Program) {
        if self.head.name.is_none() {
            return;
        }
        let asides = core::mem::take(&mut self.loose.asides);
        if self.args.seen {
            return;
        }
        let loose = core::mem::take(&mut self.loose.text);
        let tool = self.head.meant.map(|(tool, _)| tool);
        let is_cut = self.part == Part::Aside;
        let n_asides = asides.len();
        let mut members = String::new();
        for (n, (key, value)) in asides.iter().enumerate() {
            let is_last = is_cut && n + 1 == n_asides;
            if is_last && !loose.is_empty() {
                // What is being read comes last.
                push_separated(&mut members, &loose);
            }
            let is_argument = is_parameter(program, tool, key);
            if is_argument {
                push_separated(&mut members, &quoted(key));
                members.push(':');
                members.push_str(value);
            } else if !crate::vocabulary::NEUTRAL_KEYS.contains(&key.as_str()) {
                self.leave_out(self.loose.at, LeftOut::Other);
            }
            if is_last {
                self.part = if is_argument { Part::Flat } else { Part::Skip };
            }
        }
        if !is_cut && !loose.is_empty() {
            push_separated(&mut members, &loose);
        }
        if members.is_empty() {
            return;
        }
        self.args.text.push('{');
        self.args.text.push_str(&members);
        (self.args.at, self.loose.flat_at) = (Some(self.loose.at), Some(self.loose.at));
        (self.args.seen, self.loose.flat) = (true, true);
        self.args.end = self.here();
        if self.part == Part::Loose {
            self.part = Part::Flat;
        }
    }

    /// The message ends: so did a string that may have, and a number where the model had `stopped`. Says whether there is
    /// something to read on.
    pub(crate) fn settle(&mut self, stopped: bool) -> bool {
        let is_settled = self.json.settle_string(self.pos, &mut self.out);
        let is_plain = self.encoded.json.is_none() && self.escaped == Escaped::No;
        let is_settled =
            is_settled || stopped && is_plain && self.json.settle_word(self.pos, &mut self.out);
        self.settled(is_settled)
    }

    /// The message ends: what was read ahead behind a mark is read as what it was taken for. Says whether there is something
    /// to read on.
    pub(crate) fn settle_mark(&mut self) -> bool {
        let is_settled = self.json.settle_mark(self.pos, &mut self.out);
        self.settled(is_settled)
    }

    fn settled(&mut self, is_settled: bool) -> bool {
        if is_settled {
            let end = Span::empty(self.pos);
            self.escaped.place(&mut self.out.repairs, end);
            self.repairs.append(&mut self.out.repairs);
            self.route();
        }
        is_settled
    }

    /// Ends the object where the message, or a byte that fits nothing, ends it.
    pub(crate) fn finish(&mut self, program: &Program, close: bool) -> Completeness {
        let closes = close && self.encoded.json.is_none();
        let rest = self.json.finish(closes, self.pos, &mut self.out);
        let end = Span::empty(self.pos);
        self.escaped.place(&mut self.out.repairs, end);
        self.repairs.append(&mut self.out.repairs);
        self.end_inside();
        let is_closed = close && rest == Completeness::Brackets;
        if is_closed {
            self.take_loose(program);
        }
        let is_flat = self.loose.flat && self.encoded.json.is_none();
        if is_flat || matches!((self.part, self.args.at), (Part::Role(Role::Args), Some(_))) {
            // The closers of the arguments come first, those of the envelope are not theirs.
            let outer = usize::from(is_closed && !is_flat) * (self.depths.len() + 1);
            let mut text = core::mem::take(&mut self.out.text);
            if is_flat && self.part == Part::Skip {
                text = String::from(if is_closed { "}" } else { "" });
            }
            let keep = text.len().saturating_sub(outer);
            self.args.text.push_str(text[..keep].trim_start());
            if is_closed {
                self.part = Part::Structure;
            }
        }
        rest
    }
}

/// Whether what says something about a call may be an argument as well: the tool has such a parameter, or is not known.
fn is_parameter(program: &Program, tool: Option<usize>, key: &str) -> bool {
    match tool {
        Some(tool) => program.tools.tool(tool).parameters.get(key).is_some(),
        None => !crate::vocabulary::NEUTRAL_KEYS.contains(&key),
    }
}

/// The first character of `text` that is no blank, and the blanks before it.
fn one_solid(text: &str) -> &str {
    let solid = text.trim_ascii_start();
    let length = solid.chars().next().map_or(0, char::len_utf8);
    &text[..text.len() - solid.len() + length]
}

/// Another member of an object.
fn push_separated(members: &mut String, member: &str) {
    if !members.is_empty() {
        members.push(',');
    }
    members.push_str(member);
}
