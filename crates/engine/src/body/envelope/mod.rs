//! One JSON envelope: name, arguments, id and name space under keys in any order.
//!
//! The transducer reads all of it; the envelope gets its members and sends each value where its role says.

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
use crate::grammar::Role;
use crate::machine::Thread;
use crate::program::{Node, Program};
use crate::{Recovery, Span};

/// What the envelope asks the machine to do.
#[derive(Debug)]
pub(crate) enum Action {
    /// Give more bytes.
    More,
    /// Start the call: the name and enough of the rest are known.
    Commit,
    /// Emit arguments, up to the position reached.
    Args,
    /// The same, and a string of the arguments starts there.
    Inside,
    /// The call has ended, and another one starts in the same object.
    Another,
    /// The object ended.
    Done,
    /// The object is not a call.
    Dead,
    /// The next bytes are not JSON.
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
    /// The value of a parameter beside the name.
    Flat,
    /// A list in place of the arguments.
    List,
    /// A value beside the name: a parameter if no arguments come.
    Outer,
    /// The value of a key that describes the call: a parameter if no arguments come and the tool may have it.
    Meta,
    Skip,
}

/// The arguments of an envelope.
#[derive(Debug, Default)]
pub(crate) struct EnvelopeArguments {
    /// An arguments key was read.
    pub(crate) seen: bool,
    /// Its value was `null` or held nothing: parameters may be beside it.
    pub(crate) void: bool,
    /// Pending argument text, until the call starts or the text is emitted, and its position.
    pub(crate) text: String,
    pub(crate) at: Option<u64>,
    /// The arguments account for the bytes up to here.
    pub(crate) end: u64,
    /// The arguments are not an object.
    pub(crate) malformed: bool,
    /// The span of the value that should be the arguments and is not an object.
    pub(crate) malformed_at: Option<(u64, u64)>,
    /// The arguments may be a schema, which defines a tool and does not call it.
    pub(crate) may_define: bool,
    /// The call waits until it is known whether they are a schema.
    pub(crate) waits_for_schema: bool,
    /// The start of the arguments without blanks, until it is known whether they are a schema.
    pub(crate) start: String,
    /// Where a started call has arguments that are a schema, until that is reported.
    pub(crate) defines_at: Option<u64>,
    /// Only the tool's name as a key shows that it is a call: its value must be an object.
    pub(crate) needs_object: bool,
}

/// Members beside the name and the arguments.
#[derive(Debug, Default)]
pub(crate) struct OuterMembers {
    /// The parameters are beside the name, not in an object of their own.
    pub(crate) flat: bool,
    /// Members beside the name as JSON text, and the position of the first: arguments, if no others come.
    pub(crate) text: String,
    pub(crate) at: u64,
    /// Members whose keys describe the call: key and JSON text.
    pub(crate) meta: Vec<(String, String)>,
    /// The member left out that a note will report, and its position.
    pub(crate) left_out: Option<(u64, Recovery)>,
    /// The position of the first parameter beside the name, until a note reports it.
    pub(crate) flat_at: Option<u64>,
    /// A key without meaning came before the name: only arguments make it a call.
    pub(crate) has_meta: bool,
}

/// Arguments that are JSON inside a string.
#[derive(Debug, Default)]
pub(crate) struct EncodedArguments {
    pub(crate) json: Option<Box<(Transducer, Output)>>,
    /// Bytes fed to the transducer.
    pub(crate) n_fed: u64,
    /// Repairs that the transducer made.
    pub(crate) repairs: Vec<Repair>,
    pub(crate) at: Option<u64>,
}

/// Members that belong to the call's head.
#[derive(Debug, Default)]
pub(crate) struct EnvelopeHead {
    pub(crate) name: Option<String>,
    /// The tool that the name means, and the length of the name space before that tool's name, in bytes.
    pub(crate) meant: Option<(usize, usize)>,
    pub(crate) name_at: (u64, u64),
    /// The name of the next call in the same object.
    pub(crate) next_name: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) server: Option<String>,
    pub(crate) known: bool,
}

/// An envelope being read.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    /// The remaining readings, in order of priority.
    pub(crate) bodies: Vec<Thread>,
    pub(crate) pos: u64,
    pub(crate) json: Box<Transducer>,
    out: Output,
    part: Part,
    path: String,
    depths: Vec<usize>,
    capture: String,
    /// The captured value is longer than the cap.
    overlong: bool,
    member_at: u64,
    pub(crate) at: u64,
    pub(crate) committed: bool,
    /// A known name is not enough to make it a call.
    pub(crate) needs_marker: bool,
    /// A marker precedes it: the name is not the only evidence for a call.
    pub(crate) marked: bool,
    /// It has no opening brace.
    is_braceless: bool,
    /// Whether it was escaped once too often, and the state of its decoding.
    escaped: Escaped,
    pub(crate) repairs: Vec<RepairSpan>,
    /// The paths of fixed members that were read.
    fixed: Vec<String>,
    /// A fixed member is missing or has another value: no reading remains.
    pub(crate) is_other: bool,
    pub(crate) args: EnvelopeArguments,
    pub(crate) loose: OuterMembers,
    pub(crate) encoded: EncodedArguments,
    pub(crate) head: EnvelopeHead,
}

impl Envelope {
    /// Starts an object, in the memory of the last one if there is one.
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
            // The default machine reads an object.
            None => Box::default(),
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
            envelope.json.add_keys(1, Arc::clone(&object.keys));
        }
        envelope
    }

    /// Clears the last object, and keeps the memory of its longest texts.
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

    /// Whether it may repeat an earlier call: it is after the answer, and only its name shows that it is a call.
    pub(crate) fn may_repeat(&self) -> bool {
        self.needs_marker && !self.marked
    }

    /// Whether argument bytes are being read: the arguments account for the bytes read so far.
    pub(crate) fn in_args(&self) -> bool {
        matches!(
            self.part,
            Part::Role(Role::Args) | Part::Encoded | Part::Flat
        )
    }

    /// Reads until there is something to ask. `text` starts at `self.pos`; arguments of a started call go straight to
    /// `live`.
    pub(crate) fn feed(
        &mut self,
        program: &Program,
        text: &str,
        held: usize,
        live: Option<&mut String>,
    ) -> Action {
        let mut live = live.filter(|_| self.emits_args());
        if let Some(live) = &mut live {
            core::mem::swap(*live, &mut self.out.text);
        }
        // Undecided text is capped in bytes of input, at the same byte however the text is cut.
        let room = (held as u64).saturating_sub(self.pos - self.at) as usize;
        let text = match (room.max(1)..text.len()).find(|&end| text.is_char_boundary(end)) {
            Some(end) if !self.committed => &text[..end],
            _ => text,
        };
        // That it is not a call is decided at the same byte in every cut, too.
        let waits = self.waits_for_arguments();
        let solid = text.trim_ascii_start();
        let n_blanks = text.len() - solid.len();
        // Only the leading blanks, and the first character after them.
        let n = n_blanks + solid.chars().next().map_or(0, char::len_utf8);
        let text = if waits { &text[..n] } else { text };
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
                self.take_outer(program);
                // Without a marker, a name alone makes no call unless a tool has it.
                let is_data = !self.marked && !self.args.seen;
                let is_data = is_data && (program.tools.is_empty() || self.loose.has_meta);
                let is_other = !self.committed && !self.has_fixed(program);
                if is_other || self.head.name.is_none() || is_data {
                    return Action::Dead;
                }
                if core::mem::take(&mut self.loose.flat) {
                    self.args.text.push('}');
                }
                let is_held = self.may_repeat() && !self.committed;
                if is_held && (!self.head.known || self.is_schema(program) != Some(false)) {
                    return Action::Dead;
                }
                if !self.committed {
                    // The caller commits and asks again; the object has ended then.
                    return Action::Commit;
                }
                Action::Done
            }
            // Bytes of this very piece may have made it a call.
            Step::Stuck if self.waits_for_arguments() => match self.ask_commit(program) {
                Action::More => Action::Stuck,
                asked => asked,
            },
            Step::Stuck => Action::Stuck,
            Step::More if !self.committed && self.pos - self.at >= held as u64 => Action::Dead,
            Step::String if self.committed && has_new => Action::Inside,
            Step::More if self.committed && has_new => Action::Args,
            Step::More | Step::String => Action::More,
        };
        match asked {
            Action::More | Action::Args if self.waits_for_arguments() => self.ask_commit(program),
            asked => asked,
        }
    }

    /// How much of `text` is inside a string of the arguments; [`pass`](Envelope::pass) records that it was emitted.
    pub(crate) fn string_run(&self, text: &str) -> StringRun {
        if !self.emits_args() || self.escaped != Escaped::No {
            return StringRun::default();
        }
        self.json.string_run(text)
    }

    /// Whether argument bytes are emitted as they are read.
    fn emits_args(&self) -> bool {
        self.committed
            && self.part == Part::Role(Role::Args)
            && self.args.at.is_some()
            && self.args.text.is_empty()
            && !self.args.may_define
    }

    /// The next call of the same object starts.
    pub(crate) fn start_next(&mut self, program: &Program) {
        let name = self.head.next_name.take().unwrap_or_default();
        self.start_under(program, name);
        (self.args.at, self.args.malformed_at, self.args.malformed) = (None, None, false);
        self.args.text.clear();
        self.args.start.clear();
        (self.encoded.json, self.encoded.at, self.loose.flat_at) = (None, None, None);
        self.committed = false;
    }

    /// The next bytes, `text`, were emitted.
    pub(crate) fn pass(&mut self, text: &str) {
        self.json.pass(text, self.pos);
        self.pos += text.len() as u64;
        self.args.end = self.pos;
    }

    /// The position of the reported value or member: bytes after it may be read already.
    pub(crate) fn here(&self) -> u64 {
        self.json.held_from().unwrap_or(self.pos)
    }

    /// Where the head of the call ends: before its arguments, even if some of their bytes were read.
    pub(crate) fn head_end(&self) -> u64 {
        let started = self.args.seen.then_some(self.member_at);
        self.args.at.or(started).unwrap_or_else(|| self.here())
    }

    /// Whether it is a whole object that does not name a tool.
    pub(crate) fn is_nameless(&self) -> bool {
        self.is_over() && (self.head.name.is_none() || self.is_other) && !self.bodies.is_empty()
    }

    /// Whether the transducer has read the whole object.
    pub(crate) fn is_over(&self) -> bool {
        self.json.depth() == 0
    }

    /// Leaves out the member at `at`. Of several, the most serious is reported.
    fn leave_out(&mut self, at: u64, what: Recovery) {
        let outranks = |(_, kept)| kept == Recovery::OtherMember && what != Recovery::OtherMember;
        if self.loose.left_out.is_none_or(outranks) {
            self.loose.left_out = Some((at, what));
        }
    }

    /// The members beside the name so far are the arguments, or the first of them: no object of arguments has come.
    #[inline(never)]
    pub(super) fn take_outer(&mut self, program: &Program) {
        if self.head.name.is_none() {
            return;
        }
        let meta = core::mem::take(&mut self.loose.meta);
        if self.args.seen {
            return;
        }
        let loose = core::mem::take(&mut self.loose.text);
        let tool = self.head.meant.map(|(tool, _)| tool);
        let is_cut = self.part == Part::Meta;
        let mut members = String::new();
        if is_cut && !loose.is_empty() {
            // The member that is being read, the last of `meta`, comes last.
            push_separated(&mut members, &loose);
        }
        for (key, value) in &meta {
            let is_argument = is_parameter(program, tool, key);
            if is_argument {
                push_separated(&mut members, &quoted(key));
                members.push(':');
                members.push_str(value);
            } else if !crate::vocabulary::NEUTRAL_KEYS.contains(&key.as_str()) {
                self.leave_out(self.loose.at, Recovery::OtherMember);
            }
            if is_cut {
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
        if self.part == Part::Outer {
            self.part = Part::Flat;
        }
    }

    /// The message ends: a string that may have ended has ended, and so has a number if the model had `stopped`.
    /// Returns whether to read on.
    pub(crate) fn settle(&mut self, stopped: bool) -> bool {
        let is_settled = self.json.settle_string(self.pos, &mut self.out);
        let is_plain = self.encoded.json.is_none() && self.escaped == Escaped::No;
        let is_settled =
            is_settled || stopped && is_plain && self.json.settle_word(self.pos, &mut self.out);
        self.settled(is_settled)
    }

    /// The message ends: the lookahead after a quote is decided as it is. Returns whether to read on.
    pub(crate) fn settle_quote(&mut self) -> bool {
        let is_settled = self.json.settle_quote(self.pos, &mut self.out);
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

    /// Ends the object where the message ends, or at a byte that does not fit.
    pub(crate) fn finish(&mut self, program: &Program, close: bool) -> Completeness {
        let closes = close && self.encoded.json.is_none();
        let rest = self.json.finish(closes, self.pos, &mut self.out);
        let end = Span::empty(self.pos);
        self.escaped.place(&mut self.out.repairs, end);
        self.repairs.append(&mut self.out.repairs);
        self.end_encoded();
        let is_closed = close && rest == Completeness::Brackets;
        if is_closed {
            self.take_outer(program);
        }
        let is_flat = self.loose.flat && self.encoded.json.is_none();
        if is_flat || matches!((self.part, self.args.at), (Part::Role(Role::Args), Some(_))) {
            // The closers of the arguments come first; those of the envelope are left out.
            let outer = usize::from(is_closed) * (self.depths.len() + usize::from(!is_flat));
            let mut text = core::mem::take(&mut self.out.text);
            text.truncate(text.len().saturating_sub(outer));
            if is_flat && self.part == Part::Skip {
                text = String::from(if is_closed { "}" } else { "" });
            }
            self.args.text.push_str(text.trim_start());
            if is_closed {
                self.part = Part::Structure;
            }
        }
        rest
    }
}

/// Whether a key that describes a call may also be an argument: the tool has such a parameter, or is not known.
fn is_parameter(program: &Program, tool: Option<usize>, key: &str) -> bool {
    match tool {
        Some(tool) => program.tools.tool(tool).parameters.get(key).is_some(),
        None => !crate::vocabulary::NEUTRAL_KEYS.contains(&key),
    }
}

/// Appends another member of an object.
fn push_separated(members: &mut String, member: &str) {
    if !members.is_empty() {
        members.push(',');
    }
    members.push_str(member);
}
